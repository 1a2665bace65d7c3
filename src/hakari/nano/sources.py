"""Which Python files a set is built from. Nothing is read beyond the head of a file and nothing is imported."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hakari.errors import UsageError
from hakari.nano.draft import Stage

HEAD_BYTES = 1024
MAX_FILE_BYTES = 1_000_000

_TEST_FOLDERS = frozenset({"test", "tests", "idle_test"})
_TEST_FILE = re.compile(r"(test_.*|.*_tests?|conftest)\.py")
_VENDORED_FOLDERS = frozenset(
    {"site-packages", "dist-packages", "vendor", "_vendor", "vendored", "_vendored", "third_party", "node_modules"}
)
_DATA_FOLDERS = frozenset({"pydoc_data"})
_GENERATED = re.compile(
    rb"auto-?generated|automatically generated|generated (?:by|from)|do not edit", re.IGNORECASE
)


@dataclass(frozen=True, order=True)
class SourceFile:
    """A Python file and the dotted name under which its definitions are known."""

    module: str
    path: Path


@dataclass(frozen=True)
class Sources:
    """The files of one source, in order of module name, and the account of those left out."""

    files: tuple[SourceFile, ...]
    stage: Stage


def find_sources(source: str | Path) -> Sources:
    """The Python files of a folder, a file, or an installed package.

    Whatever exists as a path is taken as one; anything else is looked up as the name of a package.
    """
    path = Path(source)
    if path.is_file():
        return _collect([path], path.parent, lambda module: module)
    if path.is_dir():
        # Modules of a package are known by the package's name, those of a plain folder by their own.
        root = path.resolve()
        return _collect(_python_files(root), root.parent if (root / "__init__.py").exists() else root, str)
    return _find_package(str(source))


def standard_library() -> Sources:
    """The files of the running Python's own standard library.

    A module that implements a public one in Python (`_pydecimal`) goes by the public name (`decimal`).
    """
    root = Path(sysconfig.get_path("stdlib"))
    own = [path for path in _python_files(root) if _module_name(path, root).split(".")[0] in _LIBRARY_NAMES]
    if not own:
        raise UsageError(
            f"no source files of the standard library in `{root}`",
            "use a Python that ships its library as .py files",
        )
    return _collect(own, root, _public_module)


# The suite of the library's own tests is no part of the names, but should be counted as left out.
_LIBRARY_NAMES = sys.stdlib_module_names | {"test"}


def _public_module(module: str) -> str:
    public = module.removeprefix("_py")
    return public if public in sys.stdlib_module_names else module


def _find_package(name: str) -> Sources:
    # Looking up a dotted name would import its parents, so only the first part is looked up.
    top, *rest = name.split(".")
    try:
        spec = importlib.util.find_spec(top) if top.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    if spec and not places and spec.origin and spec.origin.endswith(".py") and not rest:
        origin = Path(spec.origin)
        return _collect([origin], origin.parent, str)
    for place in places:
        folder = place.joinpath(*rest)
        if folder.is_dir():
            return _collect(_python_files(folder), place.parent, str)
    raise UsageError(
        f"`{name}` is neither a path nor an installed package with Python sources",
        f"check it with `python -m pip show {top}`, or give the path of a folder",
    )


def _python_files(root: Path) -> Iterator[Path]:
    """Every Python file under a folder; links are not followed, so loops of links cannot trap the walk."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                yield Path(folder, name)


def _collect(paths: Iterator[Path] | list[Path], root: Path, rename: Callable[[str], str]) -> Sources:
    left_out: Counter[str] = Counter()
    kept: list[SourceFile] = []
    for path in paths:
        reason = _reason_to_leave_out(path, path.relative_to(root))
        if reason is None:
            kept.append(SourceFile(rename(_module_name(path, root)), path))
        else:
            left_out[reason] += 1
    kept.sort()
    seen = len(kept) + left_out.total()
    return Sources(tuple(kept), Stage("files", seen, len(kept), dict(sorted(left_out.items()))))


def _module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _reason_to_leave_out(path: Path, inside: Path) -> str | None:
    folders = frozenset(inside.parts[:-1])
    if folders & _VENDORED_FOLDERS:
        return "vendored"
    if folders & _TEST_FOLDERS or _TEST_FILE.fullmatch(inside.name):
        return "tests"
    if folders & _DATA_FOLDERS:
        return "generated"
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return "too large"
        with path.open("rb") as file:
            return "generated" if _GENERATED.search(file.read(HEAD_BYTES)) else None
    except OSError:
        return "unreadable"
