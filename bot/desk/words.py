"""What the desk says when it doesn't answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bot.desk.rates import Wait

GUEST = "I answer members of this workspace only, and you are a guest here. A member can ask for you."
EXTERNAL = "I answer people of this organisation only, and you are from another one. A member can ask for you."
READ_ALONG = "People of another organisation read along here, so I don't answer. Please ask me in a direct message."
UNKNOWN = (
    "I can't find out right now whether you, and all who read along here, belong to this organisation, so I don't "
    "answer yet. Please try again in a minute; if it stays so, tell whoever runs Candor."
)
RESTARTING = "I'm restarting right now. I'll answer this when I'm back."
RESTARTING_NOW = "I'm restarting right now. Please try again in a minute."
NO_SOURCES = "No sources are configured. Whoever runs Candor can add them: [sources.NAME] in candor.toml."
ONE_AT_A_TIME = "A reindex is running already. `/candor status` shows it, `/candor cancel` stops it."
NOTHING_TO_CANCEL = "No reindex is running here."
JOB_IS_OVER = "That reindex is over, so there is nothing to cancel."
CANCELLING = "I'm stopping the reindex. The old index answers on."
VOTED = "Thank you, noted."
VOTED_WITH_REASON = "Thank you, that helps to make it better."
NEXT = "It counts with the next calibration that an admin starts; until then it changes nothing."
NOTED_NOTHING = f"Thank you, noted: our documents have no answer to this. {NEXT}"
NOTED_WRONG = (
    "Thank you, noted: the answer is wrong. Should you learn what is right, a page or that there is none, please "
    "correct it again: only then can I be measured by it."
)
TAKEN_BACK = "Your correction is gone."
NOTHING_TO_TAKE_BACK = "You hadn't corrected this, so there is nothing to take back."
NO_HUMAN = "No channel is set up for questions to humans. Whoever runs Candor can add one."
SPENT = "Today's limit of calls to the language model is used up, so I quote the documents instead."


def spent(limit: int) -> str:
    """For the model's error in mid-question, and for the admins."""
    return f"Today's limit of {limit:,} calls to the language model is used up."


def spent_notice(limit: int) -> str:
    """The one notice to the admins."""
    return f"{spent(limit)} Until midnight UTC I quote the documents instead. The setting is limits.llm_calls_per_day."


def model_failed(model: str, problem: str) -> str:
    """For the admins. `problem` is a sentence, with what to do."""
    return f"The last call of the language model {model} failed: {problem}"


def too_often(wait: Wait) -> str:
    """For a person over the rate."""
    return f"You've asked {_times(wait.limit)} within a minute. Please try again in {_seconds(wait.seconds)}."


def corrected_too_often(wait: Wait) -> str:
    """For a person who corrects without end."""
    return f"You've corrected {_times(wait.limit)} within a minute. Please try again in {_seconds(wait.seconds)}."


def too_often_here(wait: Wait) -> str:
    """For a channel over the rate."""
    many = f"This channel has asked {_times(wait.limit)} within a minute."
    return f"{many} Please try again in {_seconds(wait.seconds)}."


def busy(waiting: int) -> str:
    """For a question that finds the queue full; `waiting` are those in it."""
    many = "1 question is" if waiting == 1 else f"{waiting} questions are"
    before = f" and {many} waiting before yours" if waiting else ""
    return f"I'm busy: all my hands are full{before}. Please ask again in a minute."


def noted(sources: Sequence[str], unknown: str) -> str:
    """For documents that answer; `unknown` is one among them that wasn't found, "" for none."""
    told = f"Thank you, noted: the answer is in {' and '.join(sources)}."
    if unknown:
        told += f" I see no page “{unknown}” here, so please check that its name is as my sources show it."
    return f"{told} {NEXT}"


def unknown_sources(unknown: tuple[str, ...], known: tuple[str, ...]) -> str:
    """For a reindex of a source that isn't configured."""
    named = ", ".join(unknown)
    return f"I know no source {named}. I know: {', '.join(known)}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _seconds(seconds: float) -> str:
    count = max(1, math.ceil(seconds))
    return "1 second" if count == 1 else f"{count} seconds"
