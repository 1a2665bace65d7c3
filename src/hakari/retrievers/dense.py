"""Dense retrieval: a text is one vector, and a document's score is its product with that of the query."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol

from hakari.retrievers.base import Retrieved, Retriever
from hakari.retrievers.embedding_cache import EmbeddingCache, cache_wanted, versions_of
from hakari.retrievers.encode import BatchEncoder, Encoded, Encoder, Progress, encode_texts
from hakari.retrievers.latency import by_query, encoding_alone, sample
from hakari.retrievers.long_texts import Fitted, Reading, reads_long_texts
from hakari.retrievers.model_settings import usage_in
from hakari.retrievers.models import CatalogModel, ModelFiles, Usage, catalog, files_in, locate
from hakari.retrievers.nearest import Nearest, Similarity, check_dimensions
from hakari.retrievers.onnx import TextEncoder
from hakari.retrievers.onnx_size import parameters_in
from hakari.retrievers.spelling import spell
from hakari.retrievers.variant_names import FLOAT, VariantName, parse_specs
from hakari.retrievers.variant_specs import parse_one
from hakari.types import Run, Task

Role = Literal["query", "document"]


class EmbeddingModel(Protocol):
    """A model that gives a text one vector, wherever it lies and whatever runs it."""

    packages: Sequence[str]
    """Distributions whose versions may move its vectors: part of the key of the cache."""

    def settings(self) -> dict[str, Any]:
        """What the model is; known without loading it, so that results are found without it."""

    def require(self) -> None:
        """Raise where its weights or the packages that run them are missing or corrupt."""

    def encoder(self, role: Role) -> Encoder | BatchEncoder:
        """What turns queries or documents into vectors."""


class OnnxEmbeddings:
    """An ONNX graph in a folder or in an installed package; queries and documents go the same way."""

    packages: Sequence[str] = ("onnxruntime",)

    def __init__(self, files: ModelFiles | CatalogModel, usage: Usage) -> None:
        self.usage = usage
        self._files = files
        self._encoder: TextEncoder | None = None

    def settings(self) -> dict[str, Any]:
        """The model by its SHA-256."""
        files = self._files
        return files.fingerprint if isinstance(files, CatalogModel) else files.fingerprint()

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.encoder("document").load()

    def encoder(self, role: Role) -> TextEncoder:
        """The one encoder of both roles; its files are found and checked at the first call."""
        if self._encoder is None:
            if isinstance(self._files, CatalogModel):
                self._encoder = TextEncoder(locate(self._files), self.usage, self._files.extra)
            else:
                self._encoder = TextEncoder(self._files, self.usage)
        return self._encoder

    def parameters(self) -> int | None:
        """How many numbers the graph holds."""
        return parameters_in(self.encoder("document").files.graph)


class Comparing(Protocol):
    """How the vectors of a model are to be compared; a dataclass, all of whose fields are settings."""

    @property
    def query_prompt(self) -> str:
        """What is put in front of queries."""

    @property
    def document_prompt(self) -> str:
        """What is put in front of documents."""

    @property
    def similarity(self) -> str:
        """`cosine` or `dot`."""

    @property
    def normalise(self) -> bool:
        """Whether the encoder gives vectors of length one."""


class Dense(Retriever):
    """Ranks by the product of vectors that one model gives to queries and documents.

    `query_prompt` and `document_prompt` are put in front of the texts. With `cosine`, vectors are brought to
    length one before they are compared; with `dot` they are compared as the encoder gives them.
    """

    family = "dense"

    def __init__(self, name: str, model: EmbeddingModel, usage: Comparing) -> None:
        self.name = name
        self.model = model
        self.usage = usage
        self.packages = model.packages
        self.reading = Reading()
        """How texts longer than the model reads are read."""
        self.progress: Progress | None = None
        """Called with texts done and texts to do while a task is encoded."""

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.model.require()

    def settings(self) -> dict[str, Any]:
        """What the model is, and everything about how it is used."""
        return {**self.model.settings(), **vars(self.usage), **self.reading.settings()}

    def variants_among(self, asked: Sequence[str]) -> tuple[str, ...]:
        """All that are names of variants of vectors."""
        return tuple(name for name in asked if isinstance(parse_one(name), VariantName))

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank the documents of the task for each of its queries, `depth` deep."""
        return self.retrieve_variants(task, depth, ())

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by `float` and by each of these variants, all from one encoding."""
        names = parse_specs(variants)
        fitted = self._fitted(task)
        documents, queries = self._encode(fitted, names)
        pieces, chunks = fitted[0].offsets, self.reading.chunks
        start = time.perf_counter()
        usage = self.usage
        nearest = Nearest(
            (task.queries.ids, queries.vectors),
            (task.corpus.ids, documents.vectors),
            (FLOAT, *names),
            Similarity(
                cosine=usage.similarity == "cosine" and not usage.normalise,
                normalise_cut=usage.similarity == "cosine" or usage.normalise,
            ),
            None if pieces is None or chunks is None else (pieces, chunks.fold),
        )
        found = nearest.find(depth, task.exclude_self)
        search_s = time.perf_counter() - start
        facts = {
            "dimensions": int(documents.vectors.shape[1]),
            **fitted[0].facts("documents", documents.facts("documents")),
            **fitted[1].facts("queries", queries.facts("queries")),
        }
        runs = {name: replace(run, tag=self.name) for name, run in found.runs.items()}
        timed = self._timed(task, fitted[1].texts, nearest, depth, found.costs)
        return Retrieved(runs, facts, {**_costs(documents, queries, search_s), **self._size(), **timed})

    def _timed(
        self,
        task: Task,
        queries: Sequence[str],
        nearest: Nearest,
        depth: int,
        variants: Mapping[str, Mapping[str, Any]],
    ) -> dict[str, Any]:
        """The costs of the variants with the seconds of single queries, and what it took to measure these."""
        start = time.perf_counter()
        texts = {row: queries[row] for row in sample(len(queries))}
        with self.cache(encoder := self.model.encoder("query")) as cache:
            encoding = encoding_alone(encoder, texts, cache)
        searching = nearest.seconds_alone(list(encoding), depth, task.exclude_self)
        ids = task.queries.ids
        each = {
            name: {**costs, "query_seconds": by_query(ids, encoding, searching[name])}
            for name, costs in variants.items()
        }
        told: dict[str, Any] = {"variants": each, "measuring_s": time.perf_counter() - start}
        if each:
            told["query_seconds"] = each[str(FLOAT)]["query_seconds"]
            told["query_encode_seconds"] = by_query(ids, encoding)
        return told

    def _size(self) -> dict[str, int]:
        """How many parameters the model has, where it can tell."""
        parameters = getattr(self.model, "parameters", lambda: None)()
        return {} if parameters is None else {"parameters": int(parameters)}

    def _fitted(self, task: Task) -> tuple[Fitted, Fitted]:
        """Documents and queries as the encoder gets them."""
        read, usage, encoder = self.reading, self.usage, self.model.encoder
        return (
            read.documents(list(task.corpus.texts), usage.document_prompt, encoder("document")),
            read.queries(list(task.queries.texts), usage.query_prompt, encoder("query")),
        )

    def _encode(self, fitted: tuple[Fitted, Fitted], names: Sequence[VariantName]) -> tuple[Encoded, Encoded]:
        corpus, queries = (one.texts for one in fitted)
        total = len(corpus) + len(queries)
        report = self.progress

        def queries_done(done: int, _: int) -> None:
            report(done, total)  # type: ignore[misc]

        def documents_done(done: int, _: int) -> None:
            report(len(queries) + done, total)  # type: ignore[misc]

        # Queries are few: what the vectors cannot give is said before the documents are encoded.
        of_queries = self._vectors("query", queries, queries_done if report else None)
        if queries:
            check_dimensions(names, of_queries.vectors.shape[1])
        return self._vectors("document", corpus, documents_done if report else None), of_queries

    def _vectors(self, role: Role, texts: Sequence[str], report: Progress | None) -> Encoded:
        encoder = self.model.encoder(role)
        with self.cache(encoder) as cache:
            return encode_texts(encoder, texts, cache, report)

    def cache(self, encoder: Encoder | BatchEncoder) -> EmbeddingCache | nullcontext[None]:
        """Where vectors of this model are kept, or nothing where that is not wanted."""
        if not cache_wanted():
            return nullcontext()
        return EmbeddingCache({**encoder.settings(), **versions_of(self.packages)}, used_by=self.name)


@reads_long_texts
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


@reads_long_texts
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
    return _dense(f"onnx:{Path(path).as_posix()}", files, usage_in(folder, given), given)


def _dense(head: str, files: ModelFiles | CatalogModel, declared: Usage, given: dict[str, Any]) -> Dense:
    changed = {
        key: value for key, value in given.items() if value is not None and value != getattr(declared, key)
    }
    usage = replace(declared, **changed)
    return Dense(spell(head, keywords=changed), OnnxEmbeddings(files, usage), usage)


def _costs(documents: Encoded, queries: Encoded, search_s: float) -> dict[str, Any]:
    distinct = documents.distinct + queries.distinct
    thread_s = documents.thread_seconds + queries.thread_seconds
    return {
        **(documents.work + queries.work).costs(),
        "encode_documents_s": documents.wall_seconds,
        "encode_queries_s": queries.wall_seconds,
        "encode_thread_s": thread_s,
        "texts_per_thread_s": distinct / thread_s if thread_s else 0.0,
        "texts_encoded": documents.fresh + queries.fresh,
        "texts_from_cache": distinct - documents.fresh - queries.fresh,
        "search_s": search_s,
        "index_bytes": documents.vectors.nbytes,
    }
