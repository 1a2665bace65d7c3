"""What a check finds in a nano set: how grave, where, what, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
"""A tool cannot read it or a score is certainly wrong; scores may mislead; worth knowing."""
KEPT = 1_000
"""Examples that a finding keeps, for a program to work off; its count tells how many there are."""


@dataclass(frozen=True)
class Finding:
    """One thing that a maintainer should know before publishing."""

    severity: str
    check: str
    """Which check found it, as one word that does not change: `duplicate-documents`."""
    where: str
    what: str
    hint: str
    count: int = 1
    examples: tuple[Any, ...] = ()
    """The first of what was found, as JSON; pairs of ids where it is about pairs."""

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {**vars(self), "examples": list(self.examples)}


def finding(
    severity: str, check: str, where: str, what: str, hint: str, found: Sequence[Any] = ()
) -> Finding:
    """A finding about several things, of which the first are shown."""
    return Finding(severity, check, where, what, hint, len(found) or 1, tuple(found[:KEPT]))


def numbered(count: int, one: str, many: str | None = None) -> str:
    """`1 query` or `12 queries`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
