"""Late interaction with models of sentence-transformers: `late:hf:org/name@revision`, `late:st:PATH`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from hakari.retrievers.base import Retrieved
from hakari.retrievers.hub_catalog import hub_catalog, settings_of
from hakari.retrievers.late import LateInteraction
from hakari.retrievers.late_pass import packed
from hakari.retrievers.model_settings import CATALOG, FLAG, PromptSettings, spelled
from hakari.retrievers.model_source import HubModel, LocalModel, ModelSource
from hakari.retrievers.rerank import Pairs, Rescored
from hakari.retrievers.torch_asked import OF_TASK, Asked
from hakari.retrievers.torch_encode import BatchedTorchEncoder, Role, TorchEncoder, TorchTexts, Vector
from hakari.retrievers.torch_heads import has_projection, trained_as
from hakari.retrievers.torch_model import PACKAGES, require_torch
from hakari.types import Run, Task

DEFAULTS: Mapping[str, Any] = {
    "query_prompt": None,
    "document_prompt": None,
    "max_length": None,
    "dtype": None,
}


class TorchTokens(TorchTexts):
    """A MultiVectorEncoder: a text is a vector a token.

    A model that was trained to give one vector a text has no projection of tokens. Its token vectors are then
    taken as they are, where the library would put a random projection in between.
    """

    kind = "MultiVectorEncoder"
    routes = True
    asked_prompts: Sequence[str] = ()
    """The roles whose prompt was asked for; the others have the model's own, which may be special tokens."""

    @property
    def projected(self) -> bool:
        """Whether the model brings a projection of its tokens."""
        folder = self.source.folder()
        return trained_as(self.kind, folder) or has_projection(folder)

    def model(self) -> Any:
        """The model with its settings applied, loaded once."""
        if self._model is None:
            model = super().model()
            if not self.projected:
                for name, module in list(model.named_children()):
                    if type(module).__name__ == "Dense":
                        delattr(model, name)
            if self.asked.get("max_length") is not None and hasattr(model[0], "document_length"):
                model[0].document_length = self.asked["max_length"]
        return self._model

    def more_settings(self, role: Role) -> dict[str, Any]:
        """Whether the model puts its own prompt in front."""
        return {"own_prompt": role not in self.asked_prompts}

    def limit(self, model: Any, role: Role) -> int | None:
        """Tokens of a query or a document that the model reads."""
        own = getattr(model[0], f"{role}_length", None)
        return int(own) if own is not None else super().limit(model, role)

    def outputs(self, model: Any, texts: list[str], role: Role, options: Mapping[str, Any]) -> list[Vector]:
        """The token vectors of texts, packed."""
        encode = model.encode_query if role == "query" else model.encode_document
        given = {k: v for k, v in options.items() if k != "prompt" or role in self.asked_prompts}
        return [packed(np.asarray(v, np.float32)) for v in encode(texts, convert_to_numpy=True, **given)]


class TorchLate(LateInteraction):
    """Ranks by MaxSim over the token vectors of a model of sentence-transformers."""

    packages = PACKAGES
    kept_for = PACKAGES

    def __init__(
        self, name: str, source: ModelSource, flags: Mapping[str, Any], entry: Mapping[str, Any] | None = None
    ) -> None:
        self.name = name
        self.asked = Asked(source, flags, entry or {}, DEFAULTS)
        self.tokens = TorchTokens(source, self.asked.of_model)

    def settings(self) -> dict[str, Any]:
        """What the model is, and what was asked of it; the rest is the model's own."""
        return self.asked.identity()

    def settings_for(self, task: Task) -> dict[str, Any]:
        """The prompts that a file names for the task."""
        return dict(self.asked.for_task(task))

    def ready(self) -> None:
        """Raise where the weights or the packages that run them are missing or corrupt."""
        require_torch(self.name)
        self.tokens.model()

    def encoder(self, role: Role) -> TorchEncoder | BatchedTorchEncoder:
        """What turns queries or documents into vectors."""
        return self.tokens.encoder(role)

    def prompts(self, task: Task) -> Mapping[str, str]:
        """What was asked for; the model puts its own in front itself."""
        told = self.asked.told(task)
        named = {role: told.get(f"{role}_prompt", {}) for role in ("query", "document")}
        asked = {role: p["value"] for role, p in named.items() if p.get("from") in (FLAG, CATALOG, OF_TASK)}
        self.tokens.asked_prompts = tuple(asked)
        self.tokens.prompts = {role: asked.get(role, "") for role in named}
        return self.tokens.prompts

    def parameters(self) -> int | None:
        """How many numbers the model has, where it is loaded."""
        return self.tokens.parameters()

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by all vectors and by each of these variants, all from one encoding."""
        retrieved = super().retrieve_variants(task, depth, variants, parts)
        return replace(retrieved, facts={**retrieved.facts, **self._told(task)})

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """The MaxSim of every pair."""
        rescored = super().rescore(task, pairs)
        return replace(rescored, facts={**rescored.facts, **self._told(task)})

    def _told(self, task: Task) -> dict[str, Any]:
        return {"settings": self.asked.told(task), "tokens_projected": self.tokens.projected}


def hub_late(name: str, **settings: Unpack[PromptSettings]) -> TorchLate:
    """A late-interaction model of a hub, `org/name` or `org/name@revision`."""
    source = HubModel.of(name)
    spelling = spelled(f"late:{source.spelling}", settings, PromptSettings)
    return TorchLate(spelling, source, settings, settings_of(source.repository, "late"))


def folder_late(path: str, **settings: Unpack[PromptSettings]) -> TorchLate:
    """A folder with a late-interaction model."""
    source = LocalModel(path)
    return TorchLate(spelled(f"late:{source.spelling}", settings, PromptSettings), source, settings)


def catalog_late(model: str, **settings: Unpack[PromptSettings]) -> TorchLate:
    """A model of the catalog; what is given takes precedence over what the catalog says."""
    entry = hub_catalog()[model]
    asked = {key: value for key, value in settings.items() if entry.settings.get(key) != value}
    name = spelled(model, asked, PromptSettings)
    return TorchLate(name, HubModel(entry.repository), asked, entry.settings)
