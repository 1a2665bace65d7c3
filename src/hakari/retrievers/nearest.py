"""The exact nearest documents, by every variant at once: what variants share is computed once.

Products of float32 change bits with the number of BLAS threads and with the shape of the matrices, so they are
computed in pieces of a fixed shape by one BLAS thread each, and the pieces side by side. Each form of the vectors
is scored once and ranked once, and rescoring reads the scores that are there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.rankings import check_finite, top_k
from hakari.retrievers.blas import one_thread
from hakari.retrievers.encode import thread_count
from hakari.retrievers.latency import seconds_each
from hakari.retrievers.long_texts import Fold
from hakari.retrievers.onnx import unit
from hakari.retrievers.pieces import InPieces
from hakari.retrievers.variant_names import FLOAT, Form, VariantName
from hakari.retrievers.variants import ROWS, Index, Piece, Rows, Scores, Vectors, build, rescore, row_slices
from hakari.types import Ids, Run

Alone = dict[str, dict[int, float]]
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")

BLOCK_CELLS = 1 << 23
"""Scores of one form that are held at a time. Part of the result: other blocks can give other last bits."""


@dataclass(frozen=True)
class Similarity:
    """How vectors are compared."""

    cosine: bool = False
    """Whether they still have to be brought to length one."""
    normalise_cut: bool = True
    """Whether vectors cut to fewer dimensions are brought back to length one."""


@dataclass(frozen=True, eq=False)
class Found:
    """What one search found by each variant, and what each costs."""

    runs: dict[str, Run]
    costs: dict[str, dict[str, float]]
    """By variant: `index_bytes`, `index_bytes_per_document` and `search_s`, what its scores, its ranking and its
    rescoring took; of what variants share each has the whole."""


def search(
    queries: tuple[Ids, Vectors],
    documents: tuple[Ids, Vectors],
    depth: int,
    *,
    cosine: bool = False,
    exclude_self: bool = False,
) -> Run:
    """The exact nearest documents by product of vectors, ids and vectors in order of ids."""
    similarity = Similarity(cosine)
    return search_variants(queries, documents, depth, (), similarity, exclude_self).runs[str(FLOAT)]


def search_variants(
    queries: tuple[Ids, Vectors],
    documents: tuple[Ids, Vectors],
    depth: int,
    variants: Sequence[VariantName],
    similarity: Similarity,
    exclude_self: bool = False,
) -> Found:
    """The nearest documents by each variant, and by `float`, which is always there."""
    return Nearest(queries, documents, (FLOAT, *variants), similarity).find(depth, exclude_self)


class Nearest:
    """Queries and documents in every form that some variants need, made from one pair of encodings.

    Where documents are in `pieces`, their vectors are those of the pieces, one after the other: it says where
    those of each document begin, and how their scores become one.
    """

    def __init__(
        self,
        queries: tuple[Ids, Vectors],
        documents: tuple[Ids, Vectors],
        variants: Sequence[VariantName],
        similarity: Similarity,
        pieces: tuple[npt.NDArray[np.int64], Fold] | None = None,
    ) -> None:
        (self.query_ids, query_vectors), (self.document_ids, document_vectors) = queries, documents
        self.names = tuple(dict.fromkeys(variants))
        self.indexes: dict[Form, Index] = {}
        if not len(self.query_ids) or not len(self.document_ids):
            return
        widths = query_vectors.shape[1], document_vectors.shape[1]
        if widths[0] != widths[1]:
            told = f"queries have {widths[0]} dimensions, and documents {widths[1]}"
            hint = "if the model has changed, run without what is kept of it: `HAKARI_EMBEDDING_CACHE=0`"
            raise InvalidInput("the vectors", [Fault(told, hint=hint)])
        check_dimensions(self.names, document_vectors.shape[1])
        if similarity.cosine:
            query_vectors, document_vectors = unit(query_vectors), unit(document_vectors)
        if any(form != Form() for name in self.names for form in name.forms):
            _check_vectors(self.query_ids, query_vectors, "query")
            each = self.document_ids if pieces is None else np.repeat(self.document_ids, np.diff(pieces[0]))
            _check_vectors(each, document_vectors, "document")
        forms = dict.fromkeys(form for name in self.names for form in name.forms)
        self.indexes = build(list(forms), query_vectors, document_vectors, similarity.normalise_cut)
        if pieces is not None:
            self.indexes = {form: InPieces(index, *pieces) for form, index in self.indexes.items()}

    def find(self, depth: int, exclude_self: bool = False) -> Found:
        """The rankings by every variant, `depth` deep or as deep as the variant rescores."""
        if not self.indexes:
            return Found({str(name): _empty(self.query_ids, self.document_ids) for name in self.names}, {})
        own = _rows_of(self.query_ids, self.document_ids) if exclude_self else None
        count = len(self.document_ids)
        ranking = _Ranking(self, min(depth, count), own)
        step = max(1, BLOCK_CELLS // count)
        inexact = any(not index.exact for index in self.indexes.values())
        blas = one_thread() if inexact else nullcontext()
        with blas, ThreadPoolExecutor(thread_count()) as pool:
            for start in range(0, len(self.query_ids), step):
                ranking.rank(slice(start, min(start + step, len(self.query_ids))), pool)
        runs = {
            str(n): _run(self.query_ids, self.document_ids, found, own) for n, found in ranking.found.items()
        }
        return Found(runs, {str(n): _costs(n, self.indexes, s, count) for n, s in ranking.seconds.items()})

    def seconds_alone(self, rows: Sequence[int], depth: int, exclude_self: bool = False) -> Alone:
        """By variant, the seconds that the search of each of these queries takes when it comes alone."""
        if not self.indexes:
            return {}
        own = _rows_of(self.query_ids, self.document_ids) if exclude_self else None
        found: Alone = {}
        with one_thread(), ThreadPoolExecutor(thread_count()) as pool:
            for name in self.names:
                one = copy(self)
                one.names, one.indexes = (name,), {form: self.indexes[form] for form in name.forms}

                def answer(row: int, one: Nearest = one) -> None:
                    ranking = _Ranking(one, min(depth, len(one.document_ids)), own)
                    ranking.rank(slice(row, row + 1), pool)

                found[str(name)] = seconds_each(rows, answer)
        return found


def check_dimensions(names: Sequence[VariantName], dimensions: int) -> None:
    """Raise where a variant asks for more dimensions than the vectors have."""
    for name in names:
        for form in name.forms:
            if form.dimensions is not None and form.dimensions > dimensions:
                raise UsageError(
                    f"variant `{name}` asks for {form.dimensions} dimensions, and the vectors have {dimensions}",
                    f"ask for at most `dim={dimensions}`",
                )


class _Ranking:
    """The rankings of all variants while they are made, block by block of queries."""

    def __init__(self, nearest: Nearest, depth: int, own: npt.NDArray[np.int64] | None) -> None:
        self.nearest, self.own = nearest, own
        queries, documents = len(nearest.query_ids), len(nearest.document_ids)
        self.read_again = {name.rescored_by for name in nearest.names}
        self.width: dict[Form, int] = {}
        """How many candidates the variants need of each form; none of those that only rescore."""
        self.found: dict[VariantName, tuple[Rows, Scores]] = {}
        self.seconds: dict[VariantName, float] = dict.fromkeys(nearest.names, 0.0)
        for name in nearest.names:
            candidates = depth if name.rescored_by is None else min(name.depth, documents)
            self.width[name.form] = max(candidates, self.width.get(name.form, 0))
            shape = queries, min(candidates, depth)
            self.found[name] = np.empty(shape, np.int32), np.empty(shape, np.float32)

    def rank(self, block: slice, pool: ThreadPoolExecutor) -> None:
        """Score one block of queries by every form and rank it, then rescore."""
        kept: dict[Form, Scores] = {}
        best: dict[Form, tuple[Rows, Scores]] = {}
        for form in self.nearest.indexes:
            start = time.perf_counter()
            best[form] = self._best(form, block, pool, kept)
            self._took(form, time.perf_counter() - start)

        def finish(name: VariantName) -> None:
            start = time.perf_counter()
            documents, scores = best[name.form]
            into_documents, into_scores = self.found[name]
            width = into_documents.shape[1]
            if name.rescored_by is not None:
                documents, scores = rescore(documents[:, : name.depth], kept[name.rescored_by], width)
            into_documents[block], into_scores[block] = documents[:, :width], scores[:, :width]
            self.seconds[name] += time.perf_counter() - start

        _side_by_side(pool, finish, self.nearest.names)

    def _best(
        self, form: Form, block: slice, pool: ThreadPoolExecutor, kept: dict[Form, Scores]
    ) -> tuple[Rows, Scores]:
        """The best documents of a block of queries by one form; all scores are kept where they are read again."""
        index, scores = self.nearest.indexes[form], None
        if form in self.read_again or not index.exact:
            scores = np.empty((block.stop - block.start, index.documents), np.float32)
            _side_by_side(pool, _do, index.pieces(block, scores))
        if form in self.read_again and scores is not None:
            kept[form] = scores

        def best(rows: slice) -> tuple[Rows, Scores]:
            part = index.scores(rows) if scores is None else scores[rows.start - block.start :][:ROWS]
            if form.code == "float":
                check_finite(part, self.nearest.query_ids[rows], self.nearest.document_ids)
            if self.own is not None:
                own = self.own[rows]
                part[
                    own >= 0, own[own >= 0]
                ] = -np.inf  # the query's own document: last, and left out in the end
            return top_k(part, self.width.get(form, 0))

        found = _side_by_side(pool, best, row_slices(block))
        return np.concatenate([rows for rows, _ in found]), np.concatenate([by for _, by in found])

    def _took(self, form: Form, seconds: float) -> None:
        for name in self.nearest.names:
            if name.form == form:
                self.seconds[name] += seconds


def _do(piece: Piece) -> None:
    piece()


def _side_by_side(
    pool: ThreadPoolExecutor, do: Callable[[_Given], _Made], items: Sequence[_Given]
) -> list[_Made]:
    """What is made of each item; of one alone in this thread, for handing it over takes longer than a small search."""
    return [do(items[0])] if len(items) == 1 else list(pool.map(do, items))


def _run(
    query_ids: Ids, document_ids: Ids, found: tuple[Rows, Scores], own: npt.NDArray[np.int64] | None
) -> Run:
    documents, scores = found
    if own is None:
        offsets = np.arange(len(query_ids) + 1, dtype=np.int64) * documents.shape[1]
        return Run(query_ids, document_ids, offsets, documents.ravel(), scores.ravel())
    kept = documents != own[:, None]
    offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    return Run(query_ids, document_ids, offsets, documents[kept], scores[kept])


def _costs(name: VariantName, indexes: dict[Form, Index], seconds: float, documents: int) -> dict[str, float]:
    each = sum(indexes[form].bytes_per_document for form in name.forms)
    return {
        "index_bytes": each * documents,
        "index_bytes_per_document": each,
        "search_s": seconds,
    }


def _empty(query_ids: Ids, document_ids: Ids) -> Run:
    none = np.zeros(len(query_ids) + 1, np.int64)
    return Run(query_ids, document_ids, none, np.empty(0, np.int32), np.empty(0, np.float32))


def _check_vectors(ids: Ids, vectors: Vectors, kind: str) -> None:
    """Raise where a vector holds what is no number, naming its text: bytes and bits would hide it."""
    if np.isfinite(vectors).all():
        return
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    raise InvalidInput(
        "the vectors", [Fault(f"{kind} `{ids[i]}`: its vector has NaN or infinite numbers") for i in bad]
    )


def _rows_of(query_ids: Ids, document_ids: Ids) -> npt.NDArray[np.int64]:
    """The row of the document that has the id of the query, or -1."""
    row = {document: i for i, document in enumerate(document_ids)}
    return np.array([row.get(query, -1) for query in query_ids], dtype=np.int64)
