"""The evaluation side: every distinct query and positive of some tasks, and the keys under which it is found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari import native
from hakari.audit import plain
from hakari.audit.compare import LONG, Shingle
from hakari.audit.normal import INST_HASH, KEYWORD_HASHES, OWNER_HASHES, ROLE_HASHES, fold
from hakari.tasks.origins import upstream
from hakari.types import Task

VERSION = 3
"""Of the normal form, the keys and the counts: part of what a kept index and a kept scan are known by."""
WINDOW = 16
"""Tokens of code that are compared at once."""
COMMON = 32
"""A key that more texts than this share finds none of them: it belongs to a template."""
SIDES = ("query", "positive")
KEYED = np.dtype([("key", "<u8"), ("text", "<i4"), ("kind", "<i4")])


@dataclass(frozen=True, eq=False)
class Audited:
    """One task: its texts by their number in the index, and its judged pairs."""

    name: str
    category: str
    queries: npt.NDArray[np.int32]
    positives: npt.NDArray[np.int32]
    """One for each document that is relevant to some query."""
    query_ids: tuple[str, ...]
    positive_ids: tuple[str, ...]
    pairs: npt.NDArray[np.int32]
    """Rows of `queries` and `positives` that belong together."""
    content: str
    upstream: frozenset[str] = frozenset()
    """Names of the data sets that the task was made from."""

    def numbers(self, side: str) -> npt.NDArray[np.int32]:
        """The texts of a side."""
        return self.queries if side == "query" else self.positives


@dataclass(frozen=True, eq=False)
class Index:
    """Distinct evaluation texts in the form in which they are compared, and the keys that lead to them."""

    tasks: tuple[Audited, ...]
    texts: tuple[str, ...]
    """One for each distinct normal form, as the first task that has it writes it."""
    shingle: Shingle
    window: int
    folded_bytes: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int32]
    """Of each text: words, words in lines, windows of code, sampled windows."""
    keys: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    postings: npt.NDArray[np.int32]

    @cached_property
    def identity(self) -> str:
        """A hash of everything that decides what a scan finds."""
        told = [VERSION, str(self.shingle), self.window, *((t.name, t.content) for t in self.tasks)]
        return hashlib.sha256(repr(told).encode()).hexdigest()

    @cached_property
    def needs(self) -> npt.NDArray[np.int32]:
        """How many keys of each sort a row must share with a text to be compared with it; 0 for never."""
        words, line_words, windows, sampled = self.counts.T
        few = np.where(words < 6 * LONG, 1, 2)
        long = np.where(words >= 3 * LONG, few, 0)
        short = np.where((words >= LONG) & (words < 3 * LONG), np.maximum(1, 3 * (words - 3) // 10), 0)
        lines = np.where(line_words >= 12, -(-line_words * 35 // 100), 0)
        lines = np.where(words < LONG, 1, lines)
        codes = np.where((windows >= 16) & (sampled > 0), np.maximum(1, sampled * 3 // 10), 0)
        return np.ascontiguousarray(np.stack([long, short, lines, codes], axis=1).astype(np.int32))

    @cached_property
    def compiled(self) -> Any:
        """The index as the compiled scan takes it."""
        return _compiled(
            self.keys, self.starts, self.postings, self.folded_bytes, self.offsets, self.needs, self
        )

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the compiled form, which every process makes for itself."""
        return {name: value for name, value in vars(self).items() if name != "compiled"}

    def folded(self, number: int) -> bytes:
        """One text as it is compared."""
        return self.folded_bytes[self.offsets[number] : self.offsets[number + 1]].tobytes()


def _compiled(
    keys: Any, starts: Any, postings: Any, texts: Any, offsets: Any, needs: Any, settings: Any
) -> Any:
    assert native.compiled is not None
    width, chars = settings.shingle.width, settings.shingle.unit == "chars"
    sets = [np.array(sorted(hashes), np.uint64) for hashes in (ROLE_HASHES, KEYWORD_HASHES, OWNER_HASHES)]
    return native.compiled.audit_index(
        keys, starts, postings, texts, offsets, needs, *sets, INST_HASH, settings.window, width, chars
    )


@dataclass(frozen=True)
class _Settings:
    shingle: Shingle
    window: int


def build(tasks: Iterable[Task], shingle: Shingle | None = None) -> Index:
    """The index of the queries and positives of some tasks."""
    shingle = shingle or Shingle()
    window = shingle.width if shingle.unit == "tokens" else WINDOW
    numbers: dict[bytes, int] = {}
    texts: list[str] = []

    def number(text: str) -> int:
        found = numbers.setdefault(fold(text), len(texts))
        if found == len(texts):
            texts.append(text)
        return found

    audited = tuple(_audited(task, number) for task in tasks)
    folded = list(numbers)
    offsets = np.zeros(len(folded) + 1, np.int64)
    np.cumsum([len(text) for text in folded], out=offsets[1:])
    keyed, counts = keys_of(folded, _Settings(shingle, window))
    keys, starts, postings = _postings(keyed)
    together = np.frombuffer(b"".join(folded) or b" ", np.uint8)
    return Index(audited, tuple(texts), shingle, window, together, offsets, counts, keys, starts, postings)


def keys_of(folded: list[bytes], settings: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """The keys of texts, and the counts of each."""
    if native.compiled is None:
        keyed, counts = plain.keys_of(folded, settings.window)
        return np.array(keyed, KEYED), np.array(counts, np.int32).reshape(-1, 4)
    none = np.empty(0, np.int64)
    empty = _compiled(none, np.zeros(1, np.int64), none, none, np.zeros(1, np.int64), none, settings)
    raw, counted = native.compiled.audit_keys(empty, folded)
    return np.frombuffer(raw, KEYED), np.frombuffer(counted, np.int32).reshape(-1, 4)


def _audited(task: Task, number: Any) -> Audited:
    qrels = task.qrels
    counts = np.diff(qrels.offsets)
    queries = np.repeat(np.arange(len(task.queries)), counts)
    relevant = qrels.grades > 0
    documents = qrels.documents[relevant]
    distinct, positive = np.unique(documents, return_inverse=True)
    return Audited(
        task.name,
        task.category or "natural_language",
        np.array([number(text) for text in task.queries.texts], np.int32),
        np.array([number(text) for text in task.corpus.texts[distinct]], np.int32),
        tuple(task.queries.ids),
        tuple(task.corpus.ids[distinct]),
        np.stack([queries[relevant], positive], axis=1).astype(np.int32),
        task.content,
        upstream(task.name),
    )


def _postings(keyed: npt.NDArray[Any]) -> tuple[Any, Any, Any]:
    """Keys in order, and the texts of each; keys that too many texts share are left out."""
    order = np.lexsort((keyed["text"], keyed["key"]))
    key, text = keyed["key"][order], keyed["text"][order]
    first = np.ones(len(key), bool)
    first[1:] = (key[1:] != key[:-1]) | (text[1:] != text[:-1])
    key, text = key[first], text[first]
    keys, counts = np.unique(key, return_counts=True)
    rare = counts <= COMMON
    kept = np.repeat(rare, counts)
    offsets = np.zeros(int(rare.sum()) + 1, np.int64)
    np.cumsum(counts[rare], out=offsets[1:])
    return np.ascontiguousarray(keys[rare]), offsets, np.ascontiguousarray(text[kept])
