"""Learned sparse retrieval with models of sentence-transformers: `sparse:hf:org/name@revision`, `sparse:st:PATH`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from hakari.errors import UsageError
from hakari.retrievers.base import Retrieved
from hakari.retrievers.hub_catalog import hub_catalog, settings_of
from hakari.retrievers.model_settings import PromptSettings, spelled
from hakari.retrievers.model_source import HubModel, LocalModel, ModelSource
from hakari.retrievers.sparse import Sparse, packed
from hakari.retrievers.torch_asked import Asked
from hakari.retrievers.torch_encode import BatchedTorchEncoder, Role, TorchEncoder, TorchTexts, Vector
from hakari.retrievers.torch_model import PACKAGES, require_torch
from hakari.types import Run, Task

DEFAULTS: Mapping[str, Any] = {
    "query_prompt": "",
    "document_prompt": "",
    "similarity": "dot",
    "max_length": None,
    "dtype": None,
}


class SparseSettings(PromptSettings, total=False):
    """How a model that gives a text the weights of words is used."""

    similarity: Literal["dot", "cosine"]


class TorchWeights(TorchTexts):
    """A SparseEncoder: a text is the weights of some words of a vocabulary."""

    kind = "SparseEncoder"

    def outputs(self, model: Any, texts: list[str], role: Role, options: Mapping[str, Any]) -> list[Vector]:
        """The weights of texts, packed."""
        encode = model.encode_query if role == "query" else model.encode_document
        given = {
            "convert_to_sparse_tensor": False,
            "convert_to_tensor": False,
            "save_to_cpu": True,
            **options,
        }
        return [packed(weights.float().numpy()) for weights in encode(texts, **given)]


class TorchSparse(Sparse):
    """Ranks by products of the weights that a model of sentence-transformers gives."""

    packages = PACKAGES

    def __init__(
        self, name: str, source: ModelSource, flags: Mapping[str, Any], entry: Mapping[str, Any] | None = None
    ) -> None:
        self.name = name
        self.asked = Asked(source, flags, entry or {}, DEFAULTS)
        self.weights = TorchWeights(source, self.asked.of_model)

    def settings(self) -> dict[str, Any]:
        """What the model is, and what was asked of it; the rest is the model's own."""
        return self.asked.identity()

    def settings_for(self, task: Task) -> dict[str, Any]:
        """The prompts that a file names for the task."""
        return dict(self.asked.for_task(task))

    def require(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt, or settings do not fit."""
        require_torch(self.name)
        self.cosine()
        self.weights.require()

    def cosine(self) -> bool:
        """Whether rows of weights are brought to length one."""
        similarity = self.asked.resolved().values["similarity"]
        if similarity not in ("dot", "cosine"):
            told = f"`{self.name}` compares weights by `{similarity}`, which is not supported"
            raise UsageError(told, "choose with similarity=dot or similarity=cosine")
        return bool(similarity == "cosine")

    def encoder(self, role: Role) -> TorchEncoder | BatchedTorchEncoder:
        """What turns queries or documents into weights."""
        return self.weights.encoder(role)

    def prompts(self, task: Task) -> Mapping[str, str]:
        """What is put in front of queries and documents."""
        self.weights.prompts = self.asked.prompts(task)
        return self.weights.prompts

    def parameters(self) -> int | None:
        """How many numbers the model has, where it is loaded."""
        return self.weights.parameters()

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by all weights and by each of these variants, all from one encoding."""
        retrieved = super().retrieve_variants(task, depth, variants, parts)
        return replace(retrieved, facts={**retrieved.facts, "settings": self.asked.told(task)})


def hub_sparse(name: str, **settings: Unpack[SparseSettings]) -> TorchSparse:
    """A sparse encoder of a hub, `org/name` or `org/name@revision`."""
    source = HubModel.of(name)
    spelling = spelled(f"sparse:{source.spelling}", settings, SparseSettings)
    return TorchSparse(spelling, source, settings, settings_of(source.repository, "sparse"))


def folder_sparse(path: str, **settings: Unpack[SparseSettings]) -> TorchSparse:
    """A folder with a sparse encoder."""
    source = LocalModel(path)
    return TorchSparse(spelled(f"sparse:{source.spelling}", settings, SparseSettings), source, settings)


def catalog_sparse(model: str, **settings: Unpack[SparseSettings]) -> TorchSparse:
    """A model of the catalog; what is given takes precedence over what the catalog says."""
    entry = hub_catalog()[model]
    asked = {key: value for key, value in settings.items() if entry.settings.get(key) != value}
    name = spelled(model, asked, SparseSettings)
    return TorchSparse(name, HubModel(entry.repository), asked, entry.settings)
