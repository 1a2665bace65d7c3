"""What the sections of a task page share: the task, its profiles, and where they put the positives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from hakari.site import prose
from hakari.site.digest import Digest, digested
from hakari.site.model import Opened
from hakari.site.profiles import PUBLISHED, Cast, Profile, profiles
from hakari.types import Run, Task

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class View:
    """A task about to be told."""

    opened: Opened
    digest: Digest
    profiles: Mapping[str, Profile]

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return self.opened.name

    @property
    def task(self) -> Task | None:
        """The texts, where they are at hand."""
        return self.opened.task

    @property
    def row(self) -> Mapping[str, Any]:
        """What is published of the task; empty where nothing is."""
        return self.opened.entry.row if self.opened.entry is not None else {}

    @property
    def published(self) -> Mapping[str, Mapping[str, Any]]:
        """Published figures by role."""
        figures = self.row.get("published", {})
        return {role: figures[name] for role, name in PUBLISHED.items() if name in figures}

    @cached_property
    def words(self) -> dict[str, Markup]:
        """What a maintainer says, by section."""
        listed = self.opened.listed
        folder = self.task.source if self.task is not None else None
        return prose.of_task(listed.suite, listed.dataset, listed.split, _folder(folder))

    @cached_property
    def positives(self) -> tuple[Ints, Ints]:
        """Query and document of every positive, by number, in the order of the judgements."""
        assert self.task is not None
        qrels = self.task.qrels
        relevant = qrels.grades > 0
        queries = np.repeat(np.arange(len(qrels.query_ids)), np.diff(qrels.offsets))
        return queries[relevant], qrels.documents[relevant].astype(np.int64)

    @cached_property
    def ranks(self) -> dict[str, Ints]:
        """By role the rank of every positive, from 1; 0 where the ranking does not have it."""
        queries, documents = self.positives
        return {role: positive_ranks(p.run, queries, documents) for role, p in self.profiles.items()}

    def query(self, number: int) -> str:
        """The text of a query."""
        assert self.task is not None
        return str(self.task.queries.texts[number])

    def document(self, number: int) -> str:
        """The text of a document."""
        assert self.task is not None
        return str(self.task.corpus.texts[number])


def viewed(opened: Opened, roles: Cast) -> View:
    """A task with its profiles and numbers."""
    found = profiles(opened, roles)
    return View(opened, digested(opened, found), found)


def positive_ranks(run: Run, queries: Ints, documents: Ints) -> Ints:
    """The rank at which a run has each document for its query, from 1; 0 where it does not."""
    width = len(run.document_ids)
    lengths = np.diff(run.offsets)
    ranked = np.repeat(np.arange(len(lengths)), lengths) * width + run.documents
    order = np.argsort(ranked, kind="stable")
    wanted = queries * width + documents
    at = np.searchsorted(ranked[order], wanted)
    at = np.minimum(at, max(len(order) - 1, 0))
    if not len(order):
        return np.zeros(len(wanted), dtype=np.int64)
    rows = order[at]
    found = ranked[rows] == wanted
    return np.where(found, rows - run.offsets[queries] + 1, 0)


def _folder(source: Path | None) -> Path | None:
    return source if source is not None and source.is_dir() else None
