"""Whether a model was trained for what is asked of it.

Where the last layer that a family needs is not among the weights, sentence-transformers makes one up at random, to
be trained. Scores of such a model mean nothing, so it is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.retrievers.model_source import ModelSource
from hakari.retrievers.models import json_in, object_in

_ARCHITECTURES = {
    "CrossEncoder": ("ForSequenceClassification", "ForCausalLM"),
    "SparseEncoder": ("ForMaskedLM",),
    "MultiVectorEncoder": ("HF_ColBERT", "ForRetrieval"),
}
_OWN_TYPES = {"MultiVectorEncoder": ("MultiVectorEncoder", "ColBERT")}
_SPARSE_MODULES = ("SpladePooling", "SparseAutoEncoder", "SparseStaticEmbedding", "MLMTransformer")
_TOLD = {
    "CrossEncoder": ("no reranker: it gives a pair no score", "name a cross-encoder"),
    "SparseEncoder": (
        "no sparse encoder: it gives words no weights",
        "name a SPLADE model or one of its kind",
    ),
}


def check_head(kind: str, source: ModelSource) -> None:
    """Raise where the scores of a model would be random."""
    if kind in _TOLD and not trained_as(kind, source.folder()):
        told, hint = _TOLD[kind]
        raise UsageError(f"`{source.spelling}` is {told}", hint)


def trained_as(kind: str, folder: Path) -> bool:
    """Whether the files of a model say that it is of this kind of sentence-transformers."""
    settings = object_in(folder / "config_sentence_transformers.json")
    if settings.get("model_type") in _OWN_TYPES.get(kind, (kind,)):
        return True
    modules = json_in(folder / "modules.json")
    if isinstance(modules, list):
        kinds = [_name(module) for module in modules]
        return kind == "SparseEncoder" and any(name in _SPARSE_MODULES for name in kinds)
    named = object_in(folder / "config.json").get("architectures") or []
    return any(str(name).endswith(_ARCHITECTURES[kind]) for name in named)


def has_projection(folder: Path) -> bool:
    """Whether a model of one vector a text has a last layer of its own, which can serve token by token."""
    modules = json_in(folder / "modules.json")
    return isinstance(modules, list) and any(_name(module) == "Dense" for module in modules)


def _name(module: Any) -> str:
    return str(module.get("type", "") if isinstance(module, dict) else "").rpartition(".")[2]
