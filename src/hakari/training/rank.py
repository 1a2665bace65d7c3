"""What a model in training finds on a task: dense, sparse and cross-encoder models of sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sentence_transformers import CrossEncoder, SentenceTransformer, SparseEncoder

from hakari.errors import UsageError
from hakari.rankings import run_from_matrix
from hakari.retrievers.base import BASE_VARIANT, Retriever
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.nearest import Nearest, Similarity
from hakari.retrievers.rerank import Pairs, ranked, shuffled_pairs
from hakari.retrievers.variant_names import FLOAT, VariantName
from hakari.types import Run, Task


@dataclass
class Ranker:
    """Ranks tasks with whatever model it is given, at whatever step."""

    depth: int
    variants: Sequence[VariantName] = (FLOAT,)
    first: Retriever | None = None
    """Where cross-encoders get their candidates from; found once a task."""
    candidates: int = 100
    batch_size: int = 32
    _pairs: dict[str, Pairs] = field(default_factory=dict, repr=False)

    def runs(self, model: Any, task: Task) -> dict[str, Run]:
        """The rankings of a model by variant."""
        if isinstance(model, CrossEncoder):
            return {BASE_VARIANT: self._reranked(model, task)}
        if isinstance(model, SparseEncoder):
            return {BASE_VARIANT: self._by_terms(model, task)}
        if isinstance(model, SentenceTransformer):
            return self._by_vectors(model, task)
        raise UsageError(
            f"{type(model).__name__} is no model that can be evaluated here",
            "SentenceTransformer, SparseEncoder and CrossEncoder can",
        )

    def _by_vectors(self, model: Any, task: Task) -> dict[str, Run]:
        options: dict[str, Any] = {"batch_size": self.batch_size, "show_progress_bar": False}
        queries, documents = (
            np.asarray(encode(list(texts), convert_to_tensor=True, **options).float().cpu())
            for encode, texts in (
                (model.encode_query, task.queries.texts),
                (model.encode_document, task.corpus.texts),
            )
        )
        name = str(model.similarity_fn_name or "cosine")
        if name not in ("cosine", "dot"):
            if tuple(self.variants) != (FLOAT,):
                raise UsageError(f"variants need cosine or dot, and the model has {name}")
            return {BASE_VARIANT: self._all_pairs(task, model.similarity(queries, documents).numpy())}
        nearest = Nearest(
            (task.queries.ids, queries),
            (task.corpus.ids, documents),
            self.variants,
            Similarity(cosine=name == "cosine"),
        )
        return dict(nearest.find(self.depth, task.exclude_self).runs)

    def _by_terms(self, model: Any, task: Task) -> Run:
        options: dict[str, Any] = {"batch_size": self.batch_size, "show_progress_bar": False}
        queries = model.encode_query(list(task.queries.texts), **options)
        documents = model.encode_document(list(task.corpus.texts), **options)
        scores = model.similarity(queries, documents).detach().float().cpu()
        return self._all_pairs(task, scores.numpy())

    def _all_pairs(self, task: Task, scores: np.ndarray) -> Run:
        # One place more, for the query's own document that some tasks leave out.
        run = run_from_matrix(task.queries.ids, task.corpus.ids, scores, self.depth + 1)
        return cut(run, self.depth, own_entries(task, run))

    def _reranked(self, model: Any, task: Task) -> Run:
        if task.name not in self._pairs:
            if self.first is None:
                raise UsageError("a cross-encoder needs candidates", 'Evaluator(..., candidates="bm25")')
            run = self.first.retrieve(task, self.candidates).runs[BASE_VARIANT]
            self._pairs[task.name] = shuffled_pairs(task, run, self.candidates)
        pairs = self._pairs[task.name]
        texts = [
            (task.queries.texts[q], task.corpus.texts[d])
            for q, d in zip(pairs.queries, pairs.documents, strict=True)
        ]
        scores = model.predict(texts, batch_size=self.batch_size, show_progress_bar=False)
        if np.ndim(scores) != 1:
            raise UsageError(
                f"the cross-encoder gives {np.shape(scores)[1]} numbers a pair, and one is needed",
                "train it with `num_labels=1`",
            )
        run, _ = ranked(task, pairs, np.asarray(scores, np.float32), "model")
        return cut(run, self.depth)
