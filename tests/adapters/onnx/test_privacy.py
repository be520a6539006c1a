"""The runtime reports nothing: it leaves no file in a person's home (some versions put a device id there)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from config.sections import CHECKOUT


def test_loading_a_model_leaves_nothing_in_the_home_directory(tmp_path: Path) -> None:
    load = f"import onnxruntime; onnxruntime.InferenceSession({str(CHECKOUT / 'models' / 'grader' / 'model.onnx')!r})"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    subprocess.run([sys.executable, "-c", load], env={**environment, "HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.rglob("*")) == []
