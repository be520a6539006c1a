"""One real PostgreSQL server a test session, on a free port, ended with the session, however that ends.

Its programs: those on PATH, else Debian's in /usr/lib/postgresql, else Debian's packages unpacked into the cache of the
user, with the libraries that this machine lacks; nothing is installed. It refuses to run as root, so that for root it
runs as `nobody`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
import psycopg
import pytest

CACHE = platformdirs.user_cache_path("candor") / "postgresql"
START_TIMEOUT_S = 30.0
SKIPPED = ("libllvm", "libperl", "perl")
"""Packages that only make it faster, or install it."""


class PostgresMissing(RuntimeError):
    """No server can be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Postgres:
    """`address` is that of the server, without a database."""

    address: str
    log: Path

    @contextlib.contextmanager
    def new_database(self) -> Iterator[str]:
        """The URL of an empty one, which is dropped at the end. Blocks."""
        name = f"t{secrets.token_hex(6)}"
        self.execute(f"create database {name}")
        yield f"{self.address}/{name}"
        self.execute(f"drop database {name} with (force)")

    def execute(self, *statements: str) -> None:
        """Tell the server something, from another database than those of the tests. Blocks."""
        with psycopg.connect(f"{self.address}/postgres", autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The same for a question."""
        with psycopg.connect(f"{self.address}/postgres", autocommit=True) as connection:
            return connection.execute(query.encode()).fetchall()


@dataclass(frozen=True, slots=True)
class Programs:
    """The folder with `initdb` and `postgres`, and where their libraries are, if not in the system."""

    folder: Path
    libraries: str = ""

    def environment(self) -> dict[str, str]:
        return {**os.environ, "LC_ALL": "C", **({"LD_LIBRARY_PATH": self.libraries} if self.libraries else {})}


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Where none can be had, the tests that want one fail with the reason."""
    with running(programs(CACHE)) as server:
        yield server


def programs(cache: Path) -> Programs:
    """Raises PostgresMissing."""
    if found := installed():
        return Programs(found)
    root = cache / "root"
    if not (cache / "complete").exists():
        shutil.rmtree(cache, ignore_errors=True)
        unpack(root, cache / "packages")
        (cache / "complete").touch()
    if not (found := _newest(root / "usr/lib/postgresql")):
        raise PostgresMissing(f"The packages in {cache} have no PostgreSQL server. Delete that folder and try again.")
    libraries = {str(file.parent) for file in root.glob("usr/lib/**/*.so.*")}
    return Programs(found, os.pathsep.join(sorted(libraries)))


def installed() -> Path | None:
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    return _newest(Path("/usr/lib/postgresql"))


def unpack(root: Path, packages: Path) -> None:
    """Debian's packages of the server, and of those libraries that this machine lacks."""
    packages.mkdir(parents=True)
    plan = _run("apt-get", "--simulate", "install", "--no-install-recommends", "postgresql")
    wanted = re.findall(r"^Inst (postgresql-\d+|postgresql-client-\d+|lib\S+) ", plan, re.MULTILINE)
    wanted = [name for name in wanted if not name.startswith(SKIPPED)]
    if not any(name.startswith("postgresql-") for name in wanted):
        raise PostgresMissing("Debian's package lists have no PostgreSQL server. As root, run: apt-get update")
    _run("apt-get", "download", *wanted, at=packages)
    for package in packages.glob("*.deb"):
        _run("dpkg", "-x", str(package), str(root))
    shutil.rmtree(packages)


@contextlib.contextmanager
def running(found: Programs) -> Iterator[Postgres]:
    """A new server with no data. It gives its address."""
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="candor-postgres-"))
    try:
        if user and found.libraries:  # this user may not read root's cache
            root = found.folder.parents[4]
            shutil.copytree(root, folder / "root", symlinks=True)
            moved = found.libraries.replace(str(root), str(folder / "root"))
            found = Programs(folder / "root" / found.folder.relative_to(root), moved)
        if user:
            folder.chmod(0o755)
            _give(folder, user)
        with _started(found, folder, user) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _started(found: Programs, folder: Path, user: str | None) -> Iterator[Postgres]:
    data, password = folder / "data", secrets.token_hex(8)
    (folder / "password").write_text(password)
    setup = ["--auth=scram-sha-256", f"--pwfile={folder / 'password'}", "--username=candor", "--encoding=UTF8"]
    done = subprocess.run(
        [found.folder / "initdb", "--no-sync", "--no-locale", *setup, str(data)],
        env=found.environment(), user=user, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise PostgresMissing(f"initdb failed: {done.stderr.strip()[-500:]}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["-p", str(port), "-h", "127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    log = folder / "postgres.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [found.folder / "postgres", "-D", str(data), *options],
            env=found.environment(), user=user, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )  # fmt: skip
    server = Postgres(f"postgresql://candor:{password}@127.0.0.1:{port}", log)
    try:
        _wait_until_ready(server, process)
        yield server
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: its data goes anyway
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_until_ready(server: Postgres, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(f"{server.address}/postgres", connect_timeout=5).close()
            return
        time.sleep(0.1)
    raise PostgresMissing(f"PostgreSQL doesn't start: {server.log.read_text()[-500:]}")


def _newest(folder: Path) -> Path | None:
    found = [path.parent for path in folder.glob("*/bin/initdb")]
    return max(found, key=lambda path: int(path.parent.name), default=None)


def _give(folder: Path, user: str) -> None:
    entry = pwd.getpwnam(user)
    os.chown(folder, entry.pw_uid, entry.pw_gid)


def _run(*command: str, at: Path | None = None) -> str:
    try:
        return subprocess.run(command, cwd=at, check=True, capture_output=True, text=True, timeout=600).stdout
    except (OSError, subprocess.SubprocessError) as error:
        words = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
        raise PostgresMissing(
            f"PostgreSQL isn't installed here (initdb is not on PATH), and Debian's packages can't be had: {words}"
        ) from error


def _die_with_parent() -> None:
    """PR_SET_PDEATHSIG; SIGQUIT ends the server and all its processes at once."""
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)
