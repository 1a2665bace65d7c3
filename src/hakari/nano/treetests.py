"""Tests in languages other than Python: where they stand, and what they call as far as their file tells."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hakari.nano.definitions import Definition
from hakari.nano.grammars import parser
from hakari.nano.languages import LANGUAGES
from hakari.nano.pycalls import Called
from hakari.nano.sources import SourceFile, place_of
from hakari.nano.treenames import VALUES
from hakari.nano.treesource import Unreadable, as_utf8, read_tree

Node = Any
Finder = Callable[[Definition], Called]
ByOwnName = Callable[[str, str], list[Definition]]
"""The definitions of a language that have an own name."""
SCRIPTS = ("javascript", "typescript", "tsx")

_CALL = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*)\s*(?:<[\w, ]*>)?\(")
_BARE_CALL = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:<[\w, ]*>)?\(")
_CASE = re.compile(r"(?:it|test)(?:\.(?:only|concurrent|skip))?")
_IMPORT = re.compile(r"import\s+(?:type\s+)?([^;'\"]*?)\s*from\s*['\"](\.[^'\"]*)['\"]")
_REQUIRE = re.compile(r"(?:const|let|var)\s+([\w$]+|\{[^{}]*\})\s*=\s*require\(\s*['\"](\.[^'\"]*)['\"]\s*\)")


def tests_in(file: SourceFile, root: Path, by_own_name: ByOwnName) -> tuple[list[Definition], Finder]:
    """The tests of a file, and what finds the functions that one of them calls."""
    try:
        if file.language in SCRIPTS:
            return _script_tests(file, root, by_own_name)
        read = [test for test in read_tree(file, Counter(), tests=True) if test.code]
    except (Unreadable, OSError):
        return [], lambda test: Called(frozenset())
    if file.language == "java":
        tests = [t for t in read if "@Test" in t.code or re.match(r"test(?![a-z])", t.own_name)]
        return tests, lambda test: _beside(test, _classes_under_test(test.name), by_own_name)
    if file.language == "go":
        tests = [t for t in read if re.match(r"Test(?![a-z])", t.own_name)]
    else:
        tests = [t for t in read if re.search(r"^\s*#\[\s*(?:\w+::)?test\b", t.code, re.M)]
    module = f"{file.module}."
    return tests, lambda test: _beside(test, {module}, by_own_name)


def _beside(test: Definition, prefixes: Iterable[str], by_own_name: ByOwnName) -> Called:
    """Functions that a test calls by a name that only one function under these prefixes has."""
    found = set()
    for name in set(_CALL.findall(test.code)):
        near = [
            definition.name
            for definition in by_own_name(test.language, name)
            if definition.code and definition.name.startswith(tuple(prefixes))
        ]
        if len(near) == 1:
            found.add(near[0])
    return Called(frozenset(found))


def _classes_under_test(name: str) -> set[str]:
    """Where the methods stand that a test of Java is about: `a.FooTest.testBar` looks in `a.Foo`."""
    owner, _, _ = name.partition("#")[0].rpartition(".")
    package, _, own = owner.rpartition(".")
    about = re.sub(r"^Test|(?:Tests?|TestCase|IT)$", "", own)
    return {f"{package}.{about}." if package else f"{about}."} if about != own else set()


def _script_tests(file: SourceFile, root: Path, by_own_name: ByOwnName) -> tuple[list[Definition], Finder]:
    source = as_utf8(file.path.read_bytes())
    tests = [
        Definition(f"{file.module}.case-{number}", "function", "", title, code, language=file.language)
        for number, (title, code) in enumerate(_cases(parser(file.language).parse(source).root_node), 1)
    ]
    imports = dict(_imports(source.decode(), file, root))

    def called(test: Definition) -> Called:
        found = set()
        for name in set(_BARE_CALL.findall(test.code)) & imports.keys():
            own, place = imports[name]
            same = [d for language in SCRIPTS for d in by_own_name(language, own) if d.code]
            near = [d for d in same if d.name.startswith(f"{place}.")] or same
            if len(near) == 1:
                found.add(near[0].name)
        return Called(frozenset(found))

    return tests, called


def _cases(node: Node) -> Iterator[tuple[str, str]]:
    """The title and the text of every `it("...", () => ...)` and `test("...", ...)`."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        title = _title(one) if one.type == "call_expression" else None
        if title is None:
            waiting.extend(reversed(one.named_children))
            continue
        lines = (one.text or b"").decode("utf-8", "replace").split("\n")
        indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
        yield title, "\n".join([lines[0], *(line[indent:] for line in lines[1:])])


def _title(call: Node) -> str | None:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if len(given) < 2 or given[0].type not in ("string", "template_string") or given[1].type not in VALUES:
        return None
    name = (function.text or b"").decode("utf-8", "replace")
    return (given[0].text or b"").decode("utf-8", "replace")[1:-1] if _CASE.fullmatch(name) else None


def _imports(text: str, file: SourceFile, root: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names that a file imports from files beside it: what each is called there, and the place of the file."""
    for names, target in (*_IMPORT.findall(text), *_REQUIRE.findall(text)):
        folder = file.path.parent.relative_to(root).as_posix() if file.path.is_relative_to(root) else ""
        inside = posixpath.normpath(posixpath.join(folder, target))
        place = place_of(Path(inside), root, LANGUAGES[file.language])
        for name in re.findall(
            r"[\w$]+(?:\s*(?:as|:)\s*[\w$]+)?", re.sub(r"\*\s*as\s+[\w$]+|\btype\b", "", names)
        ):
            own, _, local = (part.strip() for part in re.sub(r"\s+as\s+", ":", name).partition(":"))
            yield local or own, (own, place)
