"""How a model is used, and who said so: flags, then the catalog, then the model's own files, then defaults.

What each family can be told is a TypedDict here. Its keys are the names of settings, everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypedDict, get_type_hints

from hakari.errors import UsageError, nearest
from hakari.retrievers.models import POOLINGS as ONNX_POOLINGS
from hakari.retrievers.models import SIMILARITIES, Usage, json_in, object_in
from hakari.retrievers.spelling import spell

FLAG, CATALOG, MODEL, DEFAULT = "flag", "catalog", "model", "default"
ORDER = (FLAG, CATALOG, MODEL, DEFAULT)
"""Who comes first."""
PROMPT_OF_DOCUMENTS = ("document", "passage", "corpus")
"""What models call the prompt of documents."""
NO_LIMIT = 1_000_000
"""Lengths from here on mean that there is none: tokenizers write a huge number."""

DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""What files of weights call the types that a model may be run in."""
LONGEST_HEADER = 100_000_000
"""Bytes: what the format allows."""

Pooling = Literal["cls", "mean", "max", "last", "weighted-mean", "mean-sqrt-length"]
POOLINGS: Mapping[str, str] = {
    "cls": "cls",
    "mean": "mean",
    "max": "max",
    "last": "lasttoken",
    "weighted-mean": "weightedmean",
    "mean-sqrt-length": "mean_sqrt_len_tokens",
}
"""What sentence-transformers calls them."""


class LoadSettings(TypedDict, total=False):
    """How any model of torch is loaded and run."""

    max_length: int
    """Tokens that the model reads."""
    dtype: Literal["float32", "float16", "bfloat16"]
    attention: Literal["eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention"]
    device: str
    """Such as `cpu`, `cuda`, `cuda:1`, `mps`; by default a graphics card where there is one."""
    batch_size: int
    """Texts at a time: by default 1 on a CPU, so that a text has one vector, and 32 elsewhere."""
    trust_remote_code: bool
    """Run the code that comes with the model, whose revision must then be a commit."""
    code_revision: str
    """The commit of the repository that the code is in, where that is another one."""


class PromptSettings(LoadSettings, total=False):
    """What is put in front of texts."""

    query_prompt: str
    query_prompt_name: str
    """One of the model's own prompts, by its name."""
    document_prompt: str
    document_prompt_name: str
    prompts: str
    """A TOML file with prompts by task."""


class DenseSettings(PromptSettings, total=False):
    """How a model that gives a text one vector is used."""

    pooling: Pooling
    normalise: bool
    similarity: Literal["cosine", "dot"]


@dataclass(frozen=True)
class Resolved:
    """The settings in effect, and who said each."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]

    def told(self) -> dict[str, Any]:
        """For the manifest: each setting with its value and its origin."""
        return {key: {"value": self.values[key], "from": self.origins[key]} for key in sorted(self.values)}


def spelled(head: str, settings: Mapping[str, Any], kind: type) -> str:
    """The spelling of a model with its settings in the order in which their kind lists them."""
    return spell(head, keywords={key: settings[key] for key in get_type_hints(kind) if key in settings})


def check_numbers(settings: Mapping[str, Any]) -> None:
    """Raise where a number that has to be positive is not."""
    for key, usual in {"max_length": 512, "batch_size": 8}.items():
        if settings.get(key) is not None and settings[key] < 1:
            raise UsageError(f"{key} must be at least 1, not {settings[key]}", f"{key}={usual}")


def resolve(layers: Mapping[str, Mapping[str, Any]]) -> Resolved:
    """Each setting from the first layer that states it; `layers` by origin."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin in ORDER:
        for key, value in layers.get(origin, {}).items():
            if key not in values and value is not None:
                values[key], origins[key] = value, origin
    return Resolved(values, origins)


def with_prompts(layer: Mapping[str, Any], own: Mapping[str, str], model: str) -> dict[str, Any]:
    """A layer with the names of prompts replaced by the prompts that the model has under them."""
    named = dict(layer)
    for role in ("query", "document"):
        name = named.pop(f"{role}_prompt_name", None)
        if name is None:
            continue
        if named.get(f"{role}_prompt") is not None:
            raise UsageError(
                f"`{model}` is given both {role}_prompt and {role}_prompt_name", "give it one of them"
            )
        if not own:
            raise UsageError(
                f"`{model}` has no prompts of its own, so none is called `{name}`", f"{role}_prompt=TEXT"
            )
        if name not in own:
            near = nearest(name, own) or sorted(own)[:8]
            hint = f"{role}_prompt_name={' or '.join(near)}"
            raise UsageError(f"`{model}` has no prompt called `{name}`", hint)
        named[f"{role}_prompt"] = own[name]
    return named


