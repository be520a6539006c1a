"""Which generation is live, and whether it may be served."""

from __future__ import annotations

from adapters.weaviate.connection import Connection
from adapters.weaviate.ledger import Head, Ledger
from adapters.weaviate.schema import Names, tenant_key
from crag.errors import IndexMissing, SearchError


class LiveGeneration:
    """Asks the alias every time (1 ms), since another process may switch it, and verifies a tenant's part of a
    generation once: a dangling alias, or a generation that wasn't written to its end, is never served."""

    def __init__(self, connection: Connection, ledger: Ledger, names: Names) -> None:
        self._connection = connection
        self._ledger = ledger
        self._names = names
        self._generation = ""
        self._heads: dict[str, Head] = {}

    async def name(self) -> str:
        """The collection that the alias points at, "" where there is no alias. Raises SearchError."""
        alias = await self._connection.call(
            "look up the live index", lambda client: client.alias.get(alias_name=self._names.collection)
        )
        return alias.collection if alias else ""

    async def part(self, tenant: str, *, fresh: bool = False) -> tuple[str, Head] | None:
        """(the generation, the tenant's head in it), None where nothing is indexed; `fresh` reads the counts again.
        Raises IndexMissing where it is incomplete, SearchError."""
        generation = await self.name()
        if generation != self._generation:
            self.forget()
            self._generation = generation
        if not generation:
            return None
        known = self._heads.get(tenant)
        if known and not fresh:
            return generation, known
        head = await self._ledger.head(generation, tenant)
        if head is None:
            return None
        if known is None:
            await self._require_complete(generation, tenant, head)
        self._heads[tenant] = head
        return generation, head

    async def usable(self, tenant: str) -> tuple[str, Head] | None:
        """For who writes: what isn't complete counts as nothing, so that a new run can replace it. Counts are fresh."""
        try:
            return await self.part(tenant, fresh=True)
        except IndexMissing:
            return None

    def forget(self) -> None:
        self._generation = ""
        self._heads.clear()

    async def _require_complete(self, generation: str, tenant: str, head: Head) -> None:
        incomplete = IndexMissing(
            "The index is incomplete, so it is not used.", advice="Run `candor index PATH --full`."
        )
        try:
            count = await self._connection.call(
                "count the index",
                lambda client: (
                    client.collections.use(generation)
                    .with_tenant(tenant_key(tenant))
                    .aggregate.over_all(total_count=True)
                ),
            )
        except SearchError as error:
            if "could not find class" in str(error.__cause__) or "tenant not found" in str(error.__cause__):
                raise incomplete from error
            raise
        if (count.total_count or 0) < head.chunks:
            raise incomplete
