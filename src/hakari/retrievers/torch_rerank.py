"""Rerankers of sentence-transformers: `rerank:hf:org/name@revision`, `rerank:st:PATH`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from hakari.errors import UsageError
from hakari.retrievers.cross_encoder import PairReranker, parted
from hakari.retrievers.hub_catalog import hub_catalog, settings_of
from hakari.retrievers.model_settings import LoadSettings, spelled
from hakari.retrievers.model_source import HubModel, LocalModel, ModelSource
from hakari.retrievers.onnx import Encoding
from hakari.retrievers.rerank import Pairs, Rescored
from hakari.retrievers.torch_asked import Asked
from hakari.retrievers.torch_encode import apply, batch_size
from hakari.retrievers.torch_heads import check_head
from hakari.retrievers.torch_model import PACKAGES, TokenCounter, load, one_thread, require_torch, running
from hakari.types import Task

DEFAULTS: Mapping[str, Any] = {"max_length": None, "dtype": None, "prompt": None, "label": 0}


class RerankSettings(LoadSettings, total=False):
    """How a model that reads a query and a document together is used."""

    prompt: str
    """What such models call an instruction; by default the model's own."""
    label: int
    """Which number of the output says how relevant a document is."""


class TorchPairs:
    """A CrossEncoder, whose scores are taken as they are, before anything squeezes them together."""

    def __init__(self, source: ModelSource, asked: Mapping[str, Any]) -> None:
        self.source, self.asked = source, dict(asked)
        self._model: Any = None

    def model(self) -> Any:
        """The model with its settings applied, loaded once."""
        if self._model is None:
            check_head("CrossEncoder", self.source)
            model = load("CrossEncoder", self.source, self.asked)
            apply(model, self.asked, self.source)
            label = self.asked.get("label", 0)
            if not 0 <= label < model.num_labels:
                told = (
                    f"`{self.source.spelling}` gives {model.num_labels} numbers a pair, and label is {label}"
                )
                raise UsageError(told, f"label counts from 0, to {model.num_labels - 1}")
            self._model = model
        return self._model

    def parameters(self) -> int | None:
        """How many numbers the model has, where it is loaded."""
        return None if self._model is None else sum(p.numel() for p in self._model.parameters())


class PairEncoder:
    """A pair, written as one text by `joined`, to its score: one at a time."""

    def __init__(self, pairs: TorchPairs) -> None:
        self.pairs = pairs
        self._model: Any = None
        self._counter: TokenCounter | None = None

    def settings(self) -> dict[str, Any]:
        """Everything that decides the score of a pair."""
        asked = {k: v for k, v in self.pairs.asked.items() if k != "batch_size"}
        return {**self.pairs.source.identity(), **asked, "texts": "pair"}

    def load(self) -> None:
        """Load the model and send a pair through, which sets what threads then only read."""
        self._model = self.pairs.model()
        self._counter = TokenCounter(self._model.tokenizer)
        with one_thread():
            self._scores([("", "")])

    def encode(self, text: str) -> Encoding:
        """The score of a pair, always the same whatever runs beside it."""
        if self._counter is None:
            self.load()
        start = time.perf_counter()
        pair = parted(text)
        with one_thread():
            (score,) = self._scores([pair])
        return self._encoding(score, pair, time.perf_counter() - start)

    def _scores(self, pairs: Sequence[tuple[str, str]], size: int = 1) -> Any:
        import torch

        prompt = self.pairs.asked.get("prompt")
        with running(self.pairs.source, self.pairs.asked):
            scores = self._model.predict(
                [list(pair) for pair in pairs],
                prompt=prompt,
                batch_size=size,
                show_progress_bar=False,
                activation_fn=torch.nn.Identity(),
            )
        scores = np.asarray(scores, np.float32)
        return scores[:, self.pairs.asked.get("label", 0)] if scores.ndim == 2 else scores

    def _encoding(self, score: Any, pair: tuple[str, str], seconds: float) -> Encoding:
        assert self._counter is not None
        (query, _), (document, _) = (self._counter.count(text, None) for text in pair)
        limit = self._model.max_seq_length
        whole = query + document
        cut = 0 if limit is None else max(0, whole + self._counter.added_to_pair - limit)
        return Encoding(np.array([score], np.float32), whole, min(cut, whole), seconds)


class BatchedPairEncoder(PairEncoder):
    """Many pairs at once, longest first; last bits then depend on who is in a batch."""

    def __init__(self, pairs: TorchPairs, size: int) -> None:
        super().__init__(pairs)
        self.size = size

    def settings(self) -> dict[str, Any]:
        """As one at a time, and the size of batches."""
        return {**super().settings(), "batch_size": self.size}

    def encode_many(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoding]]:
        """The scores of pairs."""
        self._model = self.pairs.model()
        self._counter = TokenCounter(self._model.tokenizer)
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for first in range(0, len(order), self.size):
            rows = order[first : first + self.size]
            start = time.perf_counter()
            some = [parted(texts[i]) for i in rows]
            scores = self._scores(some, self.size)
            seconds = (time.perf_counter() - start) / len(rows)
            for row, pair, score in zip(rows, some, scores, strict=True):
                yield row, self._encoding(score, pair, seconds)


class TorchReranker(PairReranker):
    """Scores pairs with a CrossEncoder of sentence-transformers."""

    packages = PACKAGES
    kept_for = PACKAGES

    def __init__(
        self, name: str, source: ModelSource, flags: Mapping[str, Any], entry: Mapping[str, Any] | None = None
    ) -> None:
        self.name = name
        self.asked = Asked(source, flags, entry or {}, DEFAULTS)
        self.pairs = TorchPairs(source, self.asked.values)

    def settings(self) -> dict[str, Any]:
        """What the model is, and what was asked of it; the rest is the model's own."""
        return self.asked.identity()

    def ready(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        require_torch(self.name)
        self.pairs.model()

    def encoder(self) -> PairEncoder | BatchedPairEncoder:
        """What scores pairs: one at a time, or in batches where that was chosen."""
        size = batch_size(self.asked.values, self.pairs.model)
        return PairEncoder(self.pairs) if size == 1 else BatchedPairEncoder(self.pairs, size)

    def parameters(self) -> int | None:
        """How many numbers the model has, where it is loaded."""
        return self.pairs.parameters()

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """Score every pair, in blocks that bound the memory of their texts."""
        rescored = super().rescore(task, pairs)
        return replace(rescored, facts={**rescored.facts, "settings": self.asked.told(task)})


def hub_reranker(name: str, **settings: Unpack[RerankSettings]) -> TorchReranker:
    """A cross-encoder of a hub, `org/name` or `org/name@revision`."""
    source = HubModel.of(name)
    spelling = spelled(f"rerank:{source.spelling}", settings, RerankSettings)
    return TorchReranker(spelling, source, settings, settings_of(source.repository, "rerank"))


def folder_reranker(path: str, **settings: Unpack[RerankSettings]) -> TorchReranker:
    """A folder with a cross-encoder."""
    source = LocalModel(path)
    return TorchReranker(spelled(f"rerank:{source.spelling}", settings, RerankSettings), source, settings)


def catalog_reranker(model: str, **settings: Unpack[RerankSettings]) -> TorchReranker:
    """A model of the catalog; what is given takes precedence over what the catalog says."""
    entry = hub_catalog()[model]
    asked = {key: value for key, value in settings.items() if entry.settings.get(key) != value}
    name = spelled(model, asked, RerankSettings)
    return TorchReranker(name, HubModel(entry.repository), asked, entry.settings)
