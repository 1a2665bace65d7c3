"""Nobody waits for what is not used: what `import hakari` and each `--help` load."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hakari.cli import COMMANDS

HEAVY = {"torch", "pandas", "datasets", "onnxruntime", "sentence_transformers", "transformers", "pyarrow"}
LIBRARIES = {"numpy", "scipy", "duckdb"}
PRINTING = {"rich"}
COMMAND_LINE = {"click"}

HELP = "from hakari.cli import execute; code = execute({arguments}); assert code == 0, code"


def loaded_by(program: str) -> set[str]:
    """The top-level packages that a program has loaded in a fresh process when it ends."""
    tail = "\nimport json, sys; print('\\n' + json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", program + tail], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_probe_sees_what_is_loaded() -> None:
    assert {"numpy", "click"} <= loaded_by("import numpy.linalg, click")


def test_importing_hakari_loads_no_library() -> None:
    loaded = loaded_by("import hakari")
    assert "hakari" in loaded
    assert not loaded & (HEAVY | LIBRARIES | PRINTING | COMMAND_LINE)


def test_help_loads_click_and_no_library() -> None:
    loaded = loaded_by(HELP.format(arguments=["--help"]))
    assert loaded >= COMMAND_LINE
    assert not loaded & (HEAVY | LIBRARIES | PRINTING)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_loads_no_model_or_frame_library(command: str) -> None:
    assert not loaded_by(HELP.format(arguments=[command, "--help"])) & HEAVY


def test_errors_in_the_command_line_are_told_without_loading_a_library() -> None:
    loaded = loaded_by("from hakari.cli import execute; assert execute(['rnu']) != 0")
    assert not loaded & (HEAVY | LIBRARIES | PRINTING)
