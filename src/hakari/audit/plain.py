"""The scan without the compiled loops; gives what `native/audit_scan.c` gives, more slowly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hakari.audit.compare import FOUND, GRAM, LONG, compare, compare_paths, path_counts, worth_telling
from hakari.audit.features import LINE_WORDS, Features, Reader
from hakari.audit.normal import finish, fold

if TYPE_CHECKING:
    from hakari.audit.index import Index

STRIDE = 4
KEY_WHOLE, KEY_LONG, KEY_SHORT, KEY_LINE, KEY_CODE, KEY_PATH = range(1, 7)


def key_of(hash_: int, kind: int) -> int:
    """The key of a hash of one sort, which stands in its first three bits."""
    return finish(hash_) >> 3 | kind << 61


def is_sampled(window: int) -> bool:
    """Whether a window of code is one of the four in which it is looked up."""
    return window >> 62 == 0


def keys_of(folded: Sequence[bytes], window: int) -> tuple[list[tuple[int, int, int]], list[list[int]]]:
    """The keys of texts, and the counts of each."""
    reader, keyed, counts = Reader(window), [], []
    for number, raw in enumerate(folded):
        text = reader.read([raw])
        found = list(_keys(text))
        keyed += [(key_of(hash_, kind), number, kind) for hash_, kind in found]
        sampled = sum(kind == KEY_CODE for _, kind in found)
        windows = len({hash_ for hash_, _, _ in text.windows})
        counts.append([len(text.words), sum(line.count for line in text.lines), windows, sampled])
    return keyed, counts


def _keys(text: Features) -> Any:
    n = len(text.words)
    if n:
        whole = text.hash_of(0, n)
        yield whole, KEY_WHOLE
        if LINE_WORDS <= n < LONG:
            yield whole, KEY_LINE
    width, stride, kind = (LONG, STRIDE, KEY_LONG) if n >= 3 * LONG else (GRAM, 1, KEY_SHORT)
    if n >= LONG:
        yield from ((hash_, kind) for place, hash_ in text.grams(width) if place % stride == 0)
    if len(text.lines) >= 3:
        yield from ((line.hash, KEY_LINE) for line in text.lines)
    for hash_ in sorted({hash_ for hash_, _, _ in text.windows}):
        if is_sampled(hash_):
            yield hash_, KEY_CODE
    yield from ((path.hash, KEY_PATH) for path in text.paths if path_counts(text, path))


class PlainScan:
    """An index of evaluation texts as dictionaries."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.reader = Reader(index.window)
        bounds = zip(index.starts[:-1].tolist(), index.starts[1:].tolist(), strict=True)
        self.texts_of = {
            key: index.postings[start:end].tolist()
            for key, (start, end) in zip(index.keys.tolist(), bounds, strict=True)
        }
        self.needs = index.needs.tolist()
        self.features = lru_cache(maxsize=20_000)(lambda number: self.reader.read([index.folded(number)]))

    def scan(self, rows: Sequence[tuple[str | None, ...]], first_row: int) -> tuple[npt.NDArray[Any], int]:
        """What the rows share with the evaluation texts, and how many bytes were read."""
        found, size = [], 0
        for number, row in enumerate(rows):
            cells = [fold(cell) for cell in row if cell is not None]
            size += sum(map(len, cells))
            if cells:
                found += self._row(self.reader.read(cells), first_row + number)
        return np.array(found, FOUND), size

    def _row(self, row: Features, number: int) -> list[tuple[int, ...]]:
        hits: dict[int, Counter[int]] = {}

        def hit(hash_: int, kind: int, amount: int = 1) -> None:
            for text in self.texts_of.get(key_of(hash_, kind), ()):
                hits.setdefault(text, Counter())[kind] += amount

        for pieces, kind in ((row.turns, KEY_WHOLE), (row.paths, KEY_PATH), (row.lines, KEY_LINE)):
            for piece in pieces:
                hit(piece.hash, kind, piece.count if kind == KEY_LINE else 1)
        for width, kind in ((LONG, KEY_LONG), (GRAM, KEY_SHORT)):
            for _, hash_ in row.grams(width):
                hit(hash_, kind)
        for hash_, _, _ in row.windows:
            if is_sampled(hash_):
                hit(hash_, KEY_CODE)
        kept = []
        for text in sorted(hits):
            if self._enough(hits[text], self.needs[text]):
                features = self.features(text)
                counted = compare(row, features, self.index.window, self.index.shingle)
                counted |= {"row": number, "text": text, "path": compare_paths(row, features)}
                if worth_telling(counted):
                    kept.append(tuple(counted[name] for name in FOUND.names or ()))
        return kept

    @staticmethod
    def _enough(hits: Counter[int], needs: list[int]) -> bool:
        if hits[KEY_WHOLE] or hits[KEY_PATH]:
            return True
        kinds = (KEY_LONG, KEY_SHORT, KEY_LINE, KEY_CODE)
        return any(need and hits[kind] >= need for kind, need in zip(kinds, needs, strict=True))
