"""Harvesting languages other than Python: definitions with their doc comments, through tree-sitter grammars."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hakari.nano import treenames
from hakari.nano.comments import cleaned, is_directive, is_documentation, is_internal, without_name
from hakari.nano.definitions import Definition
from hakari.nano.grammars import COMMENTS, Grammar, grammar, parser
from hakari.nano.languages import LANGUAGES
from hakari.nano.sources import SourceFile

MINIFIED_LINE = 200
"""Mean characters of a line above which nobody wrote the file by hand."""
LONG_FILE = 2_000

_TAIL = re.compile(r"\s*(?:=>|[{=:;])\s*\Z")
Node = Any
Scope = tuple[str, ...]


class Unreadable(Exception):
    """Why a file is left out, in the words of the account."""


@dataclass(frozen=True)
class Unit:
    """A file while it is read."""

    file: SourceFile
    source: bytes
    grammar: Grammar
    left_out: Counter[str]
    tests: bool = False
    """Whether tests are wanted as well."""

    def line_start(self, node: Node) -> bytes:
        """What stands before a node on its line."""
        return self.source[node.start_byte - node.start_point.column : node.start_byte]


@dataclass(frozen=True)
class _Found:
    """A definition by its nodes: what names it, what its text is, and the comments above it."""

    node: Node
    outer: Node
    name: str
    scope: Scope
    comments: Sequence[Node]
    first: Node
    """Where its text begins: itself or an attribute before it."""


def read_tree(file: SourceFile, left_out: Counter[str], tests: bool = False) -> list[Definition]:
    """The definitions of a file; raises `Unreadable`, and counts what is left out of it.

    What is compiled for tests only is among them if `tests` says so.
    """
    try:
        source = file.path.read_bytes()
    except OSError as error:
        raise Unreadable("unreadable") from error
    if b"\0" in source:
        raise Unreadable("unreadable")
    if len(source) > LONG_FILE and len(source) / (source.count(b"\n") + 1) > MINIFIED_LINE:
        raise Unreadable("minified")
    source = as_utf8(source)
    unit = Unit(file, source, grammar(file.language), left_out, tests)
    root = parser(file.language).parse(source).root_node
    package = treenames.package_of(root, file)
    try:
        return [made for found in _walk(unit, root, ()) if (made := _definition(unit, found, package))]
    except RecursionError as error:
        raise Unreadable("unreadable") from error


def as_utf8(source: bytes) -> bytes:
    """A source in UTF-8 with plain line ends, whatever it was written in."""
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").encode()


def _walk(unit: Unit, parent: Node, scope: Scope) -> Iterator[_Found]:
    """Definitions among the children of a node and what they hold, each with the comments right above it."""
    above: list[Node] = []
    attached: list[Node] = []
    last_row = -1
    for child in parent.named_children:
        if child.type in COMMENTS:
            if child.start_point.row > last_row:  # else it is about what stands before it on its line
                above.append(child)
        elif child.type in unit.grammar.attached:
            attached.append(child)
        else:
            # A comment may also stand inside what it is about, before a name that `export` or the like wraps.
            yield from _enter(unit, child, scope, (above, attached))
            above, attached = [], []
        last_row = _last_row(child)


def _enter(unit: Unit, outer: Node, scope: Scope, before: tuple[list[Node], list[Node]]) -> Iterator[_Found]:
    kinds = unit.grammar
    above, attached = before
    if not unit.tests and treenames.is_test_module(attached):
        unit.left_out["tests"] += 1
        return
    inner = _unwrapped(unit, outer)
    for node, name in treenames.named(inner, kinds, unit.file.language):
        if node.type in kinds.functions | kinds.classes | kinds.closures | kinds.declarations:
            if name is None:
                unit.left_out["without a name of its own"] += 1
            else:
                alone = inner.type not in treenames.DECLARATIONS or inner.named_child_count == 1
                whole = outer if alone else node.parent
                first = attached[0] if attached and alone else whole
                yield _Found(node, whole, name, scope, above, first)
        if node.type in kinds.classes or node.type in kinds.scopes:
            body = node.child_by_field_name("body")
            if body is not None and (name is not None or node.type in kinds.scopes):
                yield from _walk(unit, body, (*scope, *(name.split(".") if name else ())))
        elif node.type in kinds.containers or node.type in kinds.wrappers:
            yield from _walk(unit, node, scope)
    for body in treenames.called_at_once(inner):
        yield from _walk(unit, body, scope)


def _unwrapped(unit: Unit, node: Node) -> Node:
    while node.type in unit.grammar.wrappers:
        inner = next((c for c in reversed(node.named_children) if c.type not in COMMENTS), None)
        if node.type == "type_definition":  # `typedef struct {...} name;` names what comes first
            inner = node.child_by_field_name("type")
            if inner is None or inner.child_by_field_name("body") is None:
                return node
            return inner if inner.child_by_field_name("name") else node
        if inner is None or (node.type == "type_declaration" and node.named_child_count > 1):
            return node
        node = inner
    if node.type == "expression_statement" and node.named_child_count:
        inner = node.named_children[0]
        if inner.type in unit.grammar.scopes:
            return inner
    return node


def _definition(unit: Unit, found: _Found, package: treenames.Package) -> Definition | None:
    kinds, node = unit.grammar, found.node
    is_class = node.type in kinds.classes and node.type not in treenames.VALUES
    if node.has_error and not is_class:
        unit.left_out["syntax not understood"] += 1
        return None
    own = found.name.rpartition(".")[2]
    parts = (*found.scope, *found.name.split("."))
    documentation = without_name(_documentation(unit, found), own)
    outer = found.outer
    body = node.child_by_field_name("body") or node.child_by_field_name("value")
    made = Definition(
        ".".join(filter(None, (package.dotted, *parts))),
        "class" if is_class else "method" if treenames.is_method(node, found.scope) else "function",
        "",
        documentation,
        language=unit.file.language,
        path=package.path(parts, LANGUAGES[unit.file.language].separator),
        header=_header(unit, outer, body),
        private=treenames.is_private(node, own, unit.file) or is_internal(documentation),
    )
    if is_class or body is None or node.child_by_field_name("body") is None:
        return made
    text = _text(unit, found, outer)
    nested = sum(n.type in kinds.functions for n in _inside(body))
    unit.left_out["nested in another function"] += nested
    return replace(
        made, code=text.code, statement_lines=text.statement_lines, statements=_statements(unit, body)
    )


def _header(unit: Unit, outer: Node, body: Node | None) -> str:
    end = outer.end_byte if body is None else body.start_byte
    text = unit.source[outer.start_byte : end].decode("utf-8", "replace")
    text = " ".join(line for line in text.split("\n") if not line.lstrip().startswith(("@", "//", "/*", "*")))
    if unit.file.language == "go" and outer.type == "type_declaration":
        text = text.partition("{")[0]
    return _TAIL.sub("", " ".join(text.split())).removeprefix("export ").removeprefix("default ")


def _documentation(unit: Unit, found: _Found) -> str:
    """The text of the comments above a definition, as its language has it."""
    comments: list[str] = []
    row = found.first.start_point.row
    for comment in reversed(found.comments):
        text = comment.text.decode("utf-8", "replace").rstrip("\n")
        gap = row - _last_row(comment) - 1
        marked = is_documentation(text)
        if unit.file.language == "rust" and text.startswith(("//!", "/*!")):
            break  # about what it stands in
        if gap > (1 if marked and not comments else 0) or not (marked or unit.grammar.plain_comments):
            if gap <= 0 and unit.file.language == "rust" and text.startswith("//"):
                row = comment.start_point.row
                continue  # a remark between the lines of the documentation
            break
        row = comment.start_point.row
        if not is_directive(text):
            comments.append(text)
        if text.startswith("/*"):
            break
    return cleaned(comments[::-1], unit.file.language) if comments else ""


@dataclass(frozen=True)
class _Text:
    code: str
    statement_lines: tuple[int, ...]


def _text(unit: Unit, found: _Found, outer: Node) -> _Text:
    """The text of a function at the left margin, and the lines at which its statements begin."""
    first = found.first if found.first.start_byte < outer.start_byte else outer
    before = unit.line_start(first)
    indent = b"" if before.strip() else before
    lines = unit.source[first.start_byte : outer.end_byte].split(b"\n")
    top = first.start_point.row
    verbatim = {
        row - top
        for node in _inside(outer)
        if node.type in unit.grammar.strings and node.end_point.row > node.start_point.row
        for row in range(node.start_point.row + 1, node.end_point.row + 1)
    }
    kept = [
        line if number in verbatim else (line.removeprefix(indent) if line.strip() else b"")
        for number, line in enumerate(lines)
    ]
    text = [line.decode("utf-8", "replace") for line in kept]
    starts = []
    for begin in _begins(unit, found.node.child_by_field_name("body")):
        start = next((n for n in range(begin - top, len(text)) if n >= 0 and text[n].strip()), None)
        if start is not None:
            starts.append(start)
    return _Text("\n".join(text), tuple(starts))


def _begins(unit: Unit, body: Node) -> Iterator[int]:
    """The row at which each statement of a body begins: after the one before, so comments go with what follows."""
    if body.type not in unit.grammar.blocks:
        body = next((c for c in body.named_children if c.type in unit.grammar.blocks), body)
    end = -1
    for statement in body.named_children:
        if statement.type in COMMENTS:
            continue
        if statement.start_point.row > end:
            yield end + 1 if end >= 0 else statement.start_point.row
        end = _last_row(statement)


def _statements(unit: Unit, body: Node) -> int:
    """Everything that stands in a list of statements, at any depth."""
    blocks = unit.grammar.blocks
    return sum(
        child.type not in COMMENTS and child.type not in blocks
        for node in _inside(body)
        if node.type in blocks
        for child in node.named_children
    )


def _inside(node: Node) -> Iterator[Node]:
    """A node and everything named in it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.named_children)


def _last_row(node: Node) -> int:
    # A Rust line comment ends at the beginning of the next line.
    end = node.end_point
    return end.row if end.column else max(end.row - 1, node.start_point.row)
