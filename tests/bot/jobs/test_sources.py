"""The configured sources, read from a real folder, indexed into a store in memory."""

from pathlib import Path

from config.chat import SourceFolder
from config.settings import Settings
from crag.indexing import IndexReport, Progress
from tests.bot.house import FakeWiring, Parts


async def indexed(parts: Parts, settings: Settings, *names: str, tenant: str = "local") -> IndexReport:
    def ignore(_: Progress | str) -> None:
        pass

    wiring = FakeWiring(settings, ignore, parts)
    async with wiring.library() as library, library.sources_indexer(names, tenant) as indexer:
        return await indexer.run(full=False, dry_run=False, on_progress=ignore)


async def test_sources_go_into_one_generation_each_with_its_corpus_access_and_links(tmp_path: Path) -> None:
    for name in ("handbook", "wiki"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "leave.md").write_text(f"# Leave\n\nThis is the {name}.\n")
    settings = Settings(
        sources={
            "handbook": SourceFolder(path=tmp_path / "handbook", url_base="https://handbook.example"),
            "wiki": SourceFolder(path=tmp_path / "wiki", corpus="wiki", access=frozenset({"staff"})),
        }
    )
    parts = Parts()
    report = await indexed(parts, settings, "handbook", "wiki")
    assert report.added == ("handbook/leave.md", "wiki/leave.md")
    share = parts.database.share("local")
    assert share
    chunks = {chunk.path: chunk for chunk, _ in share.chunks.values()}
    handbook, wiki = chunks["handbook/leave.md"], chunks["wiki/leave.md"]
    assert (handbook.corpus, handbook.access) == ("default", frozenset({"everyone"}))
    assert handbook.url == "https://handbook.example/leave.md"
    assert (wiki.corpus, wiki.access, wiki.url) == ("wiki", frozenset({"staff"}), "")
    (tmp_path / "wiki" / "more.md").write_text("More.\n")
    (tmp_path / "handbook" / "leave.md").write_text("Changed.\n")
    report = await indexed(parts, settings, "wiki")
    assert (report.added, report.changed, len(report.unchanged)) == (("wiki/more.md",), (), 2)
    report = await indexed(parts, settings, "handbook", tenant="slack-T1")
    assert report.added == ("handbook/leave.md",)
    assert parts.database.share("local")
