"""The right to write, as one record in the ledger: who has it, and until when.

A holder renews it while it works. A holder that died is told by its process id on the same machine, at once, and by
the time everywhere. Weaviate has no compare-and-set: the record is created only if it isn't there, and read back after
a moment, and again before a generation goes live.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from adapters.weaviate.ledger import Ledger
from adapters.weaviate.schema import object_id
from crag.errors import IndexBusy, SearchError

LEASE = object_id("lease")
PROBE = object_id("probe")
TIME_TO_LIVE_S = 60.0
RENEW_S = 15.0
SETTLE_S = 0.2
_held: set[str] = set()
"""The tokens that this process works under. A record of its own with another one is left from a run that ended where
nothing could be deleted, as on a full disk."""


@dataclass(frozen=True, slots=True)
class Holder:
    """`machine` tells hosts and containers apart whose process ids mean different things; `started` is the process'
    start, so that a reused id is no disguise; `expires` is Unix time."""

    token: str
    host: str
    machine: str
    pid: int
    started: str
    since: str
    expires: float


def this_process(expires: float) -> Holder:
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return Holder(
        secrets.token_hex(16), socket.gethostname(), machine(), os.getpid(), started(os.getpid()), since, expires
    )


def machine() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()} {boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def started(pid: int) -> str:
    """When a process of this machine started, "" where it doesn't run or the system doesn't tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except OSError:
        return ""


def abandoned(holder: Holder, now: float) -> bool:
    if now > holder.expires:
        return True
    if holder.machine != machine():
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    if holder.pid == os.getpid() and holder.token not in _held:
        return True
    return started(holder.pid) != holder.started


class Lease:
    """One holder at a time for all tenants of a collection."""

    def __init__(self, ledger: Ledger, *, clock: Callable[[], float] = time.time) -> None:
        self._ledger = ledger
        self._clock = clock
        self._mine: Holder | None = None

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Raises IndexBusy, SearchError."""
        mine = self._mine = await self._take()
        renewal = asyncio.create_task(self._renew(), name="renew the lease on the index")
        try:
            yield
        finally:
            renewal.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewal
            self._mine = None
            try:
                with contextlib.suppress(SearchError):
                    if await self._holds(mine):
                        await self._ledger.delete(LEASE)
            finally:
                _held.discard(mine.token)

    def require(self) -> None:
        if self._mine is None:
            raise RuntimeError("writing to the index needs the lease: async with store.lease()")

    async def verify(self) -> None:
        """Raises SearchError where another run took it over: this process was away too long."""
        self.require()
        if self._mine and not await self._holds(self._mine):
            raise SearchError("Another run took over indexing while this one stood still.", advice="Try again.")

    async def _take(self) -> Holder:
        await self._ledger.put(PROBE, "probe", {})  # a server that stopped writing says so here, before it has a lease
        present = await self._holder()
        if present and not abandoned(present, self._clock()):
            raise _busy(present)
        if present:
            await self._ledger.delete(LEASE)
        mine = this_process(self._clock() + TIME_TO_LIVE_S)
        _held.add(mine.token)
        try:
            await self._ledger.create(LEASE, "lease", asdict(mine))
            await asyncio.sleep(SETTLE_S)
            winner = await self._holder()
            if winner is None or winner.token != mine.token:
                raise _busy(winner or mine)
        except BaseException:
            _held.discard(mine.token)
            raise
        return mine

    async def _renew(self) -> None:
        while self._mine:
            await asyncio.sleep(RENEW_S)
            with contextlib.suppress(SearchError):
                if await self._holds(self._mine):
                    longer = replace(self._mine, expires=self._clock() + TIME_TO_LIVE_S)
                    await self._ledger.put(LEASE, "lease", asdict(longer))

    async def _holds(self, mine: Holder) -> bool:
        holder = await self._holder()
        return holder is not None and holder.token == mine.token

    async def _holder(self) -> Holder | None:
        value = await self._ledger.get(LEASE)
        return Holder(**value) if value else None


def _busy(holder: Holder) -> IndexBusy:
    return IndexBusy(
        f"Another run is indexing right now: process {holder.pid} on {holder.host}, since {holder.since}.",
        advice="Try again when it is done.",
    )
