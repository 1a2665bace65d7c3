"""Writing the board: tasks come by one at a time, then the numbers of all of them are put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hakari import __version__
from hakari.site.board.facts import SystemFacts, Told, shown, task_row, told_by
from hakari.site.board.numbers import RESAMPLED_RESULTS, Block, IntArray, Measured, Numbers, weighed
from hakari.site.board.others import imported_of, training_of
from hakari.site.board.page import page_of
from hakari.site.board.queries import write_queries
from hakari.site.board.shards import f32, shares, u8, u16, write_shard
from hakari.site.board.views import View, views_of
from hakari.site.model import MEASURES, Opened, Reading, System
from hakari.site.places import system_page, task_page
from hakari.store.files import make_folder
from hakari.tasks.training_audits import TrainingAudit

FORMAT = 1
PROGRAM = Path(__file__).parents[1] / "data"
FILES = ("board.js", "board.css")


@dataclass(frozen=True)
class Options:
    """What may be said of a board beside its data."""

    title: str = "Leaderboard"
    seed: int = 0
    pages: bool = True
    """Whether the pages of tasks and systems lie beside the board, so that it can link to them."""


@dataclass(frozen=True, eq=False)
class Taken:
    """What a board keeps of one task, whose queries are written down already."""

    task: int
    row: Mapping[str, Any]
    measured: Measured | None = None
    facts: Sequence[Told] = ()
    """One a system of `measured`."""
    drillable: bool = False
    audits: Mapping[str, TrainingAudit] = field(default_factory=dict)
    """Of the training data of retrievers, by their spelling."""


@dataclass(frozen=True, eq=False)
class Scribe:
    """Takes down single tasks for a board; it can do so in another process."""

    folder: Path
    """Where the data of the board lie."""
    systems: Mapping[System, int]
    pairs: IntArray
    pages: bool
    with_values: bool
    """Whether the board may be small enough to be resampled, which needs every score."""

    def take(self, task: int, opened: Opened, audits: Mapping[str, TrainingAudit] | None = None) -> Taken:
        """Write down the queries of a task, and give what all tasks together need of it."""
        row = task_row(opened.listed, opened, self.link(task_page(opened.name)))
        if not opened.systems:
            return Taken(task, row)
        facts = _facts(opened)
        drillable = write_queries(self.folder, task, opened, self.systems)
        measured = weighed(opened, self.systems, self.pairs, self.with_values)
        return Taken(task, row, measured, facts, drillable, audits or {})

    def link(self, page: str) -> str | None:
        """The address of a page, seen from the board; None where there are no pages."""
        from hakari.site.render import href

        return href(page, "../") if self.pages else None


def _facts(opened: Opened) -> list[Told]:
    """What the results say, one a system; those of one file are read together."""
    rows: dict[Path, list[int]] = {}
    for row, stored in enumerate(opened.stored):
        rows.setdefault(stored.path, []).append(row)
    told: dict[int, Told] = {}
    for of_file in rows.values():
        variants = [opened.systems[row].variant for row in of_file]
        told.update(zip(of_file, told_by(opened.stored[of_file[0]], variants), strict=True))
    return [told[row] for row in range(len(opened.stored))]


class Board:
    """A board in the making. `add` what its scribe took of every task, in the order of tasks, then `write`."""

    def __init__(self, out: Path, reading: Reading, options: Options | None = None) -> None:
        self.folder, self.reading = out / "board", reading
        self.options = options or Options()
        self.numbers = Numbers(reading.systems, len(reading.tasks))
        self._facts = [SystemFacts() for _ in reading.systems]
        self._rows: dict[int, Mapping[str, Any]] = {}
        self._drillable: set[int] = set()
        self._audits: dict[str, dict[int, TrainingAudit]] = {}
        files = sum(len(listed.results) for listed in reading.tasks)
        self.scribe = Scribe(
            self.folder / "data",
            {system: i for i, system in enumerate(reading.systems)},
            self.numbers.pairs,
            self.options.pages,
            files <= RESAMPLED_RESULTS,
        )
        make_folder(self.folder / "data")

    def add(self, taken: Taken) -> None:
        """Take in a task."""
        self._rows[taken.task] = taken.row
        if taken.measured is None:
            return
        self.numbers.add(taken.task, taken.measured)
        for number, told in zip(taken.measured.systems.tolist(), taken.facts, strict=True):
            self._facts[number].add(taken.task, told)
        for retriever, audit in taken.audits.items():
            self._audits.setdefault(retriever, {})[taken.task] = audit
        if taken.drillable:
            self._drillable.add(taken.task)

    def write(self) -> None:
        """Put the numbers of all tasks together, and write the data, the program and the page."""
        rows = [self._row(task) for task in range(len(self.reading.tasks))]
        measured = sorted(self._drillable)
        views = views_of(rows, measured)
        by_measure = [self.numbers.blocks(m, views, self.options.seed) for m in range(len(MEASURES))]
        first = by_measure[0][0]
        for measure, blocks in enumerate(by_measure):
            self._write_measure(measure, blocks, measured)
        core = self._core(rows, views, measured, first)
        write_shard(self.folder / "data", "core", core)
        for name in FILES:
            (self.folder / name).write_bytes((PROGRAM / name).read_bytes())
        (self.folder / "index.html").write_bytes(page_of(core, first[0], MEASURES[0]))

    def _core(
        self,
        rows: list[Mapping[str, Any]],
        views: list[View],
        measured: list[int],
        first: tuple[Block, Block],
    ) -> dict[str, Any]:
        systems = [
            {
                **facts.row(system, self.scribe.link(system_page(system)), self.reading.licences),
                "head": int(head),
                "training": training_of(self._audits.get(system.retriever, {})),
            }
            for facts, system, head in zip(self._facts, self.reading.systems, self.numbers.heads, strict=True)
        ]
        return {
            "format": FORMAT,
            "hakari": __version__,
            "title": shown(self.options.title),
            "resampled": self.numbers.resampled,
            "measures": list(MEASURES),
            "systems": systems,
            "tasks": rows,
            "measured": measured,
            "views": [{"kind": v.kind, "label": v.label, "tasks": list(v.tasks)} for v in views],
            "imported": imported_of(
                self.reading.imported, {t.name: i for i, t in enumerate(self.reading.tasks)}
            ),
            "all_pairs": len(self.numbers.pairs) == len(systems) * (len(systems) - 1) // 2,
            "first": [_block(block) for block in first],
        }

    def _write_measure(self, measure: int, blocks: list[tuple[Block, Block]], measured: list[int]) -> None:
        folder = self.folder / "data"
        write_shard(folder, f"views-{measure}", {"blocks": [[_block(b) for b in pair] for pair in blocks]})
        cells: dict[str, Any] = {
            "means": f32(self.numbers.means[measure][measured]),
            "squares": f32(self.numbers.squares[measure][measured]),
        }
        single = self.numbers.cells(measure, measured, self.options.seed)
        if single is not None:
            cells["lows"] = f32(np.array([b.lows for b in single]))
            cells["highs"] = f32(np.array([b.highs for b in single]))
            cells["best"] = u16(np.array([b.best for b in single]))
            cells["worst"] = u16(np.array([b.worst for b in single]))
        write_shard(folder, f"cells-{measure}", cells)
        pairs = {
            "gaps": shares(self.numbers.gaps[measure][measured]),
            "largest": u8(self.numbers.largest[measure][measured]),
        }
        write_shard(folder, f"pairs-{measure}", pairs)

    def _row(self, task: int) -> Mapping[str, Any]:
        if task not in self._rows:
            listed = self.reading.tasks[task]
            self._rows[task] = task_row(listed, None, self.scribe.link(task_page(listed.name)))
        return self._rows[task]


def write_board(
    out: Path, reading: Reading, opened: Iterable[Opened], options: Options | None = None
) -> None:
    """Write the board below `out`, from all tasks as they are opened."""
    board = Board(out, reading, options)
    numbers = {listed.name: i for i, listed in enumerate(reading.tasks)}
    for task in opened:
        board.add(board.scribe.take(numbers[task.name], task))
    board.write()


def _block(block: Block) -> dict[str, str]:
    return {
        "means": f32(block.means),
        "lows": f32(block.lows),
        "highs": f32(block.highs),
        "best": u16(block.best),
        "worst": u16(block.worst),
    }
