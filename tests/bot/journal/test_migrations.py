"""The schema's steps."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, create_engine, make_url

from bot.journal import open_journal
from bot.journal.migrations import VERSION_TABLE, migrate
from bot.journal.tables import METADATA
from tests.bot.journal.scenes import CHANNEL, execute, file_of, incoming, job, reply


def engine_of(url: str) -> Engine:
    driver = "sqlite" if url.startswith("sqlite") else "postgresql+psycopg"
    if driver == "sqlite":
        file_of(url).parent.mkdir(exist_ok=True)
    return create_engine(make_url(url).set(drivername=driver))


def brought_to(url: str, step: str) -> None:
    engine = engine_of(url)
    with engine.begin() as connection:
        migrate(connection, step)
    engine.dispose()


async def test_a_journal_of_the_first_version_keeps_its_records(url: str) -> None:
    brought_to(url, "0001")
    async with open_journal(url, retention_days=90) as journal:
        journal.record(incoming(), reply())
        assert await journal.reply("r1")
    for table in ("jobs", "counters", "remembered", "corrections"):
        execute(url, f"drop table {table}")
    execute(url, "alter table replies add column shown text not null default ''")
    execute(url, f"update {VERSION_TABLE} set version_num = '0001'")

    async with open_journal(url, retention_days=90) as journal:
        assert journal.problem == ""
        found = await journal.reply("r1")
        assert found
        assert found.reply == reply()
        await journal.start_job(job(), "U1", CHANNEL)
        assert await journal.last_job()


async def test_the_steps_lead_to_the_tables_that_the_code_knows(url: str) -> None:
    brought_to(url, "head")

    def difference(connection: Connection) -> object:
        return compare_metadata(MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}), METADATA)

    engine = engine_of(url)
    with engine.connect() as connection:
        assert difference(connection) == []
    engine.dispose()


async def test_a_step_that_fails_leaves_the_old_schema(url: str) -> None:
    brought_to(url, "0001")
    execute(url, "create table remembered (in_the_way integer)")
    async with open_journal(url, retention_days=90) as journal:
        assert "remembered" in journal.problem
        execute(url, "drop table remembered")
        assert await journal.pending("slack") == []
        assert journal.problem == ""
