"""Which columns of training data are read, and as what: told by the user, or guessed from names and types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hakari.errors import UsageError, nearest

ROLES = ("query", "positive", "negatives", "messages", "text")
_NAMES = {
    "query": "query question anchor prompt instruction intent rewritten_intent nl utterance claim problem "
    "sentence1 text1 question_title source_text",
    "positive": "positive pos answer answers code snippet document passage response output completion solution sql "
    "sentence2 text2 target target_text func function context",
    "negatives": "negative negatives neg hard_negative hard_negatives",
    "messages": "messages conversations conversation dialogue dialog chat turns",
}
_ROLE_OF = {name: role for role, names in _NAMES.items() for name in names.split()}
_NO_TEXT = re.compile(
    r"(.*[_-])?(id|ids|idx|index|split|label|labels|score|score_text|lang|language|hash|sha|date)"
)
_ORIGIN = re.compile(r"(data_?)?(source|set|set_name|origin)|source_dataset|dataset_name|origin|corpus_name")
_FIELDS = ("content", "value", "text", "message")


@dataclass(frozen=True)
class Column:
    """A column that is read."""

    name: str
    role: str
    guessed: bool
    expression: str
    """Its text in SQL; the parts of a list and the turns of a dialogue with a break between."""


def choose(types: Mapping[str, str], given: Mapping[str, Sequence[str]], where: str) -> list[Column]:
    """The columns to read, in their order in the file; those that are given, or else all that hold text."""
    named = {name: role for role in ROLES for name in given.get(role, ())}
    unknown = [name for name in named if name not in types]
    if unknown:
        near = nearest(unknown[0], types, 1)
        listed = ", ".join(f"`{name}`" for name in list(types)[:20])
        hint = f"did you mean `{near[0]}`?" if near else f"it has {listed}"
        raise UsageError(f"`{where}` has no column `{unknown[0]}` for `--{named[unknown[0]]}`", hint)
    columns = []
    for name, kind in types.items():
        expression = _expression(name, kind)
        role = named.get(name) if named else _guess(name)
        if role and expression:
            columns.append(Column(name, role, not named, expression))
        elif name in named:
            raise UsageError(
                f"column `{name}` of `{where}` is {kind}, which holds no text", "name another column"
            )
    if not columns:
        listed = ", ".join(f"`{name}` {kind}" for name, kind in list(types.items())[:20]) or "no column"
        raise UsageError(
            f"`{where}` has no column of text (it has {listed})", "name one with `--text COLUMN`"
        )
    return columns


def origin_columns(types: Mapping[str, str]) -> list[str]:
    """Columns that say where a row comes from."""
    return [name for name, kind in types.items() if kind == "VARCHAR" and _ORIGIN.fullmatch(_plain(name))]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _guess(name: str) -> str | None:
    plain = _plain(name)
    numberless = re.sub(r"_?\d+$", "", plain)
    if found := _ROLE_OF.get(plain) or _ROLE_OF.get(numberless):
        return found
    return None if _NO_TEXT.fullmatch(plain) or _ORIGIN.fullmatch(plain) else "text"


def quoted(name: str) -> str:
    """A column name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _expression(name: str, kind: str) -> str | None:
    column = quoted(name)
    if kind in ("VARCHAR", "JSON"):
        return f"CAST({column} AS VARCHAR)"
    if kind == "VARCHAR[]":
        return f"array_to_string({column}, chr(30))"
    if kind == "VARCHAR[][]":
        return f"array_to_string(flatten({column}), chr(30))"
    if kind.startswith("STRUCT(") and kind.endswith(")[]"):
        for field in _FIELDS:
            if re.search(rf'[(,]\s*"?{field}"? (VARCHAR|JSON)', kind):
                turn = f"lambda x: CAST(x.{quoted(field)} AS VARCHAR)"
                return f"array_to_string(list_transform({column}, {turn}), chr(30))"
    if kind.startswith(("STRUCT", "MAP")) or kind.endswith("[]"):
        return f"CAST(to_json({column}) AS VARCHAR)" if "VARCHAR" in kind else None
    return None
