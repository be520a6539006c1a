from adapters.console.progress import IndexProgress
from crag.indexing import Progress
from tests.adapters.console import samples


def test_on_a_pipe_there_is_a_line_each_tenth() -> None:
    out, file = samples.screen()
    with IndexProgress(out) as progress:
        for done in range(201):
            progress(Progress(done, 200, "a.md", 0))
    lines = file.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[0] == "Indexing: 0 % (0 of 200)"
    assert lines[-1] == "Indexing: 100 % (200 of 200)"


def test_on_a_terminal_there_is_a_bar_and_in_the_end_nothing() -> None:
    out, file = samples.screen(terminal=True)
    with IndexProgress(out) as progress:
        progress(Progress(1, 2, "\x1b]0;owned\x07a.md", 0))
        assert "owned" not in file.getvalue()
    assert "Indexing a.md" in file.getvalue()
    assert "%" not in file.getvalue()


def test_nothing_to_do_is_done() -> None:
    out, file = samples.screen()
    with IndexProgress(out) as progress:
        progress(Progress(0, 0, "", 0))
    assert file.getvalue() == "Indexing: 100 % (0 of 0)\n"
