"""Questions and answers as a collection, in the forms in which sites of questions are handed on.

    a question in each row with its answer, or with a list of answers that may tell scores and which was accepted
    a post in each row, as in the dumps of StackExchange: answers name the question they belong to

An accepted answer has grade 2. Any other that was voted up, or of which nothing is said, has grade 1; one that was
voted down is a hard negative. One without votes is left out, for nobody has judged it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakari.io.files import shown
from hakari.nano.draft import Stage
from hakari.nano.sources_cells import as_text
from hakari.nano.sources_pairs import Pair, query_name, source_of_pairs
from hakari.nano.sources_parts import Source
from hakari.nano.sources_posts import GOOD, from_posts, grade_of, is_of_posts
from hakari.nano.sources_roles import Roles, header_names
from hakari.nano.sources_tables import FaultLog, Place, Table, open_table, plain_name
from hakari.text.posts import plain_text, title_and_body

TEXT = ("text", "body", "content", "answer", "answer_text", "body_markdown")
SCORE = ("score", "pm_score", "votes", "upvotes", "answer_score")
MARK = ("is_accepted", "accepted", "selected", "isaccepted", "is_best", "best")
NAME = ("answer_id", "id", "a_id", "answerid")


def from_qa(paths: Sequence[Path], columns: Mapping[str, str], query_per_row: bool = False) -> Source:
    """Tables of questions with their answers, or of posts."""
    faults = FaultLog("the table of questions and answers")
    roles = Roles(columns)
    table = open_table(paths, faults, header_names("qa"))
    if not columns and is_of_posts(table):
        faults.raise_found()
        return from_posts(table)
    answer, title, body, accepted = roles.of(table, "qa.positive", "qa.query", "qa.body", "qa.accepted")
    if title is not None and title == answer:
        hint = "name two columns with `--query` and `--positive`"
        faults.add(f"column {shown(title)} cannot be question and answer at once", (table.name, None), hint)
    faults.raise_found()
    return source_of_pairs(_Questions(table, (title, answer, body, accepted), query_per_row), table, roles)


@dataclass
class _Questions:
    table: Table
    columns: tuple[str | None, ...]
    query_per_row: bool
    stage: Stage | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Pair]:
        faults, left_out, seen, kept = self.table.faults, Counter[str](), 0, 0
        title_column, answer_column, body_column, accepted_column = self.columns
        for row, (place, (title, answers, body, accepted)) in enumerate(self.table.rows(self.columns), 1):
            seen += 1
            asked = title_and_body(
                as_text(title, title_column, place, faults), as_text(body, body_column, place, faults)
            )
            found = self._answers(answers, accepted, answer_column, place)
            if accepted_column is not None and not plain_name(accepted_column).endswith("id"):
                found = _with_accepted(as_text(accepted, accepted_column, place, faults), found)
            graded = [(text, grade) for text, grade in found if grade is not None]
            if not asked or not any(grade for _, grade in graded):
                reason = "no question" if not asked else "no answer" if not found else "no good answer"
                left_out[reason] += 1
                continue
            kept += 1
            graded.sort(key=lambda answer: -answer[1])
            yield Pair(place, query_name(asked, row, self.query_per_row), asked, graded)
        self.stage = Stage("questions", seen, kept, dict(sorted(left_out.items())))

    def stages(self) -> Sequence[Stage]:
        return () if self.stage is None else (self.stage,)

    def _answers(
        self, value: Any, accepted: Any, column: str | None, place: Place
    ) -> list[tuple[str, float | None]]:
        """The answers in a cell with their grades, those without text left out."""
        faults = self.table.faults
        found: list[tuple[str, float | None]] = []
        for one in _listed(value):
            if isinstance(one, dict):
                told = {plain_name(str(key)): item for key, item in one.items()}
                text = as_text(_first(told, TEXT), column, place, faults)
                name = _first(told, NAME)
                mark = bool(_first(told, MARK)) or (accepted is not None and str(name) == str(accepted))
                score = _number(_first(told, SCORE), column, place, faults)
                grade = grade_of(mark, score)
            else:
                text, grade = as_text(one, column, place, faults), GOOD
            if text.strip():
                found.append((plain_text(text), grade))
        return found


def _with_accepted(text: str, answers: Sequence[tuple[str, float | None]]) -> list[tuple[str, float | None]]:
    """The answers with the one that is told as text to be the accepted one graded so, or added."""
    if not text.strip():
        return list(answers)
    accepted = plain_text(text)
    others = [answer for answer in answers if answer[0] != accepted]
    return [(accepted, grade_of(True, None)), *others]


def _listed(value: Any) -> list[Any]:
    """The answers in a cell, one by one: an answer, a list of them, lists by name of what answers say, or JSON."""
    if isinstance(value, str) and value.lstrip()[:2] in ("[{", '{"'):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    if isinstance(value, dict) and value and all(isinstance(item, list) for item in value.values()):
        longest = max(map(len, value.values()))
        rows = (
            {key: items[at] if at < len(items) else None for key, items in value.items()}
            for at in range(longest)
        )
        return list(rows)
    return value if isinstance(value, list) else [value]


def _first(told: Mapping[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        if (value := told.get(name)) is not None:
            return value
    return None


def _number(value: Any, column: str | None, place: Place, faults: FaultLog) -> float | None:
    """A score, where there is one."""
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        faults.add(
            f"a score in `{column}` is {shown(str(value))}, not a number", place, "write scores as numbers"
        )
        return None
