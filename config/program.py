"""How the person starts Candor."""

from __future__ import annotations

import os

VARIABLE = "_CANDOR_PROGRAM"
"""Set by the script `candor`; no setting, so that its name doesn't begin as theirs do."""


def program() -> str:
    """What is typed in front of a command: "./candor", "/opt/candor/candor"; "candor" where PATH leads to it, and where
    nobody says."""
    return os.environ.get(VARIABLE) or "candor"
