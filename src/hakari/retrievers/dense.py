"""Dense retrieval: a text is one vector, and a document's score is its product with that of the query."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.rankings import run_from_matrix
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.embedding_cache import EmbeddingCache, cache_wanted
from hakari.retrievers.encode import Encoded, Progress, encode_texts, thread_count
from hakari.retrievers.models import CatalogModel, ModelFiles, Usage, catalog, files_in, locate, usage_in
from hakari.retrievers.onnx import TextEncoder, unit
from hakari.retrievers.spelling import spell
from hakari.types import Ids, Run, Task

BLOCK_CELLS = 1 << 19
"""Scores computed at a time by one thread. Part of the result: other blocks can give other last bits."""


class Dense(Retriever):
    """Ranks by the product of vectors that one encoder gives to queries and documents.

    `query_prompt` and `document_prompt` are put in front of the texts. With `cosine`, vectors are brought to
    length one before they are compared; with `dot` they are compared as the encoder gives them.
    """

    family = "dense"

    def __init__(self, name: str, files: ModelFiles | CatalogModel, usage: Usage) -> None:
        self.name = name
        self.usage = usage
        self.progress: Progress | None = None
        """Called with texts done and texts to do while a task is encoded."""
        self._files = files
        self._encoder: TextEncoder | None = None

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.encoder().load()

    def encoder(self) -> TextEncoder:
        """What turns texts into vectors; its files are found and checked at the first call."""
        if self._encoder is None:
            if isinstance(self._files, CatalogModel):
                self._encoder = TextEncoder(locate(self._files), self.usage, self._files.extra)
            else:
                self._encoder = TextEncoder(self._files, self.usage)
        return self._encoder

    def settings(self) -> dict[str, Any]:
        """The model by its SHA-256, and everything about how it is used."""
        files = self._files
        if isinstance(files, CatalogModel):  # known without the files, so results can be found without them
            model = {"model_sha256": files.model_sha256, "tokenizer_sha256": files.tokenizer_sha256}
        else:
            model = files.fingerprint()
        return {**model, **vars(self.usage)}

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank the documents of the task for each of its queries, `depth` deep."""
        documents, queries = self._encode(task)
        start = time.perf_counter()
        run = search(
            (task.queries.ids, queries.vectors),
            (task.corpus.ids, documents.vectors),
            depth,
            cosine=self.usage.similarity == "cosine" and not self.usage.normalise,
            exclude_self=task.exclude_self,
        )
        search_s = time.perf_counter() - start
        facts = {
            "dimensions": int(documents.vectors.shape[1]),
            **documents.facts("documents"),
            **queries.facts("queries"),
        }
        run = replace(run, tag=self.name)
        return Retrieved({BASE_VARIANT: run}, facts, _costs(documents, queries, search_s))

    def _encode(self, task: Task) -> tuple[Encoded, Encoded]:
        encoder = self.encoder()
        corpus = [self.usage.document_prompt + text for text in task.corpus.texts]
        queries = [self.usage.query_prompt + text for text in task.queries.texts]
        total = len(corpus) + len(queries)
        report = self.progress

        def documents_done(done: int, _: int) -> None:
            report(done, total)  # type: ignore[misc]

        def queries_done(done: int, _: int) -> None:
            report(len(corpus) + done, total)  # type: ignore[misc]

        cache = None
        if cache_wanted():
            cache = EmbeddingCache({**encoder.settings(), "onnxruntime": _onnxruntime_version()})
        try:
            return (
                encode_texts(encoder, corpus, cache, documents_done if report else None),
                encode_texts(encoder, queries, cache, queries_done if report else None),
            )
        finally:
            if cache is not None:
                cache.close()


def catalog_model(
    model: str,
    *,
    max_length: int | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    similarity: str | None = None,
) -> Dense:
    """A model of the catalog; what is given takes precedence over what the catalog says."""
    entry = catalog()[model]
    given = {
        "max_length": max_length,
        "query_prompt": query_prompt,
        "document_prompt": document_prompt,
        "similarity": similarity,
    }
    return _dense(model, entry, entry.usage, given)


