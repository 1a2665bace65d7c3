"""Text of data sets and of users, made safe to show: nothing in it can steer a terminal or a page."""

from __future__ import annotations

import unicodedata

_KEPT = {"\n", "\t"}


def visible(text: str, limit: int | None = None) -> str:
    """The text with control, direction-override and unassigned characters spelt out, cut at a limit."""
    if limit is not None and len(text) > limit:
        text = text[:limit] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in _KEPT or not _steers(c) else f"\\u{{{ord(c):x}}}" for c in text)


def one_line(text: str, limit: int) -> str:
    """The text on one line, white space folded, cut at a limit."""
    return visible(" ".join(text[: limit * 4].split()), limit)


def counted(number: int, one: str) -> str:
    """A number and what it counts: `1 row`, `2,000 rows`."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def _steers(character: str) -> bool:
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Co", "Cn") or (
        category == "Cf" and character not in "\u200c\u200d\u00ad"
    )
