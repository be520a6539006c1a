"""One data directory of an embedded Weaviate: its files, and the locks by which processes agree on them.

Three `flock`s, which the kernel drops when a process dies, however it dies:

    users.lock       shared by every Candor process that uses the server; who can have it alone is the last one
    supervisor.lock  held by the supervisor for its whole life
    start.lock       held for a moment by whoever looks at supervisor.lock or starts a supervisor
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

Phase = Literal["starting", "ready", "restarting", "failed"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """What the supervisor tells the users, in `server.json`. `reason` says why it failed or restarts."""

    phase: Phase
    http_port: int
    grpc_port: int
    supervisor: int
    server: int = 0
    version: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """The files under `path`. Methods block for microseconds; none waits for a lock."""

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def log(self) -> Path:
        return self.path / "weaviate.log"

    def create(self) -> None:
        """Make the directory, for this user only. Raises OSError."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)

    def key(self) -> str:
        """The key of the server's API: its gRPC port listens on every interface, so that anonymous access would be open
        to the network. Raises OSError."""
        return (self.path / "server.key").read_text(encoding="ascii")

    def ensure_key(self) -> None:
        """Make the key, whole or not at all, if there is none; only who holds supervisor.lock may. Raises OSError."""
        key, new = self.path / "server.key", self.path / "server.key.new"
        if not key.exists():
            new.touch(mode=0o600)
            new.write_text(secrets.token_urlsafe(32), encoding="ascii")
            new.replace(key)

    def open_lock(self, name: Literal["users", "supervisor", "start"]) -> int:
        return os.open(self.path / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)

    def read_state(self, *, last: bool = False) -> ServerState | None:
        """The supervisor's word, None where there is none; `last` reads that of the supervisor before."""
        try:
            return ServerState(**json.loads(self._state_file(last=last).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write_state(self, state: ServerState) -> None:
        """Replace it in one step. Raises OSError, on a full disk for one."""
        new = self.path / "server.json.new"
        new.write_text(json.dumps(asdict(state)), encoding="utf-8")
        new.replace(self._state_file())

    def retire_state(self) -> None:
        """Put a dead supervisor's word aside: its successor reuses the ports, and ends a server it left behind."""
        with contextlib.suppress(FileNotFoundError):
            self._state_file().replace(self._state_file(last=True))

    def forget_state(self) -> None:
        for last in (False, True):
            self._state_file(last=last).unlink(missing_ok=True)

    def _state_file(self, *, last: bool = False) -> Path:
        return self.path / ("server.last.json" if last else "server.json")


def try_lock(descriptor: int, *, exclusive: bool) -> bool:
    """Take or convert a lock if that needs no waiting."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def opened(descriptor: int) -> Iterator[int]:
    """Close it in the end, and with it its lock."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def last_words(log: Path, offset: int = 0) -> str:
    """The line of the log, from `offset` on, that tells best why the server ended; "" where it wrote nothing."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(offset, log.stat().st_size - 65536))
            lines = [line for line in stream.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return ""
    spoken = [_spoken(line) for line in reversed(lines)]
    worst = next((text for text, bad in spoken if bad), None)
    return (worst or (spoken[0][0] if spoken else ""))[:500]


def _spoken(line: str) -> tuple[str, bool]:
    """(the message of a log line, whether it reports a failure)."""
    try:
        entry = json.loads(line)
        text = ": ".join(str(entry[name]) for name in ("msg", "error") if entry.get(name))
        return text or line, entry.get("level") in ("fatal", "panic", "error")
    except (ValueError, TypeError, AttributeError):
        return line, line.startswith(("panic:", "fatal error:", "runtime:"))


def command_of(pid: int) -> str:
    """The command line of a running process, "" where there is none or the system doesn't tell."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    command = ["ps", "-o", "command=", "-p", str(pid)]
    with contextlib.suppress(OSError):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    return ""
