"""What runs, for tests that prove that nothing is left behind."""

from __future__ import annotations

import subprocess


def running(pid: int) -> bool:
    """Whether it runs; one that has ended but wasn't waited for by its parent does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")
