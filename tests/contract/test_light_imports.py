"""Nobody waits for what is not used: what `import hakari` and each `--help` load, and how long they take."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from hakari.cli import COMMANDS

HEAVY = {"torch", "pandas", "datasets", "onnxruntime", "sentence_transformers", "transformers", "pyarrow"}
LIBRARIES = {"numpy", "scipy", "duckdb"}
PRINTING = {"rich"}
COMMAND_LINE = {"click"}

IMPORT_SECONDS, HELP_SECONDS = 0.150, 0.200
ATTEMPTS = 20
"""The machine may be busy with something else: the fastest of so many counts."""

HELP = "from hakari.cli import run; code = run({arguments}); assert code == 0, code"


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
    loaded = loaded_by("from hakari.cli import run; assert run(['rnu']) != 0")
    assert not loaded & (HEAVY | LIBRARIES | PRINTING)


def test_importing_hakari_takes_under_150_ms() -> None:
    program = "import time; t = time.perf_counter(); import hakari; print(time.perf_counter() - t)"

    def seconds() -> float:
        return float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)

    assert any(seconds() < IMPORT_SECONDS for _ in range(ATTEMPTS))


def test_help_takes_under_200_ms_from_start_to_end() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "hakari", "--help"], capture_output=True, check=True)
        return time.perf_counter() - start

    assert any(seconds() < HELP_SECONDS for _ in range(ATTEMPTS))
