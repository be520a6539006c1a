"""Draws `docs/pictures/*.png` anew: `python -m tools.pictures [--ask] [--into FOLDER] [NAME ...]`."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from config.sections import CHECKOUT
from tools.pictures.asking import asked
from tools.pictures.scenes import scenes
from tools.pictures.shooting import shoot

PICTURES = CHECKOUT / "docs" / "pictures"


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tools.pictures", description="Draws docs/pictures anew.")
    arguments.add_argument("names", nargs="*", help="only these pictures")
    arguments.add_argument("--ask", action="store_true", help="ask the engine anew instead of showing its last replies")
    arguments.add_argument("--into", type=Path, default=PICTURES, help="the folder for the PNG files")
    chosen = arguments.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    for scene in scenes(asyncio.run(asked(anew=chosen.ask))):
        if not chosen.names or scene.name in chosen.names:
            picture = shoot(scene, chosen.into)
            print(f"{picture} ({picture.stat().st_size // 1024} KB)")


if __name__ == "__main__":
    main()
