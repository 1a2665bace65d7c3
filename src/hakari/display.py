"""Text of data sets and of users, made safe to show: nothing in it can steer a terminal or a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

_PATH = re.compile(r"(?<=:)(?:[A-Za-z]:)?(?:[/\\][^\s,()/\\]+){3,}")
"""The place of a model within the spelling of a retriever."""
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


def short_paths(texts: Iterable[str]) -> Callable[[str], str]:
    """A function that leaves out the beginnings of long paths in names, as far as these texts stay different."""
    paths = {path for text in texts for path in _PATH.findall(text)}
    count, short = 1, dict.fromkeys(paths, "")
    while len(set(short.values())) < len(paths) or count == 1:
        count += 1
        short = {path: _end(path, count) for path in paths}
    return lambda text: _PATH.sub(lambda found: short.get(found[0], found[0]), text)


def _end(path: str, count: int) -> str:
    parts = re.split(r"[/\\]", path)
    return path if len(parts) <= count + 1 else "/".join(["…", *parts[-count:]])
