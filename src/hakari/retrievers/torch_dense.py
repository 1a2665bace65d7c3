"""Dense retrieval with any model of sentence-transformers: `hf:org/name@revision`, `st:PATH`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from hakari.errors import UsageError
from hakari.retrievers.base import Retrieved
from hakari.retrievers.dense import Dense
from hakari.retrievers.hub_catalog import hub_catalog, settings_of
from hakari.retrievers.long_texts import reads_long_texts
from hakari.retrievers.model_settings import DenseSettings, spelled
from hakari.retrievers.model_source import HubModel, LocalModel, ModelSource
from hakari.retrievers.onnx import unit
from hakari.retrievers.torch_asked import Asked
from hakari.retrievers.torch_encode import Role, TorchTexts, Vector
from hakari.retrievers.torch_model import require_torch
from hakari.types import Run, Task

DEFAULTS: Mapping[str, Any] = {
    "query_prompt": "",
    "document_prompt": "",
    "similarity": "cosine",
    "normalise": False,
    "pooling": None,
    "max_length": None,
    "dtype": None,
}
"""What a model may say, and what holds where nobody says anything."""
SIMILARITIES = ("cosine", "dot")


@dataclass(frozen=True)
class TorchUsage:
    """How vectors are made comparable: what `Dense` has to know."""

    query_prompt: str = ""
    document_prompt: str = ""
    similarity: str = "cosine"
    normalise: bool = False


class TorchEmbeddings(TorchTexts):
    """A SentenceTransformer: a text is one vector."""

    kind = "SentenceTransformer"

    def outputs(self, model: Any, texts: list[str], role: Role, options: Mapping[str, Any]) -> list[Vector]:
        """The vectors of texts."""
        encode = model.encode_query if role == "query" else model.encode_document
        vectors = np.asarray(encode(texts, **options), np.float32)
        return list(unit(vectors) if self.asked.get("normalise") else vectors)


class TorchDense(Dense):
    """A dense retriever whose settings come from flags, the catalog, and the model's own files, in this order."""

    def __init__(
        self, name: str, source: ModelSource, flags: Mapping[str, Any], entry: Mapping[str, Any] | None = None
    ) -> None:
        self.asked = Asked(source, flags, entry or {}, DEFAULTS)
        self.embeddings = TorchEmbeddings(source, self.asked.of_model)
        super().__init__(name, self.embeddings, TorchUsage())

    def settings(self) -> dict[str, Any]:
        """What the model is, and what was asked of it; the rest is the model's own."""
        return {**self.asked.identity(), **self.reading.settings()}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """The prompts that a file names for the task."""
        return dict(self.asked.for_task(task))

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt, or settings do not fit."""
        require_torch(self.name)
        self._compared()
        super().require()

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by `float` and by each of these variants, all from one encoding."""
        similarity, normalise = self._compared()
        prompts = self.asked.prompts(task)
        self.usage = TorchUsage(prompts["query"], prompts["document"], similarity, normalise)
        self.embeddings.prompts = prompts
        retrieved = super().retrieve_variants(task, depth, variants, parts)
        return replace(retrieved, facts={**retrieved.facts, "settings": self.asked.told(task)})

    def _compared(self) -> tuple[str, bool]:
        values = self.asked.resolved().values
        if values["similarity"] not in SIMILARITIES:
            raise UsageError(
                f"`{self.name}` compares vectors by `{values['similarity']}`, which is not supported",
                "choose with similarity=cosine or similarity=dot",
            )
        return values["similarity"], values["normalise"]


@reads_long_texts
def hub_dense(name: str, **settings: Unpack[DenseSettings]) -> TorchDense:
    """A model of a hub, `org/name` or `org/name@revision`."""
    source = HubModel.of(name)
    spelling = spelled(source.spelling, settings, DenseSettings)
    return TorchDense(spelling, source, settings, settings_of(source.repository, "dense"))


@reads_long_texts
def folder_dense(path: str, **settings: Unpack[DenseSettings]) -> TorchDense:
    """A folder that sentence-transformers or transformers wrote."""
    source = LocalModel(path)
    return TorchDense(spelled(source.spelling, settings, DenseSettings), source, settings)


@reads_long_texts
def catalog_dense(model: str, **settings: Unpack[DenseSettings]) -> TorchDense:
    """A model of the catalog; what is given takes precedence over what the catalog says."""
    entry = hub_catalog()[model]
    asked = {key: value for key, value in settings.items() if entry.settings.get(key) != value}
    name = spelled(model, asked, DenseSettings)
    return TorchDense(name, HubModel(entry.repository), asked, entry.settings)
