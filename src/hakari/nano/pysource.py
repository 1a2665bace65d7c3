"""Harvesting Python: functions and classes with their docstrings, as text, through `ast`.

A definition is cut out of its file by the positions of its syntax tree, so comments and layout stay as they
were written. Docstrings, its own and those inside it, are cut out exactly. No module is imported.
"""

from __future__ import annotations

import ast
import copy
import inspect
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from hakari.nano.definitions import Definition
from hakari.nano.sources import SourceFile

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def read_python(file: SourceFile, left_out: Counter[str]) -> list[Definition] | None:
    """The functions and classes of a file, or None where it cannot be read as Python.

    Functions inside functions belong to the text of the outer one, and overload stubs have nothing to find,
    so neither is a definition of its own; both are counted.
    """
    text, tree = parse(file)
    return None if tree is None else definitions_of(text, tree, file.module, left_out)


def definitions_of(text: str, tree: ast.Module, module: str, left_out: Counter[str]) -> list[Definition]:
    """The functions and classes of a file that is parsed, by its text and its tree."""
    lines = text.split("\n")
    found: list[Definition] = []
    for node, owner, in_class in definitions_in(tree, module):
        if isinstance(node, ast.ClassDef):
            found.append(_class(node, owner))
            continue
        parts = list(ast.walk(node))
        left_out["nested in another function"] += sum(isinstance(part, FunctionNode) for part in parts[1:])
        if any(_last_name(decorator) == "overload" for decorator in node.decorator_list):
            left_out["overload stubs"] += 1
        else:
            found.append(_function(node, owner, in_class, _Place(lines, parts)))
    return found


def parse(file: SourceFile) -> tuple[str, ast.Module | None]:
    """The text of a file and its tree; no tree where it is no Python."""
    try:
        with tokenize.open(file.path) as handle:
            text = handle.read()
        # Bad escapes in somebody else's source are no warning of ours, and must not become errors.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return text, ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return "", None


def definitions_in(
    tree: ast.AST, owner: str, in_class: bool = False
) -> Iterator[tuple[FunctionNode | ast.ClassDef, str, bool]]:
    """Definitions in order of the file, those in `if` and `try` blocks and in classes included."""
    for block in _BLOCKS:
        for node in getattr(tree, block, ()):
            if isinstance(node, _DOCUMENTED):
                yield node, owner, in_class
            if isinstance(node, ast.ClassDef):
                yield from definitions_in(node, f"{owner}.{node.name}", True)
            elif not isinstance(node, FunctionNode):
                yield from definitions_in(node, owner, in_class)


def _class(node: ast.ClassDef, owner: str) -> Definition:
    makers = (item for item in node.body if isinstance(item, FunctionNode) and item.name == "__init__")
    maker = next(makers, None)
    signature = "()" if maker is None else _signature(maker, bound=True).partition(" -> ")[0]
    return Definition(f"{owner}.{node.name}", "class", signature, _docstring(node))


class _Place(NamedTuple):
    """Where a function stands: the lines of its file, and every node of its tree, itself first."""

    lines: list[str]
    parts: list[ast.AST]


def _function(node: FunctionNode, owner: str, in_class: bool, place: _Place) -> Definition:
    code, statement_lines = _cut(node, place)
    static = any(_last_name(decorator) == "staticmethod" for decorator in node.decorator_list)
    return Definition(
        f"{owner}.{node.name}",
        "method" if in_class else "function",
        _signature(node, bound=in_class and not static),
        _docstring(node),
        code,
        statement_lines,
        sum(isinstance(part, ast.stmt) and not _is_text(part) for part in place.parts) - 1,
    )


def _docstring(node: FunctionNode | ast.ClassDef) -> str:
    raw = ast.get_docstring(node, clean=False) or ""
    # A lone surrogate may be written as an escape, but cannot be stored as UTF-8.
    return inspect.cleandoc(raw).strip().encode("utf-8", "replace").decode("utf-8")


def _signature(node: FunctionNode, bound: bool) -> str:
    arguments = node.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    if bound and positional > len(arguments.defaults):
        # The object or class itself comes first; a reader of a reference never passes it.
        inner = arguments.posonlyargs[1:], arguments.args[0 if arguments.posonlyargs else 1 :]
        arguments = copy.copy(arguments)
        arguments.posonlyargs, arguments.args = inner
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(arguments)}){returned}"


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _cut(node: FunctionNode, place: _Place) -> tuple[str, tuple[int, ...]]:
    """The text of a function at the left margin, without docstrings, and where its statements begin in it."""
    lines = place.lines
    header = lines[node.lineno - 1]
    indent = header[: len(header) - len(header.lstrip())]
    edited = _without_docstrings(node, place)
    verbatim = _lines_inside_strings(place)
    kept: list[str] = []
    index: dict[int, int] = {}
    for number in range(_first_line(node), _last_line(node) + 1):
        line = edited.get(number, lines[number - 1])
        if line is not None:
            if line.strip():
                index[number] = len(kept)
            kept.append(line if number in verbatim else line.removeprefix(indent) if line.strip() else "")
    starts = (next((at for number, at in index.items() if number >= begin), None) for begin in _begins(node))
    text = "\n".join(kept)
    return text, tuple(start for start in starts if start is not None)


def _without_docstrings(node: FunctionNode, place: _Place) -> dict[int, str | None]:
    """New text of each line touched by cutting out docstrings; None for a line that goes."""
    lines = place.lines
    edited: dict[int, str | None] = {}
    for inner in place.parts:
        if not isinstance(inner, _DOCUMENTED) or not _is_text(inner.body[0]):
            continue
        docstring = inner.body[0]
        begin, end = docstring.lineno, _last_line(docstring)
        # Columns count bytes of UTF-8.
        before = lines[begin - 1].encode()[: docstring.col_offset].decode()
        after = lines[end - 1].encode()[docstring.end_col_offset :].decode().lstrip(" \t;")
        alone = len(inner.body) == 1
        edited.update(dict.fromkeys(range(begin, end + 1)))
        if alone or (before + after).strip():
            edited[begin] = f"{before}...  {after}".rstrip() if alone else before + after
            continue
        while end < _last_line(node) and not lines[end].strip():
            end += 1
            edited[end] = None
    return edited


def _lines_inside_strings(place: _Place) -> set[int]:
    """Lines that begin within a string of several lines, where taking indentation away would change it."""
    inside: set[int] = set()
    for part in place.parts:
        if not isinstance(part, ast.Constant | ast.JoinedStr) or _last_line(part) == part.lineno:
            continue
        span = place.lines[part.lineno - 1 : _last_line(part)]
        # Otherwise it is a row of short strings, whose layout may move.
        if any('"""' in line or "'''" in line or line.endswith("\\") for line in span):
            inside.update(range(part.lineno + 1, _last_line(part) + 1))
    return inside


def _begins(node: FunctionNode) -> Iterator[int]:
    """Where each statement of the body begins: after the one before, so comments go with what follows."""
    end = 0
    for number, statement in enumerate(node.body):
        first = _first_line(statement)
        if first > end and not (number == 0 and _is_text(statement)):
            yield end + 1 if end else first
        end = _last_line(statement)


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])


def _last_line(node: ast.stmt | ast.expr) -> int:
    # Trees made by `ast.parse` always say where a node ends.
    return node.end_lineno or node.lineno
