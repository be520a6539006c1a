"""What every implementation of a port must do, fakes included: one class a port, subclassed beside each of them."""

from pathlib import Path

import pytest

pytest.register_assert_rewrite(*(f"{__name__}.{path.stem}" for path in Path(__file__).parent.glob("[!_]*.py")))
