"""The nouns of hakari: frozen, columnar, without behaviour.

Ids are Python strings in numpy object arrays, ascending by code point, so a row number stands for an id
and larger row numbers stand for larger ids. Row order of the source files leaves no trace here.
Use the functions of `hakari.io`, `hakari.tasks` and `hakari.rankings` to make these; they check what they build.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.object_]
"""Strings, ascending and unique."""


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """Texts by id."""

    ids: Ids
    texts: npt.NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Texts: {len(self):,}>"


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Graded judgements: those of query `q` are rows `offsets[q]:offsets[q + 1]`, ascending by document."""

    query_ids: Ids
    document_ids: Ids
    offsets: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    grades: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"<Qrels: {len(self):,} judgements of {len(self.query_ids):,} queries>"


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The rankings of one system: that of query `q` is rows `offsets[q]:offsets[q + 1]`, best first.

    Scores are float32, as trec_eval compares them. They never rise within a query, and where they tie the
    document ids descend, so re-sorting by (score, id) both descending gives the same order.
    """

    query_ids: Ids
    document_ids: Ids
    offsets: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32]
    tag: str = "run"

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"<Run {self.tag}: {len(self.query_ids):,} queries, {len(self):,} ranked documents>"


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """Queries, corpus and judgements under one name.

    `qrels.query_ids` is `queries.ids` and `qrels.document_ids` is `corpus.ids`: the same arrays.
    """

    dataset: str
    split: str
    queries: Texts
    corpus: Texts
    qrels: Qrels
    content: str
    """SHA-256 over sorted ids, texts and judgements: the identity of the task beside its name."""
    language: str | None = None
    category: str | None = None
    """`code` or `natural_language`."""
    shape: str | None = None
    exclude_self: bool = False
    """Whether a document with the id of the query is left out of its ranking."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Where `language`, `category` and `shape` come from: flag, metadata, catalog or detected."""
    candidates: Mapping[str, Path] = field(default_factory=dict)
    """Candidate rankings shipped with the task, by configuration name."""
    source: Path | None = None
    notes: tuple[str, ...] = ()
    """What a reader of its scores should know about how the files were read."""

    def __repr__(self) -> str:
        counts = (
            f"{len(self.queries):,} queries, {len(self.corpus):,} documents, {len(self.qrels):,} judgements"
        )
        return f"<Task {self.name}: {counts}>"

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return f"{self.dataset}/{self.split}"
