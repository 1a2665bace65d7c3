"""What stands in one cell of a table, as an id, a text or a grade; anything else is a fault at its place."""

from __future__ import annotations

from typing import Any, NamedTuple

from hakari.io.files import shown
from hakari.nano.sources_tables import FaultLog, Place

EXACT_FLOAT = 2**53


class Item(NamedTuple):
    """A document or a query where it lies."""

    place: Place
    id: str
    text: str


class Judged(NamedTuple):
    """A judgement where it lies; the grade is any number."""

    place: Place
    query: str
    document: str
    grade: float


def as_id(value: Any, column: str | None, place: Place, faults: FaultLog) -> str:
    """An id as a string; whole numbers are ids too, anything else is a fault."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and abs(value) < EXACT_FLOAT and value == int(value):
        return str(int(value))
    if type(value).__name__ == "UUID":
        return str(value)
    what = "is empty" if value == "" else "is missing" if value is None else f"is {shown(repr(value))}"
    faults.add(f"the id in `{column}` {what}", place, f"fill `{column}` with strings, or remove the row")
    return "?"


def as_text(value: Any, column: str | None, place: Place, faults: FaultLog) -> str:
    """A text; a missing one is empty, anything but a string is a fault."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    what = f"`{column}` is {shown(repr(value))}, not a text"
    faults.add(what, place, f"write `{column}` as strings, or name another column")
    return ""


def as_texts(value: Any, column: str | None, place: Place, faults: FaultLog) -> list[str]:
    """The texts of a cell that may hold a list of them; blank ones are no document."""
    listed = value if isinstance(value, list) else [value]
    return [text for text in (as_text(v, column, place, faults) for v in listed) if text.strip()]


def as_grade(value: Any, column: str | None, place: Place, faults: FaultLog) -> float:
    """A grade as a number; anything else is a fault."""
    try:
        if value is None or (isinstance(value, str) and "_" in value):
            raise ValueError
        number = float(value)
        if number == number and abs(number) < EXACT_FLOAT:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    what = "is missing" if value is None else f"{shown(str(value))} is not a number"
    hint = f"write numbers in `{column}`, or name another column with `--column qrels.score=NAME`"
    faults.add(f"the score in `{column}` {what}", place, hint)
    return 0.0
