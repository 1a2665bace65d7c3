"""What the site is about: tasks, what is known of each, and the systems that have results for them.

`Reading` knows names only. Texts and values of a task are read when it is opened, one task after the other, so
that hundreds of tasks and systems fit in little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.store import bulk, files
from hakari.store.imported import Imported
from hakari.tasks.catalog import Entry
from hakari.tasks.statistics import Statistics, statistics
from hakari.tasks.training_audits import TrainedOn
from hakari.types import Ids, Run, Task

MEASURES = ("nDCG@10", "hit@10", "R@100", "RR@10", "AP@100", "P@10")
"""What the site reads of results: the measures that they keep."""
BASE = "float"


@dataclass(frozen=True, order=True)
class System:
    """One retriever in one variant, with one set of settings."""

    retriever: str
    variant: str
    key: str
    """The first eight digits of the hash of all its settings."""
    family: str = field(compare=False, default="")
    label: str = field(compare=False, default="")
    """What a reader calls it; unique in a site."""

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, eq=False)
class Listed:
    """A task by name: whether its texts are at hand, what is published of it, and where its results lie."""

    name: str
    suite: str
    entry: Entry | None = None
    load: Callable[[], Task] | None = None
    """Reads its texts; None where they are not on this machine."""
    results: tuple[Path, ...] = ()

    @property
    def dataset(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    @property
    def split(self) -> str:
        """The name within its data set."""
        return self.name.partition("/")[2]


@dataclass(frozen=True, eq=False)
class Opened:
    """A task with all that there is of it. Systems are in the order of their names, queries in that of their ids."""

    listed: Listed
    task: Task | None
    query_ids: Ids
    systems: tuple[System, ...]
    values: Mapping[str, npt.NDArray[np.float64]]
    """By measure an array (systems, queries); NaN where the rankings of a system are too shallow for it."""
    stored: tuple[files.Stored, ...]
    """The result of each system; those of one file are the same object."""
    left_out: tuple[files.Stored, ...]
    """Results that are there for other content under the same name."""
    _runs: dict[tuple[Path, str], Run] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return self.listed.name

    @property
    def entry(self) -> Entry | None:
        """What is published of it."""
        return self.listed.entry

    @cached_property
    def facts(self) -> Statistics | None:
        """The numbers that describe its texts, where they are at hand."""
        return None if self.task is None else statistics(self.task)

    @cached_property
    def traits(self) -> dict[str, str | None]:
        """Language, category and shape: of the task, of its results, or as published."""
        told: dict[str, str | None] = {}
        for trait in ("language", "category", "shape"):
            given = [getattr(self.task, trait, None), *(s.manifest.get(trait) for s in self.stored[:1])]
            given.append(getattr(self.entry, trait, None))
            told[trait] = next((str(value) for value in given if value), None)
        return told

    def row(self, system: System) -> int:
        """The place of a system among those of the task."""
        return self._rows[system]

    @cached_property
    def _rows(self) -> dict[System, int]:
        return {system: row for row, system in enumerate(self.systems)}

    def mean(self, system: System, measure: str) -> float:
        """The mean over queries; NaN where the rankings are too shallow."""
        return float(self.values[measure][self.row(system)].mean())

    def tops(self, systems: Sequence[System], depth: int) -> dict[System, bulk.Tops]:
        """The first documents of some systems, all read together; whole rankings would take far longer."""
        stored = {self.stored[self.row(s)].path: self.stored[self.row(s)] for s in systems}
        found = bulk.read_tops(list(stored.values()), sorted({s.variant for s in systems}), depth)
        return {s: found[self.stored[self.row(s)].path, s.variant] for s in systems}

    def run(self, system: System) -> Run:
        """The rankings of a system, kept once they were read."""
        stored = self.stored[self.row(system)]
        key = stored.path, system.variant
        if key not in self._runs:
            documents = None if self.task is None else self.task.corpus.ids
            for variant, found in files.read_variants(stored, documents).items():
                self._runs[stored.path, variant] = found.run
        return self._runs[key]


@dataclass(frozen=True, eq=False)
class Reading:
    """All that a site is made of."""

    tasks: tuple[Listed, ...]
    """By name."""
    systems: tuple[System, ...]
    """All systems, by name."""
    manifests: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """By retriever and key of the settings the manifest of one of its results."""
    licences: Mapping[str, str] = field(default_factory=dict)
    """By the name of a model its licence, as far as that is known."""
    trained_on: Mapping[str, TrainedOn] = field(default_factory=dict)
    imported: tuple[Imported, ...] = ()
    """Figures of others, by source; they have no values by query and are never mixed with what was measured."""
    """By the spelling of a retriever what it was trained on, as far as that is known."""

    @cached_property
    def counts(self) -> dict[System, int]:
        """How many files of results each system that is no variant has, as far as paths tell it."""
        files_of: dict[str, int] = {}
        for path in (path for listed in self.tasks for path in listed.results):
            key = path.parent.parent.name.rpartition("-")[2]
            files_of[key] = files_of.get(key, 0) + 1
        return {s: files_of.get(s.key, 0) for s in self.systems if s.variant == BASE}

    @cached_property
    def _by_key(self) -> dict[tuple[str, str, str], System]:
        return {(s.retriever, s.variant, s.key): s for s in self.systems}

    def each(self) -> Iterator[Opened]:
        """Every task that has texts or results, opened one after the other."""
        for listed in self.tasks:
            if listed.load is not None or listed.results:
                yield self.open(listed)

    def open(self, listed: Listed) -> Opened:
        """A task with its texts and the values of all systems."""
        task = None if listed.load is None else listed.load()
        stored = bulk.read_many(listed.results)
        content = task.content if task is not None else _usual_content(stored)
        kept = [s for s in stored if s.manifest.get("content") == content]
        values = bulk.read_values(kept, MEASURES)
        queries = task.queries.ids if task is not None else (values[0].query_ids if values else _no_ids())
        values = [v for v in values if len(v.query_ids) == len(queries) and (v.query_ids == queries).all()]
        keys = {s.path: _settings(s.path) for s in kept}
        named = [((v.stored.retriever, v.variant, keys[v.stored.path]), v) for v in values]
        known = [(self._by_key[key], v) for key, v in named if key in self._by_key]
        rows = sorted(known, key=lambda row: row[0])
        matrix = {m: _matrix([v.values.get(m) for _, v in rows], len(queries)) for m in MEASURES}
        return Opened(
            listed,
            task,
            queries,
            tuple(system for system, _ in rows),
            matrix,
            tuple(v.stored for _, v in rows),
            tuple(s for s in stored if s.manifest.get("content") != content),
        )


def _settings(result: Path) -> str:
    """The key of the settings that a result was made with."""
    return result.parent.parent.name.rpartition("-")[2]


def labelled(found: Mapping[tuple[str, str, str], Mapping[str, Any]]) -> tuple[System, ...]:
    """Systems from their identities and manifests, each with a label of its own."""
    homes: dict[str, set[str]] = {}
    for retriever, _, key in found:
        homes.setdefault(retriever, set()).add(key)
    made = []
    for (retriever, variant, key), manifest in sorted(found.items()):
        label = retriever if variant == BASE else f"{retriever} {variant}"
        if len(homes[retriever]) > 1:  # one spelling at two depths, or before and after a change of defaults
            label = f"{label} [depth {manifest.get('depth')}, {key}]"
        made.append(System(retriever, variant, key, str(manifest.get("family", "")), label))
    return tuple(made)


def _usual_content(stored: Sequence[files.Stored]) -> str | None:
    """The content that most results were made from; of several equally usual ones the first by its hash."""
    counts: dict[str, int] = {}
    for one in stored:
        counts[str(one.manifest.get("content"))] = counts.get(str(one.manifest.get("content")), 0) + 1
    return min(counts, key=lambda content: (-counts[content], content), default=None)


def _matrix(rows: Sequence[npt.NDArray[np.float64] | None], queries: int) -> npt.NDArray[np.float64]:
    unknown = np.full(queries, np.nan)
    return np.array([unknown if row is None else row for row in rows], dtype=np.float64).reshape(
        len(rows), queries
    )


def _no_ids() -> Ids:
    return np.empty(0, dtype=object)
