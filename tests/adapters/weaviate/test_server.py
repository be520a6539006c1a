"""Embedded mode: one server for all, back after a crash, gone after the last user, plain words where it can't start."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from adapters.weaviate.directory import DataDirectory, ServerState
from adapters.weaviate.server import embedded_server
from crag.errors import SearchError
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.contracts.index_data import HOLIDAY, fill, request
from tests.servers.processes import running
from tests.servers.weaviate import CACHE, START_TIMEOUT_S

pytestmark = pytest.mark.weaviate
ROOT = Path(__file__).parents[3]
User = asyncio.subprocess.Process


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    return DataDirectory(tmp_path / "data of a bot")


@asynccontextmanager
async def user(directory: DataDirectory) -> AsyncIterator[tuple[User, str]]:
    """(another Candor process that uses the directory, the ports it was given)."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.adapters.weaviate.user",
        directory.path,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        yield process, (await process.stdout.readline()).decode().strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def leave(process: User) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    assert await process.wait() == 0


def state(directory: DataDirectory) -> ServerState:
    found = directory.read_state()
    assert found is not None
    return found


async def test_two_processes_share_one_server_and_the_last_one_ends_it(directory: DataDirectory) -> None:
    async with user(directory) as (first, ports), user(directory) as (second, same_ports):
        assert ports == same_ports != ""
        server, supervisor = state(directory).server, state(directory).supervisor
        await leave(first)
        assert running(server)
        await leave(second)
        assert not running(server)
        assert not running(supervisor)


async def test_two_processes_at_once_start_one_server(directory: DataDirectory) -> None:
    async with AsyncExitStack() as stack:
        users = await asyncio.gather(*(stack.enter_async_context(user(directory)) for _ in range(2)))
        assert len({ports for _, ports in users}) == 1
        server = state(directory).server
        await asyncio.gather(*(leave(process) for process, _ in users))
    await until(lambda: not running(server))


async def test_a_killed_user_leaves_no_process_behind(directory: DataDirectory) -> None:
    async with user(directory) as (process, _):
        server, supervisor = state(directory).server, state(directory).supervisor
        process.kill()
        await process.wait()
        await until(lambda: not running(server) and not running(supervisor))


async def test_ctrl_c_ends_the_server_before_its_process(directory: DataDirectory) -> None:
    async with user(directory) as (process, _):
        server, supervisor = state(directory).server, state(directory).supervisor
        process.send_signal(signal.SIGINT)
        await until(lambda: not running(server) and not running(supervisor))
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def test_what_was_indexed_is_there_after_a_restart(directory: DataDirectory) -> None:
    for turn in range(2):
        async with (
            embedded_server(
                directory.path, binary=None, cache=CACHE, environment=os.environ, start_timeout_s=START_TIMEOUT_S
            ) as server,
            AsyncExitStack() as stack,
        ):
            backend = WeaviateBackend(await server, "Restart", stack)
            if turn == 0:
                await fill(await backend.store())
            assert (await (await backend.index()).search(request()))[0].chunk == HOLIDAY


@pytest.mark.parametrize("victim", ["server", "supervisor"])
async def test_a_question_asked_while_the_server_is_killed_is_answered_when_it_is_back(
    directory: DataDirectory, victim: str
) -> None:
    async with (
        embedded_server(
            directory.path, binary=None, cache=CACHE, environment=os.environ, start_timeout_s=START_TIMEOUT_S
        ) as server,
        AsyncExitStack() as stack,
    ):
        address = await server
        backend = WeaviateBackend(address, "Killed", stack, deadline_s=20.0)
        await fill(await backend.store())
        index = await backend.index()
        asked = [asyncio.create_task(index.search(request())) for _ in range(20)]
        await asyncio.sleep(0)
        os.kill(getattr(state(directory), victim), signal.SIGKILL)
        for hits in await asyncio.gather(*asked, index.search(request())):
            assert hits[0].chunk == HOLIDAY
        assert (state(directory).http_port, state(directory).grpc_port) == (address.http_port, address.grpc_port)


async def test_a_program_that_is_no_server_is_reported_with_its_words_and_its_log(
    directory: DataDirectory, tmp_path: Path
) -> None:
    fake = tmp_path / "weaviate"
    fake.write_text(
        '#!/bin/sh\necho \'{"level":"info","msg":"hello"}\'\necho \'{"level":"fatal","msg":"port is taken"}\'\nexit 1\n'
    )
    fake.chmod(0o755)
    began = time.monotonic()
    with pytest.raises(SearchError) as caught:
        async with embedded_server(
            directory.path, binary=fake, cache=CACHE, environment=os.environ, start_timeout_s=30
        ) as server:
            await server
    assert "exit status 1: port is taken" in str(caught.value)
    assert str(directory.log) in str(caught.value)
    assert time.monotonic() - began < 15


async def test_a_full_disk_at_the_start_is_said_with_what_to_do(directory: DataDirectory, tmp_path: Path) -> None:
    full = tmp_path / "weaviate"
    full.write_text("#!/bin/sh\necho 'panic: write /data/raft.db: no space left on device'\nexit 2\n")
    full.chmod(0o755)
    with pytest.raises(SearchError, match=r"no space left on device.*is full: free some space"):
        async with embedded_server(
            directory.path, binary=full, cache=CACHE, environment=os.environ, start_timeout_s=30
        ) as server:
            await server


async def test_a_file_that_can_not_run_is_reported(directory: DataDirectory, tmp_path: Path) -> None:
    broken = tmp_path / "weaviate"
    broken.write_bytes(b"\x7fELF broken")
    broken.chmod(0o755)
    with pytest.raises(SearchError, match="can't be started"):
        async with embedded_server(
            directory.path, binary=broken, cache=CACHE, environment=os.environ, start_timeout_s=30
        ) as server:
            await server


async def test_a_server_that_never_gets_ready_is_given_up_in_time(directory: DataDirectory, tmp_path: Path) -> None:
    slow = tmp_path / "weaviate"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    with pytest.raises(SearchError, match="wasn't ready after 1 s"):
        async with embedded_server(
            directory.path, binary=slow, cache=CACHE, environment=os.environ, start_timeout_s=1
        ) as server:
            await server
    assert directory.read_state() is None


async def test_a_directory_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(SearchError, match="can't be used"):
        async with embedded_server(tmp_path / "file" / "data", binary=Path("/bin/true"), cache=CACHE, environment={}):
            pass


async def test_an_old_server_is_refused_by_name(directory: DataDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.weaviate.server.OLDEST", (99, 0))
    with pytest.raises(SearchError, match=r"too old: 1\."):
        async with embedded_server(
            directory.path, binary=None, cache=CACHE, environment=os.environ, start_timeout_s=START_TIMEOUT_S
        ) as server:
            await server


async def test_only_its_user_can_read_the_key_and_the_data(directory: DataDirectory) -> None:
    await asyncio.to_thread(directory.create)
    directory.ensure_key()
    key = directory.key()
    assert len(key) > 30
    directory.ensure_key()
    assert directory.key() == key
    assert (directory.path / "server.key").stat().st_mode & 0o077 == 0
    assert directory.path.stat().st_mode & 0o077 == 0
