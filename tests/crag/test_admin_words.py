"""What admins read of a reindex job."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crag import admin_words
from crag.platform import JobPhase, JobView

DONE = JobView("j", JobPhase.DONE, ("handbook",), added=3, unchanged=1, generation="Candor_2", duration_s=1.25)


@pytest.mark.parametrize(
    ("phase", "title"),
    [
        (JobPhase.QUEUED, "Waiting to reindex handbook"),
        (JobPhase.RUNNING, "Reindexing handbook"),
        (JobPhase.DONE, "Reindexed handbook"),
        (JobPhase.FAILED, "Reindexing handbook failed"),
        (JobPhase.CANCELLED, "Reindexing handbook was cancelled"),
    ],
)
def test_every_phase_has_a_title(phase: JobPhase, title: str) -> None:
    view = replace(DONE, phase=phase)
    assert admin_words.title(view) == title
    assert admin_words.title(replace(view, dry_run=True, sources=())).endswith("(dry run: nothing is changed)")
    assert "all sources" in admin_words.title(replace(view, sources=()))


def test_progress_counts_documents_as_soon_as_there_are_any() -> None:
    going = replace(DONE, phase=JobPhase.RUNNING)
    assert admin_words.progress(going) == "Looking for documents."
    assert admin_words.progress(replace(going, done=45, total=1000)) == "45 of 1,000 documents"
    assert admin_words.progress(replace(going, phase=JobPhase.QUEUED)) == ""


def test_a_result_names_counts_generation_and_duration() -> None:
    assert admin_words.result(DONE) == [
        "3 added, 0 changed, 0 removed, 1 unchanged, 0 failed",
        "Generation Candor_2",
        "Took 1.2 s",
    ]


def test_what_failed_says_once_that_the_old_index_answers_on() -> None:
    told = "It was cancelled. The old index answers on."
    for error in ("No disk.", told):
        lines = admin_words.result(replace(DONE, phase=JobPhase.FAILED, error=error))
        assert "\n".join(lines).count("index answers on") == 1
        assert error in lines


def test_failed_and_removed_documents_are_named_up_to_ten() -> None:
    failed = tuple((f"{number}.pdf", "It has a password.") for number in range(12))
    lists = dict(admin_words.named(replace(DONE, failed=failed, removed_paths=("old.md",))))
    assert lists["Could not be read"][0] == "0.pdf: It has a password."
    assert lists["Could not be read"][10:] == ["… and 2 more; the log names them."]
    assert lists["Removed"] == ["old.md"]
    assert dict(admin_words.named(replace(DONE, dry_run=True, removed_paths=("old.md",)))) == {
        "Would be removed": ["old.md"]
    }
