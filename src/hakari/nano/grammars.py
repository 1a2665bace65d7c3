"""What the nodes of each tree-sitter grammar mean: functions, classes, what to look into, what to skip."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hakari.nano.languages import LANGUAGES


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True)
class Grammar:
    """Types of nodes by what is done with them."""

    functions: frozenset[str]
    """Have a body, or are declared without one."""
    classes: frozenset[str]
    """Are definitions, and hold definitions that carry their name."""
    declarations: frozenset[str] = frozenset()
    """Of anything, and of functions without a body."""
    scopes: frozenset[str] = frozenset()
    """Are none, and hold definitions that carry their name: namespaces, `impl` blocks."""
    containers: frozenset[str] = frozenset()
    """Are looked into, and leave no trace in names: blocks, `#ifdef`, bodies of classes."""
    wrappers: frozenset[str] = frozenset()
    """Belong to the definition inside: `export`, `template <...>`."""
    attached: frozenset[str] = frozenset()
    """Stand between a definition and its comment, and belong to it: attributes, decorators."""
    blocks: frozenset[str] = frozenset()
    """Lists of statements."""
    strings: frozenset[str] = frozenset()
    """Whose lines keep their indentation."""
    closures: frozenset[str] = frozenset()
    """Functions that get their name from where they are put."""
    plain_comments: bool = False
    """Whether any comment above a definition is about it, and not only `/** */` or `///`."""


_SCRIPT = Grammar(
    functions=_set(
        "function_declaration generator_function_declaration method_definition function_signature "
        "method_signature abstract_method_signature"
    ),
    classes=_set(
        "class_declaration class abstract_class_declaration interface_declaration enum_declaration "
        "type_alias_declaration"
    ),
    scopes=_set("internal_module module"),
    containers=_set("program class_body interface_body enum_body object statement_block if_statement"),
    wrappers=_set("export_statement ambient_declaration"),
    attached=_set("decorator"),
    blocks=_set("statement_block switch_case switch_default"),
    strings=_set("template_string"),
    closures=_set("arrow_function function_expression generator_function function class"),
)
_C = Grammar(
    functions=_set("function_definition"),
    declarations=_set("declaration field_declaration"),
    classes=_set("struct_specifier union_specifier enum_specifier class_specifier"),
    scopes=_set("namespace_definition"),
    containers=_set(
        "translation_unit declaration_list field_declaration_list linkage_specification preproc_ifdef "
        "preproc_if preproc_else preproc_elif preproc_elifdef"
    ),
    wrappers=_set("template_declaration type_definition"),
    attached=_set("attribute_declaration"),
    blocks=_set("compound_statement case_statement"),
    strings=_set("raw_string_literal string_literal"),
    plain_comments=True,
)
_OF = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": Grammar(
        functions=_set("method_declaration constructor_declaration compact_constructor_declaration"),
        classes=_set(
            "class_declaration interface_declaration enum_declaration record_declaration "
            "annotation_type_declaration"
        ),
        containers=_set("program class_body interface_body enum_body enum_body_declarations"),
        blocks=_set("block constructor_body switch_block_statement_group"),
        strings=_set("string_literal"),
    ),
    "go": Grammar(
        functions=_set("function_declaration method_declaration"),
        classes=_set("type_spec"),
        containers=_set("source_file"),
        wrappers=_set("type_declaration"),
        blocks=_set("statement_list"),
        strings=_set("raw_string_literal"),
        plain_comments=True,
    ),
    "rust": Grammar(
        functions=_set("function_item function_signature_item"),
        classes=_set("struct_item enum_item union_item trait_item type_item"),
        scopes=_set("impl_item mod_item"),
        containers=_set("source_file declaration_list foreign_mod_item"),
        attached=_set("attribute_item"),
        blocks=_set("block"),
        strings=_set("string_literal raw_string_literal"),
    ),
    "c": _C,
    "c++": _C,
}
COMMENTS = _set("comment line_comment block_comment")


def grammar(language: str) -> Grammar:
    """What the nodes of a language mean."""
    return _OF[language]


@cache
def parser(language: str) -> Any:
    """A parser of a language, whose grammar has to be installed."""
    from tree_sitter import Language, Parser

    known = LANGUAGES[language]
    return Parser(Language(getattr(importlib.import_module(known.grammar), known.entry)()))


def text_of(node: Any) -> str:
    """The text of a node on one line."""
    return " ".join((node.text or b"").decode("utf-8", "replace").split())


def first_of(node: Any, types: Iterable[str]) -> Any:
    """The first named child of one of these types, or None."""
    return next((child for child in node.named_children if child.type in types), None)
