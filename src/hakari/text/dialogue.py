"""Dialogues in the spellings that people use, and the one text that stands for what was said so far.

Training pairs and tasks write a dialogue in the same form, so that a model is weighed on what it was trained on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from hakari.text.turns import ROLES

ROLE_KEYS, TEXT_KEYS = ("role", "from", "speaker"), ("content", "value", "text")
CODE = ("code", "code_block", "source_code")


class Turn(NamedTuple):
    """What one side says at once."""

    role: str
    """`user`, `assistant`, `system` or `tool`, whatever it was called."""
    text: str


def turns_of(value: Any) -> list[Turn]:
    """The turns of a dialogue, those without text left out; ValueError where it is none.

    A dialogue is a list of objects, or JSON of one: `role` and `content`, or `from` and `value`. The text is a
    string, or a list of parts, of which those count that are text or code.
    """
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("is a text and not JSON of a list of turns") from error
    if not isinstance(value, list):
        raise ValueError("is missing" if value is None else f"is {_kind(value)}, not a list of turns")
    turns = []
    for number, turn in enumerate(value, 1):
        if not isinstance(turn, dict):
            raise ValueError(f"has {_kind(turn)} as turn {number}, not an object with `role` and `content`")
        named = _first(turn, ROLE_KEYS)
        role = ROLES.get(named.strip().lower()) if isinstance(named, str) else None
        if role is None:
            told = "no role" if named is None else f"the unknown role {str(named)[:40]!r}"
            raise ValueError(f"has {told} in turn {number}")
        text = _text_of(_first(turn, TEXT_KEYS), number)
        if text.strip():
            turns.append(Turn(role, text.strip()))
    return turns


def as_history(turns: Sequence[Turn]) -> str:
    """Turns as one text: who speaks stands on a line of its own, so that blocks of code below stay what they are."""
    return "\n\n".join(f"{turn.role}:\n{turn.text}" for turn in turns)


def _first(turn: dict[str, Any], keys: Sequence[str]) -> Any:
    for key in keys:
        if (value := turn.get(key)) is not None:
            return value
    return None


def _text_of(content: Any, number: int) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise ValueError(
            f"has {_kind(content)} as the content of turn {number}, not a text or a list of parts"
        )
    return "\n".join(text for part in content if (text := _part(part, number)) is not None)


def _part(part: Any, number: int) -> str | None:
    """The text of a part of a turn, code as a block; None where it is an image or the like."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise ValueError(f"has {_kind(part)} as a part of turn {number}, not a text or an object")
    text = next((part[key] for key in ("text", "code", "content") if isinstance(part.get(key), str)), None)
    if text is None or part.get("type") not in CODE:
        return text
    language = part.get("language") if isinstance(part.get("language"), str) else ""
    return f"```{language}\n{text}\n```"


def _kind(value: Any) -> str:
    """What a value is in the words of JSON."""
    names = {
        "str": "a text",
        "bool": "true or false",
        "int": "a number",
        "float": "a number",
        "dict": "an object",
    }
    return {**names, "list": "a list", "NoneType": "null"}.get(type(value).__name__, type(value).__name__)
