"""Getting the server that tests run, before the first of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers.processes import running

ROOT = Path(__file__).parents[2]


@pytest.fixture
def building(tmp_path: Path) -> dict[str, str]:
    """An environment where no release can be reached and a build takes for ever; its child's id is in "child"."""
    go = tmp_path / "go"
    go.write_text(f'#!/bin/sh\n/bin/sleep 600 & echo $! > "{tmp_path}/child"\nwait\n')
    go.chmod(0o755)
    nowhere = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")
    return {**nowhere, "PATH": str(tmp_path), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_ctrl_c_while_a_server_is_got_leaves_no_process(tmp_path: Path, building: dict[str, str]) -> None:
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/adapters/weaviate/test_contracts.py"]
    run = subprocess.Popen(
        tests,
        cwd=ROOT,
        env=building,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        child = tmp_path / "child"
        end = time.monotonic() + 120
        while not (child.exists() and child.read_text().strip()) and run.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        out, _ = run.communicate(timeout=30)
    finally:
        run.kill()
        run.communicate()
    assert "Building weaviate" in out
    assert "KeyboardInterrupt" in out
    pid, end = int(child.read_text()), time.monotonic() + 10
    while running(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not running(pid)
