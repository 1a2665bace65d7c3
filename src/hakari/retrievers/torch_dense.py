"""Dense retrieval with any model of sentence-transformers: `hf:org/name@revision`, `st:PATH`."""

from __future__ import annotations

import fnmatch
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from hakari.errors import UsageError
from hakari.retrievers.base import Retrieved
from hakari.retrievers.dense import Dense, Role
from hakari.retrievers.long_texts import TokenizerRuler, reads_long_texts
from hakari.retrievers.model_settings import (
    CATALOG,
    DEFAULT,
    FLAG,
    MODEL,
    NO_LIMIT,
    POOLINGS,
    DenseSettings,
    Resolved,
    check_numbers,
    own_prompts,
    own_settings,
    resolve,
    spelled,
    with_prompts,
)
from hakari.retrievers.model_source import HubModel, LocalModel, ModelSource, json_in
from hakari.retrievers.onnx import Encoding, unit
from hakari.retrievers.torch_model import BATCH, PACKAGES, TokenCounter, check_trust, load, on_cpu, one_thread
from hakari.types import Run, Task

DEFAULTS = {"query_prompt": "", "document_prompt": "", "similarity": "cosine", "normalise": False}
SIMILARITIES = ("cosine", "dot")
_OF_LOADING = ("dtype", "attention", "device", "trust_remote_code", "code_revision")


@dataclass(frozen=True)
class TorchUsage:
    """How vectors are made comparable: what `Dense` has to know."""

    query_prompt: str = ""
    document_prompt: str = ""
    similarity: str = "cosine"
    normalise: bool = False


class TorchEmbeddings:
    """A SentenceTransformer, loaded when the first text is encoded."""

    packages: Sequence[str] = PACKAGES

    def __init__(self, source: ModelSource, asked: Mapping[str, Any]) -> None:
        self.source = source
        self.asked = dict(asked)
        """Settings from flags and the catalog, without prompts: what differs from the model's own."""
        self.prompts: Mapping[str, str] = {"query": "", "document": ""}
        self._model: Any = None

    def settings(self) -> dict[str, Any]:
        """The model by what it is."""
        return self.source.identity()

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        self.model()

    def model(self) -> Any:
        """The model with its settings applied, loaded once."""
        if self._model is None:
            model = load("SentenceTransformer", self.source, {k: self.asked.get(k) for k in _OF_LOADING})
            _apply(model, self.asked, self.source)
            self._model = model
        return self._model

    def parameters(self) -> int | None:
        """How many numbers the model has, where it is loaded."""
        return None if self._model is None else sum(p.numel() for p in self._model.parameters())

    def encoder(self, role: Role) -> TorchEncoder | BatchedTorchEncoder:
        """What turns queries or documents into vectors: one at a time, or in batches where that was chosen."""
        size = self.asked.get("batch_size")
        if size is None and self.asked.get("device", "cpu") == "cpu" and not _has_card():
            size = 1
        if size is None:
            size = 1 if on_cpu(self.model()) else BATCH
        return TorchEncoder(self, role) if size == 1 else BatchedTorchEncoder(self, role, size)

    @property
    def routes(self) -> bool:
        """Whether queries and documents may go different ways through the model."""
        modules = json_in(self.source.folder() / "modules.json")
        return isinstance(modules, list) and any(
            str(m.get("type", "")).endswith(("Router", "Asym")) for m in modules
        )


