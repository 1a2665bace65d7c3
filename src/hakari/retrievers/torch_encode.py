"""Texts through a model of sentence-transformers, whatever it gives for them: one at a time, or in batches."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.retrievers.long_texts import TokenizerRuler
from hakari.retrievers.model_settings import NO_LIMIT, POOLINGS
from hakari.retrievers.model_source import ModelSource
from hakari.retrievers.models import json_in
from hakari.retrievers.onnx import Encoding
from hakari.retrievers.torch_heads import check_head
from hakari.retrievers.torch_model import (
    BATCH,
    PACKAGES,
    TokenCounter,
    load,
    on_cpu,
    one_thread,
    require_torch,
    running,
)

Role = Literal["query", "document"]
Vector = npt.NDArray[np.float32]
_OF_LOADING = ("dtype", "attention", "device", "trust_remote_code", "code_revision")
_NOT_OF_VECTORS = ("similarity", "batch_size")


class TorchTexts(ABC):
    """A model that turns texts into numbers, loaded when the first text is encoded."""

    kind: ClassVar[str]
    """Its class in sentence-transformers."""
    packages: Sequence[str] = PACKAGES

    def __init__(self, source: ModelSource, asked: Mapping[str, Any]) -> None:
        self.source = source
        self.asked = dict(asked)
        """Settings from flags and the catalog, without prompts: what differs from the model's own."""
        self.prompts: Mapping[str, str] = {"query": "", "document": ""}
        self._model: Any = None

    @abstractmethod
    def outputs(self, model: Any, texts: list[str], role: Role, options: Mapping[str, Any]) -> list[Vector]:
        """What the model gives for texts, each in one row of numbers."""

    def settings(self) -> dict[str, Any]:
        """The model by what it is."""
        return self.source.identity()

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.model()

    def model(self) -> Any:
        """The model with its settings applied, loaded once."""
        if self._model is None:
            require_torch(self.source.spelling)
            check_head(self.kind, self.source)
            model = load(self.kind, self.source, {k: self.asked.get(k) for k in _OF_LOADING})
            apply(model, self.asked, self.source)
            self._model = model
        return self._model

    def parameters(self) -> int | None:
        """How many numbers the model has, where it is loaded."""
        return None if self._model is None else sum(p.numel() for p in self._model.parameters())

    def encoder(self, role: Role) -> TorchEncoder | BatchedTorchEncoder:
        """What encodes queries or documents: one at a time, or in batches where that was chosen."""
        size = batch_size(self.asked, self.model)
        return TorchEncoder(self, role) if size == 1 else BatchedTorchEncoder(self, role, size)

    @property
    def routes(self) -> bool:
        """Whether queries and documents may go different ways through the model."""
        return routed(self.source)

    def more_settings(self, role: Role) -> dict[str, Any]:
        """What else decides what a text of this role gives."""
        return {}

    def limit(self, model: Any, role: Role) -> int | None:
        """Tokens of a query or a document that the model reads; None where there is no limit."""
        length = model.max_seq_length
        return None if length is None or length >= NO_LIMIT else int(length)


