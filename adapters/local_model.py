"""A model that lives in this process: one thread owns it, requests queue up in order, the event loop never computes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from crag.errors import ModelError


class Loaded(Protocol):
    """A model in memory."""

    @property
    def fingerprint(self) -> str: ...


M = TypeVar("M", bound=Loaded)
T = TypeVar("T")


class Worker:
    """A request that is cancelled before its turn is never computed; one that is cancelled while it runs learns it
    from the event it was given. A request that raises fails alone."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=service.replace(" ", "-"))
        self._closed = False

    async def run(self, request: Callable[[Event], T]) -> T:
        """Raises ModelError, whatever the request raised."""
        stop = Event()
        try:
            return await asyncio.wrap_future(self._thread.submit(request, stop))
        except asyncio.CancelledError:
            stop.set()
            if self._closed and not _was_cancelled():
                raise self._gone() from None
            raise
        except ModelError:
            raise
        except Exception as error:
            if self._closed:
                raise self._gone() from None
            message = f"The {self._service} failed ({type(error).__name__}: {str(error)[:200]})."
            advice = "Try again; if it stays, `candor doctor` says more."
            raise ModelError(message, service=f"the {self._service}", advice=advice) from error

    async def close(self) -> None:
        """Ends the thread after the request that runs; those that wait fail."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    def _gone(self) -> ModelError:
        return ModelError(f"The {self._service} is shutting down.", service=f"the {self._service}")


class LocalModel(Generic[M]):
    """Open between `async with` and its end. A subclass says how to load; `service` is what messages call it."""

    service = "model"

    def __init__(self) -> None:
        self._worker = Worker(self.service)
        self._model: M | None = None

    async def __aenter__(self) -> Self:
        """Raises ModelError, naming what is missing or can't be read."""
        try:
            self._model = await self._worker.run(lambda _: self._load())
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
        """The fingerprint. Raises ModelError before the model is open."""
        return self._open_model.fingerprint

    async def _run(self, request: Callable[[M, Event], T]) -> T:
        model = self._open_model
        return await self._worker.run(lambda stop: request(model, stop))

    @property
    def _open_model(self) -> M:
        if self._model is None:
            message = f"The {self.service} isn't loaded: open it with `async with`."
            raise ModelError(message, service=f"the {self.service}")
        return self._model

    def _load(self) -> M:
        """Load and compute once, so that the first question is no slower and a useless model fails at start."""
        raise NotImplementedError


def _was_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