class TorchEncoder:
    """One text at a time: a text has one vector, whatever its company and however many threads."""

    def __init__(self, embeddings: TorchEmbeddings, role: Role) -> None:
        self.embeddings, self.role = embeddings, role
        self.prompt = embeddings.prompts[role]
        self._model: Any = None
        self._counter: TokenCounter | None = None

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vector of a text with its prompt in front."""
        asked = {k: v for k, v in self.embeddings.asked.items() if k not in ("similarity", "batch_size")}
        role = {"role": self.role} if self.embeddings.routes else {}
        return {**self.embeddings.settings(), **asked, **role, "prompt_length": len(self.prompt)}

    def load(self) -> None:
        """Load the model and send a text through, which sets what threads then only read."""
        self._model = self.embeddings.model()
        self._counter = TokenCounter(self._model.tokenizer)
        one_thread()
        self._vectors([self.prompt])

    def ruler(self) -> TokenizerRuler | None:
        """How tokens are counted; None where the tokenizer does not say where its tokens lie."""
        if self._counter is None:
            self.load()
        backend = getattr(self._model.tokenizer, "backend_tokenizer", None)
        return None if backend is None else TokenizerRuler(backend, self._model.max_seq_length or NO_LIMIT)

    def encode(self, text: str) -> Encoding:
        """The vector of a text, always the same whatever runs beside it."""
        if self._counter is None:
            self.load()
        one_thread()
        start = time.perf_counter()
        (vector,) = self._vectors([text])
        return self._encoding(vector, text, start)

    def _encoding(self, vector: Any, text: str, start: float) -> Encoding:
        assert self._counter is not None
        tokens, cut = self._counter.count(text, self._model.max_seq_length)
        return Encoding(vector, tokens, cut, time.perf_counter() - start)

    def _vectors(self, texts: Sequence[str], size: int = 1) -> Any:
        # Prompts stand in front already; the model is told of them apart, for some do not pool over theirs.
        rest = [text.removeprefix(self.prompt) for text in texts]
        encode = self._model.encode_query if self.role == "query" else self._model.encode_document
        vectors = encode(rest, prompt=self.prompt, batch_size=size, show_progress_bar=False)
        vectors = np.asarray(vectors, np.float32)
        return unit(vectors) if self.embeddings.asked.get("normalise") else vectors


class BatchedTorchEncoder(TorchEncoder):
    """Many texts at once, as a graphics card needs it; last bits then depend on who is in a batch."""

    def __init__(self, embeddings: TorchEmbeddings, role: Role, size: int) -> None:
        super().__init__(embeddings, role)
        self.size = size

    def settings(self) -> dict[str, Any]:
        """As one at a time, and the size of batches."""
        return {**super().settings(), "batch_size": self.size}

    def encode_many(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoding]]:
        """The vectors of texts, longest first so that nothing is spent on padding."""
        self._model = self.embeddings.model()
        self._counter = TokenCounter(self._model.tokenizer)
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for first in range(0, len(order), self.size):
            rows = order[first : first + self.size]
            start = time.perf_counter()
            vectors = self._vectors([texts[i] for i in rows], self.size)
            seconds = (time.perf_counter() - start) / len(rows)
            for row, vector in zip(rows, vectors, strict=True):
                yield row, self._encoding(vector, texts[row], time.perf_counter())._replace(seconds=seconds)


class TorchDense(Dense):
    """A dense retriever whose settings come from flags, the catalog, and the model's own files, in this order."""

    def __init__(
        self, name: str, source: ModelSource, flags: Mapping[str, Any], entry: Mapping[str, Any] | None = None
    ) -> None:
        self.flags, self.entry = dict(flags), dict(entry or {})
        asked = resolve({FLAG: self.flags, CATALOG: self.entry}).values
        self.asked = dict(asked)
        self.by_task = _prompts_by_task(self.asked.get("prompts"))
        check_numbers(self.asked)
        check_trust(source, self.asked)
        model = TorchEmbeddings(source, {k: v for k, v in asked.items() if "prompt" not in k})
        super().__init__(name, model, TorchUsage())
        self.source = source
        self._resolved: Resolved | None = None

    def settings(self) -> dict[str, Any]:
        """What the model is, and what was asked of it; the rest is the model's own."""
        asked = {k: v for k, v in self.asked.items() if k != "prompts"}
        return {**self.source.identity(), **asked, **self.reading.settings()}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """The prompts that a file names for the task."""
        return dict(self._prompts_for(task))

    def resolved(self) -> Resolved:
        """Every setting in effect and where it comes from; fetches the model where it is not there."""
        if self._resolved is None:
            folder = self.source.folder()
            own, name = own_prompts(folder), self.source.spelling
            layers = {
                FLAG: with_prompts(self.flags, own, name),
                CATALOG: with_prompts(self.entry, own, name),
                MODEL: own_settings(folder),
                DEFAULT: DEFAULTS,
            }
            resolved = resolve(layers)
            if resolved.values["similarity"] not in SIMILARITIES:
                raise UsageError(
                    f"`{name}` compares vectors by `{resolved.values['similarity']}`, which is not supported",
                    "choose with similarity=cosine or similarity=dot",
                )
            self._resolved = resolved
        return self._resolved

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt, or settings do not fit."""
        self.resolved()
        super().require()

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by `float` and by each of these variants, all from one encoding."""
        resolved = self.resolved()
        values, of_task = resolved.values, self._prompts_for(task)
        told = resolved.told() | {
            key: {"value": v, "from": "prompts of the task"} for key, v in of_task.items()
        }
        self.usage = TorchUsage(
            **{
                "query_prompt": values["query_prompt"],
                "document_prompt": values["document_prompt"],
                **of_task,
            },
            similarity=values["similarity"],
            normalise=values["normalise"],
        )
        assert isinstance(self.model, TorchEmbeddings)
        self.model.prompts = {"query": self.usage.query_prompt, "document": self.usage.document_prompt}
        retrieved = super().retrieve_variants(task, depth, variants, parts)
        return replace(retrieved, facts={**retrieved.facts, "settings": told})

    def _prompts_for(self, task: Task) -> dict[str, str]:
        for pattern, prompts in self.by_task.items():
            if fnmatch.fnmatchcase(task.name, pattern):
                return prompts
        return {}


