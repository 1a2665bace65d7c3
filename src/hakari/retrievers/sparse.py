"""Learned sparse retrieval: a text is the weights of some words, and a document's score a product of weights.

Products are sums over the words that both have, in order of the vocabulary, so the score of a pair depends on that
pair alone. A document that shares no word with a query is not found.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hakari.rankings import run_from_matrix
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.embedding_cache import EmbeddingCache, cache_wanted, versions_of
from hakari.retrievers.encode import BatchEncoder, Each, Encoder, Progress, encode_each
from hakari.retrievers.latency import by_query, encoding_alone, sample, seconds_each
from hakari.retrievers.onnx import Encoding
from hakari.retrievers.variant_specs import ActiveDims, parse_one
from hakari.types import Run, Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Role = Literal["query", "document"]
BYTES = 8
"""Of one weight in an index: four for the word, four for the weight."""
BLOCK_CELLS = 1 << 23
"""Scores that are held at a time. It leaves no trace in the result."""


def packed(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """A row of weights, most of them 0, as how wide it is, which are not, and these."""
    words = np.flatnonzero(weights)  # float32 holds whole numbers to 16 million, more than any vocabulary
    return np.concatenate([[len(weights)], words, weights[words]]).astype(np.float32)


def unpacked(encoding: Encoding) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """How wide the row is, which words weigh something, and how much."""
    count = (len(encoding.vector) - 1) // 2
    return (
        int(encoding.vector[0]),
        encoding.vector[1 : count + 1].astype(np.int64),
        encoding.vector[count + 1 :],
    )


class Sparse(Retriever):
    """Ranks by products of weights, whatever gives them."""

    family: ClassVar[str] = "sparse"
    progress: Progress | None = None

    @abstractmethod
    def encoder(self, role: Role) -> Encoder | BatchEncoder:
        """What turns queries or documents into weights."""

    @abstractmethod
    def prompts(self, task: Task) -> Mapping[str, str]:
        """What is put in front of queries and documents."""

    def cosine(self) -> bool:
        """Whether rows of weights are brought to length one."""
        return False

    def parameters(self) -> int | None:
        """How many parameters the model has, where it can tell."""
        return None

    def variants_among(self, asked: Sequence[str]) -> tuple[str, ...]:
        """`float`, and those that keep fewer weights."""
        return tuple(
            name for name in asked if name == BASE_VARIANT or isinstance(parse_one(name), ActiveDims)
        )

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank the documents of the task for each of its queries, `depth` deep."""
        return self.retrieve_variants(task, depth, ())

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by all weights and by each of these variants, all from one encoding."""
        prompts = self.prompts(task)
        texts = {
            "query": [prompts["query"] + text for text in task.queries.texts],
            "document": [prompts["document"] + text for text in task.corpus.texts],
        }
        total = len(task.queries) + len(task.corpus)
        queries, alone = self._encoded("query", texts["query"], 0, total)
        documents, _ = self._encoded("document", texts["document"], len(task.queries), total)
        asked, given = _matrix(queries, self.cosine()), _matrix(documents, self.cosine())
        forms = {
            BASE_VARIANT: ActiveDims(),
            **{name: parse_one(name) for name in variants if name != BASE_VARIANT},
        }
        runs, costs = {}, {}
        for name, form in forms.items():
            assert isinstance(form, ActiveDims)
            index = _Index(heaviest(asked, form.query), heaviest(given, form.document))
            start = time.perf_counter()
            runs[name] = index.run(task, depth, self.name)
            costs[name] = {**index.costs(), "search_s": time.perf_counter() - start}
            costs[name]["query_seconds"] = by_query(task.queries.ids, alone, index.seconds(list(alone)))
        facts = {
            "vocabulary": int(given.shape[1]),
            "documents_active_dims": round(given.nnz / max(1, given.shape[0]), 3),
            "queries_active_dims": round(asked.nnz / max(1, asked.shape[0]), 3),
            **_facts("documents", documents),
            **_facts("queries", queries),
        }
        told = {**_costs(documents, queries), **costs[BASE_VARIANT], "variants": costs}
        size = self.parameters()
        return Retrieved(runs, facts, told if size is None else {**told, "parameters": size})

    def _encoded(
        self, role: Role, texts: list[str], before: int, total: int
    ) -> tuple[Each, dict[int, float]]:
        """What texts give; of queries also the seconds that some take alone."""
        encoder, report = self.encoder(role), self.progress
        settings = {**encoder.settings(), **versions_of(self.packages)}
        with EmbeddingCache(settings, used_by=self.name) if cache_wanted() else nullcontext() as cache:
            telling = None if report is None else lambda done, _: report(before + done, total)
            each = encode_each(encoder, texts, cache, telling)
            if role == "document":
                return each, {}
            return each, encoding_alone(encoder, {row: texts[row] for row in sample(len(texts))}, cache)


class _Index:
    """Queries and documents in one form."""

    def __init__(self, queries: csr_matrix, documents: csr_matrix) -> None:
        self.queries, self.documents = queries, documents
        self.by_word = documents.T.tocsr()

    def run(self, task: Task, depth: int, tag: str) -> Run:
        """The documents with the best scores; those that share no word with the query are not found."""
        count = max(1, self.documents.shape[0])
        step = max(1, BLOCK_CELLS // count)
        deeper = depth + 1 if task.exclude_self else depth
        blocks = []
        for first in range(0, self.queries.shape[0], step):
            rows = slice(first, first + step)
            scores = (self.queries[rows] @ self.by_word).toarray()
            found = np.where(scores == 0, -np.inf, scores).astype(np.float32)
            blocks.append(run_from_matrix(task.queries.ids[rows], task.corpus.ids, found, deeper, tag))
        run = _joined(task, blocks, tag)
        return cut(run, depth, own_entries(task, run) | np.isneginf(run.scores))

    def seconds(self, rows: Sequence[int]) -> dict[int, float]:
        """What some queries take alone."""

        def answer(row: int) -> object:
            scores = (self.queries[row] @ self.by_word).toarray()[0]
            return np.argpartition(scores, -min(100, len(scores)))

        return seconds_each(rows, answer) if self.documents.shape[0] else {}

    def costs(self) -> dict[str, Any]:
        """The size of what a search reads."""
        size = float(self.documents.nnz * BYTES)
        return {"index_bytes": size, "index_bytes_per_document": size / max(1, self.documents.shape[0])}


def heaviest(rows: csr_matrix, count: int | None) -> csr_matrix:
    """The heaviest weights of each row, `count` at most; of equal ones the first words."""
    from scipy.sparse import csr_matrix

    if count is None:
        return rows
    lengths = np.diff(rows.indptr)
    row = np.repeat(np.arange(rows.shape[0]), lengths)
    order = np.lexsort((rows.indices, -rows.data, row))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(rows.indptr[:-1].astype(np.int64), lengths)
    kept = place < count
    offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, count))])
    return csr_matrix((rows.data[kept], rows.indices[kept], offsets), shape=rows.shape)


def _matrix(each: Each, cosine: bool) -> csr_matrix:
    """Weights of many texts, a row each, in order of the vocabulary."""
    from scipy.sparse import csr_matrix

    rows = [unpacked(encoding) for encoding in each.encodings]
    width = max((width for width, _, _ in rows), default=1)
    offsets = np.concatenate([[0], np.cumsum([len(words) for _, words, _ in rows])]).astype(np.int64)
    words = np.concatenate([words for _, words, _ in rows]) if rows else np.empty(0, np.int64)
    weights = [_unit(weights) if cosine else weights for _, _, weights in rows]
    data = np.concatenate(weights) if weights else np.empty(0, np.float32)
    return csr_matrix((data, words, offsets), shape=(len(rows), width))


def _unit(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    length = np.sqrt(np.sum(np.square(weights, dtype=np.float64)))
    return (weights / (length if length > 0 else 1)).astype(np.float32)


def _joined(task: Task, blocks: Sequence[Run], tag: str) -> Run:
    if not blocks:
        none = np.zeros(1, np.int64)
        return Run(
            task.queries.ids, task.corpus.ids, none, np.empty(0, np.int32), np.empty(0, np.float32), tag
        )
    lengths = np.concatenate([np.diff(block.offsets) for block in blocks])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    documents = np.concatenate([block.documents for block in blocks])
    scores = np.concatenate([block.scores for block in blocks])
    return Run(task.queries.ids, task.corpus.ids, offsets, documents, scores, tag)


def _facts(kind: str, each: Each) -> dict[str, Any]:
    """How much of the texts the model did not read."""
    whole, lost = sum(e.tokens for e in each.encodings), sum(e.cut for e in each.encodings)
    return {
        f"{kind}_truncated": sum(1 for e in each.encodings if e.cut),
        f"{kind}_tokens": whole,
        f"{kind}_tokens_cut_share": round(lost / whole, 6) if whole else 0.0,
    }


def _costs(documents: Each, queries: Each) -> dict[str, Any]:
    distinct = documents.distinct + queries.distinct
    return {
        **(documents.work + queries.work).costs(),
        "encode_thread_s": documents.thread_seconds + queries.thread_seconds,
        "texts_encoded": documents.fresh + queries.fresh,
        "texts_from_cache": distinct - documents.fresh - queries.fresh,
    }
