"""HTML -> PNG, by a browser without a window, a network or a memory."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --force-device-scale-factor=1.5"
).split()
DEADLINE_S = 60
COLOURS = 96
"""Enough for text and a few emoji; a third of the bytes."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: a body of HTML in a platform's look, `width` CSS pixels wide."""

    name: str
    look: str
    width: int
    body: str

    @property
    def page(self) -> str:
        """Self-contained; it notes its own height for the second look at it."""
        css = Path(__file__).with_name(f"{self.look}.css").read_text()
        phone = " class=phone" if self.width < 500 else ""
        return (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>{self.name}</title><style>{css}\n"
            f"body {{ width: {self.width}px; }}</style><body{phone}>{self.body}"
            "<script>document.documentElement.dataset.height = document.body.offsetHeight</script></body></html>"
        )


def found(program: str) -> str:
    """Raises SystemExit with what to install."""
    if path := shutil.which(program):
        return path
    fonts = "fonts-lato fonts-noto-core fonts-noto-mono fonts-noto-color-emoji"
    raise SystemExit(f"The pictures need {program}: apt-get install chromium pngquant {fonts}")


def shoot(scene: Scene, into: Path) -> Path:
    """The whole page as a PNG. Raises SystemExit where a program is missing or shows nothing."""
    with TemporaryDirectory() as folder:
        page, profile = Path(folder, "page.html"), Path(folder, "profile")
        page.write_text(scene.page, encoding="utf-8")
        common = [found("chromium"), *FLAGS, f"--user-data-dir={profile}"]
        dom = _run([*common, "--dump-dom", page.as_uri()])
        height = re.search(r'data-height="(\d+)"', dom)
        if not height:
            raise SystemExit(f"The browser didn't show {scene.name}.")
        picture = into / f"{scene.name}.png"
        size = f"--window-size={scene.width},{height[1]}"
        _run([*common, size, f"--screenshot={picture}", page.as_uri()])
    _run([found("pngquant"), "--force", "--output", str(picture), str(COLOURS), str(picture)])
    return picture


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=True).stdout
