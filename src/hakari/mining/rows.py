"""A row of training data: an anchor, what answers it, what only seems to, and where all of it comes from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hakari.nano.draft import Stage
from hakari.nano.shapes import normalised


@dataclass(frozen=True)
class Negative:
    """A text that looks like an answer and is none."""

    text: str
    kind: str
    """Why it looks like one: a kind of `hakari.mining.kinds`."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Such as its id, ranks and scores: JSON."""


@dataclass(frozen=True)
class Row:
    """One row of training data."""

    anchor: str
    positive: str
    kind: str
    """What sort of pair it is: `docstring-to-function`, `question-to-answer`, `error-to-fix`."""
    name: str
    """Where in its source it stands: a definition, a row, a commit."""
    negatives: tuple[Negative, ...] = ()
    synthetic: bool = False
    """Whether a text of it was made up rather than found."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """How it was made, where there is more to say: JSON."""

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits of its texts, by which a shuffled file finds its provenance."""
        return row_id(self.anchor, self.positive)


def row_id(anchor: str, positive: str) -> str:
    """Sixteen hexadecimal digits that depend on these two texts alone."""
    digest = hashlib.blake2b(digest_size=8)
    for text in (anchor, positive):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


class Account:
    """Counts what a step saw and kept, and why it left out the rest."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen = self.kept = 0
        self.left_out: dict[str, int] = {}

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Note rows that go."""
        self.left_out[reason] = self.left_out.get(reason, 0) + count

    def stage(self) -> Stage:
        """The account as it stands."""
        return Stage(self.name, self.seen, self.kept, dict(sorted(self.left_out.items())))


def worth_training(rows: Iterable[Row], account: Account) -> Iterator[Row]:
    """Rows with two texts that differ, each once whatever its case and white space."""
    seen: set[bytes] = set()
    for row in rows:
        account.seen += 1
        anchor, positive = normalised(row.anchor), normalised(row.positive)
        if not anchor or not positive:
            account.leave_out("empty")
            continue
        if anchor == positive:
            account.leave_out("anchor and positive are the same")
            continue
        if "\0" in row.anchor or "\0" in row.positive:
            account.leave_out("NUL byte")
            continue
        key = bytes.fromhex(row_id(anchor, positive))
        if key in seen:
            account.leave_out("the same as another")
            continue
        seen.add(key)
        account.kept += 1
        yield row
