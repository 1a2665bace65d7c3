"""Where a model comes from: a folder of one's own, or a repository of a hub at a commit."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakari.errors import UsageError, nearest
from hakari.io import hub_models
from hakari.retrievers.hub_catalog import hub_catalog
from hakari.retrievers.models import sha256_of

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_NO_PART = re.compile(
    r"(^|/)(\.|README|LICENSE|onnx/|openvino/)|\.(md|png|jpg|onnx|bin|h5|msgpack)$", re.IGNORECASE
)
"""Files that have no say in what a model computes here."""


class ModelSource(ABC):
    """A model by what it is: its identity is known before its weights are there."""

    spelling: str
    """As the user writes it, after the family: `hf:org/name@revision`, `st:path/to/model`."""

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """What the model is, wherever it lies: part of the key of its results."""

    @abstractmethod
    def folder(self) -> Path:
        """The folder with its files, fetched where need be."""

    @property
    @abstractmethod
    def pinned(self) -> bool:
        """Whether its code cannot change under the same spelling without being another result."""

    @abstractmethod
    def repair(self) -> str:
        """What to do where its files cannot be read."""


class LocalModel(ModelSource):
    """A folder as sentence-transformers and transformers save it."""

    pinned = True

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        self.spelling = f"st:{Path(path).as_posix()}"

    def identity(self) -> dict[str, Any]:
        """A SHA-256 over the names and the content of its files."""
        files = {p.relative_to(self.path).as_posix(): p for p in self.folder().rglob("*") if p.is_file()}
        told = "".join(f"{sha256_of(files[n])} {n}\n" for n in sorted(files) if not _NO_PART.search(n))
        return {"model_sha256": hashlib.sha256(told.encode()).hexdigest()}

    def folder(self) -> Path:
        """The folder, if it holds a model."""
        if not self.path.is_dir():
            name = self.path.as_posix()
            hint = (
                f"for a model of a hub write `hf:{name}`" if _REPOSITORY.fullmatch(name) else "check the path"
            )
            raise UsageError(f"there is no folder `{name}`", hint)
        if not (self.path / "modules.json").is_file() and not (self.path / "config.json").is_file():
            raise UsageError(
                f"`{self.path.as_posix()}` holds no model: neither modules.json nor config.json is there",
                "name the folder that `model.save_pretrained(...)` wrote",
            )
        return self.path

    def repair(self) -> str:
        """Save it again."""
        return f"save the model again to `{self.path.as_posix()}`"


@dataclass
class HubModel(ModelSource):
    """A repository, by default at the newest commit of its main branch."""

    repository: str
    revision: str = hub_models.DEFAULT_REVISION
    _commit: str | None = field(default=None, init=False)
    _folder: Path | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not _REPOSITORY.fullmatch(self.repository):
            raise UsageError(
                f"`{self.repository}` is no name of a model on a hub",
                "write `hf:org/name`, or `st:PATH` for a folder",
            )
        named = "" if self.revision == hub_models.DEFAULT_REVISION else f"@{self.revision}"
        self.spelling = f"hf:{self.repository}{named}"

    @classmethod
    def of(cls, name: str) -> HubModel:
        """From `org/name` or `org/name@revision`."""
        repository, at, revision = name.partition("@")
        if at and not revision:
            raise UsageError(f"`hf:{name}` names no revision after `@`", f"write `hf:{repository}`")
        return cls(repository, revision or hub_models.DEFAULT_REVISION)

    @property
    def commit(self) -> str:
        """The commit that the revision stands for, asked once."""
        if self._commit is None:
            try:
                self._commit = hub_models.commit_of(self.repository, self.revision)
            except UsageError as error:
                near = nearest(self.repository, (entry.repository for entry in hub_catalog().values()), 1)
                if not near or near[0] == self.repository:
                    raise
                raise UsageError(error.message, f"did you mean `hf:{near[0]}`?") from error
        return self._commit

    def identity(self) -> dict[str, Any]:
        """The repository and the commit."""
        return {"repository": self.repository, "commit": self.commit}

    def folder(self) -> Path:
        """The files of the commit in the client's cache, fetched once."""
        if self._folder is None:
            self._folder = hub_models.snapshot(self.repository, self.commit)
        return self._folder

    @property
    def pinned(self) -> bool:
        """Whether the spelling names a commit."""
        return hub_models.COMMIT.fullmatch(self.revision) is not None

    def repair(self) -> str:
        """Fetch it again."""
        folder = "" if self._folder is None else f"remove `{self._folder}` and "
        return f"{folder}run the same command again, which fetches it anew"
