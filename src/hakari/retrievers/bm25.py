"""BM25: the published protocol (`bm25`), and the same over the words inside identifiers (`bm25-code`)."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.errors import UnknownName, UsageError
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.latency import by_query, sample, seconds_each
from hakari.retrievers.lexical import Postings, WeightedIndex
from hakari.text import tokenizers
from hakari.text.scan import Tokens
from hakari.types import Run, Task

PROTOCOL = 1
"""Raised whenever the same settings would give other rankings."""

_Floats = npt.NDArray[np.float64]

# Of the number of documents and of those with the term. `robertson` is never negative: a term that stands in
# more than half of the documents says nothing.
_IDF: dict[str, Callable[[int, _Floats], _Floats]] = {
    "robertson": lambda n, df: np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1)),
    "lucene": lambda n, df: np.log(1 + (n - df + 0.5) / (df + 0.5)),
    "atire": lambda n, df: np.log(n / df),
    "bm25+": lambda n, df: np.log((n + 1) / df),
    "bm25l": lambda n, df: np.log((n + 1) / (df + 0.5)),
}
# Of the count in the document, its length relative to the average and softened by b, k1 and delta. A term
# that is absent adds nothing, delta or not.
_SATURATION: dict[str, Callable[[_Floats, _Floats, float, float], _Floats]] = {
    "robertson": lambda tf, norm, k1, delta: tf / (k1 * norm + tf),
    "lucene": lambda tf, norm, k1, delta: tf / (k1 * norm + tf),
    "atire": lambda tf, norm, k1, delta: tf * (k1 + 1) / (k1 * norm + tf),
    "bm25+": lambda tf, norm, k1, delta: tf * (k1 + 1) / (k1 * norm + tf) + delta,
    "bm25l": lambda tf, norm, k1, delta: (k1 + 1) * (tf / norm + delta) / (k1 + tf / norm + delta),
}
_DELTA = {"bm25+": 1.0, "bm25l": 0.5}
METHODS = tuple(_IDF)
"""Variants of the formula."""


@dataclass(frozen=True)
class Formula:
    """A variant of BM25 and its constants."""

    k1: float = 1.5
    b: float = 0.75
    method: str = "robertson"
    delta: float | None = None
    """The least that a term counts where it is present; None is what the method was published with."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UnknownName("BM25 method", self.method, METHODS, "hakari retrievers")
        if not 0 <= self.k1 < np.inf:
            raise UsageError(f"k1 of BM25 is {self.k1}, and must be 0 or more", "k1=1.5")
        if not 0 <= self.b <= 1:
            raise UsageError(f"b of BM25 is {self.b}, and must lie between 0 and 1", "b=0.75")
        if self.delta is not None and self.method not in _DELTA:
            raise UsageError(f"the BM25 method `{self.method}` has no delta", "method=bm25+")
        if self.delta is not None and not 0 <= self.delta < np.inf:
            raise UsageError(f"delta of BM25 is {self.delta}, and must be 0 or more", "delta=1.0")

    def index(self, tokens: Tokens) -> WeightedIndex:
        """The index of a corpus with the weight of every term in every document."""
        postings = Postings.of(tokens)
        frequencies, lengths = postings.frequencies, postings.lengths
        idf = np.zeros(len(frequencies))
        present = frequencies > 0
        idf[present] = _IDF[self.method](len(lengths), frequencies[present].astype(np.float64))
        average = lengths.mean() if tokens.offsets[-1] else 1.0
        norms = (1 - self.b) + self.b * lengths / average
        delta = _DELTA.get(self.method, 0.0) if self.delta is None else self.delta
        saturated = _SATURATION[self.method](
            postings.counts.astype(np.float64), norms[postings.documents], self.k1, delta
        )
        weights = np.repeat(idf, frequencies) * saturated
        return WeightedIndex(postings, weights.astype(np.float32), tokens.words)


class Bm25(Retriever):
    """BM25 as the published figures have it; the tokenizer follows from the task unless it is named."""

    family = "bm25"
    _base = "bm25"

    def __init__(
        self,
        k1: float = 1.5,
        b: float = 0.75,
        method: str = "robertson",
        delta: float | None = None,
        tokenizer: str | None = None,
    ) -> None:
        if delta is not None and delta == _DELTA.get(method):
            delta = None
        self.formula = Formula(float(k1), float(b), method, None if delta is None else float(delta))
        if tokenizer is not None:
            tokenizers.tokenizer(tokenizer)
        self.tokenizer = tokenizer
        given = {**asdict(self.formula), "tokenizer": tokenizer}
        usual = inspect.signature(type(self)).parameters
        changed = [f"{key}={_spelt(value)}" for key, value in given.items() if value != usual[key].default]
        self.name = self._base + (f"({','.join(changed)})" if changed else "")

    def settings(self) -> dict[str, Any]:
        """Every setting; a tokenizer of None follows from the task."""
        formula = asdict(self.formula)
        if self.formula.delta is None:
            formula["delta"] = _DELTA.get(self.formula.method)
        return {"family": self.family, **formula, "tokenizer": self.tokenizer, "protocol": PROTOCOL}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """The tokenizer that the task is read with."""
        return {"tokenizer": self._tokenizer_for(task)}

    def _tokenizer_for(self, task: Task) -> str:
        return self.tokenizer or tokenizers.published_tokenizer(task.language, task.category)

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank the documents that score above 0; others are in no ranking."""
        if depth < 1:
            raise UsageError(f"the depth of a ranking is {depth}, and must be 1 or more", "--depth 100")
        tokenize = tokenizers.tokenizer(self._tokenizer_for(task))
        start = time.perf_counter()
        tokens = tokenize(task.corpus.texts)
        index = self.formula.index(tokens)
        indexed = time.perf_counter()
        queries = index.queries(tokenize(task.queries.texts))
        found = index.search(queries, depth, _own_documents(task) if task.exclude_self else None)
        searched = time.perf_counter()
        run = Run(task.queries.ids, task.corpus.ids, found.offsets, found.documents, found.scores, self.name)

        def answer(row: int) -> None:
            index.search(index.queries(tokenize(task.queries.texts[row : row + 1])), depth)

        alone = seconds_each(sample(len(task.queries)), answer)
        costs = {
            "index_s": indexed - start,
            "search_s": searched - indexed,
            "index_bytes": float(index.nbytes),
            "encoded_texts": len(tokens),
            "encoded_tokens": int(tokens.offsets[-1]),
            "encode_s": indexed - start,
            "query_seconds": by_query(task.queries.ids, alone),
            "measuring_s": time.perf_counter() - searched,
        }
        return Retrieved({BASE_VARIANT: run}, costs=costs)


class Bm25Code(Bm25):
    """BM25 over the words inside identifiers, whatever the language of the code.

    The formula and its constants are Lucene's, where a term that most documents have still says a little.
    """

    _base = "bm25-code"

    def __init__(
        self,
        k1: float = 1.2,
        b: float = 0.75,
        method: str = "lucene",
        delta: float | None = None,
        tokenizer: str | None = "code",
    ) -> None:
        super().__init__(k1, b, method, delta, tokenizer)


def _spelt(value: object) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _own_documents(task: Task) -> npt.NDArray[np.int32]:
    """For each query the document with its id, or -1."""
    rows = {document: row for row, document in enumerate(task.corpus.ids)}
    return np.array([rows.get(query, -1) for query in task.queries.ids], np.int32)
