"""What readers hand on: the parts of a task in file order, with the places that they came from.

Rows are counted from 1: data rows in Parquet, lines in text files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakari.errors import Fault

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "_id": (
        "id",
        "docid",
        "doc_id",
        "document_id",
        "corpus-id",
        "corpus_id",
        "pid",
        "qid",
        "query-id",
        "query_id",
    ),
    "text": ("contents", "content", "body", "passage", "document", "query", "question", "code"),
    "title": (),
    "query-id": ("query_id", "queryid", "qid", "query", "_id", "id"),
    "corpus-id": (
        "corpus_id",
        "corpusid",
        "docid",
        "doc_id",
        "document-id",
        "document_id",
        "pid",
        "did",
        "doc",
    ),
    "score": ("scores", "relevance", "rel", "grade", "label"),
    "corpus-ids": ("corpus_ids", "corpusids", "doc_ids", "docids", "documents", "candidates", "ranking"),
    "scores": ("score",),
}
"""What other tools call the columns, to suggest the right rename."""

MAX_GRADE = 2**31 - 1


@dataclass
class Places:
    """Where rows come from, so that a fault found later can still name file and row."""

    segments: list[tuple[str, Sequence[int]]] = field(default_factory=list)

    def __call__(self, index: int) -> tuple[str | None, int | None]:
        """File and row of the item with this index, or nothing where it never lay in a file."""
        for file, rows in self.segments:
            if index < len(rows):
                return file, rows[index]
            index -= len(rows)
        return None, None

    def fault(self, index: int, what: str, hint: str) -> Fault:
        """A fault at the place of an item."""
        file, row = self(index)
        return Fault(what, file, row, hint)


@dataclass
class TextRows:
    """Ids and texts in file order, not yet checked against each other."""

    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    places: Places = field(default_factory=Places)


@dataclass
class JudgementRows:
    """Judgements in file order, not yet checked against anything."""

    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    grades: list[int] = field(default_factory=list)
    places: Places = field(default_factory=Places)


@dataclass
class Parts:
    """The parts of one task as their files hold them, not yet checked against each other."""

    dataset: str
    split: str
    queries: TextRows
    corpus: TextRows
    judgements: JudgementRows
    metadata: Mapping[str, Any] = field(default_factory=dict)
    candidates: Mapping[str, Path] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    source: Path | None = None


def join_title(title: str, text: str) -> str:
    """A document as it is searched: its title, a space, its text."""
    return f"{title} {text}" if title and text else title or text


def parse_grade(value: object) -> int | None:
    """A grade as an integer, or None where it is none; 2.0 and "2" are 2."""
    try:
        number = value if isinstance(value, int) else float(value)  # type: ignore[arg-type]
        if isinstance(value, str) and "_" in value:
            return None
        grade = int(number)
    except (TypeError, ValueError, OverflowError):
        return None
    return grade if grade == number and abs(grade) <= MAX_GRADE else None
