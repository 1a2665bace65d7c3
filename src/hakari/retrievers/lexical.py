"""Inverted lists with one weight a posting, and exact search over them.

Weights are kept as float32 and summed as float64. Sums of float32 numbers of like size are exact in float64,
so the order of the terms leaves no trace, and the compiled loops and scipy give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hakari import native
from hakari.rankings import top_k
from hakari.text.scan import Tokens

_DENSE_CELLS = 4_000_000  # of a block of queries by documents in the fallback


@dataclass(frozen=True, eq=False)
class Postings:
    """How often each term stands in each document; those of term `t` are rows `starts[t]:starts[t + 1]`."""

    starts: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]
    """Tokens a document."""

    @classmethod
    def of(cls, tokens: Tokens) -> Postings:
        """Invert the tokens of a corpus."""
        documents, terms = len(tokens), len(tokens.words)
        lengths = np.diff(tokens.offsets)
        if native.compiled is not None:
            ids, offsets = np.ascontiguousarray(tokens.ids), np.ascontiguousarray(tokens.offsets)
            starts, rows, counts = native.compiled.invert(ids, offsets, documents, terms)
            return cls(
                np.frombuffer(starts, np.int64),
                np.frombuffer(rows, np.int32),
                np.frombuffer(counts, np.int32),
                lengths,
            )
        pairs, counts = _counted_pairs(tokens.ids, lengths)
        starts = np.searchsorted(pairs >> 32, np.arange(terms + 1))
        return cls(starts, (pairs & 0xFFFFFFFF).astype(np.int32), counts, lengths)

    @cached_property
    def frequencies(self) -> npt.NDArray[np.int64]:
        """In how many documents each term stands."""
        return np.diff(self.starts)


def _counted_pairs(
    ids: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The distinct pairs of id (high half) and text (low half), ascending, and how often each occurs."""
    pairs = (ids.astype(np.int64) << 32) | np.repeat(np.arange(len(lengths)), lengths)
    pairs.sort()
    first = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(pairs)])
    return pairs[first], np.diff(np.append(first, len(pairs))).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Queries:
    """What each query asks for: terms of the index, each once, and by how much it counts."""

    offsets: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    factors: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Found:
    """Documents and scores, best first: those of query `q` are rows `offsets[q]:offsets[q + 1]`."""

    offsets: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WeightedIndex:
    """Postings with a weight each, and the terms they belong to."""

    postings: Postings
    weights: npt.NDArray[np.float32]
    words: Sequence[str]

    @property
    def nbytes(self) -> int:
        """Size of what a search reads."""
        return self.postings.starts.nbytes + self.postings.documents.nbytes + self.weights.nbytes

    def queries(self, tokens: Tokens) -> Queries:
        """Merge repeated words of each query; drop those that no document has, or that weigh nothing."""
        starts = self.postings.starts
        useful = np.flatnonzero((starts[1:] > starts[:-1]) & (np.append(self.weights, 0)[starts[:-1]] > 0))
        known = dict.fromkeys(tokens.words, -1)
        for term in useful.tolist():
            if (word := self.words[term]) in known:
                known[word] = term
        pairs, counts = _counted_pairs(tokens.ids, np.diff(tokens.offsets))
        terms = np.fromiter(known.values(), np.int32, len(known))[pairs >> 32]
        texts = pairs & 0xFFFFFFFF
        order = np.lexsort((terms, texts))
        order = order[terms[order] >= 0]
        offsets = np.searchsorted(texts[order], np.arange(len(tokens) + 1))
        return Queries(offsets, terms[order], counts[order].astype(np.float32))

    def search(self, queries: Queries, depth: int, left_out: npt.NDArray[np.int32] | None = None) -> Found:
        """The documents with a positive score, `depth` at most; `left_out` names one a query, or -1.

        A document that shares no term with the query, or only terms that say nothing, is not found.
        """
        if left_out is None:
            left_out = np.full(len(queries), -1, np.int32)
        documents = len(self.postings.lengths)
        depth = max(1, min(depth, documents))
        if native.compiled is None:
            return self._search_with_scipy(queries, depth, left_out)
        found = np.empty((len(queries), depth), np.int32)
        scores = np.empty((len(queries), depth), np.float32)
        lengths = np.empty(len(queries), np.int64)
        native.compiled.search(
            self.postings.starts, self.postings.documents, self.weights,
            queries.offsets, queries.terms, queries.factors, left_out,
            documents, depth, found, scores, lengths,
        )  # fmt: skip
        return _packed(found, scores, np.arange(depth) < lengths[:, None])

    def _search_with_scipy(self, queries: Queries, depth: int, left_out: npt.NDArray[np.int32]) -> Found:
        from scipy.sparse import csr_array

        documents, terms = len(self.postings.lengths), len(self.words)
        weights = csr_array(
            (self.weights.astype(np.float64), self.postings.documents, self.postings.starts),
            shape=(terms, documents),
        )
        asked = csr_array(
            (queries.factors.astype(np.float64), queries.terms, queries.offsets), shape=(len(queries), terms)
        )
        found = np.empty((len(queries), depth), np.int32)
        scores = np.empty((len(queries), depth), np.float32)
        block = max(1, _DENSE_CELLS // max(1, documents))
        for start in range(0, len(queries) if documents else 0, block):
            part = slice(start, start + block)
            sums = (asked[part] @ weights).toarray()
            rows = np.flatnonzero(left_out[part] >= 0)
            sums[rows, left_out[part][rows]] = 0
            found[part], scores[part] = top_k(sums, depth)
        return _packed(found, scores, (scores > 0) if documents else np.zeros(scores.shape, bool))


def _packed(
    found: npt.NDArray[np.int32], scores: npt.NDArray[np.float32], kept: npt.NDArray[np.bool_]
) -> Found:
    offsets = np.zeros(len(found) + 1, np.int64)
    np.cumsum(kept.sum(axis=1), out=offsets[1:])
    return Found(offsets, found[kept], scores[kept])
