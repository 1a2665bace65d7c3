"""What a task looks like: sizes, positives, lengths, and the examples that its published page draws."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.types import Task

EXAMPLE_SEED = 42
"""Published task pages draw their example rows with it."""
QUERY_SHOWN, DOCUMENT_SHOWN = 500, 1_000


@dataclass(frozen=True)
class Lengths:
    """Lengths of texts in characters."""

    mean: float
    median: float
    p95: float
    max: int


@dataclass(frozen=True)
class PositivesPerQuery:
    """How many relevant documents queries have."""

    min: int
    median: float
    mean: float
    max: int
    multiple: float
    """The share of queries with more than one."""


@dataclass(frozen=True)
class Statistics:
    """The numbers that describe a task."""

    queries: int
    documents: int
    judgements: int
    positives: int
    positives_per_query: PositivesPerQuery
    grades: tuple[int, ...]
    """The grades that occur."""
    query_lengths: Lengths
    document_lengths: Lengths

    @property
    def graded(self) -> bool:
        """Whether relevant documents differ in grade."""
        return len([grade for grade in self.grades if grade > 0]) > 1


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a text, and how long all of it is."""

    id: str
    text: str
    characters: int

    @property
    def cut(self) -> bool:
        """Whether more follows."""
        return len(self.text) < self.characters

    def __str__(self) -> str:
        counted = f"{len(self.text):,} / {self.characters:,}" if self.cut else f"{self.characters:,}"
        return f"{self.text}{'...' if self.cut else ''} [{counted} chars]"


@dataclass(frozen=True)
class Example:
    """A query and one of its relevant documents."""

    query: Excerpt
    positive: Excerpt


def statistics(task: Task) -> Statistics:
    """The numbers that describe a task."""
    qrels = task.qrels
    counts = _positives(task)
    return Statistics(
        queries=len(task.queries),
        documents=len(task.corpus),
        judgements=len(qrels),
        positives=int(counts.sum()),
        positives_per_query=PositivesPerQuery(
            int(counts.min()),
            float(np.median(counts)),
            float(counts.mean()),
            int(counts.max()),
            float((counts > 1).mean()),
        ),
        grades=tuple(int(grade) for grade in np.unique(qrels.grades)),
        query_lengths=_lengths(task.queries.texts),
        document_lengths=_lengths(task.corpus.texts),
    )


def examples(task: Task, count: int = 3) -> list[Example]:
    """Queries drawn as published task pages draw them, each with its best positive, long texts cut."""
    ids = list(task.queries.ids)
    drawn = random.Random(EXAMPLE_SEED).sample(ids, min(count, len(ids)))
    row = {name: i for i, name in enumerate(ids)}
    return [_example(task, row[name]) for name in drawn]


def _example(task: Task, query: int) -> Example:
    rows = slice(int(task.qrels.offsets[query]), int(task.qrels.offsets[query + 1]))
    best = int(np.argmax(task.qrels.grades[rows]))
    document = int(task.qrels.documents[rows][best])
    return Example(
        _excerpt(task.queries.ids[query], task.queries.texts[query], QUERY_SHOWN),
        _excerpt(task.corpus.ids[document], task.corpus.texts[document], DOCUMENT_SHOWN),
    )


def _excerpt(name: str, text: str, shown: int) -> Excerpt:
    return Excerpt(name, text[:shown], len(text))


def _positives(task: Task) -> npt.NDArray[np.int64]:
    queries = np.repeat(np.arange(len(task.queries)), np.diff(task.qrels.offsets))
    return np.bincount(queries[task.qrels.grades > 0], minlength=len(task.queries))


def _lengths(texts: npt.NDArray[np.object_]) -> Lengths:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return Lengths(
        float(lengths.mean()),
        float(np.median(lengths)),
        float(np.percentile(lengths, 95)),
        int(lengths.max()),
    )
