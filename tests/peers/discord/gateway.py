"""The gateway: connections, sessions, intents, heartbeats, resumes; and the ways in which a connection ends or goes
quiet."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.peers.discord.frames import Frames
from tests.peers.discord.payloads import guild_json, member_json, user_json
from tests.peers.discord.state import State

Json = dict[str, Any]

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME = 0, 1, 2, 3, 4, 6
RECONNECT, MEMBERS, INVALID, HELLO, ACK = 7, 8, 9, 10, 11
FINAL = (4004, 4010, 4011, 4012, 4013, 4014)

INTENTS = {
    **{"guilds": 1 << 0, "members": 1 << 1, "presences": 1 << 8, "messages": 1 << 9, "reactions": 1 << 10},
    **{"typing": 1 << 11, "dm_messages": 1 << 12, "dm_reactions": 1 << 13, "message_content": 1 << 15},
}
PRIVILEGED = ("members", "presences", "message_content")
KNOWN = sum(1 << bit for bit in (*range(17), 20, 21, 24, 25))


@dataclass(eq=False)
class Connection:
    """One socket of the app. `stalled`: nothing that is sent arrives, no heartbeat is acknowledged."""

    socket: web.WebSocketResponse
    request: web.Request
    frames: Frames
    opened_at: float
    session: Session | None = None
    stalled: bool = False
    closed: bool = False
    close_code: int | None = None
    resumed: bool = False
    heartbeats: int = 0
    sends: deque[float] = field(default_factory=deque)

    @property
    def path(self) -> str:
        return self.request.path

    def send(self, op: int, data: Any = None, *, name: str | None = None, seq: int | None = None) -> None:
        if not self.stalled and not self.closed:
            self.frames.put({"op": op, "d": data, "s": seq, "t": name})

    def kill(self) -> None:
        """Breaks the TCP connection, without a word."""
        self.closed = True
        if (transport := self.request.transport) is not None:
            transport.abort()

    async def close(self, code: int) -> None:
        self.closed, self.close_code = True, code
        await self.frames.drain()
        with contextlib.suppress(ConnectionError):
            await self.socket.close(code=code)


@dataclass(eq=False)
class Session:
    """What READY opened. It outlives its connections until it is closed with 1000 or 1001, invalidated, or too old."""

    id: str
    intents: int
    connection: Connection | None
    seq: int = 0
    log: list[tuple[int, str, Json]] = field(default_factory=list)
    lost_at: float | None = None
    over: bool = False

    def has(self, *intents: str) -> bool:
        return all(self.intents & INTENTS[name] for name in intents)

    def dispatch(self, name: str, data: Json) -> None:
        self.seq += 1
        self.log.append((self.seq, name, data))
        if self.connection is not None:
            self.connection.send(DISPATCH, data, name=name, seq=self.seq)


class Gateway:
    def __init__(self, state: State) -> None:
        self._state = state
        self._numbers = itertools.count(1)
        self._identified_at = 0.0
        self.all: list[Connection] = []
        self.sessions: list[Session] = []
        self.plain = False

    @property
    def open(self) -> list[Connection]:
        return [connection for connection in self.all if not connection.closed]

    @property
    def live(self) -> list[Session]:
        """Sessions that events go to: connected, or lost a short time ago."""
        return [session for session in self.sessions if not session.over and not self._too_old(session)]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        zlib = request.query.get("compress") == "zlib-stream" and not self.plain
        connection = Connection(socket, request, Frames(socket, zlib=zlib), time.monotonic())
        self.all.append(connection)
        try:
            async with connection.frames:
                if request.query.get("v") != "10" or request.query.get("encoding", "json") != "json":
                    await connection.close(4012)
                    return socket
                connection.send(HELLO, {"heartbeat_interval": int(self._state.timing.heartbeat_s * 1000)})
                self._state.changed()
                await self._read(connection)
        finally:
            self._ended(connection)
        return socket

    async def _read(self, connection: Connection) -> None:
        async for frame in connection.socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            if connection.stalled:
                continue
            try:
                code = self._received(connection, json.loads(frame.data))
            except (ValueError, KeyError, TypeError):
                code = 4002
            if code is not None:
                await connection.close(code)
                return

    def _received(self, connection: Connection, frame: Json) -> int | None:
        """The close code that a frame earns, if any."""
        sends, (most, window_s) = connection.sends, self._state.rates.sends
        sends.append(time.monotonic())
        while sends and sends[0] < time.monotonic() - window_s:
            sends.popleft()
        if len(sends) > most and not self._state.rates.off:
            return 4008
        data = frame.get("d")
        answers: dict[int, Callable[[Connection, Any], int | None]] = {
            HEARTBEAT: self._heartbeat,
            IDENTIFY: self._identify,
            RESUME: self._resume,
            MEMBERS: self._members,
            PRESENCE: lambda connection, data: None,
            VOICE: lambda connection, data: None,
        }
        answer = answers.get(int(frame["op"]))
        if answer is None:
            return 4001
        if connection.session is None and frame["op"] in (MEMBERS, PRESENCE, VOICE):
            return 4003
        return answer(connection, data)

    def _heartbeat(self, connection: Connection, data: Any) -> None:
        connection.heartbeats += 1
        connection.send(ACK)

    def _identify(self, connection: Connection, data: Json) -> int | None:
        state = self._state
        if connection.session is not None:
            return 4005
        if data["token"] != state.app.token or state.app.dead or state.identifies >= state.app.identifies_a_day:
            return 4004
        intents = int(data["intents"])
        if intents & ~KNOWN:
            return 4013
        if any(intents & INTENTS[name] and name not in state.app.privileged for name in PRIVILEGED):
            return 4014
        state.identifies += 1
        now, last = time.monotonic(), self._identified_at
        if last and now - last < state.timing.identify_every_s:
            connection.send(INVALID, False)
            return None
        self._identified_at = now
        session = Session(f"session{next(self._numbers)}", intents, connection)
        connection.session = session
        self.sessions.append(session)
        self._ready(session)
        return None

    def _ready(self, session: Session) -> None:
        state, bot = self._state, self._state.world.bot
        guilds = [guild for guild in state.world.guilds.values() if bot.id in guild.members]
        ready = {
            "v": 10,
            "user": user_json(bot) | {"verified": True, "mfa_enabled": False, "email": None, "flags": 0},
            "guilds": [{"id": guild.id, "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": f"{state.gateway_url}/resume/",
            "shard": [0, 1],
            "application": {"id": state.app.id, "flags": state.app.flags},
            "private_channels": [],
            "relationships": [],
        }
        session.dispatch("READY", ready)
        for guild in guilds if session.has("guilds") else ():
            session.dispatch("GUILD_CREATE", guild_json(state, guild, members=session.has("members")))
        state.changed()

    def _resume(self, connection: Connection, data: Json) -> int | None:
        if data["token"] != self._state.app.token or self._state.app.dead:
            return 4004
        session = next((s for s in self.live if s.id == data["session_id"]), None)
        if session is None:
            connection.send(INVALID, False)
            return None
        seq = int(data["seq"] or 0)
        if seq > session.seq:
            return 4007
        if session.connection is not None:
            session.connection.session = None
        connection.session, session.connection = session, connection
        connection.resumed, session.lost_at = True, None
        for number, name, event in session.log:
            if number > seq:
                connection.send(DISPATCH, event, name=name, seq=number)
        session.dispatch("RESUMED", {"_trace": []})
        self._state.changed()
        return None

    def _members(self, connection: Connection, data: Json) -> int | None:
        session = connection.session
        guild = self._state.world.guilds[str(data["guild_id"])]
        if session is None or (data.get("query") == "" and not data.get("limit") and not session.has("members")):
            return 4014
        wanted = [str(user) for user in data.get("user_ids") or []]
        named = [self._state.world.users[user] for user in guild.members if not wanted or user in wanted]
        found = [user for user in named if wanted or user.name.startswith(str(data.get("query") or ""))]
        chunk: Json = {
            "guild_id": guild.id,
            "members": [member_json(guild, user) for user in found],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [user for user in wanted if user not in guild.members],
        }
        session.dispatch("GUILD_MEMBERS_CHUNK", chunk | {k: data[k] for k in ("nonce",) if data.get(k)})
        return None

    def _ended(self, connection: Connection) -> None:
        connection.closed = True
        code = connection.close_code = connection.close_code or connection.socket.close_code
        if (session := connection.session) is not None:
            session.connection, session.lost_at = None, self._state.now()
            session.over = session.over or code in (1000, 1001) or code in FINAL
        self._state.changed()

    def _too_old(self, session: Session) -> bool:
        lost = session.lost_at
        return lost is not None and self._state.now() - lost > self._state.timing.resume_life_s
