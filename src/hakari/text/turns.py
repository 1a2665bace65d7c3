"""Dialogues written as one text: where their turns lie, and what to keep of one that is too long.

A dialogue begins with the name of who speaks: `user: ...`, `### Human: ...`, `<|im_start|>user`, `[INST]`, or it is
JSON of a list of turns. Names inside blocks of code are code. What does not begin so is no dialogue.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

Span = tuple[int, int]

_USER = ("user", "human", "prompter", "customer", "question", "q")
_OTHERS = {
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "bot", "ai", "model", "answer", "a"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "observation"), "tool"),
}
ROLES = {**dict.fromkeys(_USER, "user"), **_OTHERS}
"""Who speaks, by the names that are used for it."""
_NAMES = "|".join(sorted(ROLES, key=len, reverse=True))
_MARK = re.compile(
    rf"""^[ \t]*(?:\#{{1,6}}[ ]*|\*\*)?(?P<plain>{_NAMES})(?:\*\*)?[ ]?:(?:\*\*)?(?=\s|$)"""
    rf"""|<\|(?:im_start\|>|start_header_id\|>)?(?P<tag>{_NAMES})(?:\|>|<\|end_header_id\|>|(?=\n))"""
    rf"""|<start_of_turn>(?P<gemma>{_NAMES})\b"""
    r"""|(?P<open>\[INST\])|(?P<close>\[/INST\])""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_FENCE = re.compile(
    r"(?<![`~])(`{3,}|~{3,})[^`\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_INDENTED = re.compile(r"(?:^(?:[ ]{4}|\t|>>>[ ]|\.\.\.[ ])[^\n]*\S[^\n]*(?:\n+|\Z)){2,}", re.MULTILINE)


class Turn(NamedTuple):
    """What one side says at once, and where it lies in the text, the name of the speaker included."""

    role: str
    """`user`, `assistant`, `system` or `tool`, whatever it was called."""
    start: int
    end: int


def as_text(text: str) -> str:
    """A dialogue in JSON as a text with turns; any other text as it is."""
    if not text.lstrip().startswith("["):
        return text
    try:
        turns = json.loads(text)
    except (ValueError, RecursionError):
        return text
    told = []
    for turn in turns:
        role = str(turn.get("role") or turn.get("from") or "").lower() if isinstance(turn, dict) else ""
        said = (turn.get("content") or turn.get("value")) if role in ROLES else None
        if not isinstance(said, str):
            return text
        told.append(f"{ROLES[role]}:\n{said.strip()}")
    return "\n\n".join(told) or text


def turns_in(text: str) -> list[Turn]:
    """The turns of a dialogue, in order; none where the text does not begin with one."""
    fences = [match.span() for match in _FENCE.finditer(text)]
    marks = [
        mark for mark in _MARK.finditer(text) if not any(start <= mark.start() < end for start, end in fences)
    ]
    if not marks or text[: marks[0].start()].strip():
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [Turn(_role(mark), mark.start(), end) for mark, end in zip(marks, ends, strict=True)]


def _role(mark: re.Match[str]) -> str:
    if mark["open"] or mark["close"]:
        return "user" if mark["open"] else "assistant"
    return ROLES[(mark["plain"] or mark["tag"] or mark["gemma"]).lower()]


def latest_code(text: str, start: int = 0, end: int | None = None) -> Span | None:
    """The last block of code between two places: fenced, else lines that are indented or typed at a prompt."""
    within = text[start:end]
    for pattern in (_FENCE, _INDENTED):
        found = [match.span() for match in pattern.finditer(within)]
        if found:
            first, last = found[-1]
            return start + first, start + last
    return None


def kept(text: str, tokens: Sequence[Span], room: int) -> list[Span] | None:
    """What to keep of a dialogue of which `room` tokens can be read, in the order of the text; None for no dialogue.

    First the last request whole (of one that is too long by itself, its two ends), then the latest code before
    or after it, then what was said nearest to the end. `tokens` says where each token of the text lies.
    """
    turns = turns_in(text)
    if not turns:
        return None
    ruler = _Ruler(tokens)
    request = next((turn for turn in reversed(turns) if turn.role == "user"), turns[-1])
    chosen, left = ruler.ends((request.start, request.end), room)
    if left > 0 and latest_code(text, request.start, request.end) is None:
        code = latest_code(text, request.end) or latest_code(text, 0, request.start)
        if code is not None:
            part = ruler.first(code, left)
            chosen.append(part)
            left -= ruler.count(part)
    for gap in reversed(_gaps(chosen, len(text))):
        if left <= 0:
            break
        part = ruler.last(gap, left)
        chosen.append(part)
        left -= ruler.count(part)
    return _joined(chosen)


class _Ruler:
    """Tokens of spans of a text."""

    def __init__(self, tokens: Sequence[Span]) -> None:
        self._starts = [start for start, _ in tokens]
        self._tokens = tokens

    def _range(self, span: Span) -> tuple[int, int]:
        return bisect_left(self._starts, span[0]), bisect_left(self._starts, span[1])

    def count(self, span: Span) -> int:
        first, last = self._range(span)
        return last - first

    def first(self, span: Span, room: int) -> Span:
        """The beginning of a span, as much as there is room for."""
        first, last = self._range(span)
        return span if last - first <= room else (span[0], self._tokens[first + room - 1][1])

    def last(self, span: Span, room: int) -> Span:
        """The end of a span, as much as there is room for."""
        first, last = self._range(span)
        return span if last - first <= room else (self._tokens[last - room][0], span[1])

    def ends(self, span: Span, room: int) -> tuple[list[Span], int]:
        """A span, or where it is too long its two ends; and the room that is left."""
        size = self.count(span)
        if size <= room:
            return [span], room - size
        half = room // 2
        return [self.first(span, room - half), *([self.last(span, half)] if half else [])], 0


def _gaps(chosen: Sequence[Span], end: int) -> list[Span]:
    """What lies between the spans chosen, in order."""
    gaps, at = [], 0
    for start, stop in sorted(chosen):
        if start > at:
            gaps.append((at, start))
        at = max(at, stop)
    return [*gaps, (at, end)] if at < end else gaps


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that touch as one, those without any length left out."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
