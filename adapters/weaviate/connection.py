"""A client of one Weaviate server, with a deadline on every call and one place that turns its errors into ours."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Self, TypeVar

import httpx
from weaviate import WeaviateAsyncClient
from weaviate.auth import Auth
from weaviate.classes.init import AdditionalConfig, Timeout
from weaviate.config import GrpcConfig
from weaviate.connect import ConnectionParams
from weaviate.exceptions import (
    AuthenticationFailedError,
    InsufficientPermissionsError,
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateConnectionError,
    WeaviateStartUpError,
)

from adapters.weaviate.address import Address
from crag.errors import SearchError

T = TypeVar("T")
RETRY_S = 0.25
RECONNECT = [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 1000)]
"""By default a gRPC channel waits up to two minutes before it tries a server again that was down."""
logging.getLogger("weaviate-client").setLevel(logging.CRITICAL)  # it logs failures with all text of the documents
UNREACHABLE = (WeaviateConnectionError, WeaviateStartUpError, httpx.TransportError)


class Connection:
    """Opened at the first call, and again after the server was down; belongs to the event loop that uses it."""

    def __init__(self, address: Address, *, deadline_s: float) -> None:
        self.address = address
        self.deadline_s = deadline_s
        self._client: WeaviateAsyncClient | None = None
        self._opening = asyncio.Lock()
        self._down: Exception | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def call(
        self, purpose: str, operation: Callable[[WeaviateAsyncClient], Awaitable[T]], *, deadline_s: float | None = None
    ) -> T:
        """Run the operation. While the server can't be reached it is tried again until the deadline: an embedded
        server that died is back within seconds. `purpose` completes "Weaviate could not ...". Raises SearchError."""
        limit = self.deadline_s if deadline_s is None else deadline_s
        try:
            async with self.within(limit):
                while True:
                    try:
                        result = await operation(await self._opened())
                        self._down = None
                        return result
                    except UNREACHABLE as error:
                        self._down = error
                    except UnexpectedStatusCodeError as error:
                        if error.status_code != 503:
                            raise
                        self._down = error
                    await asyncio.sleep(RETRY_S)
        except WeaviateBaseError as error:
            raise self._refused(purpose, error) from error

    @asynccontextmanager
    async def within(self, limit: float) -> AsyncIterator[None]:
        """One deadline for what is done inside; raises SearchError when it passes."""
        try:
            async with asyncio.timeout(limit):
                yield
        except TimeoutError as error:
            happened = "can't be reached" if self._down else f"did not answer within {limit:g} s"
            raise SearchError(
                f"Weaviate at {self.address} {happened}.",
                advice="Check that the server runs; Candor finds it again by itself.",
            ) from (self._down or error)

    async def _opened(self) -> WeaviateAsyncClient:
        async with self._opening:
            if self._client is None:
                client = self._new_client()
                try:
                    await client.connect()
                except BaseException:
                    await client.close()
                    raise
                self._client = client
            return self._client

    def _new_client(self) -> WeaviateAsyncClient:
        a = self.address
        timeout = Timeout(init=self.deadline_s, query=self.deadline_s, insert=max(600.0, self.deadline_s))
        return WeaviateAsyncClient(
            connection_params=ConnectionParams.from_params(
                a.host, a.http_port, a.secure, a.host, a.grpc_port, a.secure
            ),
            auth_client_secret=Auth.api_key(a.api_key) if a.api_key else None,
            additional_config=AdditionalConfig(timeout=timeout, grpc_config=GrpcConfig(channel_options=RECONNECT)),
            skip_init_checks=True,
        )

    def _refused(self, purpose: str, error: WeaviateBaseError) -> SearchError:
        status = error.status_code if isinstance(error, UnexpectedStatusCodeError) else 0
        if status in (401, 403) or isinstance(error, AuthenticationFailedError | InsufficientPermissionsError):
            return SearchError(
                f"Weaviate at {self.address} refused the API key.",
                advice="Set CANDOR_WEAVIATE__API_KEY to a key that may read and write.",
            )
        return refusal(f"Weaviate could not {purpose}", error.message)


def refusal(what: str, reason: str) -> SearchError:
    """One sentence from what the server said. A server that is short of disk or memory makes every shard read-only,
    and writes again only after a restart."""
    lower = reason.lower()
    if "no space left" in lower or "read-only" in lower:
        short_of = "memory" if "memory usage" in lower else "disk space"
        return SearchError(
            f"{what}: the Weaviate server is short of {short_of} and stopped writing; questions are still answered.",
            advice="Free some, then restart the server (in embedded mode: stop every Candor process and start again).",
        )
    return SearchError(f"{what}: {' '.join(reason.split())[:300].rstrip('.')}.")
