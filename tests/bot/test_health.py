import asyncio
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import aiohttp
import pytest

from bot import health as room
from bot.health import Health, serving
from crag.errors import CandorError, SearchError
from tests.bot.conftest import CommandLine


async def asked(address: str, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{address}/{path}") as response:
        return response.status, (await response.json())["status"]


async def test_while_starting_it_lives_but_is_not_ready() -> None:
    async with serving(Health(), "127.0.0.1", 0) as address:
        assert await asked(address, "healthz") == (200, "ok")
        assert await asked(address, "readyz") == (503, "Candor is starting or stopping.")


@pytest.mark.parametrize("problem", ["", "Weaviate is down."])
async def test_readiness_is_what_the_probe_finds(problem: str) -> None:
    async def probe() -> str:
        return problem

    async with serving(Health(probe), "127.0.0.1", 0) as address:
        assert await asked(address, "readyz") == ((503, problem) if problem else (200, "ok"))


async def test_a_probe_that_raises_or_hangs_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "PROBE_S", 0.05)

    async def down() -> str:
        raise SearchError("Weaviate is down.")

    async def broken() -> str:
        raise ZeroDivisionError

    async def hanging() -> str:
        await asyncio.Event().wait()
        return ""

    assert await Health(down).problem() == "Weaviate is down."
    assert "failed" in await Health(broken).problem()
    assert "took more than" in await Health(hanging).problem()


async def test_asking_often_probes_once() -> None:
    asked_times = 0

    async def probe() -> str:
        nonlocal asked_times
        asked_times += 1
        return ""

    health = Health(probe)
    await asyncio.gather(*(health.problem() for _ in range(20)))
    assert asked_times == 1


async def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CandorError, match=r"can't listen on .*CANDOR_SERVE__PORT"):
            async with serving(Health(), "127.0.0.1", taken.getsockname()[1]):
                pass


def test_health_without_a_server_ends_with_1(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("CANDOR_SERVE__PORT", str(free.getsockname()[1]))
    run = candor("health")
    assert run.code == 1
    assert "Is `candor serve` running?" in run.err


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_health_asks_a_server_that_listens_everywhere(
    candor: CommandLine, monkeypatch: pytest.MonkeyPatch, status: int, code: int
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.end_headers()
            self.wfile.write(b'{"status": "so it is"}')

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("0.0.0.0", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        monkeypatch.setenv("CANDOR_SERVE__HOST", "0.0.0.0")
        monkeypatch.setenv("CANDOR_SERVE__PORT", str(server.server_port))
        run = candor("health")
        thread.join()
    assert run.code == code
    assert run.err == "so it is\n"