def onnx_model(
    path: str,
    *,
    pooling: str | None = None,
    normalise: bool | None = None,
    similarity: str | None = None,
    max_length: int | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
) -> Dense:
    """A folder with `model.onnx` and `tokenizer.json`; what is given precedes what the model declares."""
    folder = Path(path).expanduser()
    files = files_in(folder)
    given = {
        "pooling": pooling,
        "normalise": normalise,
        "similarity": similarity,
        "max_length": max_length,
        "query_prompt": query_prompt,
        "document_prompt": document_prompt,
    }
    return _dense(f"onnx:{Path(path).as_posix()}", files, usage_in(folder), given)


def search(
    queries: tuple[Ids, npt.NDArray[np.float32]],
    documents: tuple[Ids, npt.NDArray[np.float32]],
    depth: int,
    *,
    cosine: bool = False,
    exclude_self: bool = False,
) -> Run:
    """The exact nearest documents by product of vectors, ids and vectors in order of ids.

    Products of float32 change bits with the number of BLAS threads and with the shape of the matrices, so
    they are computed in blocks of a fixed size by one BLAS thread each, and the blocks side by side.
    """
    from threadpoolctl import threadpool_limits

    (query_ids, query_vectors), (document_ids, document_vectors) = queries, documents
    if not len(query_ids) or not len(document_ids):
        empty = np.zeros((len(query_ids), len(document_ids)), np.float32)
        return run_from_matrix(query_ids, document_ids, empty, depth)
    if cosine:
        query_vectors, document_vectors = unit(query_vectors), unit(document_vectors)
    own = _rows_of(query_ids, document_ids) if exclude_self else None
    step = max(1, BLOCK_CELLS // len(document_ids))
    by_document = np.ascontiguousarray(document_vectors).T

    def ranked(start: int) -> Run:
        block = slice(start, start + step)
        scores = query_vectors[block] @ by_document
        deeper = depth if own is None else depth + 1
        run = run_from_matrix(query_ids[block], document_ids, scores, deeper)
        return run if own is None else _without(run, own[block], depth)

    starts = range(0, len(query_ids), step)
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(min(thread_count(), len(starts))) as pool,
    ):
        blocks = list(pool.map(ranked, starts))
    lengths = np.concatenate([np.diff(block.offsets) for block in blocks])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    found = np.concatenate([block.documents for block in blocks])
    return Run(query_ids, document_ids, offsets, found, np.concatenate([block.scores for block in blocks]))


def _dense(head: str, files: ModelFiles | CatalogModel, declared: Usage, given: dict[str, Any]) -> Dense:
    changed = {
        key: value for key, value in given.items() if value is not None and value != getattr(declared, key)
    }
    return Dense(spell(head, keywords=changed), files, replace(declared, **changed))


def _costs(documents: Encoded, queries: Encoded, search_s: float) -> dict[str, float]:
    distinct = documents.distinct + queries.distinct
    thread_s = documents.thread_seconds + queries.thread_seconds
    return {
        "encode_documents_s": documents.wall_seconds,
        "encode_queries_s": queries.wall_seconds,
        "encode_thread_s": thread_s,
        "texts_per_thread_s": distinct / thread_s if thread_s else 0.0,
        "texts_encoded": documents.fresh + queries.fresh,
        "texts_from_cache": distinct - documents.fresh - queries.fresh,
        "search_s": search_s,
        "index_bytes": documents.vectors.nbytes,
    }


def _rows_of(query_ids: Ids, document_ids: Ids) -> npt.NDArray[np.int64]:
    """The row of the document that has the id of the query, or -1."""
    row = {document: i for i, document in enumerate(document_ids)}
    return np.array([row.get(query, -1) for query in query_ids], dtype=np.int64)


def _without(run: Run, own: npt.NDArray[np.int64], depth: int) -> Run:
    """A run of equally long rankings without each query's own document, and no deeper than `depth`."""
    width = int(run.offsets[1])
    kept = run.documents.reshape(-1, width) != own[:, None]
    kept &= np.cumsum(kept, axis=1) <= depth
    offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    flat = kept.ravel()
    return replace(run, offsets=offsets, documents=run.documents[flat], scores=run.scores[flat])


def _onnxruntime_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("onnxruntime")
    except PackageNotFoundError:  # a build under another name, such as onnxruntime-gpu
        return "unknown"
