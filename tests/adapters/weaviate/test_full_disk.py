"""A disk that really is full: the index, the start of a server, and the cache of programs. Each ends in a plain error
that says what to do, nothing half-written is left, and what was there answers on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.weaviate.full_disk import SECRET

pytestmark = pytest.mark.weaviate
ROOT = Path(__file__).parents[3]
OWN_MOUNTS = ["unshare", "--map-root-user", "--mount"]


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    try:
        subprocess.run([*OWN_MOUNTS, "mount", "-t", "tmpfs", "none", tmp_path], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this system lets no user mount a small disk: {error}")
    return tmp_path


@pytest.mark.parametrize("scene", ["index", "start", "cache"])
def test_on_a_full_disk(disk: Path, scene: str) -> None:
    program = [sys.executable, "-m", "tests.adapters.weaviate.full_disk", scene, str(disk)]
    done = subprocess.run([*OWN_MOUNTS, *program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert SECRET not in done.stdout + done.stderr
