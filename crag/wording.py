"""What people read when there is no answer. Short, friendly, exact; one place for every platform."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crag.corrections import Truth
from crag.events import State
from crag.turns import UNKNOWN as UNKNOWN
from crag.types import EVERYONE, Answer, Band, Generation, Grade, Reason, Support, Verdict

EMPTY = "Please ask in words. What would you like to know?"
GRADING_OFF = "Grading is switched off, so nobody checked whether these passages answer your question."
INTERNAL = "Something went wrong on my side. The log has the details; asking again may help."
TIMEOUT = "I ran out of time before I had an answer that I could stand behind. Asking again may help."
NOTHING_FOUND = "I found no passage about this in {documents}."
WEAK = "I searched {documents}, but nothing I found answers this."
UNSUPPORTED = "I found related passages, but could not write an answer that they bear out."
NO_CITATION = "I had an answer, but it named no passage that bears it out, so I keep it to myself."
UNREADABLE = "I found passages, but could not read how the grading model judged them, so I won't answer from them."
DECLINED = "I searched {documents}. Some passages are related, but they don't tell."

DRIFTED = "The index changed a lot since the thresholds were measured on your questions."


def documents(count: int) -> str:
    """ "1 document", "31 documents"; "your documents" where the number isn't known."""
    return "your documents" if count <= 0 else _counted(count)


def indexed(live: Generation) -> str:
    """ "31 documents (30 for everyone), 213 passages": all that is indexed, and what most questions search, where that
    is less."""
    everyones = live.searched(frozenset(), frozenset({EVERYONE}))
    some = f" ({everyones:,} for everyone)" if live.shelves and everyones < live.documents else ""
    return f"{_counted(live.documents)}{some}, {passages(live.chunks)}"


def passages(count: int) -> str:
    """ "1 passage", "213 passages"."""
    return f"{count:,} passage{'s' if count != 1 else ''}"


def _counted(count: int) -> str:
    return f"{count:,} document{'s' if count != 1 else ''}"


def too_long(length: int, limit: int) -> str:
    """For a question over the limit, both in characters."""
    return f"Your question has {length:,} characters; I read up to {limit:,}. Please ask it in fewer words."


def unreachable(service: str) -> str:
    """For a service that is down."""
    return f"I can't reach {service} right now. Please try again in a minute; an admin can look with `candor doctor`."


def quoting_instead(problem: str) -> str:
    """The note under an answer that was quoted because the LLM failed. `problem` is a whole sentence."""
    return f"{problem} So I quote the documents instead."


def gap(words: tuple[str, ...]) -> str:
    """Names what the evidence doesn't mention."""
    return f"What I found doesn't mention {', '.join(f'“{w}”' for w in words)}."


def read_as(question: str) -> str:
    """For a question whose spelling or abbreviation was taken for another, or that leaned on the conversation."""
    return f"I read your question as “{question}”."


def outdated(titles: Sequence[str]) -> str:
    """For cited documents that say of themselves that they no longer hold."""
    named = ", ".join(f"“{title}”" for title in titles)
    return (
        f"{named} {'is' if len(titles) == 1 else 'are'} marked as no longer current. Please check before relying on it."
    )


def disagreeing(one: str, figure: str, other: str, instead: str) -> str:
    """For two documents that say nearly the same with other figures, each by its mark or its title."""
    return f"Your documents disagree: {one} says {figure}, {other} says {instead}. Please check which one holds."


def from_elsewhere(marks: str, name: str) -> str:
    """For citations that a second retriever found."""
    return f"{marks} {'comes' if marks.count('[') == 1 else 'come'} from {name}, not from the documents searched first."


def dropped(count: int) -> str:
    """For sentences that the support check removed."""
    return f"I left out {count} sentence{'s' if count != 1 else ''} that the sources don't bear out."


HEADLINES: dict[Reason, str] = {
    Reason.EMPTY_QUESTION: "I need a question",
    Reason.QUESTION_TOO_LONG: "That is too long for me",
    Reason.GRADER_FAILED: "I can't check the passages right now",
    Reason.SEARCH_UNAVAILABLE: "I can't search right now",
    Reason.INDEX_MISSING: "There is nothing to search yet",
    Reason.INDEX_MISMATCH: "The index doesn't fit",
    Reason.TIMEOUT: "I ran out of time",
    Reason.INTERNAL: "Something went wrong",
}


def headline(reason: Reason) -> str:
    """The card's title: "I don't know", unless something is wrong that is no lack of knowledge."""
    return HEADLINES.get(reason, UNKNOWN)


STAGES: dict[State, str] = {
    State.RECEIVED: "Reading the question",
    State.STANDALONE: "Reading the conversation",
    State.SEARCH: "Searching the documents",
    State.GRADE: "Grading the passages",
    State.WIDEN: "Searching more broadly",
    State.SECOND_SOURCE: "Asking the second source",
    State.REWRITE: "Rephrasing the question",
    State.REFINE: "Picking the sentences that matter",
    State.WRITE: "Writing the answer",
    State.SUPPORT: "Checking the answer against its sources",
}
"""What is being done, on a status line; states that take no time have no words."""


