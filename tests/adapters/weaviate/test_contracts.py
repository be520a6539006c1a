"""The real index and store pass their contracts."""

from __future__ import annotations

import pytest

from tests.contracts.index import IndexContract
from tests.contracts.store import StoreContract

pytestmark = pytest.mark.weaviate


class TestWeaviateIndex(IndexContract):
    pass


class TestWeaviateStore(StoreContract):
    pass
