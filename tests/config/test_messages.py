"""What the program tells people to set must exist."""

import re
from pathlib import Path

from config.names import environment_name, general, leaves
from config.settings import Settings

CHECKOUT = Path(__file__).resolve().parents[2]
ROOMS = ("crag", "adapters", "bot", "config", "docs", "README.md", "Dockerfile")


def texts() -> list[Path]:
    found: list[Path] = []
    for room in ROOMS:
        place = CHECKOUT / room
        found += [file for file in place.rglob("*") if file.suffix in (".py", ".md")] if place.is_dir() else [place]
    return [file for file in found if file.is_file()]


def test_every_setting_that_a_text_names_exists() -> None:
    paths = {path for path, _ in leaves(Settings)}
    known = {environment_name(path) for path in paths}
    sections = {name.rsplit("__", 1)[0] for name in known}
    unknown = {
        (str(file.relative_to(CHECKOUT)), name)
        for file in texts()
        for name in re.findall(r"\bCANDOR_[A-Z](?:[A-Z_]|:[A-Z0-9]+)*[A-Z]\b(?!…)", file.read_text(encoding="utf-8"))
        if name not in known | sections | {"CANDOR_SECTION__SETTING"}
        and general(tuple(name.removeprefix("CANDOR_").lower().split("__")), paths) not in paths
    }
    assert unknown == set()
