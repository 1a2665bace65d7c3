"""Cheaper forms of vectors, and the scores they give: arrays in, arrays out.

Everything starts from the vectors of one encoding. `int8` keeps a number of one byte a dimension and one scale a
vector; its scores are exact sums of integers with both scales put back, so they differ from `float` by the
rounding of the vectors and by nothing else. `binary` keeps the signs, and scores by how many agree.
Integers are summed exactly, so compiled and numpy paths give the same bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from hakari import native
from hakari.rankings import order_keys
from hakari.retrievers.onnx import unit
from hakari.retrievers.variant_names import Form

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int32]

LARGEST_CODE = 127
SHIFT = 128
"""What is added to the codes of queries where the processor multiplies unsigned by signed bytes."""
TILE, GROUP = 16, 4  # as in native/dense.c
EXACT_IN_FLOAT32 = (1 << 24) // LARGEST_CODE**2
"""Up to so many dimensions every partial sum of products of codes is a whole number that float32 holds exactly."""


CHUNK = 1280
"""Documents whose float products one thread computes at a time: part of the result, for their last bits depend on
the shape of the matrices."""
ROWS = 16
"""Queries that one thread works on at a time where sums are exact, or scores are there already."""

Piece = Callable[[], object]


class Index(ABC):
    """Queries and documents in one form."""

    exact: bool = True
    """Whether sums of its numbers are exact, so that work may be cut anywhere."""
    bytes_per_document: float
    documents: int

    @abstractmethod
    def pieces(self, block: slice, out: Scores) -> list[Piece]:
        """Work for any number of threads in any order, which fills `out` with the scores of a block of queries."""

    def scores(self, block: slice) -> Scores:
        """The scores of a block of queries for all documents."""
        out = np.empty((block.stop - block.start, self.documents), np.float32)
        for piece in self.pieces(block, out):
            piece()
        return out


def row_slices(block: slice) -> list[slice]:
    """A block of queries in slices of a fixed size."""
    return [slice(s, min(s + ROWS, block.stop)) for s in range(block.start, block.stop, ROWS)]


class FloatIndex(Index):
    """Vectors as they are."""

    exact = False

    def __init__(self, queries: Vectors, documents: Vectors) -> None:
        self._queries = queries
        self._by_document = np.ascontiguousarray(documents).T
        self.bytes_per_document = 4.0 * documents.shape[1]
        self.documents = len(documents)

    def pieces(self, block: slice, out: Scores) -> list[Piece]:
        """Products with some documents at a time: so each document's numbers are read once, and not once a slice."""
        queries = self._queries[block]
        chunks = (slice(start, start + CHUNK) for start in range(0, self.documents, CHUNK))
        return [partial(np.matmul, queries, self._by_document[:, c], out=out[:, c]) for c in chunks]

    def product(self, block: slice, documents: slice) -> Scores:
        """The scores of a block of queries for some documents."""
        return np.matmul(self._queries[block], self._by_document[:, documents])


@dataclass(frozen=True, eq=False)
class Codes:
    """Vectors in one byte a dimension: about `codes * scales[:, None]`."""

    codes: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]

    @cached_property
    def as_float(self) -> Vectors:
        """The codes as numbers that BLAS multiplies exactly: float32 while its 24 bits suffice, else float64."""
        wide = self.codes.shape[1] > EXACT_IN_FLOAT32
        return self.codes.astype(np.float64 if wide else np.float32)

    def dequantised(self) -> Vectors:
        """The vectors that the codes stand for."""
        return self.codes * self.scales[:, None]


def quantise(vectors: Vectors) -> Codes:
    """One byte a dimension, and one scale a vector that maps its largest number to 127."""
    largest = np.abs(vectors).max(axis=1, initial=0).astype(np.float32)
    apart_from_zero = largest > np.float32(1e-36)  # less has no factor that float32 could hold
    factors = np.divide(LARGEST_CODE, largest, out=np.zeros_like(largest), where=apart_from_zero)
    scaled = vectors * factors[:, None]
    codes = np.rint(scaled, out=scaled).astype(np.int8)
    return Codes(codes, largest / np.float32(LARGEST_CODE))


class Int8Index(Index):
    """One byte a dimension, on both sides."""

    def __init__(self, queries: Vectors, documents: Vectors) -> None:
        self._queries, self._codes = quantise(queries), quantise(documents)
        self.bytes_per_document = documents.shape[1] + 4.0
        self.documents = len(documents)
        self._tiles = None
        if native.compiled is not None and native.compiled.has_byte_products():
            self._tiles = Tiles(self._queries, self._codes)

    def pieces(self, block: slice, out: Scores) -> list[Piece]:
        """Products of codes, times the scale of the document, times that of the query."""
        fill = self._fill if self._tiles is None else self._tiles.fill
        return [partial(fill, rows, out[rows.start - block.start :][:ROWS]) for rows in row_slices(block)]

    def _fill(self, rows: slice, out: Scores) -> None:
        out[:] = self._queries.as_float[rows] @ self._codes.as_float.T
        out *= self._codes.scales
        out *= self._queries.scales[rows, None]


