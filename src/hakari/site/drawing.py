"""One task drawn: its page and the board's files written, and the few numbers kept that other pages show.

Tasks do not look at each other, so they are drawn by several processes; what comes back from each is small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hakari.site import render
from hakari.site.blocks import Page
from hakari.site.board import Scribe, Taken
from hakari.site.digest import HEADLINE, Digest
from hakari.site.model import BASE, Listed, Opened, Reading, System
from hakari.site.profiles import Cast
from hakari.site.task import page as task_page
from hakari.site.task.view import viewed
from hakari.tasks.training_audits import TrainingAudit, audits_on_record, training_audit
from hakari.types import Ids


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is left of a task once it is drawn; systems are told by their numbers."""

    number: int
    systems: npt.NDArray[np.int64]
    bare: Digest
    """Without what the reading has of it: the task and the systems."""
    whole: npt.NDArray[np.int64]
    """The systems that are no variants and have a headline value for every query."""
    values: npt.NDArray[np.float64]
    """(whole, queries): those values."""
    query_ids: Ids
    audits: Mapping[str, TrainingAudit]
    """What is on record of the training data of retrievers, by their spelling; of all others nothing is known."""
    taken: Taken | None
    """What the board has of it; None where there are neither texts nor results."""

    def digest(self, reading: Reading) -> Digest:
        """The task in numbers."""
        systems = tuple(reading.systems[i] for i in self.systems)
        return replace(self.bare, listed=reading.tasks[self.number], systems=systems)

    def scores(self, reading: Reading) -> dict[System, npt.NDArray[np.float64]]:
        """Headline values of each query, by system."""
        return {reading.systems[i]: row for i, row in zip(self.whole, self.values, strict=True)}


@dataclass(frozen=True, eq=False)
class Drawing:
    """Draws tasks by their number into a folder."""

    reading: Reading
    roles: Cast
    out: Path
    scribe: Scribe

    def __call__(self, number: int) -> Drawn:
        """Draw a task."""
        opened = self.reading.open(self.reading.tasks[number])
        view = viewed(opened, self.roles)
        put(self.out, task_page.page(view))
        shown = opened.task is not None or bool(opened.systems)
        values = opened.values[HEADLINE]
        rows = [
            i for i, s in enumerate(opened.systems) if s.variant == BASE and not np.isnan(values[i]).any()
        ]
        systems = self._numbers(opened)
        bare = replace(view.digest, listed=Listed(opened.name, opened.listed.suite), systems=())
        audits = self._audits(opened)
        taken = self.scribe.take(number, opened, audits) if shown else None
        return Drawn(number, systems, bare, systems[rows], values[rows], opened.query_ids, audits, taken)

    def _audits(self, opened: Opened) -> dict[str, TrainingAudit]:
        """The training data of each retriever beside the audits of the task."""
        trained = self.reading.trained_on
        known = sorted({s.retriever for s in opened.systems if s.retriever in trained})
        if not known:
            return {}
        folder = opened.task.source if opened.task is not None else None
        on_record = audits_on_record(opened.entry, folder, opened.listed.split)
        sources = opened.entry.row.get("sources", ()) if opened.entry is not None else ()
        return {name: training_audit(trained[name], opened.name, on_record, sources) for name in known}

    def _numbers(self, opened: Opened) -> npt.NDArray[np.int64]:
        return np.array([self.scribe.systems[s] for s in opened.systems], dtype=np.int64)


def put(out: Path, page: Page) -> None:
    """Write a page into the folder of the site."""
    path = out / page.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(render.render(page))
