"""One thread that owns one model: requests queue up in order, and the event loop never computes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from crag.errors import ModelError

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
            raise ModelError(
                message, service=f"the {self._service}", advice="Ask again; if it stays, run doctor."
            ) from error

    async def close(self) -> None:
        """Ends the thread after the request that runs; those that wait fail."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    def _gone(self) -> ModelError:
        return ModelError(f"The {self._service} is shutting down.", service=f"the {self._service}")


def _was_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
