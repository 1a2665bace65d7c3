"""Late interaction: a text is a vector a token, and a document's score is its MaxSim with the query.

Works as a retriever, which scores every document, and as a reranker of candidates. Both pass over the
documents in blocks, so memory does not grow with the corpus, and give a pair the same score to the last bit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.rankings import run_from_matrix
from hakari.retrievers.base import BASE_VARIANT, Retrieved
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.embedding_cache import EmbeddingCache, cache_wanted, versions_of
from hakari.retrievers.encode import Work, encode_each, thread_count
from hakari.retrievers.latency import by_query, encoding_alone, sample
from hakari.retrievers.maxsim import Matrix, TokenVectors, maxsim_pairs
from hakari.retrievers.models import CatalogModel, ModelFiles, TokenUsage, catalog, files_in, locate, usage_in
from hakari.retrievers.onnx import Encoding, OnnxModel, unit
from hakari.retrievers.onnx_size import parameters_in
from hakari.retrievers.rerank import Pairs, Reranker, Rescored
from hakari.retrievers.spelling import spell
from hakari.types import Run, Task

BLOCK_DOCUMENTS = 128
"""Documents whose tokens are in memory at a time. It leaves no trace in the result."""


class TokenEncoder:
    """Text to one vector a token, of length one, those of the tokenizer's own tokens included.

    An encoding holds the width of a vector and then all vectors in one row, which is what the cache keeps.
    The model is loaded when the first text is encoded, so that a task answered from the cache loads nothing.
    """

    def __init__(self, files: ModelFiles, usage: TokenUsage, extra: str = "onnx") -> None:
        self.files, self.usage, self.extra = files, usage, extra
        self._model: OnnxModel | None = None
        self._loading = threading.Lock()

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vectors of a text."""
        usage = {"max_length": self.usage.max_length, "output": self.usage.output}
        return {**self.files.fingerprint(), **usage, "texts": "tokens"}

    def load(self) -> OnnxModel:
        """The model, loaded once however many threads ask."""
        with self._loading:
            if self._model is None:
                self._model = OnnxModel(self.files, self.usage.max_length, self.extra)
            return self._model

    def encode(self, text: str) -> Encoding:
        """The vectors of a text, always the same whatever runs beside it."""
        model = self._model or self.load()
        start = time.perf_counter()
        tokens = model.tokenise(text)
        output = model.output_named(self.usage.output, "last_hidden_state")
        states = np.asarray(model.run(tokens, output), dtype=np.float32)
        if states.ndim != 2:
            raise UsageError(
                f"{model.graph}: output `{output}` has {states.ndim} dimensions for a text, not a row a token",
                f"output=NAME, one of {', '.join(model.outputs)}",
            )
        if not len(states):
            states = np.zeros((1, states.shape[1]), np.float32)
        packed = np.append(np.float32(states.shape[1]), unit(states).ravel())
        return Encoding(packed, tokens.whole, tokens.cut, time.perf_counter() - start)


def unpacked(encoding: Encoding) -> Matrix:
    """The vectors of an encoding, a row a token."""
    return encoding.vector[1:].reshape(-1, int(encoding.vector[0]))


@dataclass
class _Tally:
    """What a pass over texts came to."""

    texts: int = 0
    truncated: int = 0
    tokens: int = 0
    cut: int = 0
    vector_bytes: int = 0
    thread_s: float = 0.0
    wall_s: float = 0.0
    fresh: int = 0
    work: Work = field(default_factory=Work)

    def facts(self, kind: str) -> dict[str, Any]:
        """How much of the texts the model did not read."""
        share = round(self.cut / self.tokens, 6) if self.tokens else 0.0
        return {
            f"{kind}_truncated": self.truncated,
            f"{kind}_tokens": self.tokens,
            f"{kind}_tokens_cut_share": share,
        }


