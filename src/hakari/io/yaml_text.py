"""Plain data as YAML: block style, every text in quotes, so nothing is read as a date, a boolean or a number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def to_yaml(value: Any) -> str:
    """Mappings and lists of plain values as YAML text; what is None is left out."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        found = []
        for key, inner in value.items():
            if inner is None:
                continue
            if isinstance(inner, Mapping | list | tuple) and inner:
                shift = "  " if isinstance(inner, Mapping) else ""
                found += [f"{_key(key)}:", *(shift + line for line in _lines(inner))]
            else:
                found.append(f"{_key(key)}: {_scalar(inner)}")
        return found
    if isinstance(value, Sequence) and not isinstance(value, str):
        found = []
        for inner in value:
            lines = _lines(inner) if isinstance(inner, Mapping) else [_scalar(inner)]
            found += [("- " if number == 0 else "  ") + line for number, line in enumerate(lines)]
        return found
    return [_scalar(value)]


def _key(key: Any) -> str:
    return str(key) if str(key).replace("-", "").replace("_", "").isalpha() else json.dumps(str(key))


def _scalar(value: Any) -> str:
    # JSON is YAML, but for characters that YAML wants escaped; with ASCII only there are none of these, and
    # what lies beyond 16 bits is written as YAML has it, not as a surrogate pair.
    if isinstance(value, str):
        return '"' + "".join(_escaped(character) for character in value) + '"'
    return json.dumps(value, allow_nan=False)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
