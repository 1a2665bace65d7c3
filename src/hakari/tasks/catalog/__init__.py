"""The published tasks as data: `<suite>/<dataset>.jsonl` beside this file, one task a row.

Suite and data set are the names of folder and file, so that one set is found without reading the others. Adding a
task is adding a row.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ENDING = ".jsonl"
DOMAINS = "domains.toml"


@dataclass(frozen=True, eq=False)
class Entry:
    """A published task: its names, sizes, figures and sources, as published."""

    suite: str
    dataset: str
    row: Mapping[str, Any]

    @property
    def split(self) -> str:
        """The name within its data set."""
        return str(self.row["split"])

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return f"{self.dataset}/{self.split}"

    @property
    def hub_id(self) -> str:
        """The repository on the hub that holds it."""
        return str(self.row["hub_id"])

    @property
    def card(self) -> str:
        """The address of its data set's card."""
        return f"https://huggingface.co/datasets/{self.hub_id}"

    @property
    def language(self) -> str:
        """Its language code, or `multilingual`."""
        return str(self.row["language"])

    @property
    def category(self) -> str:
        """`code` or `natural_language`."""
        return str(self.row["category"])

    @property
    def shape(self) -> str | None:
        """What is searched with what, where that was published."""
        return self.row.get("shape")

    @property
    def domains(self) -> tuple[str, ...]:
        """What it is about: the domains that have it."""
        name = self.name
        return tuple(d for d, globs in domains().items() if any(fnmatchcase(name, glob) for glob in globs))

    @property
    def in_all(self) -> bool:
        """Whether the standard run has it."""
        return bool(self.row.get("in_all", True))

    @property
    def in_overall(self) -> bool:
        """Whether the Overall view counts it."""
        return bool(self.row.get("in_overall", True))

    @property
    def copy_of(self) -> tuple[str, ...]:
        """The tasks of the Overall view that it repeats, as far as sizes or names tell."""
        return tuple(self.row.get("copy_of", {}).get("tasks", ()))

    @property
    def counts(self) -> dict[str, int]:
        """How many queries, documents and positives it has."""
        return {key: int(self.row[key]) for key in ("queries", "documents", "positives")}

    def traits(self) -> dict[str, str]:
        """Language, category and shape, as far as they are known."""
        known = {"language": self.language, "category": self.category, "shape": self.shape}
        return {key: value for key, value in known.items() if value is not None}


@lru_cache(maxsize=1)
def domains() -> Mapping[str, list[str]]:
    """Globs over the names of the tasks of every domain."""
    return tomllib.loads((FOLDER / DOMAINS).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def datasets() -> Mapping[str, str]:
    """The suite of every data set, by the name of the set; no file is opened for it."""
    found = {}
    for suite in sorted(os.listdir(FOLDER)):
        if not os.path.isdir(FOLDER / suite):
            continue
        for name in sorted(os.listdir(FOLDER / suite)):
            if name.endswith(ENDING):
                found[name.removesuffix(ENDING)] = suite
    return found


@lru_cache
def of_dataset(dataset: str) -> tuple[Entry, ...]:
    """The tasks of one data set; none where it is not in the catalog."""
    suite = datasets().get(dataset)
    if suite is None:
        return ()
    lines = (FOLDER / suite / f"{dataset}{ENDING}").read_bytes().splitlines()
    return tuple(Entry(suite, dataset, json.loads(line)) for line in lines)


def entries() -> list[Entry]:
    """All published tasks, by data set and split."""
    return [entry for dataset in sorted(datasets()) for entry in of_dataset(dataset)]


def find(name: str) -> Entry | None:
    """The published task of a name `dataset/split`."""
    dataset, _, split = name.partition("/")
    return next((entry for entry in of_dataset(dataset) if entry.split == split), None)


def traits_of(name: str) -> Mapping[str, str]:
    """Language, category and shape that the catalog knows of a task; empty where it does not know it."""
    entry = find(name)
    return {} if entry is None else entry.traits()