@reads_long_texts
def hub_dense(name: str, **settings: Unpack[DenseSettings]) -> TorchDense:
    """A model of a hub, `org/name` or `org/name@revision`."""
    source = HubModel.of(name)
    return TorchDense(spelled(source.spelling, settings, DenseSettings), source, settings)


@reads_long_texts
def folder_dense(path: str, **settings: Unpack[DenseSettings]) -> TorchDense:
    """A folder that sentence-transformers or transformers wrote."""
    source = LocalModel(path)
    return TorchDense(spelled(source.spelling, settings, DenseSettings), source, settings)


def _apply(model: Any, asked: Mapping[str, Any], source: ModelSource) -> None:
    """Put what was asked for in place of the model's own."""
    if asked.get("max_length") is not None:
        model.max_seq_length = asked["max_length"]
    kinds = {name: type(module).__name__ for name, module in model.named_children()}
    if asked.get("pooling") is not None:
        places = [name for name, kind in kinds.items() if kind == "Pooling"]
        if not places:
            raise UsageError(
                f"`{source.spelling}` pools no tokens, so it has no setting pooling", "leave pooling out"
            )
        model.get_submodule(places[0]).pooling_mode = POOLINGS[asked["pooling"]]
    if asked.get("normalise") is False:
        for name in [name for name, kind in kinds.items() if kind == "Normalize"]:
            delattr(model, name)


def _prompts_by_task(path: str | None) -> dict[str, dict[str, str]]:
    """Prompts by pattern of the names of tasks, from a TOML file; the first that matches counts."""
    if path is None:
        return {}
    example = '["NanoCoIR/*"]\nquery = "Find code for this question: "'
    try:
        told = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"there is no file `{path}`", "prompts=FILE names a TOML file") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"`{path}` cannot be read: {error}", f"it looks like {example}") from error
    for pattern, prompts in told.items():
        if not isinstance(prompts, dict) or not prompts or not set(prompts) <= {"query", "document"}:
            raise UsageError(
                f"`{path}`: `{pattern}` does not hold `query` or `document`", f"it looks like {example}"
            )
        if not all(isinstance(text, str) for text in prompts.values()):
            raise UsageError(f"`{path}`: a prompt of `{pattern}` is no text", f"it looks like {example}")
    return {pattern: {f"{role}_prompt": text for role, text in p.items()} for pattern, p in told.items()}


def _has_card() -> bool:
    """Whether torch would choose something other than the processor."""
    from sentence_transformers.util import get_device_name

    return bool(get_device_name() != "cpu")
