"""The published protocol of candidates: how rankings are filled, fused and safeguarded. Nothing is read or written.

bm25               500 documents a query: those that match, then others in an order of chance
<dense model>      500 documents a query
reranking_hybrid   the best 100 of both by reciprocal rank, and a positive at rank 101 where none is among them
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hakari.retrievers.base import BASE_VARIANT
from hakari.retrievers.controls import Random
from hakari.retrievers.fuse import rrf
from hakari.types import Run, Task

BM25, HYBRID = "bm25", "reranking_hybrid"
SOURCE_DEPTH = 500
HYBRID_DEPTH = 100
RRF_K = 100
SEED = 20260524
"""Of the safeguard, and of the order of documents that do not match."""


def filled(run: Run, task: Task, depth: int = SOURCE_DEPTH) -> Run:
    """The run with every ranking filled up to `depth` with documents that it does not rank.

    They follow in an order of chance, drawn for each query from a hash of its id and theirs, so that neither
    the order of ids nor that of the corpus says anything. Their scores are -1, -2 and so on: below all that match.
    """
    lengths = np.diff(run.offsets)
    if (lengths >= min(depth, len(task.corpus))).all():
        return run
    # Among twice as many documents there are enough that are not ranked, or these are all there are.
    drawn = Random(SEED).retrieve(task, 2 * depth).runs[BASE_VARIANT]
    documents: list[npt.NDArray[np.int32]] = []
    scores: list[npt.NDArray[np.float32]] = []
    for query in range(len(task.queries)):
        ranked = slice(int(run.offsets[query]), int(run.offsets[query + 1]))
        others = drawn.documents[drawn.offsets[query] : drawn.offsets[query + 1]]
        matching = run.documents[ranked]
        others = others[~np.isin(others, matching)][: max(0, depth - len(matching))]
        documents += [matching, others]
        scores += [run.scores[ranked], -np.arange(1, len(others) + 1, dtype=np.float32)]
        lengths[query] = len(matching) + len(others)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Run(
        run.query_ids, run.document_ids, offsets, np.concatenate(documents), np.concatenate(scores), run.tag
    )


def fused(sources: Sequence[Run]) -> Run:
    """The best documents of both sources by the sum of 1 / (100 + rank); ties by best rank, then by id."""
    return rrf(sources, k=RRF_K, depth=HYBRID_DEPTH, source_depth=SOURCE_DEPTH, tag=HYBRID)


def safeguards(run: Run, task: Task) -> Mapping[int, str]:
    """The positive to append for each query (by its row) that has none among its candidates."""
    chosen = {}
    for query, query_id in enumerate(task.queries.ids):
        positives = positives_of(task, query)
        ranked = set(run.document_ids[run.documents[run.offsets[query] : run.offsets[query + 1]]])
        if positives and not ranked & positives:
            chosen[query] = safeguard(task.split, query_id, positives)
    return chosen


def safeguard(split: str, query_id: str, positives: set[str]) -> str:
    """The positive that the published protocol appends for a query."""
    seed = f"{SEED}\0{split}\0{query_id}\0positive_safeguard"
    return random.Random(seed).choice(sorted(positives))


def positives_of(task: Task, query: int) -> set[str]:
    """The ids of the documents that are relevant to a query and may be in its ranking."""
    rows = slice(int(task.qrels.offsets[query]), int(task.qrels.offsets[query + 1]))
    relevant = task.qrels.documents[rows][task.qrels.grades[rows] > 0]
    found = set(task.corpus.ids[relevant])
    return found - {task.queries.ids[query]} if task.exclude_self else found


def listed(run: Run) -> list[list[str]]:
    """The rankings of a run as lists of ids."""
    names = run.document_ids[run.documents].tolist()
    return [names[start:end] for start, end in zip(run.offsets[:-1], run.offsets[1:], strict=True)]
