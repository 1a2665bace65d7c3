"""Which definitions a piece of Python calls, as far as its imports tell; nothing is imported or run."""

from __future__ import annotations

import ast
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from hakari.nano.definitions import Definition
from hakari.nano.pysource import parse
from hakari.nano.sources import SourceFile


@dataclass(frozen=True)
class Called:
    """The names of definitions that are called."""

    names: frozenset[str]


def functions_called(
    file: SourceFile, definitions: Mapping[str, Definition]
) -> Callable[[Definition], Called]:
    """What finds the functions that a definition of this file calls, among definitions by name."""
    _, tree = parse(file)
    imports = dict(_imports(tree, file.module)) if tree is not None else {}
    ends: defaultdict[str, list[str]] = defaultdict(list)
    for name in definitions:
        ends[name.rpartition(".")[2]].append(name)

    def resolved(path: str) -> str | None:
        """The definition that a dotted path means, also where a package passes it on from a module of its own."""
        if path in definitions:
            return path
        top, _, rest = path.partition(".")
        tails = [rest.split(".", start)[start] for start in range(rest.count(".") + 1)] if rest else []
        for tail in tails:
            found = [
                name
                for name in ends[tail.rpartition(".")[2]]
                if name.startswith(f"{top}.") and name.endswith(f".{tail}")
            ]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def called(test: Definition) -> Called:
        try:
            body = ast.parse(textwrap.dedent(test.code))
        except (SyntaxError, ValueError, RecursionError):
            return Called(frozenset())
        known = {**imports, **dict(_imports(body, file.module))}
        found: set[str] = set()
        methods: set[str] = set()
        for node in ast.walk(body):
            if isinstance(node, ast.Call):
                path = _path(node.func, known)
                name = resolved(path) if path else None
                if name:
                    found.add(name)
                elif isinstance(node.func, ast.Attribute):
                    methods.add(node.func.attr)
        classes = sorted(name for name in found if definitions[name].kind == "class")
        for method in sorted(methods):
            of = [f"{name}.{method}" for name in classes if f"{name}.{method}" in definitions]
            if len(of) == 1:
                found.add(of[0])
        return Called(frozenset(found))

    return called


def _imports(tree: ast.AST, module: str) -> Iterator[tuple[str, str]]:
    """The names that a file or a function imports, and what each stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name
                else:
                    top = alias.name.partition(".")[0]
                    yield top, top
        elif isinstance(node, ast.ImportFrom):
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
