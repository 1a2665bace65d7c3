"""Which definitions a piece of Python calls, as far as its imports tell; nothing is imported or run."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from hakari.nano.definitions import Definition


@dataclass(frozen=True)
class Called:
    """The names of definitions that are called."""

    names: frozenset[str]


class Names:
    """Definitions by their dotted names, to be found by what files import."""

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self.definitions = definitions
        self.tops = {name.partition(".")[0] for name in definitions}
        self._ends: defaultdict[str, list[str]] = defaultdict(list)
        for name in definitions:
            self._ends[name.rpartition(".")[2]].append(name)
        self._resolved: dict[str, str | None] = {}

    def resolved(self, path: str) -> str | None:
        """The definition that a dotted path means, also where a package passes it on from a module of its own."""
        if path not in self._resolved:
            self._resolved[path] = path if path in self.definitions else self._passed_on(path)
        return self._resolved[path]

    def _passed_on(self, path: str) -> str | None:
        top, _, rest = path.partition(".")
        tails = [rest.split(".", start)[start] for start in range(rest.count(".") + 1)] if rest else []
        for tail in tails:
            found = [
                name
                for name in self._ends[tail.rpartition(".")[2]]
                if name.startswith(f"{top}.") and name.endswith(f".{tail}")
            ]
            if found:
                return found[0] if len(found) == 1 else None
        return None


def functions_called(tree: ast.Module, module: str, names: Names) -> Callable[[Definition], Called]:
    """What finds the functions that a definition of this file calls, among definitions by name."""
    imports: dict[str, str] = {}
    for node in _top_level(tree):
        imports |= dict(_imported(node, module))
    known = {local for local, origin in imports.items() if origin.partition(".")[0] in names.tops}

    def called(test: Definition) -> Called:
        if not _mentions(test.code, known):  # most tests of a large library; parsing them would take minutes
            return Called(frozenset())
        try:
            nodes = list(ast.walk(ast.parse(textwrap.dedent(test.code))))
        except (SyntaxError, ValueError, RecursionError):
            return Called(frozenset())
        here = imports | {
            local: origin
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for local, origin in _imported(node, module)
        }
        found: set[str] = set()
        methods: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Call):
                path = _path(node.func, here)
                name = names.resolved(path) if path else None
                if name:
                    found.add(name)
                elif isinstance(node.func, ast.Attribute):
                    methods.add(node.func.attr)
        classes = sorted(name for name in found if names.definitions[name].kind == "class")
        for method in sorted(methods):
            of = [f"{name}.{method}" for name in classes if f"{name}.{method}" in names.definitions]
            if len(of) == 1:
                found.add(of[0])
        return Called(frozenset(found))

    return called


def _mentions(code: str, known: set[str]) -> bool:
    return "import" in code or not known.isdisjoint(_NAME.findall(code))


_NAME = re.compile(r"[^\W\d]\w*")


def _top_level(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports of a file outside its functions and classes."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _top_level(node)


def _imported(node: ast.Import | ast.ImportFrom, module: str) -> Iterator[tuple[str, str]]:
    """The names that a statement imports, and what each stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield alias.asname or top, alias.name if alias.asname else top
        return
    around = module.split(".")
    base = ".".join(around[: len(around) - node.level]) if node.level else ""
    origin = ".".join(filter(None, (base, node.module or "")))
    for alias in node.names:
        yield alias.asname or alias.name, f"{origin}.{alias.name}" if origin else alias.name


def _path(node: ast.expr, imports: Mapping[str, str]) -> str | None:
    """The dotted path of what is called, if it begins with an import."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imports:
        return None
    return ".".join([imports[node.id], *reversed(parts)])
