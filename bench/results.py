"""bench/RESULTS.md, which several programs write: each its own sections."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from config.sections import CHECKOUT

RESULTS = CHECKOUT / "bench" / "RESULTS.md"
_SECTION = "\n## "


def merged(old: str, new: str) -> str:
    """The new page, and behind it those sections of the old one that it doesn't have itself."""
    _, *before = old.split(_SECTION)
    own = {_title(section) for section in new.split(_SECTION)[1:]}
    kept = [section.rstrip() for section in before if _title(section) not in own]
    return _SECTION.join([f"{new.rstrip()}\n", *(f"{section}\n" for section in kept)])


def with_section(page: str, title: str, text: str) -> str:
    """The page with this section in place of the one with this title, or at the end."""
    head, *sections = page.split(_SECTION)
    written = f"{title}\n\n{text.strip()}\n"
    titles = [_title(section) for section in sections]
    if title in titles:
        sections[titles.index(title)] = written
    else:
        sections.append(written)
    return _SECTION.join([head, *sections])


def machine() -> str:
    """The machine in a line."""
    cpu = next((line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{cpu}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.release().split('-')[0]}"


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def _title(section: str) -> str:
    return section.partition("\n")[0].strip()
