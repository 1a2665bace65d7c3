"""Posts as a collection: a table with questions and answers in rows of their own, as StackExchange dumps them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hakari.nano.draft import Stage
from hakari.nano.sources_cells import Item, Judged, as_grade, as_id, as_text
from hakari.nano.sources_parts import Source
from hakari.nano.sources_tables import Place, Table, plain_name
from hakari.text.posts import plain_text, title_and_body

PARENT, KIND, NAME = ("parentid", "parent_id"), ("posttypeid", "post_type_id"), ("id", "post_id", "_id")
BODY, TITLE = ("body", "text", "body_markdown"), ("title",)
ACCEPTED, SCORE = ("acceptedanswerid", "accepted_answer_id"), ("score",)
QUESTION, ANSWER = "1", "2"
BEST, GOOD, BAD = 2.0, 1.0, 0.0


def grade_of(accepted: bool, score: float | None) -> float | None:
    """What an answer is worth: accepted, voted up or nothing said, voted down; None where nobody has judged it."""
    if accepted:
        return BEST
    if score is None or score > 0:
        return GOOD
    return BAD if score < 0 else None


def is_of_posts(table: Table) -> bool:
    """Whether a table has a post in each row: a name, a text, and the post that it belongs to."""
    return all(_column(table, names) for names in (NAME, BODY, PARENT))


def from_posts(table: Table) -> Source:
    """The questions and answers among the posts of a table."""
    posts = _Posts(
        table, tuple(_column(table, n) for n in (NAME, PARENT, KIND, TITLE, BODY, SCORE, ACCEPTED))
    )
    told = [f"posts in {table.files[0].name}: " + ", ".join(f"`{name}`" for name in posts.columns if name)]
    return Source(
        table.name,
        posts.answers,
        posts.questions,
        posts.judgements,
        table.faults,
        table.name,
        told,
        stages=lambda: [posts.stage] if posts.stage else [],
    )


def _column(table: Table, names: tuple[str, ...]) -> str | None:
    plain = {plain_name(column): column for column in reversed(table.columns)}
    return next((plain[name] for name in names if name in plain), None)


@dataclass
class _Posts:
    table: Table
    columns: tuple[str | None, ...]
    stage: Stage | None = field(default=None, init=False)

    def _rows(self, wanted: str) -> Iterator[tuple[Place, tuple[Any, ...]]]:
        """The rows that are questions, or answers."""
        for place, values in self.table.rows(self.columns):
            kind = "" if values[2] is None else str(values[2])
            if not kind:
                kind = QUESTION if values[1] in (None, "") else ANSWER
            if kind == wanted:
                yield place, values

    @cached_property
    def _accepted(self) -> frozenset[str]:
        """The answers that questions name."""
        named = ((place, values[6]) for place, values in self._rows(QUESTION) if values[6] not in (None, ""))
        return frozenset(self._id(value, 6, place) for place, value in named)

    def _graded(self) -> Iterator[tuple[Place, tuple[Any, ...], str, float | None]]:
        """Answers with their names and grades."""
        for place, values in self._rows(ANSWER):
            name, stated = self._id(values[0], 0, place), values[5]
            score = None
            if stated not in (None, ""):
                score = as_grade(stated, self.columns[5], place, self.table.faults)
            yield place, values, name, grade_of(name in self._accepted, score)

    def answers(self) -> Iterator[Item]:
        """Those that somebody has judged: of the others nobody knows whether they answer their question."""
        for place, values, name, grade in self._graded():
            if grade is not None:
                yield Item(place, name, plain_text(self._text(values, 4, place)))

    def questions(self) -> Iterator[Item]:
        for place, values in self._rows(QUESTION):
            asked = title_and_body(self._text(values, 3, place), self._text(values, 4, place))
            yield Item(place, self._id(values[0], 0, place), asked)

    def judgements(self) -> Iterator[Judged]:
        """Answers by their grade."""
        seen = kept = 0
        for place, values, name, grade in self._graded():
            seen += 1
            if grade is not None:
                kept += 1
                yield Judged(place, self._id(values[1], 1, place), name, grade)
        left_out = {"nobody voted on": seen - kept} if seen > kept else {}
        self.stage = Stage("answers", seen, kept, left_out)

    def _id(self, value: Any, column: int, place: Place) -> str:
        return as_id(value, self.columns[column], place, self.table.faults)

    def _text(self, values: tuple[Any, ...], column: int, place: Place) -> str:
        return as_text(values[column], self.columns[column], place, self.table.faults)