class Tiles:
    """Codes as the processor's products of bytes want them; the same scores as without, sooner."""

    def __init__(self, queries: Codes, documents: Codes) -> None:
        count, dimensions = documents.codes.shape
        self._count, self._groups = count, -(-dimensions // GROUP)
        rows, width = -(-count // TILE) * TILE, self._groups * GROUP
        padded = np.zeros((rows, width), np.int8)
        padded[:count, :dimensions] = documents.codes
        tiled = padded.reshape(rows // TILE, TILE, self._groups, GROUP).transpose(0, 2, 1, 3)
        self._documents = np.ascontiguousarray(tiled)
        self._excess = padded.sum(axis=1, dtype=np.int32) * np.int32(SHIFT)
        self._scales = np.zeros(rows, np.float32)
        self._scales[:count] = documents.scales
        self._queries = np.full((len(queries.codes), width), SHIFT, np.uint8)
        self._queries[:, :dimensions] = queries.codes.astype(np.int16) + SHIFT
        self._query_scales = queries.scales

    def fill(self, rows: slice, out: Scores) -> None:
        """The scores of some queries for all documents."""
        queries, scales = self._queries[rows], self._query_scales[rows]
        native.compiled.byte_scores(  # type: ignore[union-attr]
            queries, self._documents, self._excess, scales, self._scales, self._groups, self._count, out
        )


class BinaryIndex(Index):
    """One bit a dimension, on both sides: 1 where the number is above zero."""

    def __init__(self, queries: Vectors, documents: Vectors) -> None:
        self._dimensions = documents.shape[1]
        self._queries, self._by_word = signs(queries), np.ascontiguousarray(signs(documents).T)
        self.bytes_per_document = float(-(-self._dimensions // 8))
        self.documents = len(documents)

    def pieces(self, block: slice, out: Scores) -> list[Piece]:
        """How many signs agree less how many differ: dimensions less twice the Hamming distance."""
        return [
            partial(self._fill, rows, out[rows.start - block.start :][:ROWS]) for rows in row_slices(block)
        ]

    def _fill(self, rows: slice, out: Scores) -> None:
        queries, words = self._queries[rows], len(self._by_word)
        if native.compiled is not None:
            native.compiled.sign_scores(queries, self._by_word, words, self._dimensions, out)
            return
        differing = np.zeros(out.shape, np.int32)
        for word in range(words):
            differing += np.bitwise_count(queries[:, None, word] ^ self._by_word[word])
        out[:] = self._dimensions - 2 * differing


def signs(vectors: Vectors) -> npt.NDArray[np.uint64]:
    """The signs of vectors, 64 a word; what is left of the last word is 0."""
    packed = np.packbits(vectors > 0, axis=1)
    words = np.zeros((len(vectors), -(-packed.shape[1] // 8) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)


def truncate(vectors: Vectors, dimensions: int | None, normalise: bool) -> Vectors:
    """The first dimensions, brought to length one if asked; a vector of zeros stays one."""
    if dimensions is None or dimensions == vectors.shape[1]:
        return vectors
    kept = np.ascontiguousarray(vectors[:, :dimensions])
    return unit(kept) if normalise else kept


def build(forms: Sequence[Form], queries: Vectors, documents: Vectors, normalise: bool) -> dict[Form, Index]:
    """An index for each form, from one pair of encodings."""
    kinds: dict[str, Callable[[Vectors, Vectors], Index]] = {
        "float": FloatIndex,
        "int8": Int8Index,
        "binary": BinaryIndex,
    }
    cut: dict[int | None, tuple[Vectors, Vectors]] = {}
    built: dict[Form, Index] = {}
    for form in forms:
        if form.dimensions not in cut:
            cut[form.dimensions] = (
                truncate(queries, form.dimensions, normalise),
                truncate(documents, form.dimensions, normalise),
            )
        built[form] = kinds[form.code](*cut[form.dimensions])
    return built


def rescore(candidates: Rows, scores: Scores, depth: int) -> tuple[Rows, Scores]:
    """The best of the candidates, one row a query, by other scores, and these; ties by document as everywhere."""
    first = np.arange(len(scores), dtype=np.int64)[:, None] * scores.shape[1]
    flat = scores.reshape(-1)
    keys = order_keys(flat.take(first + candidates), candidates)
    keys.sort(axis=1)
    documents = (keys[:, ::-1][:, :depth] & 0xFFFFFFFF).astype(np.int32)
    return documents, flat.take(first + documents)
