"""Errors and their mending: real functions get a small mistake, their own examples are run, and what they say is kept.

Only functions whose docstring has examples that hold are taken, so every error here was really raised. The code of
the source is run, each time in a process of its own with a time limit, in an empty folder: only on request.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from hakari.mining.mutate import FunctionNode, Mistake, mistakes
from hakari.mining.rows import Account, Row
from hakari.nano.draft import Stage
from hakari.nano.sources import SourceFile, Sources

SECONDS = 10.0
MOST_EACH = 3
MAX_LINES = 60
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_RUNNER = Path(__file__).with_name("run_examples.py")


@dataclass(frozen=True)
class Example:
    """A function with examples of its use, in its file."""

    module: str
    path: Path
    source: str
    function: FunctionNode
    owner: str

    @property
    def name(self) -> str:
        """Module and qualified name."""
        return f"{self.module}.{self.owner}{self.function.name}"

    @property
    def docstring(self) -> str:
        """What the examples stand in."""
        return ast.get_docstring(self.function) or ""


def mistake_rows(sources: Sources, stages: list[Stage], workers: int | None = None) -> Iterator[Row]:
    """An error with the broken function, and the function as it was; in the order of the source."""
    account = Account("functions with examples")
    examples = [example for file in sources.files for example in _examples(file)]
    with ThreadPoolExecutor(workers or min(4, os.cpu_count() or 1)) as pool:
        for rows, reasons in pool.map(_rows_of, examples):
            account.seen += 1
            account.kept += bool(rows)
            for reason in reasons:
                account.leave_out(reason)
            yield from rows
    stages.append(account.stage())


def _examples(file: SourceFile) -> Iterator[Example]:
    if file.path.suffix != ".py":
        return
    try:
        source = file.path.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    source = source.replace("\r\n", "\n")
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in inner:
            if isinstance(one, FunctionNode) and ">>> " in (ast.get_docstring(one) or ""):
                yield Example(file.module, file.path, source, one, owner)


def _rows_of(example: Example) -> tuple[list[Row], list[str]]:
    lines = (example.function.end_lineno or 0) - example.function.lineno
    if lines > MAX_LINES:
        return [], ["function too long"]
    if _fault(example, example.source) is not None:
        return [], ["examples do not hold here"]
    rows, reasons = [], []
    for mistake in mistakes(example.source, example.function, example.name, MOST_EACH):
        broken = mistake.made_in(example.source)
        fault = _fault(example, broken)
        if fault is None:
            reasons.append("mistakes that no example shows")
        elif fault["kind"] == "import":
            reasons.append("mistakes that keep the module from loading")
        elif fault["kind"] == "time":
            reasons.append("mistakes that never end")
        else:
            rows.append(_row(example, mistake, broken, fault))
    return rows, reasons if rows or reasons else ["nothing to get wrong"]


def _fault(example: Example, source: str) -> dict[str, Any] | None:
    """What the examples say of a source, from a process of its own."""
    package = example.module if example.path.stem == "__init__" else example.module.rpartition(".")[0]
    root = example.path.parents[package.count(".") + 1] if package else example.path.parent
    request = {
        "module": example.module,
        "package": package,
        "file": example.path.name,
        "source": source,
        "docstring": example.docstring,
        "name": example.name,
        "path": [str(root)],
    }
    with tempfile.TemporaryDirectory() as empty:
        environment = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "HOME": empty, "TZ": "UTC"}
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-s", "-W", "ignore", str(_RUNNER)],
                input=json.dumps(request),
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=empty,
                env=environment,
                timeout=SECONDS,
            )
            answer: dict[str, Any] | None = json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            return {"kind": "time"}
        except ValueError:  # it died without an answer
            return {"kind": "import"}
    return answer


def _row(example: Example, mistake: Mistake, broken: str, fault: dict[str, Any]) -> Row:
    told = _told(fault, broken.split("\n"), example)
    return Row(
        f"{told}\n\n{_code(example, broken)}",
        _code(example, example.source),
        "error-to-fix",
        example.name,
        synthetic=True,
        facts={"mistake": mistake.kind, "fault": fault["kind"], "examples": "run"},
    )


def _told(fault: dict[str, Any], lines: Sequence[str], example: Example) -> str:
    """The error as Python prints it, of frames in the module itself; or the result that is wrong."""
    if fault["kind"] == "wrong result":
        text = (
            f">>> {fault['example'].strip()}\nexpected: {fault['want'].strip()}\ngot: {fault['got'].strip()}"
        )
    else:
        frames = [
            f'  File "{example.path.name}", line {frame["line"]}, in {frame["name"]}\n    {line.strip()}'
            for frame in islice(fault["frames"], 4)
            for line in lines[frame["line"] - 1 : frame["line"]]
        ]
        text = "\n".join(["Traceback (most recent call last):", *frames, fault["error"]])
    return _ADDRESS.sub("0x...", text)[:2_000]


def _code(example: Example, source: str) -> str:
    """The function without its docstring, whose examples would give the answer away."""
    function = example.function
    whole = source.split("\n")
    more = source.count("\n") - example.source.count("\n")
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    docstring = function.body[0]
    kept = (
        whole[first - 1 : docstring.lineno - 1]
        + whole[docstring.end_lineno or 0 : (function.end_lineno or 0) + more]
    )
    indent = min((len(line) - len(line.lstrip()) for line in kept if line.strip()), default=0)
    return "\n".join(line[indent:].rstrip() for line in kept).strip("\n")