def own_prompts(folder: Path) -> dict[str, str]:
    """The prompts that a model's own files name."""
    prompts = object_in(folder / "config_sentence_transformers.json").get("prompts")
    return {str(k): v for k, v in prompts.items() if isinstance(v, str)} if isinstance(prompts, dict) else {}


def own_settings(folder: Path) -> dict[str, Any]:
    """What a model's own files say of how it is used; what they do not state is left out."""
    stated: dict[str, Any] = {}
    prompts = own_prompts(folder)
    if "query" in prompts:
        stated["query_prompt"] = prompts["query"]
    for name in PROMPT_OF_DOCUMENTS:
        if name in prompts:
            stated.setdefault("document_prompt", prompts[name])
    config = object_in(folder / "config_sentence_transformers.json")
    if config.get("default_prompt_name") in prompts:
        stated["prompt"] = prompts[config["default_prompt_name"]]
    if config.get("similarity_fn_name") is not None:
        stated["similarity"] = config["similarity_fn_name"]
    modules = json_in(folder / "modules.json")
    if isinstance(modules, list):
        listed = [m for m in modules if isinstance(m, dict)]
        kinds = {str(m.get("type", "")).rpartition(".")[2]: str(m.get("path", "")) for m in listed}
        stated["normalise"] = "Normalize" in kinds
        if "Pooling" in kinds and (pooling := _pooling(folder / kinds["Pooling"] / "config.json")):
            stated["pooling"] = pooling
        inner = folder / next((path for kind, path in kinds.items() if kind.endswith("Transformer")), "")
    else:
        inner = folder
    length = _length(folder, inner)
    if length is not None:
        stated["max_length"] = length
    architecture = object_in(inner / "config.json") or object_in(folder / "config.json")
    dtype = architecture.get("dtype", architecture.get("torch_dtype")) or _dtype_of_weights(inner)
    if dtype in DTYPES.values():
        stated["dtype"] = dtype
    return stated


def usage_in(folder: Path, given: Mapping[str, Any]) -> Usage:
    """How an ONNX model in a folder is to be used, as its own files say; the rest keeps its default.

    What they say and hakari has not for such models is refused, unless something else is given for it.
    """
    own = own_settings(folder)
    own.setdefault("pooling", _pooling(folder / "1_Pooling" / "config.json"))
    for key, choices in (("pooling", ONNX_POOLINGS), ("similarity", SIMILARITIES)):
        if given.get(key) is not None and own.get(key) not in choices:
            own.pop(key, None)
    stated = {field.name: own[field.name] for field in fields(Usage) if own.get(field.name) is not None}
    return Usage(**stated)


def _dtype_of_weights(folder: Path) -> str | None:
    """What the first weights are kept in that are no whole numbers, which is then what they are read as."""
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as handle:
            length = int.from_bytes(handle.read(8), "little")
            try:
                header = json.loads(handle.read(min(length, LONGEST_HEADER)))
            except ValueError:
                return None  # damaged, which loading it will tell
        kinds = [tensor.get("dtype") for name, tensor in header.items() if name != "__metadata__"]
        return next((DTYPES[kind] for kind in kinds if kind in DTYPES), None)
    return None


def _pooling(path: Path) -> str | None:
    config = object_in(path)
    mode = config.get("pooling_mode")
    ours = {theirs: name for name, theirs in POOLINGS.items()}
    if isinstance(mode, str):
        return ours.get(mode, mode)
    legacy = {
        "pooling_mode_cls_token": "cls",
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_max_tokens": "max",
        "pooling_mode_lasttoken": "last",
        "pooling_mode_weightedmean_tokens": "weighted-mean",
        "pooling_mode_mean_sqrt_len_tokens": "mean-sqrt-length",
    }
    modes = [name for key, name in legacy.items() if config.get(key) is True]
    return "+".join(modes) or None


def _length(folder: Path, inner: Path) -> int | None:
    stated = [
        object_in(inner / "sentence_bert_config.json").get("max_seq_length"),
        (object_in(inner / "tokenizer_config.json") or object_in(folder / "tokenizer_config.json")).get(
            "model_max_length"
        ),
    ]
    positions = positions_in(inner)
    lengths = [int(n) for n in stated if isinstance(n, int | float) and 0 < n < NO_LIMIT]
    if not lengths:
        return positions
    first = lengths[0]
    return first if stated[0] is not None or positions is None else min(first, positions)


def positions_in(folder: Path) -> int | None:
    """For how many tokens an architecture says that it has positions."""
    positions = object_in(folder / "config.json").get("max_position_embeddings")
    return positions if isinstance(positions, int) and positions > 0 else None