class TorchEncoder:
    """One text at a time: what a text gives depends on it alone, whatever its company and however many threads."""

    def __init__(self, texts: TorchTexts, role: Role) -> None:
        self.texts, self.role = texts, role
        self.prompt = texts.prompts[role]
        self._model: Any = None
        self._counter: TokenCounter | None = None

    def settings(self) -> dict[str, Any]:
        """Everything that decides what a text with its prompt in front gives."""
        asked = {k: v for k, v in self.texts.asked.items() if k not in _NOT_OF_VECTORS}
        role = {"role": self.role} if self.texts.routes else {}
        kind = {} if self.texts.kind == "SentenceTransformer" else {"texts": self.texts.kind}
        more = {**role, **kind, **self.texts.more_settings(self.role)}
        return {**self.texts.settings(), **asked, **more, "prompt_length": len(self.prompt)}

    def load(self) -> None:
        """Load the model and send a text through, which sets what threads then only read."""
        self._model = self.texts.model()
        self._counter = TokenCounter(self._model.tokenizer)
        with one_thread():
            self._outputs([self.prompt])

    def ruler(self) -> TokenizerRuler | None:
        """How tokens are counted; None where the tokenizer does not say where its tokens lie."""
        if self._counter is None:
            self.load()
        backend = getattr(self._model.tokenizer, "backend_tokenizer", None)
        limit = self.texts.limit(self._model, self.role) or NO_LIMIT
        return None if backend is None else TokenizerRuler(backend, limit)

    def encode(self, text: str) -> Encoding:
        """What a text gives, always the same whatever runs beside it."""
        if self._counter is None:
            self.load()
        start = time.perf_counter()
        with one_thread():
            (vector,) = self._outputs([text])
        return self._encoding(vector, text, start)

    def _encoding(self, vector: Vector, text: str, start: float) -> Encoding:
        assert self._counter is not None
        tokens, cut = self._counter.count(text, self.texts.limit(self._model, self.role))
        return Encoding(vector, tokens, cut, time.perf_counter() - start)

    def _outputs(self, texts: Sequence[str], size: int = 1) -> list[Vector]:
        # Prompts stand in front already; the model is told of them apart, for some do not pool over theirs.
        rest = [text.removeprefix(self.prompt) for text in texts]
        options = {"prompt": self.prompt, "batch_size": size, "show_progress_bar": False}
        with running(self.texts.source, self.texts.asked):
            return self.texts.outputs(self._model, rest, self.role, options)


class BatchedTorchEncoder(TorchEncoder):
    """Many texts at once, as a graphics card needs it; last bits then depend on who is in a batch."""

    def __init__(self, texts: TorchTexts, role: Role, size: int) -> None:
        super().__init__(texts, role)
        self.size = size

    def settings(self) -> dict[str, Any]:
        """As one at a time, and the size of batches."""
        return {**super().settings(), "batch_size": self.size}

    def encode_many(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoding]]:
        """What texts give, longest first so that nothing is spent on padding."""
        self._model = self.texts.model()
        self._counter = TokenCounter(self._model.tokenizer)
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for first in range(0, len(order), self.size):
            rows = order[first : first + self.size]
            start = time.perf_counter()
            vectors = self._outputs([texts[i] for i in rows], self.size)
            seconds = (time.perf_counter() - start) / len(rows)
            for row, vector in zip(rows, vectors, strict=True):
                yield row, self._encoding(vector, texts[row], time.perf_counter())._replace(seconds=seconds)


def batch_size(asked: Mapping[str, Any], model: Any) -> int:
    """Texts at a time: as asked, else one on a processor and more on a card; `model` gives the model."""
    size = asked.get("batch_size")
    if size is None and asked.get("device", "cpu") == "cpu" and not _has_card():
        return 1
    if size is None:
        size = 1 if on_cpu(model()) else BATCH
    return int(size)


def routed(source: ModelSource) -> bool:
    """Whether queries and documents may go different ways through a model, or be cut differently."""
    modules = json_in(source.folder() / "modules.json")
    listed = [m for m in modules if isinstance(m, dict)] if isinstance(modules, list) else []
    return any(str(m.get("type", "")).endswith((".Router", ".Asym")) for m in listed)


def apply(model: Any, asked: Mapping[str, Any], source: ModelSource) -> None:
    """Put what was asked for in place of the model's own."""
    if asked.get("max_length") is not None:
        model.max_seq_length = asked["max_length"]
    kinds = {name: type(module).__name__ for name, module in model.named_children()}
    if asked.get("pooling") is not None:
        places = [name for name, kind in kinds.items() if kind == "Pooling"]
        if not places:
            told = f"`{source.spelling}` pools no tokens, so it has no setting pooling"
            raise UsageError(told, "leave pooling out")
        model.get_submodule(places[0]).pooling_mode = POOLINGS[asked["pooling"]]
    if asked.get("normalise") is False:
        for name in [name for name, kind in kinds.items() if kind == "Normalize"]:
            delattr(model, name)


def _has_card() -> bool:
    """Whether torch would choose something other than the processor."""
    from sentence_transformers.util import get_device_name

    return bool(get_device_name() != "cpu")
