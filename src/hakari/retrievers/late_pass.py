"""One pass of late interaction over a task: texts to token vectors, and these to scores, all of it counted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.encode import BatchEncoder, Encoder, Work, encode_each, thread_count
from hakari.retrievers.latency import by_query, encoding_alone, sample
from hakari.retrievers.maxsim import Matrix, TokenVectors, maxsim_pairs
from hakari.retrievers.onnx import Encoding
from hakari.types import Task

Role = Literal["query", "document"]


def packed(vectors: Matrix) -> Matrix:
    """Vectors of tokens as one row of numbers: their width, then all of them. A text has one at least."""
    rows = vectors if len(vectors) else np.zeros((1, vectors.shape[1]), np.float32)
    return np.append(np.float32(rows.shape[1]), np.asarray(rows, np.float32).ravel())


def unpacked(encoding: Encoding) -> Matrix:
    """The vectors of an encoding, a row a token."""
    return encoding.vector[1:].reshape(-1, int(encoding.vector[0]))


@dataclass
class Tally:
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
class Pass:
    """One pass over a task: the encoders of both roles, their caches, and what has been counted so far."""

    encoders: Mapping[str, Encoder | BatchEncoder]
    caches: Mapping[str, EmbeddingCache | None]
    total: int
    report: Any
    done: int = 0
    queries: Tally = field(default_factory=Tally)
    documents: Tally = field(default_factory=Tally)
    search_s: float = 0.0
    each_s: npt.NDArray[np.float64] | None = None
    """Of `search_s`, what each query took one thread."""

    def vectors(self, role: Role, texts: Sequence[str]) -> TokenVectors:
        """The token vectors of queries or documents."""
        tally = self.queries if role == "query" else self.documents
        start, before = time.perf_counter(), self.done
        progress = None
        if self.report is not None:
            progress = lambda done, _: self.report(before + done, self.total)  # noqa: E731
        each = encode_each(self.encoders[role], texts, self.caches[role], progress)
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
        encoding = encoding_alone(self.encoders["query"], texts, self.caches["query"])
        searching = {} if self.each_s is None else dict(enumerate(self.each_s.tolist()))
        return {
            **(self.documents.work + self.queries.work).costs(),
            "query_seconds": by_query(task.queries.ids, encoding, searching),
            "query_encode_seconds": by_query(task.queries.ids, encoding),
            "measuring_s": time.perf_counter() - start,
            "index_bytes_per_document": self.documents.vector_bytes / max(1, self.documents.texts),
            "encode_documents_s": self.documents.wall_s,
            "encode_queries_s": self.queries.wall_s,
            "encode_thread_s": thread_s,
            "texts_encoded": self.documents.fresh + self.queries.fresh,
            "search_s": self.search_s,
            "index_bytes": self.documents.vector_bytes,
        }
