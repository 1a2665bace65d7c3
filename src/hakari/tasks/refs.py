"""Tasks that were found and are not loaded yet, and where those that are fetched or built are kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hakari.tasks.loaders import Layout, load_split
from hakari.tasks.traits import fill_traits
from hakari.types import Task


@dataclass(frozen=True)
class TaskRef:
    """A task that was found and is not loaded yet."""

    dataset: str
    split: str
    folder: Path
    layout: Layout

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return f"{self.dataset}/{self.split}"

    @property
    def origin(self) -> str:
        """Where it comes from; two tasks of one name and one origin are the same."""
        return os.path.abspath(self.folder)

    def here(self) -> Path:
        """The folder of the set with its files, fetched where that has to be."""
        return self.folder

    def load(self, language: str | None = None, category: str | None = None) -> Task:
        """The task with its traits filled in; the arguments count before what its files state."""
        return fill_traits(load_split(self.here(), self.split, self.layout), language, category)


def cache_folder() -> Path:
    """Where sets that are fetched or built are kept: `$HAKARI_CACHE`, else `hakari` in the user's own cache."""
    if chosen := os.environ.get("HAKARI_CACHE"):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "hakari"
