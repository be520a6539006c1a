"""What people say a reply should have been: noted, and nothing else. Whoever may see how a reply was graded may say so;
it takes an admin and `candor calibrate` to make anything of it."""

from __future__ import annotations

from bot.desk import words
from bot.desk.pages import Pages
from bot.desk.places import Places
from bot.desk.ports import Journal
from bot.desk.rates import Rate
from bot.desk.replies import Replies
from crag import wording
from crag.corrections import Correction, Truth
from crag.platform import Person, Place
from crag.types import Chunk, Reply


class Correcting:
    """One correction a person and reply, the last one."""

    def __init__(self, places: Places, journal: Journal, replies: Replies, pages: Pages, *, per_minute: int) -> None:
        self._places = places
        self._journal = journal
        self._replies = replies
        self._pages = pages
        self._rate = Rate(per_minute)

    async def correct(self, reply: str, place: Place, person: Person, correction: Correction | None) -> str:
        """See crag.platform.Desk."""
        if self._places.channel(place) is None:
            return wording.NOT_HERE
        if no := self._places.refusal(place, person):
            return no
        if correction is None:
            gone = await self._journal.withdraw(reply, place.platform, person.id)
            return words.TAKEN_BACK if gone else words.NOTHING_TO_TAKE_BACK
        if wait := self._rate.wait((place.platform, person.id)):
            return words.corrected_too_often(wait)
        found = await self._replies.found(reply, place)
        if found is None:
            return wording.GONE
        self._rate.count((place.platform, person.id))
        sources, unknown = await self._sources(correction, found.reply)
        if correction.truth is Truth.ANSWERABLE and not sources:
            return wording.NAME_WHAT_ANSWERS
        await self._journal.correct(reply, place.platform, person.id, correction, sources)
        match correction.truth:
            case Truth.ANSWERABLE:
                return words.noted(sources, unknown)
            case Truth.UNANSWERABLE:
                return words.NOTED_NOTHING
            case _:
                return words.NOTED_WRONG

    async def _sources(self, correction: Correction, reply: Reply) -> tuple[tuple[str, ...], str]:
        """The documents that answer, and which of them nobody knows here. That one is kept as it was named: who
        calibrates may know it."""
        grades = reply.trace.grades
        ticked = [_source(grades[rank - 1].chunk) for rank in correction.passages if 0 < rank <= len(grades)]
        if not correction.page:
            return tuple(dict.fromkeys(ticked)), ""
        page = await self._pages.found(correction.page, reply)
        return tuple(dict.fromkeys([*ticked, page or correction.page])), "" if page else correction.page


def _source(chunk: Chunk) -> str:
    return chunk.path or chunk.url
