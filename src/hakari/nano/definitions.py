"""What is cut out of source files: functions, methods and classes, whatever the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hakari.nano.draft import Stage

PYTHON = "python"


@dataclass(frozen=True)
class Definition:
    """A function or class as it stands in its file, apart from its docstring or doc comment."""

    name: str
    """Module and qualified name: `json.decoder.JSONDecoder.decode`. The second of a name ends in `#2`."""
    kind: str
    """`function`, `method` or `class`."""
    signature: str
    """Arguments and what is returned, without `self` or `cls`: `(s, *, strict=True) -> str`."""
    docstring: str
    """With its indentation evened out and without comment marks; empty where there is none."""
    code: str = ""
    """Decorators, signature, comments and statements without docstrings; empty where there is no body."""
    statement_lines: tuple[int, ...] = ()
    """Lines of `code`, from 0, at which the statements of the body begin, with the comments above them."""
    statements: int = 0
    """How many statements the body has, nested ones included."""
    language: str = PYTHON
    path: str = ""
    """How its language writes the name: `ns::Class::method`; empty where that is `name`."""
    header: str = ""
    """The declaration as it is written; empty where `signature` says it all."""
    private: bool = False
    """Whether its language keeps it from users."""

    @property
    def own_name(self) -> str:
        """The last part of the name."""
        return self.name.partition("#")[0].rpartition(".")[2]

    @property
    def public(self) -> bool:
        """Whether neither its language nor a part of its name makes it private."""
        return not self.private and not any(part.startswith("_") for part in self.name.split("."))

    @property
    def api_path(self) -> str:
        """What users call it."""
        return self.path or self.name.partition("#")[0]


@dataclass(frozen=True)
class Tested:
    """A test and the one definition that it is about."""

    name: str
    code: str
    target: str
    """The name of the definition under test."""
    others: frozenset[str] = frozenset()
    """Other definitions that it calls, which are neither right nor wrong as an answer."""


@dataclass(frozen=True)
class Harvest:
    """The definitions of a source, in order of name, and the account of files and functions left out."""

    definitions: tuple[Definition, ...]
    stages: tuple[Stage, ...]
    tested: tuple[Tested, ...] = ()
    tests: Stage | None = None
    """What became of the tests that were found; None where there are none."""


def numbered(found: Iterable[Definition]) -> tuple[Definition, ...]:
    """Definitions in order of name, with `#2` for the second of a name in order of the files."""
    counts: Counter[str] = Counter()
    named = []
    for definition in found:
        counts[definition.name] += 1
        count = counts[definition.name]
        named.append(definition if count == 1 else replace(definition, name=f"{definition.name}#{count}"))
    return tuple(sorted(named, key=lambda definition: definition.name))
