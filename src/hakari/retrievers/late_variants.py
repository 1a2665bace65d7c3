"""Cheaper forms of token vectors: fewer vectors a document, from the ones that are there.

`tokens=64` keeps the first 64 vectors of a document. `pool=2` keeps about one in two: vectors that are alike are
brought together by Ward's clustering of their cosine distances and replaced by their mean; the first one (the
model's own marker) is left as it is. Queries keep all of theirs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.retrievers.encode import thread_count
from hakari.retrievers.maxsim import Matrix, TokenVectors, maxsim_pairs
from hakari.retrievers.onnx import unit
from hakari.retrievers.variant_specs import TokenForm


@dataclass
class Kept:
    """What one variant keeps of the documents that pass by, and what its search took."""

    vector_bytes: int = 0
    search_s: float = 0.0

    def of(self, form: TokenForm, documents: TokenVectors) -> TokenVectors:
        """The vectors that the variant keeps of some documents."""
        kept = documents
        if form != TokenForm():
            texts = (documents.text(row) for row in range(len(documents.offsets) - 1))
            kept = TokenVectors.of([fewer(form, text) for text in texts])
        self.vector_bytes += kept.vectors.nbytes
        return kept

    def scores(
        self, queries: TokenVectors, documents: TokenVectors, wanted: Sequence[npt.ArrayLike | None]
    ) -> list[Matrix]:
        """MaxSim of each query with the documents that it wants."""
        start = time.perf_counter()
        scores = maxsim_pairs(queries, documents, wanted, thread_count())
        self.search_s += time.perf_counter() - start
        return scores

    def costs(self, documents: int) -> dict[str, float]:
        """By the names that a result keeps them under."""
        return {
            "index_bytes": float(self.vector_bytes),
            "index_bytes_per_document": self.vector_bytes / max(1, documents),
            "search_s": self.search_s,
        }


def fewer(form: TokenForm, vectors: Matrix) -> Matrix:
    """The vectors that a variant keeps of one document."""
    first = vectors if form.tokens is None else vectors[: form.tokens]
    return first if form.pool is None else pooled(first, form.pool)


def pooled(vectors: Matrix, factor: int) -> Matrix:
    """About one vector in `factor`, of length one; the first stays as it is."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    rest = vectors[1:]
    groups = max(1, len(rest) // factor)
    if factor == 1 or len(rest) <= groups:
        return vectors
    apart = np.nan_to_num(pdist(rest.astype(np.float64), "cosine"), nan=1.0)  # of zeros it is not a number
    labels = fcluster(linkage(apart, "ward"), groups, "maxclust")
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    sums = np.zeros((len(first), rest.shape[1]), np.float64)
    np.add.at(sums, labels, rest)
    means = sums / np.bincount(labels)[:, None]
    order = np.argsort(first)  # each where the first of its vectors stood
    return np.concatenate([vectors[:1], unit(means[order].astype(np.float32))])
