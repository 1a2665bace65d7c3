"""One pass over a stream of texts that keeps 17 bytes a row: enough to choose from, too little to fill memory."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.io.files import shown
from hakari.nano.sources_cells import Item
from hakari.nano.sources_tables import FaultLog, Place

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Index:
    """Hashes of the ids and texts of a stream, by row; two texts with one hash are taken for the same.

    With 64 bits that mistake has a chance below one in a million for ten million documents.
    """

    ids: Keys
    texts: Keys
    sizes: npt.NDArray[np.uint8]
    """Bits of the length of each text in characters; 0 where it is blank."""
    row_of: dict[str, int]
    """The first row of each id that was asked for."""
    repeated: npt.NDArray[np.bool_]
    """Rows whose id came before, with the same text."""

    def __len__(self) -> int:
        return len(self.ids)

    def distinct(self, by_source_order: bool) -> Rows:
        """One row for every distinct text that is not blank: the first, or the one with the smallest id hash."""
        rows = np.flatnonzero((self.sizes > 0) & ~self.repeated)
        rank = rows if by_source_order else self.ids[rows]
        ordered = rows[np.lexsort((rank, self.texts[rows]))]
        keys = self.texts[ordered]
        first = np.ones(len(keys), dtype=bool)
        first[1:] = keys[1:] != keys[:-1]
        return ordered[first]


def index(items: Iterable[Item], kind: str, wanted: Container[str], seed: int, faults: FaultLog) -> Index:
    """Read a stream once, check its ids and texts, and remember where the wanted ids are.

    The seed goes into the hashes, so that choosing the smallest of them is a random sample.
    """
    salt = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    ids, texts, sizes = bytearray(), bytearray(), bytearray()
    row_of: dict[str, int] = {}
    for row, (place, name, text) in enumerate(items):
        text = text.strip()
        ids += _hash(name, salt, f"the id of a {kind}", place, faults)
        texts += _hash(text, salt, f"the text of a {kind}", place, faults)
        sizes.append(len(text).bit_length())
        if name in wanted:
            row_of.setdefault(name, row)
    keys = np.frombuffer(ids, "<u8")
    return Index(keys, np.frombuffer(texts, "<u8"), np.frombuffer(sizes, np.uint8), row_of, _repeated(keys))


def _hash(text: str, salt: bytes, what: str, place: Place, faults: FaultLog) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        hint = "half a surrogate pair is no character: write the text as UTF-8 again"
        faults.add(f"{what} has a lone surrogate", place, hint)
        return bytes(8)
    if b"\0" in data:
        faults.add(f"{what} has a NUL byte", place, "remove it; the file may be damaged")
    return hashlib.blake2b(data, digest_size=8, salt=salt).digest()


def _repeated(ids: Keys) -> npt.NDArray[np.bool_]:
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    repeated = np.zeros(len(ids), dtype=bool)
    repeated[order[1:]] = ordered[1:] == ordered[:-1]
    return repeated


def check_ids(found: Index, items: Iterable[Item], kind: str, faults: FaultLog) -> None:
    """An id may come again with the same text; with another text nobody could say which is meant."""
    rows = np.flatnonzero(found.repeated)
    if not len(rows):
        return
    order = np.argsort(found.ids, kind="stable")
    first_of = order[np.searchsorted(found.ids[order], found.ids[rows])]
    odd = rows[found.texts[first_of] != found.texts[rows]][: FaultLog.LIMIT]
    for _, (place, name, _) in _at(items, odd):
        what = f"duplicate {kind} id {shown(name)}, with another text than before"
        faults.add(what, place, "keep one row for every id, or give the rows other ids")


def fetch(items: Iterable[Item], rows: Rows) -> dict[int, tuple[str, str, bool]]:
    """Ids and texts of these rows, and whether the text had white space around it."""
    found = {
        row: (item.id, item.text.strip(), item.text != item.text.strip()) for row, item in _at(items, rows)
    }
    if len(found) != len(rows):
        raise UsageError("the source changed while it was read", "build again when nobody writes to it")
    return found


def _at(items: Iterable[Item], rows: Rows) -> Iterator[tuple[int, Item]]:
    """The items at these rows; the stream is left after the last of them."""
    wanted = set(rows.tolist())
    if not wanted:
        return
    last = max(wanted)
    for row, item in enumerate(items):
        if row in wanted:
            yield row, item
        if row == last:
            return