def stage(name: str) -> str:
    """What a timing is of: "search", "second source"; `crag_ms` is all of grading and correcting."""
    return "grading and correcting" if name == "crag_ms" else name.replace("_", " ")


PROBABLY = "Probably supported"
"""Instead of "Partly supported" where nothing is missing: the sources say it all, and are likely what was asked for."""
BADGES: dict[Band, str] = {
    Band.CORRECT: "Well supported",
    Band.AMBIGUOUS: "Partly supported",
    Band.INCORRECT: "Not checked",
}
BANDS = {**BADGES, Band.AMBIGUOUS: f"{PROBABLY}” or “{BADGES[Band.AMBIGUOUS]}"}
"""All badges of a band, for where answers are counted by band; stands between quotation marks."""


def shown_band(answer: Answer) -> Band:
    """What the badge stands for. A good retrieval doesn't help an answer that its sources bear out in part only."""
    partly = answer.support is Support.PARTIAL and answer.band is Band.CORRECT
    return Band.AMBIGUOUS if partly else answer.band


def badge(answer: Answer) -> str:
    """The band in words; and how often answers of this band were right, where that was measured."""
    band = shown_band(answer)
    words = PROBABLY if band is Band.AMBIGUOUS and answer.support is Support.FULL else BADGES[band]
    if not answer.record:
        return words
    right, total = answer.record
    return f"{words} - right {right} of {total} times on your questions"


def against(score: float, upper: float, lower: float) -> str:
    """A score and where it stands: "0.512, between 0.350 and 0.720"."""
    if math.isnan(score):
        return "unreadable"
    if score >= upper:
        return f"{score:.3f}, at or above the upper threshold {upper:.3f}"
    if score < lower:
        return f"{score:.3f}, below the lower threshold {lower:.3f}"
    return f"{score:.3f}, between {lower:.3f} and {upper:.3f}"


def standing(grade: Grade, upper: float, lower: float) -> str:
    """Where its score stands; one that nobody graded has none."""
    return against(grade.score, upper, lower) if grade.graded else "not graded"


def graded_share(grades: Sequence[Grade]) -> str:
    """ "8 of 20 passages", where not all that were found were graded; else ""."""
    graded = sum(grade.graded for grade in grades)
    return f"{graded} of {len(grades)} passages" if graded < len(grades) else ""


def grade_reason(grade: Grade) -> str:
    """The engine explains what it did with a grade; where it stopped before, the verdict has to do."""
    told = "below the lower threshold" if grade.verdict is Verdict.INCORRECT else "not needed"
    return grade.reason or ("evidence" if grade.kept else told)


def fate(grade: Grade) -> str:
    """Whether a passage was kept or dropped, and why."""
    reason = grade_reason(grade)
    if grade.kept:
        return "Kept as evidence" if reason == "evidence" else f"Kept: {reason}"
    return f"Dropped: {reason}" if grade.graded else f"Dropped, {reason}"


STILL_WORKS = "Earlier answers, and how they were graded, can still be opened."
"""On the card of what doesn't work."""
HOW_GRADED = "How was this graded?"
HELPFUL = "Helpful"
NOT_HELPFUL = "Not helpful"
ASK_A_HUMAN = "Ask a human"
TRY_OTHER_WORDS = "Try other words"
ASK_AGAIN = "Ask again"
SHOW_PASSAGE = "Show passage"
ASK_ABOUT_THIS = "Ask Candor about this"
GONE = "I no longer have this reply, or may not show it here, so I can't show more of it."
NOT_HERE = "I'm not set up for this channel. Whoever runs Candor can add it."
ADMINS_ONLY = "Only admins of Candor can do this. Whoever runs Candor names them in its settings."
MOMENT = "One moment …"
NEAREST = "The nearest passages"
WITHDRAWN = "Withdrawn: the sources don't bear this out"
"""Over sentences that people saw while the answer was written."""
YOUR_QUESTION = "Your question"
WHAT_QUESTION = "What would you like to know?"
WRONG_OR_MISSING = "What was wrong or missing?"
CORRECT_A_VERDICT = "Correct a verdict"
SHOULD_HAVE_BEEN = "What would have been right?"
TRUTHS: dict[Truth, str] = {
    Truth.ANSWERABLE: "A document answers it: choose or name it below",
    Truth.UNANSWERABLE: "“I don't know”: our documents have no answer",
    Truth.UNSAID: "It is wrong, but I can't say what is right",
}
TAKE_BACK, TAKE_IT_BACK = "take_back", "I take my correction back"
"""A choice like those above, which is none of them."""
WHICH_PASSAGES = "Passages that answer it"
ANOTHER_PAGE = "Another page that answers it"
HOW_PAGES_ARE_NAMED = "Its title, path or address, as my sources show it"
CHOOSE_WHAT_IS_RIGHT = "Please choose what would have been right."
NAME_WHAT_ANSWERS = "Please choose a passage or name a page that answers the question."
FOR_A_HUMAN = "A question for a human"
OPEN_QUESTION = "Open the question"
HAS_A_QUESTION = "has a question that I could not answer:"
"""After somebody's name."""
PASSED_ON = "I passed your question on."
NOT_PASSED_ON = "I couldn't pass your question on."
