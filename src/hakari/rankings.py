"""Making runs: the one order that all of hakari uses, by score and then by id, both descending.

Scores are compared as float32, as trec_eval compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hakari import native
from hakari.errors import Fault, InvalidInput
from hakari.types import Ids, Run


def order_keys(scores: npt.NDArray[np.float32], documents: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Integers that sort like (score, document), so one sort or partition settles ties exactly."""
    bits = (np.asarray(scores, np.float32) + np.float32(0)).view(np.int32)  # + 0 turns -0.0 into 0.0
    ordered = np.where(bits < 0, bits ^ np.int32(0x7FFFFFFF), bits).astype(np.int64)
    return (ordered << 32) | documents


def top_k(scores: npt.NDArray[np.floating], k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """The k best columns of every row, best first, and their scores as float32."""
    matrix = np.ascontiguousarray(scores, dtype=np.float32)
    rows, columns = matrix.shape
    k = min(k, columns)
    if k == 0:
        return np.empty((rows, 0), np.int32), np.empty((rows, 0), np.float32)
    if native.compiled is not None:
        best_documents, best_scores = np.empty((rows, k), np.int32), np.empty((rows, k), np.float32)
        native.compiled.top_k(matrix, rows, columns, k, best_documents, best_scores)
        return best_documents, best_scores
    keys = order_keys(matrix, np.arange(columns, dtype=np.int32))
    if k < columns:
        keys = np.partition(keys, columns - k, axis=1)[:, columns - k :]
    best = np.sort(keys, axis=1)[:, ::-1]
    documents = (best & 0xFFFFFFFF).astype(np.int32)
    return documents, np.take_along_axis(matrix, documents, axis=1)


def run_from_matrix(
    query_ids: Ids, document_ids: Ids, scores: npt.NDArray[np.floating], depth: int, tag: str = "run"
) -> Run:
    """The run of a full matrix of scores, queries by documents."""
    check_finite(scores, query_ids, document_ids)
    documents, kept = top_k(scores, depth)
    offsets = np.arange(len(query_ids) + 1, dtype=np.int64) * documents.shape[1]
    return Run(query_ids, document_ids, offsets, documents.ravel(), kept.ravel(), tag)


def check_finite(scores: npt.NDArray[np.floating], query_ids: Ids, document_ids: Ids) -> None:
    """Raise where a score is NaN, naming the query and the document."""
    bad = np.isnan(scores)
    if bad.any():
        places = np.argwhere(bad)[: InvalidInput.SHOWN + 1]
        raise InvalidInput(
            "the scores",
            [
                Fault(f"query `{query_ids[q]}`, document `{document_ids[d]}`: the score is NaN")
                for q, d in places
            ],
        )


def run_from_mapping(rankings: Mapping[str, Mapping[str, float]], tag: str = "run") -> Run:
    """A run from `{query id: {document id: score}}`, for small inputs and for tests."""
    query_ids = np.array(sorted(rankings), dtype=object)
    document_ids = np.array(sorted({d for r in rankings.values() for d in r}), dtype=object)
    row = {d: i for i, d in enumerate(document_ids)}
    documents: list[npt.NDArray[np.int32]] = []
    scores: list[npt.NDArray[np.float32]] = []
    for q in query_ids:
        ranking = rankings[q]
        docs = np.array([row[d] for d in ranking], dtype=np.int32)
        values = np.array(list(ranking.values()), dtype=np.float32)
        if np.isnan(values).any():
            bad = [d for d, v in ranking.items() if v != v]
            raise InvalidInput(
                "the run", [Fault(f"query `{q}`, document `{d}`: the score is NaN") for d in bad]
            )
        order = np.argsort(order_keys(values, docs))[::-1]
        documents.append(docs[order])
        scores.append(values[order])
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    return Run(
        query_ids,
        document_ids,
        offsets,
        _joined(documents, np.int32),
        _joined(scores, np.float32),
        tag,
    )


def _joined(parts: Sequence[npt.NDArray], dtype: npt.DTypeLike) -> npt.NDArray:
    return np.concatenate(parts) if parts else np.empty(0, dtype)
