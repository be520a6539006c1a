"""Makes `docs/settings.md` from the settings themselves: `python -m config.document`. A test holds the two together."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import get_args, get_origin

from pydantic import BaseModel

from config.names import ANY, allowed, environment_name, leaves
from config.sections import CHECKOUT
from config.settings import Settings, text_of

PAGE = CHECKOUT / "docs" / "settings.md"
HEAD = """# Settings

A setting's first source wins: the environment, then `.env`, then `candor.toml`, then the default. Both files are looked
for in the working directory, else in the checkout. In `candor.toml` the same names are written in sections:

```toml
tenant = "local"

[crag]
max_rewrites = 1        # CANDOR_CRAG__MAX_REWRITES=1

[grader.llm]
method = "probability"  # CANDOR_GRADER__LLM__METHOD=probability

[sources.handbook]      # a name that you choose: * in the tables below
path = "/srv/handbook"  # CANDOR_SOURCES__HANDBOOK__PATH=/srv/handbook

[channels."slack:T0123:C0123"]
access = ["everyone", "staff"]
```

An empty variable counts as not set. A wrong value, or a name that isn't a setting, ends Candor with exit code 2 and a
sentence that names it. `candor config` shows what is set and where, `--all` the defaults too; secrets are masked.

This page is made from the code: `python -m config.document`."""
TABLE = ["| Setting | What it does | Allowed | Default |", "| --- | --- | --- | --- |"]


def page() -> str:
    """The whole page."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for path, leaf in leaves(Settings):
        default = text_of(leaf.default).replace(f"{CHECKOUT}/", "")
        cells = (
            f"`{environment_name(path)}`",
            leaf.description,
            allowed(leaf.schema),
            f"`{default}`" if default else "",
        )
        rows.setdefault(path[:-1], []).append("| " + " | ".join(cells) + " |")
    parts = [HEAD]
    for section, lines in rows.items():
        parts += [f"## {'.'.join(section) or 'General'}", _about(section), "\n".join([*TABLE, *lines])]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(section: tuple[str, ...]) -> str:
    model: type[BaseModel] = Settings
    for part in section:
        if part == ANY:
            continue
        annotation = model.model_fields[part].annotation
        annotation = get_args(annotation)[1] if get_origin(annotation) is dict else annotation
        assert isinstance(annotation, type)  # noqa: S101 - a section is a model, or `leaves` hadn't walked into it
        model = annotation
    return inspect.cleandoc(model.__doc__ or "") if section else ""


def main(page_file: Path = PAGE) -> None:
    page_file.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{page_file.name} is written.\n")


if __name__ == "__main__":
    main()
