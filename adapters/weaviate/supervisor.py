"""The process that owns the Weaviate server of one data directory, so that several Candor processes can share it.

It starts the server, starts it again on the same ports when it dies, and ends it - and itself - once no process holds
users.lock any more: also after every user was killed. It is started by `server.py`, in a session of its own, so that
Ctrl-C in a terminal reaches only Candor; supervisor.lock is handed over as an open descriptor. Standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from adapters.weaviate.directory import DataDirectory, ServerState, command_of, last_words, try_lock
from adapters.weaviate.environment import choose_ports, environment, free

POLL_S = 0.1
FIRST_TRIES = 3
"""Starts before giving up where the server has never been ready: a port may have been taken in between."""
LONGEST_PAUSE_S = 15.0
STABLE_S = 60.0
LOG_LIMIT = 10_000_000
STOP_S = 20.0
"""Weaviate needs a second or two to write its buffers; what takes longer is killed (its log then replays)."""


def die_with_parent() -> None:
    """Linux: the server gets SIGKILL when its supervisor dies. Runs between fork and exec."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Supervisor:
    """One server in one directory; `run` returns when nobody uses it, or when it can't be started."""

    def __init__(self, directory: DataDirectory, binary: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._binary = binary
        self._clock = clock
        self._key = directory.key()
        self._users = directory.open_lock("users")
        self._last = directory.read_state(last=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._state = ServerState("starting", 0, 0, os.getpid())
        self._log_start = 0
        self._stopping = False

    def stop(self, *_: object) -> None:
        self._stopping = True

    def run(self) -> None:
        self._end_orphan()
        failures = 0
        while not self._unused():
            try:
                process = self._launch()
            except OSError as error:
                self._tell(phase="failed", reason=f"{self._binary} can't be started: {error}")
                return
            began = self._clock()
            if self._watch(process):
                break
            reason = self._cause_of_death(process.returncode)
            was_ready = self._state.version != ""
            failures = 1 if was_ready and self._clock() - began > STABLE_S else failures + 1
            if not was_ready and failures >= FIRST_TRIES:
                self._tell(phase="failed", reason=reason)
                return
            self._tell(phase="restarting", reason=reason, server=0)
            self._pause(min(0.25 * 2**failures, LONGEST_PAUSE_S))
        self.end_server()
        self._directory.forget_state()

    def _launch(self) -> subprocess.Popen[bytes]:
        """The clients know the ports of a server that was ready; those of a supervisor before are kept if free."""
        if self._state.version:
            ports = choose_ports(self._state.http_port, self._state.grpc_port)
        elif self._last and free(self._last.http_port) and free(self._last.grpc_port):
            ports = choose_ports(self._last.http_port, self._last.grpc_port)
        else:
            ports = choose_ports()
        self._tell(http_port=ports.http, grpc_port=ports.grpc)
        self._rotate_log()
        command = [str(self._binary), "--host", "127.0.0.1", "--port", str(ports.http), "--scheme", "http"]
        with self._directory.log.open("ab") as log:
            self._log_start = log.tell()
            self._process = process = subprocess.Popen(  # noqa: S603
                command,
                env=dict(environment(self._directory, ports, self._key)),
                cwd=self._directory.path,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent if sys.platform == "linux" else None,
            )
        self._tell(server=process.pid)
        return process

    def _watch(self, process: subprocess.Popen[bytes]) -> bool:
        """True when the server isn't wanted any more, False when it died."""
        ready, rounds = False, 0
        while process.poll() is None:
            if self._unused():
                return True
            if not ready and (version := self._version()):
                ready = True
                self._tell(phase="ready", version=version, reason="")
            rounds += 1
            if rounds % 600 == 0:
                self._trim_log()
            time.sleep(POLL_S)
        return False

    def _unused(self) -> bool:
        """Nobody else holds users.lock. Once that is so the lock stays with this process, so that a newcomer waits
        until the server has ended."""
        return self._stopping or try_lock(self._users, exclusive=True)

    def _pause(self, seconds: float) -> None:
        end = self._clock() + seconds
        while self._clock() < end and not self._unused():
            time.sleep(POLL_S)

    def _version(self) -> str:
        """The server's version once HTTP and gRPC both accept calls, "" before."""
        import urllib.request  # here, so that the server starts before it is imported

        call = urllib.request.Request(
            f"http://127.0.0.1:{self._state.http_port}/v1/meta", headers={"Authorization": f"Bearer {self._key}"}
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(call.full_url.replace("/meta", "/.well-known/ready"), timeout=1):
                pass
            with opener.open(call, timeout=1) as reply:
                version = json.load(reply)["version"]
            with socket.create_connection(("127.0.0.1", self._state.grpc_port), timeout=1):
                return str(version)
        except (OSError, ValueError, KeyError):
            return ""

    def _cause_of_death(self, code: int) -> str:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
        words = last_words(self._directory.log, self._log_start)
        return f"the server {how}" + (f": {words}" if words else "")

    def _tell(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]
        with contextlib.suppress(OSError):
            self._directory.write_state(self._state)

    def _rotate_log(self) -> None:
        log = self._directory.log
        if log.exists() and log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))

    def _trim_log(self) -> None:
        """Copy and truncate: the server appends to a descriptor it has open."""
        log = self._directory.log
        if log.stat().st_size > 2 * LOG_LIMIT:
            shutil.copyfile(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)
            self._log_start = 0

    def _end_orphan(self) -> None:
        """A supervisor that was killed may have left its server, where the system can't tie the two."""
        if self._last and self._last.server and f"--port {self._last.http_port} " in command_of(self._last.server):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._last.server, signal.SIGKILL)

    def end_server(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("binary", type=Path)
    parser.add_argument("lock", type=int, help="the descriptor that holds supervisor.lock")
    arguments = parser.parse_args()
    if os.fork():
        os._exit(0)  # whoever started it can go on at once, and has no child to wait for
    supervisor = Supervisor(DataDirectory(arguments.directory), arguments.binary)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, supervisor.stop)
    try:
        supervisor.run()
    finally:
        supervisor.end_server()
        os.close(arguments.lock)


if __name__ == "__main__":
    main()
