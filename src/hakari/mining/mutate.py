"""Small mistakes put into real functions, as people make them: one token of the source changes, the rest stays."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from hakari.nano.sampling import stable_hash

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_SWAPPED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_OTHER_SUMS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.FloorDiv: ("//", "/")}


@dataclass(frozen=True)
class Mistake:
    """A change of a source: what stands at `start:end` becomes `text`."""

    kind: str
    """`misspelt-name`, `wrong-attribute`, `missing-argument`, `off-by-one`, `wrong-comparison`, `wrong-operator`,
    `missing-return`."""
    start: int
    end: int
    text: str

    def made_in(self, source: str) -> str:
        """The source with the mistake in it."""
        return source[: self.start] + self.text + source[self.end :]


def mistakes(source: str, function: FunctionNode, name: str, most: int) -> list[Mistake]:
    """At most so many mistakes for one function, of as many kinds as there are, chosen by a hash of their places."""
    lines = _Lines(source)
    by_kind: dict[str, list[Mistake]] = {}
    for statement in _body(function):
        for node in ast.walk(statement):
            for mistake in _of(node, source, lines):
                by_kind.setdefault(mistake.kind, []).append(mistake)

    def order(mistake: Mistake) -> str:
        return stable_hash("mistake", name, mistake.kind, str(mistake.start - lines.at(function.lineno, 0)))

    firsts = [min(found, key=order) for found in by_kind.values()]
    return sorted(firsts, key=order)[:most]


def _body(function: FunctionNode) -> list[ast.stmt]:
    has_docstring = ast.get_docstring(function, clean=False) is not None
    return function.body[1:] if has_docstring else function.body


class _Lines:
    """Where the lines of a source begin, to turn places of the syntax tree, which count bytes, into characters."""

    def __init__(self, source: str) -> None:
        self.lines = source.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def at(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        return self.starts[line - 1] + len(text.encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)


def _of(node: ast.AST, source: str, lines: _Lines) -> Iterator[Mistake]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and len(node.id) > 3:
        if not hasattr(builtins, node.id):
            yield Mistake("misspelt-name", *lines.span(node), _misspelt(node.id))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and len(node.attr) > 3:
        end = lines.span(node)[1]
        yield Mistake("wrong-attribute", end - len(node.attr), end, _misspelt(node.attr))
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not node.keywords:
        before, last = lines.span(node.args[-2])[1], lines.span(node.args[-1])[1]
        if not isinstance(node.args[-1], ast.Starred):
            yield Mistake("missing-argument", before, last, "")
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        start, end = lines.span(node)
        if source[start:end].isdecimal():
            yield Mistake("off-by-one", start, end, str(node.value + 1))
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SWAPPED:
        sign = type(node.ops[0])
        yield from _between(node.left, node.comparators[0], (_SIGNS[sign], _SWAPPED[sign]), source, lines)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OTHER_SUMS:
        yield from _between(node.left, node.right, _OTHER_SUMS[type(node.op)], source, lines)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        start = lines.span(node)[0]
        yield Mistake("missing-return", start, lines.span(node.value)[0], "")


def _between(
    left: ast.expr, right: ast.expr, signs: tuple[str, str], source: str, lines: _Lines
) -> Iterator[Mistake]:
    """The operator between two expressions, if it stands there alone, made another one."""
    start, end = lines.span(left)[1], lines.span(right)[0]
    if source[start:end].strip() == signs[0]:
        at = start + source[start:end].index(signs[0])
        kind = "wrong-comparison" if signs[0] in _SIGNS.values() else "wrong-operator"
        yield Mistake(kind, at, at + len(signs[0]), signs[1])


def _misspelt(name: str) -> str:
    """Two neighbouring letters swapped, the last two that differ; else one letter less."""
    for at in range(len(name) - 2, 0, -1):
        if name[at] != name[at + 1] and name[at].isalpha() and name[at + 1].isalpha():
            return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return name[:-1]
