"""The command line in a process of its own, with a grader that takes a minute; tells at the end what was closed."""

import os
import sys

from bot.cli import main
from tests.bot.house import Parts
from tests.fakes.models import FakeGrader

if __name__ == "__main__":
    parts = Parts.filled()
    parts.grader = FakeGrader(delay=float(os.environ.get("GRADER_DELAY_S", "60")))
    code = main(None, parts.wiring)
    sys.stderr.write(f"{parts.events}\n")
    sys.exit(code)
