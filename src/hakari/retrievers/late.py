"""Late interaction: a text is a vector a token, and a document's score is its MaxSim with the query.

Works as a retriever, which scores every document, and as a reranker of candidates. Both pass over the
documents in blocks, so memory does not grow with the corpus, and give a pair the same score to the last bit.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.rankings import run_from_matrix
from hakari.retrievers.base import BASE_VARIANT, Retrieved
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.embedding_cache import EmbeddingCache, cache_wanted, versions_of
from hakari.retrievers.encode import BatchEncoder, Encoder
from hakari.retrievers.late_pass import Pass, Role, packed
from hakari.retrievers.late_variants import Kept
from hakari.retrievers.maxsim import TokenVectors
from hakari.retrievers.model_settings import own_settings
from hakari.retrievers.models import CatalogModel, ModelFiles, TokenUsage, catalog, files_in, locate
from hakari.retrievers.onnx import Encoding, OnnxModel, unit
from hakari.retrievers.onnx_size import parameters_in
from hakari.retrievers.rerank import Pairs, Reranker, Rescored
from hakari.retrievers.spelling import spell
from hakari.retrievers.variant_specs import TokenForm, parse_one
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
        return Encoding(packed(unit(states)), tokens.whole, tokens.cut, time.perf_counter() - start)


class LateInteraction(Reranker):
    """Ranks by MaxSim over token vectors, whatever gives them."""

    family: ClassVar[str] = "late"
    kept_for: Sequence[str] = ()
    """Distributions whose versions may move its vectors: part of the key of the cache."""

    @abstractmethod
    def encoder(self, role: Role) -> Encoder | BatchEncoder:
        """What turns queries or documents into vectors; the same object where both go the same way."""

    @abstractmethod
    def prompts(self, task: Task) -> Mapping[str, str]:
        """What is put in front of queries and documents."""

    def parameters(self) -> int | None:
        """How many parameters the model has, where it can tell."""
        return None

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.ready()

    def variants_among(self, asked: Sequence[str]) -> tuple[str, ...]:
        """`float`, and those that keep fewer vectors of a document."""
        return tuple(name for name in asked if name == BASE_VARIANT or isinstance(parse_one(name), TokenForm))

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank all documents of the task for each of its queries, `depth` deep."""
        return self.retrieve_variants(task, depth, ())

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by all vectors and by each of these variants, all from one encoding."""
        forms = {
            BASE_VARIANT: TokenForm(),
            **{name: parse_one(name) for name in variants if name != BASE_VARIANT},
        }
        shape = len(task.queries), len(task.corpus)
        scores = {name: np.zeros(shape, np.float32) for name in forms}
        kept = {name: Kept() for name in forms}
        everything: list[npt.ArrayLike | None] = [None] * len(task.queries)
        with self._passing(task, sum(shape)) as passing:
            queries = self._vectors(passing, task, "query", task.queries.texts)
            for rows in _blocks(np.arange(len(task.corpus))):
                documents = self._vectors(passing, task, "document", task.corpus.texts[rows])
                for name, form in forms.items():
                    assert isinstance(form, TokenForm)
                    fewer = kept[name].of(form, documents)
                    score = passing.scores if name == BASE_VARIANT else kept[name].scores
                    for query, found in enumerate(score(queries, fewer, everything)):
                        scores[name][query, rows] = found
            costs = self._costs(passing, task)
        runs = {name: self._run(task, matrix, depth) for name, matrix in scores.items()}
        kept[BASE_VARIANT].search_s = passing.search_s
        costs["variants"] = {name: kept[name].costs(len(task.corpus)) for name in forms}
        costs["variants"][BASE_VARIANT]["query_seconds"] = costs["query_seconds"]
        return Retrieved(runs, passing.facts(), costs)

    def _run(self, task: Task, scores: npt.NDArray[np.float32], depth: int) -> Run:
        deeper = depth + 1 if task.exclude_self else depth
        run = run_from_matrix(task.queries.ids, task.corpus.ids, scores, deeper, self.name)
        return cut(run, depth, own_entries(task, run))

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """The MaxSim of every pair."""
        scores = np.empty(len(pairs), np.float32)
        wanted = np.unique(pairs.documents)
        with self._passing(task, len(task.queries) + len(wanted)) as passing:
            queries = self._vectors(passing, task, "query", task.queries.texts)
            for rows in _blocks(wanted):
                documents = self._vectors(passing, task, "document", task.corpus.texts[rows])
                here = np.flatnonzero((pairs.documents >= rows[0]) & (pairs.documents <= rows[-1]))
                lists = np.split(here, np.searchsorted(here, pairs.offsets[1:-1]))
                asked = [np.searchsorted(rows, pairs.documents[entries]) for entries in lists]
                for entries, found in zip(lists, passing.scores(queries, documents, asked), strict=True):
                    scores[entries] = found
            costs = self._costs(passing, task)
        return Rescored(scores, passing.facts(), costs)

    @contextmanager
    def _passing(self, task: Task, total: int) -> Iterator[Pass]:
        self.prompts(task)  # those of a task may have to be known before an encoder is made
        encoders: dict[str, Any] = {role: self.encoder(role) for role in ("query", "document")}
        caches: dict[str, EmbeddingCache | None] = dict.fromkeys(encoders)
        if cache_wanted():
            versions = versions_of(self.kept_for)
            made: dict[int, EmbeddingCache] = {}
            for role, encoder in encoders.items():
                if id(encoder) not in made:
                    made[id(encoder)] = EmbeddingCache({**encoder.settings(), **versions}, used_by=self.name)
                caches[role] = made[id(encoder)]
        try:
            yield Pass(encoders, caches, total, self.progress)
        finally:
            for cache in {id(c): c for c in caches.values() if c is not None}.values():
                cache.close()

    def _vectors(self, passing: Pass, task: Task, role: Role, texts: npt.ArrayLike) -> TokenVectors:
        prompt = self.prompts(task)[role]
        return passing.vectors(role, [prompt + text for text in np.asarray(texts, object)])

    def _costs(self, passing: Pass, task: Task) -> dict[str, Any]:
        size = self.parameters()
        costs = passing.costs(task, self.prompts(task)["query"])
        return costs if size is None else {**costs, "parameters": size}


class Late(LateInteraction):
    """Ranks by MaxSim over the token vectors of one ONNX encoder."""

    packages = ("onnxruntime", "tokenizers")
    kept_for = ("onnxruntime",)

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

    def encoder(self, role: Role = "document") -> TokenEncoder:
        """The one encoder of both roles; its files are found and checked at the first call."""
        if self._encoder is None:
            if isinstance(self._files, CatalogModel):
                self._encoder = TokenEncoder(locate(self._files), self.usage, self._files.extra)
            else:
                self._encoder = TokenEncoder(self._files, self.usage)
        return self._encoder

    def prompts(self, task: Task) -> Mapping[str, str]:
        """Those of the model, for every task."""
        return {"query": self.usage.query_prompt, "document": self.usage.document_prompt}

    def parameters(self) -> int | None:
        """How many numbers the graph holds."""
        return parameters_in(self.encoder().files.graph)


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
    files, own = files_in(folder), own_settings(folder)
    declared = TokenUsage(
        **{k: own[k] for k in ("max_length", "query_prompt", "document_prompt") if k in own}
    )
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