@dataclass
class _Pass:
    """One pass over a task: the encoder, its cache, and what has been counted so far."""

    encoder: TokenEncoder
    cache: EmbeddingCache | None
    total: int
    report: Any
    done: int = 0
    queries: _Tally = field(default_factory=_Tally)
    documents: _Tally = field(default_factory=_Tally)
    search_s: float = 0.0
    each_s: npt.NDArray[np.float64] | None = None
    """Of `search_s`, what each query took one thread."""

    def vectors(self, texts: Sequence[str], tally: _Tally) -> TokenVectors:
        """The token vectors of texts."""
        start, before = time.perf_counter(), self.done
        progress = None
        if self.report is not None:
            progress = lambda done, _: self.report(before + done, self.total)  # noqa: E731
        each = encode_each(self.encoder, texts, self.cache, progress)
        vectors = TokenVectors.of([unpacked(encoding) for encoding in each.encodings])
        self.done += len(texts)
        tally.texts += len(texts)
        tally.truncated += sum(1 for e in each.encodings if e.cut)
        tally.tokens += sum(e.tokens for e in each.encodings)
        tally.cut += sum(e.cut for e in each.encodings)
        tally.vector_bytes += vectors.vectors.nbytes
        tally.thread_s += each.thread_seconds
        tally.fresh += each.fresh
        tally.work += each.work
        tally.wall_s += time.perf_counter() - start
        return vectors

    def scores(
        self, queries: TokenVectors, documents: TokenVectors, wanted: Sequence[npt.ArrayLike | None]
    ) -> list[Matrix]:
        """MaxSim of each query with the documents that it wants."""
        start = time.perf_counter()
        if self.each_s is None:
            self.each_s = np.zeros(len(wanted))
        scores = maxsim_pairs(queries, documents, wanted, thread_count(), self.each_s)
        self.search_s += time.perf_counter() - start
        return scores

    def facts(self) -> dict[str, Any]:
        """What was left out of the texts."""
        return {**self.documents.facts("documents"), **self.queries.facts("queries")}

    def costs(self, task: Task, prompt: str) -> dict[str, Any]:
        """What the pass cost, single queries of a sample with their encoding included."""
        start = time.perf_counter()
        thread_s = self.documents.thread_s + self.queries.thread_s
        texts = {row: prompt + task.queries.texts[row] for row in sample(len(task.queries))}
        encoding = encoding_alone(self.encoder, texts, self.cache)
        searching = {} if self.each_s is None else dict(enumerate(self.each_s.tolist()))
        return {
            **(self.documents.work + self.queries.work).costs(),
            "query_seconds": by_query(task.queries.ids, encoding, searching),
            "query_encode_seconds": by_query(task.queries.ids, encoding),
            "measuring_s": time.perf_counter() - start,
            "index_bytes_per_document": self.documents.vector_bytes / max(1, self.documents.texts),
            **self._size(),
            "encode_documents_s": self.documents.wall_s,
            "encode_queries_s": self.queries.wall_s,
            "encode_thread_s": thread_s,
            "texts_encoded": self.documents.fresh + self.queries.fresh,
            "search_s": self.search_s,
            "index_bytes": self.documents.vector_bytes,
        }

    def _size(self) -> dict[str, int]:
        parameters = parameters_in(self.encoder.files.graph)
        return {} if parameters is None else {"parameters": parameters}


