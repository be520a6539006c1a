"""Opening, damage and closing of a shipped model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.onnx import OnnxGrader
from adapters.onnx.network import FILES, Network
from crag.errors import ModelError
from tests.adapters.onnx.conftest import open_grader


def delete(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def pointer(file: Path) -> None:
    file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", [delete, empty, cut, pointer])
async def test_a_damaged_file_is_named_with_what_to_do(
    copy_of_grader: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(copy_of_grader / name)
    with pytest.raises(ModelError, match=name) as caught:
        async with open_grader(copy_of_grader):
            pass
    assert str(copy_of_grader / name) in caught.value.message
    assert "git restore models" in caught.value.advice


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        async with open_grader(tmp_path / "nowhere"):
            pass


@pytest.mark.parametrize("name", FILES)
async def test_the_fingerprint_changes_with_every_file(copy_of_grader: Path, name: str) -> None:
    before = Network.load(copy_of_grader, threads=1, service="").fingerprint
    if name == "model.onnx":
        with (copy_of_grader / name).open("ab") as file:
            file.write(b"\x32\x00")  # a field that protobuf reads and the graph ignores
    else:
        with (copy_of_grader / name).open("a") as file:
            file.write("\n")
    assert Network.load(copy_of_grader, threads=1, service="").fingerprint != before


async def test_closing_ends_the_thread(copy_of_grader: Path) -> None:
    async with OnnxGrader(copy_of_grader, threads=1, batch_tokens=512) as grader:
        assert any(thread.name.startswith("grading-model") for thread in threading.enumerate())
    assert not any(thread.name.startswith("grading-model_") for thread in threading.enumerate())
    with pytest.raises(ModelError, match="shutting down"):
        await grader.grade("late?", ["too late"])
