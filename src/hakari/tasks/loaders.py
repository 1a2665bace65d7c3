"""Tasks read from folders in one of the layouts that hakari knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hakari.errors import Fault
from hakari.io import beir, nano
from hakari.io.files import raise_faults
from hakari.io.parts import Parts
from hakari.tasks.assemble import Traits, build
from hakari.types import Task


@dataclass(frozen=True)
class Layout:
    """How one kind of folder holds tasks."""

    name: str
    matches: Callable[[Path], bool]
    splits: Callable[[Path, list[Fault]], list[str]]
    read: Callable[[Path, str, list[Fault]], Parts]


LAYOUTS = (
    Layout("beir", beir.is_beir, beir.splits_of, beir.read_beir),
    Layout("nano", nano.is_nano, nano.splits_of, nano.read_nano),
)


def layout_of(folder: Path) -> Layout | None:
    """The layout of a folder, or None where it has none that is known."""
    return next((layout for layout in LAYOUTS if layout.matches(folder)), None)


def splits_of(folder: Path, layout: Layout) -> list[str]:
    """The names of the tasks in a folder."""
    faults: list[Fault] = []
    splits = layout.splits(folder, faults)
    raise_faults(f"`{folder}`", faults)
    return splits


def load_split(folder: Path, split: str, layout: Layout) -> Task:
    """One task of a folder, with every fault of its files raised at once."""
    faults: list[Fault] = []
    parts = layout.read(folder, split, faults)
    stated = parts.metadata
    origins = {key: "metadata" for key in ("language", "category", "shape") if stated.get(key) is not None}
    traits = Traits(
        stated.get("language"),
        stated.get("category"),
        stated.get("shape"),
        bool(stated.get("exclude_self")),
        origins,
    )
    return build(parts, traits, faults)