class Late(Reranker):
    """Ranks by MaxSim over the token vectors of one encoder."""

    family: ClassVar[str] = "late"
    packages = ("onnxruntime", "tokenizers")

    def __init__(self, name: str, files: ModelFiles | CatalogModel, usage: TokenUsage) -> None:
        self.name, self.usage = name, usage
        self._files = files
        self._encoder: TokenEncoder | None = None

    def settings(self) -> dict[str, Any]:
        """The model by its SHA-256, and how it is used."""
        files = self._files
        model = files.fingerprint if isinstance(files, CatalogModel) else files.fingerprint()
        return {**model, **vars(self.usage)}

    def ready(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.encoder().load()

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.ready()

    def encoder(self) -> TokenEncoder:
        """What turns texts into vectors; its files are found and checked at the first call."""
        if self._encoder is None:
            if isinstance(self._files, CatalogModel):
                self._encoder = TokenEncoder(locate(self._files), self.usage, self._files.extra)
            else:
                self._encoder = TokenEncoder(self._files, self.usage)
        return self._encoder

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank all documents of the task for each of its queries, `depth` deep."""
        scores = np.zeros((len(task.queries), len(task.corpus)), np.float32)
        everything: list[npt.ArrayLike | None] = [None] * len(task.queries)
        with self._passing(len(task.queries) + len(task.corpus)) as passing:
            queries = self._queries(passing, task)
            for rows in _blocks(np.arange(len(task.corpus))):
                documents = self._documents(passing, task, rows)
                for query, found in enumerate(passing.scores(queries, documents, everything)):
                    scores[query, rows] = found
            costs = passing.costs(task, self.usage.query_prompt)
        deeper = depth + 1 if task.exclude_self else depth
        run = run_from_matrix(task.queries.ids, task.corpus.ids, scores, deeper, self.name)
        run = cut(run, depth, own_entries(task, run))
        return Retrieved({BASE_VARIANT: run}, passing.facts(), costs)

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """The MaxSim of every pair."""
        scores = np.empty(len(pairs), np.float32)
        wanted = np.unique(pairs.documents)
        with self._passing(len(task.queries) + len(wanted)) as passing:
            queries = self._queries(passing, task)
            for rows in _blocks(wanted):
                documents = self._documents(passing, task, rows)
                here = np.flatnonzero((pairs.documents >= rows[0]) & (pairs.documents <= rows[-1]))
                lists = np.split(here, np.searchsorted(here, pairs.offsets[1:-1]))
                asked = [np.searchsorted(rows, pairs.documents[entries]) for entries in lists]
                for entries, found in zip(lists, passing.scores(queries, documents, asked), strict=True):
                    scores[entries] = found
            costs = passing.costs(task, self.usage.query_prompt)
        return Rescored(scores, passing.facts(), costs)

    @contextmanager
    def _passing(self, total: int) -> Iterator[_Pass]:
        encoder, cache = self.encoder(), None
        if cache_wanted():
            settings = {**encoder.settings(), **versions_of(("onnxruntime",))}
            cache = EmbeddingCache(settings, used_by=self.name)
        try:
            yield _Pass(encoder, cache, total, self.progress)
        finally:
            if cache is not None:
                cache.close()

    def _queries(self, passing: _Pass, task: Task) -> TokenVectors:
        texts = [self.usage.query_prompt + text for text in task.queries.texts]
        return passing.vectors(texts, passing.queries)

    def _documents(self, passing: _Pass, task: Task, rows: npt.NDArray[np.integer]) -> TokenVectors:
        texts = [self.usage.document_prompt + text for text in task.corpus.texts[rows]]
        return passing.vectors(texts, passing.documents)


def catalog_late(
    model: str,
    *,
    max_length: int | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    output: str | None = None,
) -> Late:
    """A late-interaction model of the catalog; what is given takes precedence over what the catalog says."""
    entry = catalog()[model]
    given = {
        "max_length": max_length,
        "query_prompt": query_prompt,
        "document_prompt": document_prompt,
        "output": output,
    }
    return _late(model, entry, entry.token_usage, given)


def onnx_late(
    path: str,
    *,
    max_length: int | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    output: str | None = None,
) -> Late:
    """A folder with a model.onnx that gives token vectors, and its tokenizer.json; what is given precedes."""
    folder = Path(path).expanduser()
    files, own = files_in(folder), usage_in(folder)
    declared = TokenUsage(own.max_length, own.query_prompt, own.document_prompt)
    given = {
        "max_length": max_length,
        "query_prompt": query_prompt,
        "document_prompt": document_prompt,
        "output": output,
    }
    return _late(f"late:onnx:{Path(path).as_posix()}", files, declared, given)


def _late(
    head: str, files: ModelFiles | CatalogModel, declared: TokenUsage, given: Mapping[str, Any]
) -> Late:
    changed = {k: v for k, v in given.items() if v is not None and v != getattr(declared, k)}
    return Late(spell(head, keywords=changed), files, replace(declared, **changed))


def _blocks(rows: npt.NDArray[np.integer]) -> list[npt.NDArray[np.integer]]:
    return [rows[first : first + BLOCK_DOCUMENTS] for first in range(0, len(rows), BLOCK_DOCUMENTS)]
