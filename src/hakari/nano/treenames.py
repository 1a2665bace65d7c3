"""What definitions of a tree-sitter tree are called, and whom their language shows them to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hakari.nano.grammars import COMMENTS, Grammar, first_of, text_of
from hakari.nano.sources import SourceFile

Node = Any
VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
DECLARATIONS = ("lexical_declaration", "variable_declaration")
_STRUCTS = ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier")


@dataclass(frozen=True)
class Package:
    """Where the definitions of a file belong."""

    dotted: str
    shown: tuple[str, ...]
    """The parts that users write before a name."""

    def path(self, parts: Sequence[str], separator: str) -> str:
        """How users write the name of a definition."""
        return separator.join((*self.shown, *parts))


def package_of(root: Node, file: SourceFile) -> Package:
    """What the file says of its package, else its place."""
    place = tuple(filter(None, file.module.split(".")))
    if file.language == "java":
        declared = first_of(root, ("package_declaration",))
        if declared is not None:
            name = text_of(declared).removeprefix("package").strip(" ;")
            return Package(name, tuple(name.split(".")))
        return Package("", ())
    if file.language == "go":
        clause = first_of(root, ("package_clause",))
        name = text_of(clause).removeprefix("package").strip() if clause else ""
        return Package(file.module, (name,) if name else place[-1:])
    if file.language in ("c", "c++"):
        return Package(file.module, ())
    return Package(file.module, place)


def named(node: Node, kinds: Grammar, language: str) -> Iterator[tuple[Node, str | None]]:
    """The definitions that a node makes, each with its name below the scope; one without a name has None."""
    if node.type in DECLARATIONS:
        for declarator in node.named_children:
            value = declarator.child_by_field_name("value")
            if declarator.type == "variable_declarator" and value is not None:
                yield from _assigned(declarator.child_by_field_name("name"), value, kinds)
    elif node.type == "expression_statement" and node.named_child_count:
        yield from _assignments(node.named_children[0], kinds)
    elif node.type in ("public_field_definition", "field_definition", "pair"):
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        value = node.child_by_field_name("value")
        if value is not None:
            yield from _assigned(name or node.child_by_field_name("key"), value, kinds)
    elif node.type in kinds.declarations:
        declarator = _function_declarator(node)
        if declarator is not None:
            yield from ((one, name) for one, name in [(node, _declared(declarator))] if name)
        else:
            inner = node.child_by_field_name("type")
            if inner is not None and inner.type in kinds.classes and inner.child_by_field_name("body"):
                yield inner, _plain(inner.child_by_field_name("name"))
    elif node.type not in _STRUCTS or node.child_by_field_name("body") is not None:
        yield node, _name(node, language)


def _name(node: Node, language: str) -> str | None:
    if language in ("c", "c++") and node.type == "function_definition":
        declarator = _function_declarator(node)
        return None if declarator is None else _declared(declarator)
    if node.type == "impl_item":
        return _last_type(node.child_by_field_name("type"))
    name = _plain(node.child_by_field_name("name"))
    if language == "go" and node.type == "method_declaration":
        receiver = _last_type(node.child_by_field_name("receiver"))
        return f"{receiver}.{name}" if receiver and name else name
    return name


def _plain(node: Node | None) -> str | None:
    """A name that is one word or several with dots; not what is computed or destructured."""
    if node is None:
        return None
    text = text_of(node).replace("::", ".").strip("\"'#").replace(" ", "")
    return text if re.fullmatch(r"[\w$]+(?:\.[\w$]+)*", text) else None


def _last_type(node: Node | None) -> str | None:
    """The name of a type without pointer, arguments and path."""
    if node is None:
        return None
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"[<\[].*", "", text_of(node)))
    return words[-1] if words else None


def _assigned(target: Node | None, value: Node, kinds: Grammar) -> Iterator[tuple[Node, str | None]]:
    if value.type in kinds.closures:
        yield value, _plain(target)
    elif value.type == "object":
        yield value, None
    elif value.type == "assignment_expression":  # `exports.a = module.a = function ...`
        yield from _assignments(value, kinds)


def _assignments(node: Node, kinds: Grammar) -> Iterator[tuple[Node, str | None]]:
    if node.type != "assignment_expression":
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is None:
        return
    name = _plain(left)
    if right.type in kinds.closures:
        if name is not None:
            name = re.sub(r"^(?:module\.)?exports\.", "", name).replace(".prototype.", ".")
            name = name.removeprefix("this.")
        yield (
            right,
            name if name not in ("module.exports", "exports") else _plain(right.child_by_field_name("name")),
        )
    else:
        yield from _assigned(left, right, kinds)


def _function_declarator(node: Node) -> Node | None:
    """The part of a C declaration that has a name and parameters, below pointers and references."""
    node = node.child_by_field_name("declarator")
    while node is not None and node.type in ("pointer_declarator", "reference_declarator"):
        inner = node.child_by_field_name("declarator")
        node = inner if inner is not None else first_of(node, ("function_declarator", "pointer_declarator"))
    return node if node is not None and node.type == "function_declarator" else None


def _declared(declarator: Node) -> str | None:
    """The name in a C declarator; templates lose their arguments, operators keep their sign."""
    node = declarator.child_by_field_name("declarator")
    if node is None or node.type == "parenthesized_declarator":
        return None
    text = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", text_of(node))).replace("::", ".").strip(".")
    if "operator" in text:
        return re.sub(r"\s+", "", text) if "." not in text.rpartition("operator")[2] else None
    return text if re.fullmatch(r"~?\w+(?:\.~?\w+)*", text) else None


def called_at_once(node: Node) -> Iterator[Node]:
    """Bodies of functions that a script calls where they stand: what they define belongs to the script."""
    if node.type not in ("expression_statement", "export_statement"):
        return
    waiting = list(node.named_children)
    for _ in range(50):
        if not waiting:
            return
        one = waiting.pop()
        if one.type in VALUES:
            body = one.child_by_field_name("body")
            if body is not None and body.type == "statement_block":
                yield body
        elif one.type == "call_expression":
            function, arguments = one.child_by_field_name("function"), one.child_by_field_name("arguments")
            waiting += [n for n in (function, arguments) if n is not None]
        elif one.type == "member_expression":
            waiting += [n for n in (one.child_by_field_name("object"),) if n is not None]
        elif one.type in ("parenthesized_expression", "unary_expression", "arguments"):
            waiting += [child for child in one.named_children if child.type not in COMMENTS]


def is_test_module(attached: Iterable[Node]) -> bool:
    """Whether an attribute says that what follows is compiled for tests only."""
    return any(re.match(r"#\[\s*(?:cfg\(test\)|(?:\w+::)?test\b)", text_of(node)) for node in attached)


def is_method(node: Node, scope: Sequence[str]) -> bool:
    """Whether a function belongs to a type."""
    return node.type in ("method_definition", "method_declaration", "constructor_declaration") or bool(scope)


_PRIVATE_WORDS = re.compile(r"^(?:[\w@()\s]*\s)?(?:private|protected)\b")


def is_private(node: Node, name: str, file: SourceFile) -> bool:
    """Whether the language keeps a definition from users."""
    if file.language == "go":
        return not name[:1].isupper()
    if file.language == "rust":
        inherited = node.parent is not None and node.parent.parent is not None
        around = node.parent.parent if inherited else None
        if around is not None and (
            around.type == "trait_item"
            or (around.type == "impl_item" and around.child_by_field_name("trait"))
        ):
            return False
        visibility = first_of(node, ("visibility_modifier",))
        return visibility is None or text_of(visibility) != "pub"  # `pub(crate)` is for the crate alone
    if file.language == "c":
        return b"static" in (node.text or b"")[:200].partition(b"(")[0].split()
    if file.language == "java":
        modifiers = first_of(node, ("modifiers",))
        return modifiers is not None and "private" in text_of(modifiers).split()
    head = (node.text or b"")[:80].decode("utf-8", "replace")
    return bool(_PRIVATE_WORDS.match(head)) or f"#{name}" in head
