"""Runs the examples in a docstring against a changed module: a program of its own, started by `from_mistakes`.

It reads a request as JSON from standard input and prints what went wrong first as JSON, or null where every example
gave what it promises. It leans on nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import sys
import traceback
import types
from typing import Any

MEMORY = 2 << 30


class _First(Exception):
    """What went wrong first."""


class _Runner(doctest.DocTestRunner):
    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Called by doctest where an example printed something else."""
        raise _First({"kind": "wrong result", "example": example.source, "want": example.want, "got": got})

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """Called by doctest where an example raised what it does not promise."""
        kind, error, trace = exc_info
        frames = [
            {"line": frame.lineno, "name": frame.name}
            for frame in traceback.extract_tb(trace)
            if frame.filename == test.globs["__file__"]
        ]
        told = traceback.format_exception_only(kind, error)[-1].strip()
        raise _First({"kind": "error", "example": example.source, "frames": frames, "error": told})


def first_fault(request: dict[str, Any]) -> dict[str, Any] | None:
    """What goes wrong first with the examples of a function in a module of this source."""
    module = types.ModuleType(request["module"])
    module.__file__ = request["file"]
    module.__package__ = request["package"]
    sys.modules[request["module"]] = module
    try:
        exec(compile(request["source"], request["file"], "exec"), module.__dict__)
    except BaseException as error:
        told = traceback.format_exception_only(type(error), error)[-1].strip()
        return {"kind": "import", "example": "", "frames": [], "error": told}
    test = doctest.DocTestParser().get_doctest(
        request["docstring"], dict(vars(module)), request["name"], None, 0
    )
    try:
        _Runner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=lambda text: None)
    except _First as first:
        return first.args[0]
    return None


def main() -> None:
    """Answer one request."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    request = json.load(sys.stdin)
    sys.path[:0] = request["path"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        answer = first_fault(request)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
