"""Several sources read as one, so that one run makes one generation of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crag.errors import SourceError
from crag.ports import Source, SourceItem
from crag.types import Document


class Together:
    """Satisfies crag.ports.Source. The sources' roots must not lie inside one another."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)
        self._source_of: dict[str, Source] = {}

    @property
    def roots(self) -> Sequence[str]:
        return tuple(root for source in self._sources for root in source.roots)

    @property
    def missing(self) -> Sequence[str]:
        return tuple(root for source in self._sources for root in source.missing)

    def list(self) -> Iterator[SourceItem]:
        """Raises SourceError where a root can't be read."""
        for source in self._sources:
            for item in source.list():
                self._source_of[item.id] = source
                yield item

    async def read(self, item: SourceItem) -> Document:
        """Raises SourceError."""
        if source := self._source_of.get(item.id):
            return await source.read(item)
        raise SourceError("It isn't in a source that was listed.", path=item.path)
