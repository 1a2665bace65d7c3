"""How retrievers are written: NAME or NAME(argument, key=value), with retrievers inside retrievers.

A text with one of `( ) , = " '` in it, or with spaces at its ends, is written in double or single quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hakari.errors import UsageError

EXAMPLES = "for example `bm25(k1=1.2,b=0.6)` or `rrf(bm25-code,bge_small_en,k=60)`"
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NEEDS_QUOTES = re.compile(r"[(),=\"']|^\s|\s$|^$")


@dataclass(frozen=True)
class Spelled:
    """A retriever as written: its name, the retrievers inside it, and its settings as texts."""

    name: str
    positional: tuple[Spelled, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()


class Inside(str):
    """The spelling of a retriever as the value of a setting, which stands there without quotes."""


def read_spelling(spec: str) -> Spelled:
    """Take a spelling apart."""
    text = spec.strip()
    opening = next((i for i, char in _outside_quotes(text, spec) if char == "("), None)
    if opening is None:
        return Spelled(_unquoted(_name(text, spec)))
    if not text.endswith(")"):
        closed = any(char == ")" for _, char in _outside_quotes(text, spec))
        raise _malformed(spec, "text follows the last bracket" if closed else "a bracket is not closed")
    inside = text[opening + 1 : -1]
    positional: list[Spelled] = []
    keywords: dict[str, str] = {}
    for item in _split(inside, spec):
        key, equals, value = _key_and_value(item, spec)
        if not equals:
            positional.append(read_spelling(item))
        elif key in keywords:
            raise _malformed(spec, f"`{key}` is given twice")
        else:
            keywords[key] = _unquoted(value.strip())
    return Spelled(_unquoted(_name(text[:opening], spec)), tuple(positional), tuple(keywords.items()))


def spell(name: str, positional: Sequence[str] = (), keywords: Mapping[str, Any] | None = None) -> str:
    """The one way to write a retriever: its parts as spelled, then its settings in the order given."""
    kind, colon, path = name.partition(":")
    head = f"{kind}:{_quoted(path)}" if colon else name
    items = [*positional, *(f"{key}={_value(value)}" for key, value in (keywords or {}).items())]
    return f"{head}({','.join(items)})" if items else head


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return _quoted(value) if isinstance(value, str) and not isinstance(value, Inside) else str(value)


def _quoted(text: str) -> str:
    if not _NEEDS_QUOTES.search(text):
        return text
    mark = "'" if '"' in text else '"'
    return f"{mark}{text}{mark}"


def _unquoted(text: str) -> str:
    head, colon, rest = text.partition(":")
    if colon and _KEY.fullmatch(head) and len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        return f"{head}:{rest[1:-1]}"
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def _name(text: str, spec: str) -> str:
    if not text.strip():
        raise _malformed(spec, "a name is missing")
    if any(char == ")" for _, char in _outside_quotes(text, spec)):
        raise _malformed(spec, "a bracket is closed that was not opened")
    return text.strip()


def _key_and_value(item: str, spec: str) -> tuple[str, bool, str]:
    for i, char in _outside_quotes(item, spec):
        if char == "(":
            break
        if char == "=":
            key = item[:i].strip()
            if not _KEY.fullmatch(key):
                raise _malformed(spec, f"`{key}` is not the name of a setting")
            return key, True, item[i + 1 :]
    return "", False, ""


def _split(inside: str, spec: str) -> list[str]:
    """The items between the brackets, parted at the commas that stand in no inner bracket."""
    if not inside.strip():
        return []
    depth, start, items = 0, 0, []
    for i, char in _outside_quotes(inside, spec):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            raise _malformed(spec, "a bracket is closed that was not opened")
        if char == "," and depth == 0:
            items.append(inside[start:i])
            start = i + 1
    if depth:
        raise _malformed(spec, "a bracket is not closed")
    items.append(inside[start:])
    if not all(item.strip() for item in items):
        raise _malformed(spec, "there is nothing between two commas or after the last one")
    return items


def _outside_quotes(text: str, spec: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    quote = ""
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            found.append((i, char))
    if quote:
        raise _malformed(spec, "a quotation mark is not closed")
    return found


def _malformed(spec: str, what: str) -> UsageError:
    return UsageError(f"cannot read the retriever `{spec}`: {what}", EXAMPLES)
