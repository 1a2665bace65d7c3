"""Fusion of rankings by rank: reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.io.settle import strictly_falling
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.latency import by_query, sample
from hakari.retrievers.spelling import spell
from hakari.types import Ids, Run, Task

SOURCE_DEPTH = 500
_BLOCK_ROWS = 1 << 18
_TIE = 1e-14
"""Sums nearer than this are one score: rounding is below 1e-17, and two sums of two ranks that differ at all
differ by more than 1 / 1000**4 at the depths in use."""


class Rrf(Retriever):
    """Fuses the rankings of other retrievers: a document scores the sum of 1 / (k + rank)."""

    family = "fuse"

    def __init__(self, *parts: Retriever, k: int = 100, source_depth: int = SOURCE_DEPTH) -> None:
        if len(parts) < 2:
            raise UsageError(
                f"rrf needs at least two retrievers, not {len(parts)}", "rrf(bm25-code,bge_small_en)"
            )
        if k < 0:
            raise UsageError(f"k must not be negative, and is {k}", "k=60")
        if source_depth < 1:
            raise UsageError(f"source_depth must be at least 1, not {source_depth}", "source_depth=500")
        self.parts = parts
        self.k = k
        self.source_depth = source_depth
        given = {"k": (k, 100), "source_depth": (source_depth, SOURCE_DEPTH)}
        changed = {key: value for key, (value, default) in given.items() if value != default}
        self.name = spell("rrf", [part.name for part in parts], changed)

    def settings(self) -> dict[str, Any]:
        """`k`, `source_depth`, and the settings of the parts."""
        parts = [{"name": part.name, "settings": part.settings()} for part in self.parts]
        return {"k": self.k, "source_depth": self.source_depth, "parts": parts}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """What the parts take from the task."""
        return {"parts": [part.settings_for(task) for part in self.parts]}

    def require(self) -> None:
        """Raise where a part lacks something."""
        for part in self.parts:
            getattr(part, "require", lambda: None)()

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Fuse the runs of the parts, which are made here where they are not given."""
        runs = list(parts)
        if not runs:
            for part in self.parts:
                runs.append(part.retrieve(task, self.source_depth).runs[BASE_VARIANT])
        if len(runs) != len(self.parts):
            raise UsageError(f"`{self.name}` fuses {len(self.parts)} runs, and was given {len(runs)}")
        start = time.perf_counter()
        run = rrf(runs, k=self.k, depth=depth, source_depth=self.source_depth, tag=self.name)
        seconds = time.perf_counter() - start
        return Retrieved({BASE_VARIANT: run}, costs=fusion_costs(task, seconds))


def fusion_costs(task: Task, seconds: float) -> dict[str, Any]:
    """The costs of fusing the runs of all queries; one query takes its share, for it is the same work alone."""
    each = dict.fromkeys(sample(len(task.queries)), seconds / max(1, len(task.queries)))
    return {"search_s": seconds, "query_seconds": by_query(task.queries.ids, each)}


def rrf(
    runs: Sequence[Run],
    k: int = 100,
    depth: int | None = None,
    source_depth: int | None = None,
    tag: str = "rrf",
) -> Run:
    """Fuse runs: a document's score is the sum of 1 / (k + rank) over the runs that have it, ranks from 1.

    Equal scores are settled by the best rank in any run, then by id, ascending. Scores that are equal as
    fractions count as equal. The scores of the result fall at every step by at least one float32, so that a
    tool that sorts again by score keeps this order. Each ranking is read `source_depth` deep; the result
    keeps `depth` documents a query.
    """
    if not runs:
        raise UsageError("there is no run to fuse")
    query_ids = union_of_ids([run.query_ids for run in runs])
    document_ids = union_of_ids([run.document_ids for run in runs])
    sources = [aligned(run, query_ids, document_ids, source_depth)[:2] for run in runs]
    per_query = sum(np.diff(offsets) for offsets, _ in sources)
    lengths = np.zeros(len(query_ids), np.int64)
    found: list[npt.NDArray[np.int32]] = []
    scores: list[npt.NDArray[np.float64]] = []
    for first, last in query_blocks(np.asarray(per_query)):
        block = [(offsets[first : last + 1], documents) for offsets, documents in sources]
        lengths[first:last], documents, values = _fused(block, k, depth, len(document_ids))
        found.append(documents)
        scores.append(values)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    documents = np.concatenate(found) if found else np.empty(0, np.int32)
    values = np.concatenate(scores) if scores else np.empty(0, np.float64)
    return Run(
        query_ids, document_ids, offsets, documents, strictly_falling(values.astype(np.float32), offsets), tag
    )


