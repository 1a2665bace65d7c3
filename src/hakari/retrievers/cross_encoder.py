"""Cross-encoders: ONNX models that read a query and a document together and give the pair a score.

Pairs are scored one at a time, side by side in threads and longest first, and kept in the cache under the
texts of both: a dynamically quantised model gives a pair another score in other company.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hakari.errors import UsageError
from hakari.retrievers.embedding_cache import EmbeddingCache, cache_wanted, versions_of
from hakari.retrievers.encode import BatchEncoder, Encoded, Encoder, Work, encode_texts, thread_count
from hakari.retrievers.latency import by_query, sample
from hakari.retrievers.model_settings import own_settings
from hakari.retrievers.models import CatalogModel, ModelFiles, PairUsage, catalog, files_in, locate
from hakari.retrievers.onnx import Encoding, OnnxModel, Tokens
from hakari.retrievers.onnx_size import parameters_in
from hakari.retrievers.rerank import Pairs, Reranker, Rescored
from hakari.retrievers.spelling import spell
from hakari.types import Task

BLOCK_PAIRS = 2048
"""Pairs held as text at a time. It leaves no trace in the result."""


class PairModel(OnnxModel):
    """A session and its tokenizer for pairs of texts."""

    def __init__(self, files: ModelFiles, usage: PairUsage, extra: str = "onnx") -> None:
        super().__init__(files, usage.max_length, extra)
        import tokenizers

        self._added_to_pair = self._tokenizer.num_special_tokens_to_add(True)
        if usage.max_length <= self._added_to_pair:
            raise UsageError(
                f"max_length is {usage.max_length}, and the tokenizer adds {self._added_to_pair} tokens to a pair",
                "max_length=512",
            )
        self._whole = tokenizers.Tokenizer.from_str(self._tokenizer.to_str())
        self._whole.no_truncation()
        self._output = self.output_named(usage.output, "logits")
        self._label = usage.label

    def tokenise_pair(self, query: str, document: str) -> Tokens:
        """The tokens of a pair; where it is too long, the longer text is cut first."""
        first, second = (self._whole.encode(text, add_special_tokens=False) for text in (query, document))
        whole = len(first.ids) + len(second.ids)
        pair = self._tokenizer.post_process(first, second)
        cut = max(0, whole + self._added_to_pair - len(pair.ids))
        return Tokens(np.array([pair.ids], np.int64), np.array([pair.type_ids], np.int64), whole, cut)

    def score(self, tokens: Tokens) -> float:
        """The score of a pair."""
        values = np.asarray(self.run(tokens, self._output), np.float32)
        if values.ndim != 1 or self._label >= len(values):
            raise UsageError(
                f"{self.graph}: output `{self._output}` has shape {values.shape} for a pair, "
                f"and label {self._label} is to be read from it",
                f"output=NAME, one of {', '.join(self.outputs)}; label counts from 0",
            )
        return float(values[self._label])


class PairEncoder:
    """A pair, written as one text by `joined`, to a vector of one number: its score.

    The model is loaded when the first pair is scored, so that a task answered from the cache loads nothing.
    """

    def __init__(self, files: ModelFiles, usage: PairUsage, extra: str = "onnx") -> None:
        self.files, self.usage, self.extra = files, usage, extra
        self._model: PairModel | None = None
        self._loading = threading.Lock()

    def settings(self) -> dict[str, Any]:
        """Everything that decides the score of a pair."""
        return {**self.files.fingerprint(), **vars(self.usage), "texts": "pair"}

    def load(self) -> PairModel:
        """The model, loaded once however many threads ask."""
        with self._loading:
            if self._model is None:
                self._model = PairModel(self.files, self.usage, self.extra)
            return self._model

    def encode(self, text: str) -> Encoding:
        """The score of a pair, always the same whatever runs beside it."""
        model = self._model or self.load()
        start = time.perf_counter()
        tokens = model.tokenise_pair(*parted(text))
        value = np.array([model.score(tokens)], np.float32)
        return Encoding(value, tokens.whole, tokens.cut, time.perf_counter() - start)


def joined(query: str, document: str) -> str:
    """A pair as one text, from which `parted` gets both back."""
    return f"{len(query)}:{query}{document}"


def parted(text: str) -> tuple[str, str]:
    """The query and the document of a pair."""
    length, _, texts = text.partition(":")
    return texts[: int(length)], texts[int(length) :]


class PairReranker(Reranker):
    """Scores pairs with whatever turns the text of a pair into a score; scores are kept in the cache."""

    kept_for: Sequence[str] = ()
    """Distributions whose versions may move its scores: part of the key of the cache."""

    @abstractmethod
    def encoder(self) -> Encoder | BatchEncoder:
        """What scores pairs."""

    def parameters(self) -> int | None:
        """How many parameters the model has, where it can tell."""
        return None

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """Score every pair, in blocks that bound the memory of their texts."""
        encoder, blocks = self.encoder(), []
        cache = None
        if cache_wanted():
            settings = {**encoder.settings(), **versions_of(self.kept_for)}
            cache = EmbeddingCache(settings, used_by=self.name)
        try:
            for first in range(0, len(pairs), BLOCK_PAIRS):
                block = slice(first, first + BLOCK_PAIRS)
                texts = [
                    joined(task.queries.texts[q], task.corpus.texts[d])
                    for q, d in zip(pairs.queries[block], pairs.documents[block], strict=True)
                ]
                blocks.append(encode_texts(encoder, texts, cache, self._telling(first, len(pairs))))
        finally:
            if cache is not None:
                cache.close()
        scores = [block.vectors[:, 0] for block in blocks]
        size = self.parameters()
        costs = {**_costs(blocks), "query_seconds": _query_seconds(task, pairs, blocks)}
        if size is not None:
            costs["parameters"] = size
        return Rescored(np.concatenate(scores) if scores else np.empty(0, np.float32), _facts(blocks), costs)

    def _telling(self, before: int, total: int) -> Any:
        report = self.progress
        return None if report is None else lambda done, _: report(before + done, total)


class OnnxReranker(PairReranker):
    """Scores pairs with a cross-encoder."""

    packages = ("onnxruntime", "tokenizers")
    kept_for = ("onnxruntime",)

    def __init__(self, name: str, files: ModelFiles | CatalogModel, usage: PairUsage) -> None:
        self.name, self.usage = name, usage
        self._files = files
        self._encoder: PairEncoder | None = None

    def settings(self) -> dict[str, Any]:
        """The model by its SHA-256, and how it is used."""
        files = self._files
        model = files.fingerprint if isinstance(files, CatalogModel) else files.fingerprint()
        return {**model, **vars(self.usage)}

    def ready(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.encoder().load()

    def encoder(self) -> PairEncoder:
        """What scores pairs; its files are found and checked at the first call."""
        if self._encoder is None:
            if isinstance(self._files, CatalogModel):
                self._encoder = PairEncoder(locate(self._files), self.usage, self._files.extra)
            else:
                self._encoder = PairEncoder(self._files, self.usage)
        return self._encoder

    def parameters(self) -> int | None:
        """How many numbers the graph holds."""
        return parameters_in(self.encoder().files.graph)


def catalog_reranker(
    model: str, *, max_length: int | None = None, output: str | None = None, label: int | None = None
) -> OnnxReranker:
    """A cross-encoder of the catalog; what is given takes precedence over what the catalog says."""
    entry = catalog()[model]
    given = {"max_length": max_length, "output": output, "label": label}
    return _reranker(model, entry, entry.pair_usage, given)


def onnx_reranker(
    path: str, *, max_length: int | None = None, output: str | None = None, label: int | None = None
) -> OnnxReranker:
    """A folder with the model.onnx and tokenizer.json of a cross-encoder; what is given takes precedence."""
    folder = Path(path).expanduser()
    files = files_in(folder)
    declared = PairUsage(max_length=own_settings(folder).get("max_length", PairUsage.max_length))
    given = {"max_length": max_length, "output": output, "label": label}
    return _reranker(f"rerank:onnx:{Path(path).as_posix()}", files, declared, given)


def _reranker(
    head: str, files: ModelFiles | CatalogModel, declared: PairUsage, given: Mapping[str, Any]
) -> OnnxReranker:
    changed = {k: v for k, v in given.items() if v is not None and v != getattr(declared, k)}
    return OnnxReranker(spell(head, keywords=changed), files, replace(declared, **changed))


def _facts(blocks: list[Encoded]) -> dict[str, Any]:
    """How much of the pairs the model did not read; a text counts in each pair that it is part of."""
    whole = sum(int(block.tokens.sum()) for block in blocks)
    cut = sum(int(block.cut.sum()) for block in blocks)
    return {
        "pairs_truncated": sum(int(np.count_nonzero(block.cut)) for block in blocks),
        "pairs_tokens": whole,
        "pairs_tokens_cut_share": round(cut / whole, 6) if whole else 0.0,
    }


def _query_seconds(task: Task, pairs: Pairs, blocks: list[Encoded]) -> dict[str, float]:
    """What queries of a sample take alone: their pairs one at a time, spread over the threads.

    Pairs are scored one at a time anyhow, so the seconds that each took say it, and nothing is scored again.
    """
    if not blocks:
        return {}
    each, threads = np.concatenate([block.each_seconds for block in blocks]), thread_count()
    found = {}
    for row in sample(len(task.queries)):
        mine = each[pairs.offsets[row] : pairs.offsets[row + 1]]
        found[row] = max(float(mine.sum()) / threads, float(mine.max(initial=0.0)))
    return by_query(task.queries.ids, found)


def _costs(blocks: list[Encoded]) -> dict[str, Any]:
    distinct, fresh = sum(block.distinct for block in blocks), sum(block.fresh for block in blocks)
    thread_s = sum(block.thread_seconds for block in blocks)
    costs: dict[str, Any] = {
        **sum((block.work for block in blocks), Work()).costs(),
        "pairs_scored": fresh,
        "pairs_from_cache": distinct - fresh,
        "pairs_thread_s": thread_s,
        "pairs_per_thread_s": distinct / thread_s if thread_s else 0.0,
    }
    if fresh == distinct and fresh:  # a rate that the cache helped with would say nothing
        costs["pairs_per_s"] = fresh / sum(block.wall_seconds for block in blocks)
    return costs
