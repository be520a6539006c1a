"""What can go wrong, as a small tree.

    CandorError
    +- SettingsError        a setting is wrong: names it, its value and what is allowed
    +- ServiceError         something outside this process failed; `service` names it
    |  +- SearchError           the store can't be reached, or refused the call
    |  |  +- IndexMissing           nothing is indexed yet
    |  |  +- IndexMismatch          the index was built with another embedder
    |  |  +- IndexBusy              another run is indexing right now
    |  +- ModelError            an embedder or a grader failed
    |  +- LanguageModelError    the LLM failed: refused the key, timed out, answered nothing readable
    +- SourceError          a document can't be read
    +- ScreenError          the platform refused a message for good
       +- ScreenUnreachable     or can't be reached at the moment

Adapters translate their vendor's errors into these once, at the edge. The text of each is written for the person who
reads it: what happened, then what to do.
"""

from __future__ import annotations


class CandorError(Exception):
    """The root. `str(error)` is a sentence a person understands; `advice` says what to do, or is empty."""

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class SettingsError(CandorError):
    """A setting is wrong. The message names the setting, its value and what is allowed."""


class ServiceError(CandorError):
    """A part outside the engine failed. `service` is its name in words ("Weaviate", "the language model")."""

    service = "a service"

    def __init__(self, message: str, *, service: str = "", advice: str = "") -> None:
        super().__init__(message, advice=advice)
        if service:
            self.service = service


class SearchError(ServiceError):
    """The store can't be reached within the deadline, or refused the call."""

    service = "the document search"


class IndexMissing(SearchError):
    """Nothing is indexed yet."""


class IndexMismatch(SearchError):
    """The live index was built with another embedder than the one that is running."""


class IndexBusy(SearchError):
    """Another run is indexing right now."""


class ModelError(ServiceError):
    """An embedder or a grader failed."""

    service = "the grading model"


class LanguageModelError(ServiceError):
    """The LLM failed: it can't be reached, refused the key, timed out, or answered nothing readable."""

    service = "the language model"


class SourceError(CandorError):
    """A document or a folder can't be read. `path` names it; `transient` says that it may well be readable later, as it
    is, so that what is known of it needn't be dropped."""

    def __init__(self, message: str, *, path: str = "", advice: str = "", transient: bool = False) -> None:
        super().__init__(message, advice=advice)
        self.path = path
        self.transient = transient


class ScreenError(CandorError):
    """The platform refused a reply for good: the thread is locked, the channel is gone, the bot was removed."""


class ScreenUnreachable(ScreenError):
    """Not for good: the platform can't be reached, or takes no messages right now. The same may work later."""
