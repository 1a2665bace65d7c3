"""The command line as a user runs it: another process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock


class Done(NamedTuple):
    """What a command printed."""

    stdout: str
    stderr: str


COMMAND = [sys.executable, "-m", "hakari"]


def hakari(
    *arguments: object, code: int = 0, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess:
    """Run a command and check its exit code."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | environment,
        timeout=300,
    )
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


def within(*arguments: object, code: int = 0, cwd: Path | None = None, **environment: str) -> Done:
    """Run a command in this process, which is quicker, and check its exit code."""
    from hakari.cli import execute

    out, err = io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(mock.patch.dict(os.environ, environment))
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        found = execute([str(a) for a in arguments])
    assert found == code, f"exit {found}\n{out.getvalue()}\n{err.getvalue()}"
    return Done(out.getvalue(), err.getvalue())


def hakari_json(*arguments: object, **environment: str) -> Any:
    """The JSON that a command prints to standard output."""
    return json.loads(within(*arguments, "--json", **environment).stdout)
