"""MaxSim: for each token of a query its best match among the tokens of a document, summed over the query.

The product is formed a pair at a time, straight from where the tokens of the document lie. Nothing is padded
or copied, and the score of a pair depends on that pair alone: a product over many documents at once gives
other last bits in other company, because BLAS picks its kernels by the shape of the whole.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.retrievers.blas import one_thread

Matrix = npt.NDArray[np.float32]


class TokenVectors(NamedTuple):
    """Vectors of the tokens of many texts: those of text `i` are rows `offsets[i]:offsets[i + 1]`."""

    vectors: Matrix
    offsets: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[Matrix]) -> TokenVectors:
        """The texts one after the other."""
        offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
        vectors = np.concatenate(texts) if texts else np.empty((0, 0), np.float32)
        return cls(np.ascontiguousarray(vectors, np.float32), offsets.astype(np.int64))

    def text(self, row: int) -> Matrix:
        """The vectors of one text."""
        return self.vectors[self.offsets[row] : self.offsets[row + 1]]


def maxsim(query: Matrix, documents: TokenVectors, rows: npt.ArrayLike | None = None) -> Matrix:
    """The scores of documents for one query; `rows` says which documents, in which order, or all.

    Threads of BLAS beyond one change last bits: call `maxsim_pairs`, or limit them around this.
    """
    wanted = np.arange(len(documents.offsets) - 1) if rows is None else np.asarray(rows, np.int64)
    starts, ends = documents.offsets[wanted], documents.offsets[wanted + 1]
    if not len(wanted):
        return np.empty(0, np.float32)
    if not len(query) or (starts == ends).any():
        raise UsageError("a text without tokens has no MaxSim", "give it one vector, of zeros if need be")
    places = np.concatenate([[0], np.cumsum(ends - starts)])
    products = np.empty((places[-1], len(query)), np.float32)
    by_token = np.ascontiguousarray(np.asarray(query, np.float32).T)
    vectors = documents.vectors
    for start, end, at, until in zip(
        starts.tolist(), ends.tolist(), places[:-1].tolist(), places[1:].tolist(), strict=True
    ):
        np.matmul(vectors[start:end], by_token, out=products[at:until])
    best = np.maximum.reduceat(products, places[:-1], axis=0)
    return best.sum(axis=1, dtype=np.float64).astype(np.float32)


def maxsim_pairs(
    queries: TokenVectors,
    documents: TokenVectors,
    wanted: Sequence[npt.ArrayLike | None],
    threads: int,
    seconds: npt.NDArray[np.float64] | None = None,
) -> list[Matrix]:
    """For each query the scores of the documents it wants (None: of all), queries side by side.

    What each query takes one thread is added to `seconds`, where that is given.
    """
    if len(wanted) != len(queries.offsets) - 1:
        raise UsageError(f"there are {len(queries.offsets) - 1} queries and {len(wanted)} lists of documents")

    def answer(row: int, rows: npt.ArrayLike | None) -> Matrix:
        start = time.perf_counter()
        scores = maxsim(queries.text(row), documents, rows)
        if seconds is not None:
            seconds[row] += time.perf_counter() - start
        return scores

    with (
        one_thread(),
        ThreadPoolExecutor(max(1, threads), thread_name_prefix="hakari-maxsim") as pool,
    ):
        tasks = [pool.submit(answer, row, rows) for row, rows in enumerate(wanted)]
        return [task.result() for task in tasks]
