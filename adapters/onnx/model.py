"""What embedder and grader share: a network that its worker loads, warms, runs and lets go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Self, TypeVar

from adapters.onnx.network import Network
from adapters.onnx.worker import Worker
from crag.errors import ModelError

T = TypeVar("T")


class OnnxModel:
    """The model of `directory`, open between `async with` and its end; `service` is what messages call it."""

    service = "model"

    def __init__(self, directory: Path, *, threads: int) -> None:
        self._directory = directory
        self._threads = threads
        self._worker = Worker(self.service)
        self._network: Network | None = None

    async def __aenter__(self) -> Self:
        """Raises ModelError, naming the file that is missing or can't be read."""
        try:
            self._network = await self._worker.run(self._load)
        except BaseException:
            await self._worker.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._worker.close()

    @property
    def model(self) -> str:
        return self._loaded.fingerprint

    async def _run(self, request: Callable[[Network, Event], T]) -> T:
        network = self._loaded
        return await self._worker.run(lambda stop: request(network, stop))

    @property
    def _loaded(self) -> Network:
        if self._network is None:
            message = f"The {self.service} isn't loaded: open it with `async with`."
            raise ModelError(message, service=f"the {self.service}")
        return self._network

    def _load(self, stop: Event) -> Network:
        network = Network.load(self._directory, threads=self._threads, service=f"the {self.service}")
        self._warm(network)
        return network

    def _warm(self, network: Network) -> None:
        """Compute once, so that the first question is no slower and a useless model fails at start."""
        raise NotImplementedError
