"""The fake journal, and the real one on SQLite, as the desk uses them."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from bot.journal import open_journal
from tests.contracts.journal import JournalContract, Opening
from tests.fakes.journal import FakeJournal, Kept


class TestFakeJournal(JournalContract):
    @pytest.fixture
    def opening(self) -> Opening:
        kept = Kept()
        return lambda: nullcontext(FakeJournal(kept))


class TestRealJournal(JournalContract):
    @pytest.fixture
    def opening(self, tmp_path: Path) -> Opening:
        return lambda: open_journal(f"sqlite:///{tmp_path}/journal.db", retention_days=90)