def _fused(
    sources: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]],
    k: int,
    depth: int | None,
    document_count: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Lengths, documents and scores of the fused rankings of a block of queries."""
    query_count = len(sources[0][0]) - 1
    deepest = max(int(np.diff(offsets).max(initial=0)) for offsets, _ in sources)
    rank_bits = int(deepest).bit_length()
    keys = []
    for offsets, documents in sources:
        lengths = np.diff(offsets)
        query = np.repeat(np.arange(query_count, dtype=np.int64), lengths)
        rank = np.arange(1, len(query) + 1, dtype=np.int64) - np.repeat(offsets[:-1] - offsets[0], lengths)
        cell = query * document_count + documents[offsets[0] : offsets[-1]]
        keys.append((cell << rank_bits) | rank)
    entries = np.sort(np.concatenate(keys))  # by query, document and rank, so sums have one order of addition
    cells, ranks = entries >> rank_bits, entries & ((1 << rank_bits) - 1)
    starts = np.flatnonzero(np.concatenate([[True], cells[1:] != cells[:-1]])) if len(cells) else cells
    if not len(starts):
        return np.zeros(query_count, np.int64), np.empty(0, np.int32), np.empty(0, np.float64)
    weight = 1.0 / (k + np.arange(1, deepest + 1, dtype=np.float64))
    sums = np.add.reduceat(weight[ranks - 1], starts)
    query, document = np.divmod(cells[starts], document_count)
    order = best_first(query, sums, ranks[starts], rank_bits)
    lengths = np.bincount(query, minlength=query_count)
    if depth is not None:
        ends = np.cumsum(lengths)
        order = order[np.arange(len(order)) - np.repeat(ends - lengths, lengths) < depth]
        lengths = np.minimum(lengths, depth)
    return lengths, document[order].astype(np.int32), sums[order]


def best_first(
    query: npt.NDArray[np.int64],
    sums: npt.NDArray[np.float64],
    best_rank: npt.NDArray[np.int64],
    rank_bits: int,
) -> npt.NDArray[np.int64]:
    """Rows in order of query, score descending, best rank and id; the rows come in order of query and id."""
    by_sum = np.argsort(-sums)
    level = np.empty(len(sums), np.int64)
    level[by_sum] = np.cumsum(np.concatenate([[0], -np.diff(sums[by_sum]) > _TIE]))
    row_bits = len(sums).bit_length()
    if 2 * row_bits + rank_bits + int(query[-1]).bit_length() > 63:  # rankings of very unequal depth
        return np.lexsort((best_rank, level, query))
    key = (query << row_bits) | level
    key = (((key << rank_bits) | best_rank) << row_bits) | np.arange(len(sums))
    return np.sort(key) & ((1 << row_bits) - 1)


def query_blocks(rows: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of queries with about `_BLOCK_ROWS` rows, which bounds memory and the width of sort keys."""
    block = np.cumsum(rows) // _BLOCK_ROWS
    edges = np.flatnonzero(np.diff(block)) + 1
    bounds = [0, *edges.tolist(), len(rows)]
    return [(first, last) for first, last in pairwise(bounds) if first < last]


def union_of_ids(ids: Sequence[Ids]) -> Ids:
    """The ids that any of these has; the first as it is, where all are equal."""
    first = ids[0]
    if all(other is first or np.array_equal(other, first) for other in ids[1:]):
        return first
    return np.array(sorted(set().union(*(other.tolist() for other in ids))), dtype=object)


def aligned(
    run: Run, query_ids: Ids, document_ids: Ids, source_depth: int | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """The offsets, documents and scores of a run in the common ids, no deeper than `source_depth`."""
    lengths, documents, scores = np.diff(run.offsets), run.documents, run.scores
    if source_depth is not None and lengths.max(initial=0) > source_depth:
        rank = np.arange(len(documents)) - np.repeat(run.offsets[:-1], lengths)
        documents, scores = documents[rank < source_depth], scores[rank < source_depth]
        lengths = np.minimum(lengths, source_depth)
    if run.document_ids is not document_ids:
        documents = np.searchsorted(document_ids, run.document_ids).astype(np.int32)[documents]
    if run.query_ids is not query_ids:
        spread = np.zeros(len(query_ids), np.int64)
        spread[np.searchsorted(query_ids, run.query_ids)] = lengths
        lengths = spread
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), documents, scores
