"""Documents in pieces, a vector each: every form of an index, folded back to one score a document."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hakari.retrievers.long_texts import Fold
from hakari.retrievers.variants import CHUNK, ROWS, FloatIndex, Index, Piece, Scores, row_slices


class InPieces(Index):
    """An index over pieces that scores documents: by their best piece, or by the mean of their pieces."""

    def __init__(self, inner: Index, offsets: npt.NDArray[np.int64], fold: Fold) -> None:
        self._inner, self._offsets, self._fold = inner, offsets, fold
        self.exact = inner.exact
        self.documents = len(offsets) - 1
        self.bytes_per_document = inner.bytes_per_document * int(offsets[-1]) / self.documents

    def pieces(self, block: slice, out: Scores) -> list[Piece]:
        """Work that fills `out`: by rows where sums are exact, else by documents, whose parts have a fixed shape."""
        if not isinstance(self._inner, FloatIndex):
            return [
                partial(self._rows, rows, out[rows.start - block.start :][:ROWS])
                for rows in row_slices(block)
            ]
        bounds = self._groups()
        return [
            partial(self._columns, self._inner, block, slice(first, last), out)
            for first, last in pairwise(bounds)
        ]

    def _groups(self) -> list[int]:
        """Where groups of documents begin that have about as many pieces as are computed at a time."""
        edges = np.searchsorted(self._offsets, np.arange(CHUNK, int(self._offsets[-1]), CHUNK))
        return sorted({0, *edges.tolist(), self.documents})

    def _rows(self, rows: slice, out: Scores) -> None:
        self._folded(self._inner.scores(rows), self._offsets, out)

    def _columns(self, inner: FloatIndex, block: slice, documents: slice, out: Scores) -> None:
        offsets = self._offsets[documents.start : documents.stop + 1]
        scores = inner.product(block, slice(int(offsets[0]), int(offsets[-1])))
        self._folded(scores, offsets - offsets[0], out[:, documents])

    def _folded(self, scores: Scores, offsets: npt.NDArray[np.int64], out: Scores) -> None:
        if self._fold == "max":
            np.maximum.reduceat(scores, offsets[:-1], axis=1, out=out)
        else:
            sums = np.add.reduceat(scores, offsets[:-1], axis=1, dtype=np.float64)
            out[:] = sums / np.diff(offsets)
