"""Nobody waits for what is not used: what `import hakari` and each `--help` load, and how long they take."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hakari.cli import COMMANDS
from hakari.errors import EXIT_USAGE

HEAVY = {"torch", "pandas", "datasets", "onnxruntime", "sentence_transformers", "transformers", "pyarrow"}
LIBRARIES = {"numpy", "scipy", "duckdb"}
PRINTING = {"rich"}
COMMAND_LINE = {"click"}

IMPORT_SECONDS, HELP_SECONDS = 0.150, 0.200
ATTEMPTS = 5
"""The fastest counts."""

CALL = """
from hakari.cli import main
try:
    main({arguments})
except SystemExit as end:
    assert end.code == {code}, end.code
"""


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
    loaded = loaded_by(CALL.format(arguments=["--help"], code=0))
    assert loaded >= COMMAND_LINE
    assert not loaded & (HEAVY | LIBRARIES | PRINTING)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_loads_no_model_or_frame_library(command: str) -> None:
    assert not loaded_by(CALL.format(arguments=[command, "--help"], code=0)) & HEAVY


def test_errors_in_the_command_line_are_told_without_loading_a_library() -> None:
    loaded = loaded_by(CALL.format(arguments=["rnu"], code=EXIT_USAGE))
    assert not loaded & (HEAVY | LIBRARIES | PRINTING)


@pytest.mark.parametrize(
    ("program", "most"),
    [("import hakari", IMPORT_SECONDS), (CALL.format(arguments=["--help"], code=0), HELP_SECONDS)],
    ids=["import", "help"],
)
def test_starting_takes_little_time(program: str, most: float) -> None:
    """Seconds of the processor from the start of the interpreter on, which a busy machine moves least."""

    def seconds() -> float:
        tail = "\nimport time; print(time.process_time())"
        done = subprocess.run([sys.executable, "-c", program + tail], capture_output=True, check=True)
        return float(done.stdout.split()[-1])

    assert any(seconds() < most for _ in range(ATTEMPTS))
