"""The form in which a person says what a reply should have been: from the table of grades, or after "Not helpful"."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator

from adapters.slack.asking import Asking
from adapters.slack.blocks import Json, place_of, plain
from adapters.slack.calls import Calls
from adapters.slack.grades import EMBLEMS, grade_view
from adapters.slack.ids import CORRECT_VIEW, PAGE_NAME, PASSAGES, REASON_VIEW, TRUTH, WORDS, keep_place
from adapters.slack.modals import REASON, modal, sentence_view, words_input
from adapters.slack.refusals import FAILURES
from adapters.slack.replies import notice
from crag import wording
from crag.corrections import Correction, Truth, claimed
from crag.errors import ScreenError
from crag.platform import Desk, Place
from crag.text import clean
from crag.types import Reply

log = logging.getLogger(__name__)

LISTED = 25
"""Passages that can be chosen: the best ones."""
OPTION = 75
"""Characters of an option."""
NAME = 300
"""Characters that a page's name may have."""


class Correcting:
    """`recall` finds the reply again, for this person and place; else it says why not."""

    def __init__(
        self,
        desk: Desk,
        calls: Calls,
        asking: Asking,
        recall: Callable[[Json, str, Place], Awaitable[Reply | str]],
    ) -> None:
        self._desk = desk
        self._calls = calls
        self._asking = asking
        self._recall = recall

    async def open(self, body: Json, reply: str, where: Place, page: int = 0) -> str:
        """Open the form at once: what opens a modal serves for three seconds. From `page` of a table it lies on top of
        that one. Returns its id. Raises one of FAILURES."""
        sure = self._calls.sure
        opening = sure.views_push if page else sure.views_open
        opened = await opening(trigger_id=body["trigger_id"], view=form(reply, where, None, page))
        return str(opened["view"]["id"])

    async def offer_passages(self, body: Json, view_id: str, reply: str, where: Place, page: int = 0) -> None:
        """They come as soon as the reply is looked up; what was filled in meanwhile stays."""
        found = await self._recall(body, reply, where)
        if isinstance(found, Reply):
            await self._update(view_id, form(reply, where, found, page))
        elif page:
            await self._update(view_id, sentence_view(wording.CORRECT_A_VERDICT, found))

    async def submitted(self, body: Json, where: Place, kept: dict[str, str]) -> None:
        """Say what was noted: on the table, or to the person where there is none."""
        view: Json = body["view"]
        reply, page, why = kept["reply"], int(kept.get("page", "0")), _text(view, WORDS)
        person = await self._asking.person(body["user"]["id"], where)
        if why:
            await self._desk.vote(reply, where, person, helpful=False, reason=why)
        correction = _claim(view)
        if correction is None and _choice(view) != wording.TAKE_BACK:
            return
        told = await self._desk.correct(reply, where, person, correction)
        found = await self._recall(body, reply, where) if page else ""
        if isinstance(found, Reply):
            await self._update(str(view["root_view_id"]), grade_view(found, where, page, told))
        else:
            await self._calls.whisper(where.channel, person.id, notice(told), thread=where.thread)

    async def _update(self, view_id: str, view: Json) -> None:
        try:
            await self._calls.again(lambda: self._calls.sure.views_update(view_id=view_id, view=view))
        except (*FAILURES, ScreenError) as error:
            log.info("a modal isn't shown any more: %s", error)


def form(reply: str, place: Place, found: Reply | None, page: int = 0) -> Json:
    """From a table's `page`; else, 0, with a field for why the reply wasn't helpful, and nothing has to be said."""
    blocks = list(_inputs(found))
    if page:
        title, view = wording.CORRECT_A_VERDICT, CORRECT_VIEW
    else:
        title, view = "Thank you", REASON_VIEW
        blocks.append(words_input(wording.WRONG_OR_MISSING, limit=REASON, optional=True))
    kept = keep_place(place, reply=reply, page=str(page))
    return modal(title, blocks, metadata=kept, callback_id=view, submit="Send")


def faults(view: Json) -> dict[str, str]:
    """What is missing in a form, by the input that it is told at; empty where it can be taken."""
    if view.get("callback_id") not in (CORRECT_VIEW, REASON_VIEW):
        return {}
    correction, choice = _claim(view), _choice(view)
    if correction and correction.truth is Truth.ANSWERABLE and not (correction.passages or correction.page):
        return {PAGE_NAME: wording.NAME_WHAT_ANSWERS}
    if view["callback_id"] == CORRECT_VIEW and not correction and choice != wording.TAKE_BACK:
        return {TRUTH: wording.CHOOSE_WHAT_IS_RIGHT}
    return {}


def _inputs(found: Reply | None) -> Iterator[Json]:
    choices = [*wording.TRUTHS.items(), (wording.TAKE_BACK, wording.TAKE_IT_BACK)]
    options = [_option(str(value), label) for value, label in choices]
    yield _input(TRUTH, wording.SHOULD_HAVE_BEEN, {"type": "radio_buttons", "options": options})
    if found and found.trace.grades:
        yield _input(
            PASSAGES, wording.WHICH_PASSAGES, {"type": "multi_static_select", "options": list(_passages(found))}
        )
    named = {"type": "plain_text_input", "max_length": NAME, "placeholder": plain(wording.HOW_PAGES_ARE_NAMED)}
    yield _input(PAGE_NAME, wording.ANOTHER_PAGE, named)


def _passages(found: Reply) -> Iterator[Json]:
    for rank, grade in enumerate(found.trace.grades[:LISTED], 1):
        name = " ".join(clean(place_of(grade.chunk)).split())
        yield _option(str(rank), f"{EMBLEMS[grade.verdict]} {rank}. {name}")


def _option(value: str, label: str) -> Json:
    return {"text": plain(label if len(label) <= OPTION else f"{label[: OPTION - 1]}…"), "value": value}


def _input(name: str, label: str, element: Json) -> Json:
    """Optional, so that nobody has to say what they don't know."""
    element = {"action_id": name, **element}
    return {"type": "input", "block_id": name, "label": plain(label), "element": element, "optional": True}


def _claim(view: Json) -> Correction | None:
    ticked = [str(option["value"]) for option in _entry(view, PASSAGES).get("selected_options") or []]
    choice = _choice(view)
    return None if choice == wording.TAKE_BACK else claimed(choice, ticked, _text(view, PAGE_NAME))


def _choice(view: Json) -> str:
    return str((_entry(view, TRUTH).get("selected_option") or {}).get("value") or "")


def _text(view: Json, name: str) -> str:
    return str(_entry(view, name).get("value") or "").strip()


def _entry(view: Json, name: str) -> Json:
    """What stands in an input; empty where the form has none of this name."""
    found: Json = view["state"]["values"].get(name, {}).get(name) or {}
    return found
