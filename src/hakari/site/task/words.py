"""Numbers and lists as sentences use them, and what the shapes of tasks are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hakari.site.blocks import Tag

SHAPES: Mapping[str, tuple[str, str, str]] = {
    "text-to-code": ("a request in words", "code", "code that does what the words ask for"),
    "code-to-text": ("code", "a text", "the text that describes what the code does"),
    "code-to-code": ("code", "code", "code that continues it or does the same elsewhere"),
    "text-to-sql": ("a question in words", "an SQL statement", "the statement that answers the question"),
    "dialogue": ("a dialogue with an assistant", "a reply", "the reply that fits the dialogue as it stands"),
    "qa": ("a question", "an answer", "the answer that solves what the question describes"),
    "api-docs": (
        "the name or the purpose of an API",
        "a reference entry",
        "the entry that documents that API",
    ),
    "tutorials": ("a problem", "a tutorial", "the tutorial that teaches how to solve it"),
}
"""By shape: what a query is, what a document is, what makes a document relevant."""

PUBLISHED = Tag("published", "published")


def number(value: float | None, digits: int = 4) -> str:
    """A value of a measure; a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


def count(value: float | None) -> str:
    """A whole number with its thousands apart."""
    return "–" if value is None else f"{value:,.0f}"


def several(value: int, one: str, many: str | None = None) -> str:
    """`1 query`, `2 queries`: a number with its noun."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent."""
    return "–" if not whole else f"{part / whole:.1%}"


def signed(value: float) -> str:
    """A difference with its sign; one that rounds to nothing has none."""
    text = f"{value:+.4f}"
    return "0.0000" if float(text) == 0 else text


def interval(low: float, high: float) -> str:
    """An interval in brackets."""
    return f"[{signed(low)}, {signed(high)}]"


def listing(items: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""
