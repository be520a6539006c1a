"""What gets its reply without a search: small talk, and questions that can't be searched for. A command asks here
before it opens models and index."""

from __future__ import annotations

from crag import wording
from crag.calibration import Calibration
from crag.events import State
from crag.run import Run
from crag.smalltalk import courtesy
from crag.text import clean, has_words
from crag.types import Abstention, Courtesy, Question, Reason, Reply


def unsearched(text: str, limit: int) -> Courtesy | Abstention | None:
    """The reply to a cleaned text that needs no search, None where one is needed. `limit` is in characters."""
    if said := courtesy(text):
        return Courtesy(said)
    if not has_words(text):
        return Abstention(Reason.EMPTY_QUESTION, wording.EMPTY)
    if len(text) > limit:
        return Abstention(Reason.QUESTION_TOO_LONG, wording.too_long(len(text), limit))
    return None


def reply_without_search(question: Question, limit: int, calibration: Calibration) -> Reply | None:
    """The same as the engine's reply, with its trace."""
    run = Run(question, 0, None)
    body = unsearched(clean(question.text).strip(), limit)
    if body is None:
        return None
    if isinstance(body, Courtesy):
        run.enter(State.COURTESY)
    else:
        run.abstained()
    return Reply(question, body, run.trace(calibration, {}))
