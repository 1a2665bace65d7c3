"""One audit from names to a report: tasks indexed, shards found, scanned and counted."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakari.audit import kept_index
from hakari.audit.compare import Shingle
from hakari.audit.index import Index, build
from hakari.audit.kinds import BY_NAME, DIRECT, NEAR, Thresholds
from hakari.audit.places import shards_of
from hakari.audit.report import Report
from hakari.audit.scan import Plan, Scanned, check_scanned, scan
from hakari.audit.shards import Shard
from hakari.audit.similar_scan import Asked, Looking, look
from hakari.errors import InvalidInput, UsageError
from hakari.tasks.refs import TaskRef
from hakari.tasks.registry import resolve
from hakari.types import Task

UNITS = {"words": (2, 64), "chars": (8, 1000), "tokens": (4, 64)}
Engine = Callable[[Index, Sequence[Shard], Plan], list[Scanned]]


class Progress:
    """Is told how far an audit is; this one does nothing with it."""

    def indexing(self, task: str, number: int, total: int) -> None:
        """A task is being indexed."""

    def begin(self, rows: int | None, size: int) -> None:
        """The scan begins: rows, where all shards tell them, and bytes of files."""

    def shard(self, name: str, size: int) -> None:
        """A shard of so many bytes begins."""

    def scanned(self, rows: int, size: int) -> None:
        """So many more rows and bytes of text are scanned."""

    def encoding(self, done: int, total: int) -> None:
        """So many of the tasks' texts are vectors, to look for paraphrases."""

    def begin_similar(self, model: str, rows: int, seconds: float) -> None:
        """The look for paraphrases begins, and by what the tasks' texts took it will take so many seconds."""

    def compared(self, rows: int) -> None:
        """So many more rows are compared with the tasks' texts."""


@dataclass(frozen=True)
class Settings:
    """What is looked for, and where in the rows."""

    shingle: str = "words:8"
    containment: float = 0.5
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    skip_corrupt: bool = False
    fresh: bool = False
    engine: Engine = scan
    code: bool = True
    """Whether code is compared a second time, without comments, layout and names."""
    similar: Asked | None = None
    """What looks for paraphrases, where that is wanted."""

    def thresholds(self) -> Thresholds:
        """The thresholds of all kinds."""
        return Thresholds(parse_shingle(self.shingle), self.code, self.containment)


def parse_shingle(told: str) -> Shingle:
    """`words:8` as a shingle."""
    unit, _, width = told.partition(":")
    low, high = UNITS.get(unit, (1, 0))
    if not width.isdigit() or not low <= int(width) <= high:
        known = ", ".join(f"`{name}:{a}` to `{name}:{b}`" for name, (a, b) in UNITS.items())
        raise UsageError(f"`{told}` is no shingle", f"use {known}; `words:8` is the default")
    return Shingle(unit, int(width))


def audit(
    train: Sequence[str | Path | Shard],
    on: Sequence[str],
    tasks_dir: Path | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Report:
    """Scan training data for the queries and positives of tasks."""
    settings, progress = settings or Settings(), progress or Progress()
    thresholds = settings.thresholds()
    if settings.similar is not None:
        settings.similar.model.require()
    given = [place for place in train if isinstance(place, Shard)]
    shards = given or shards_of([place for place in train if not isinstance(place, Shard)])
    index = index_of(on, tasks_dir, thresholds.shingle, progress)
    progress.begin(_rows_of(shards), sum(shard.size for shard in shards))
    plan = Plan(settings.given, settings.skip_corrupt, settings.fresh, progress=progress.scanned)
    scanned = settings.engine(index, shards, plan)
    check_scanned(scanned)
    report = Report(index, scanned, thresholds)
    return (
        report
        if settings.similar is None
        else _with_similar(report, settings.similar, settings.fresh, progress)
    )


def _rows_of(shards: Sequence[Shard]) -> int | None:
    """The rows of all shards, where all tell them; one that cannot be read is left to the scan, which says so."""
    counts: list[int | None] = []
    with contextlib.suppress(InvalidInput):
        counts = [shard.count() for shard in shards] if all(s.kind == "parquet" for s in shards) else [None]
    return None if None in counts or len(counts) < len(shards) else sum(count or 0 for count in counts)


def _with_similar(report: Report, asked: Asked, fresh: bool, progress: Progress) -> Report:
    """The report with what a model takes for paraphrases."""
    aside: list[set[int]] = [set() for _ in report.scanned]
    for row, reasons in report.flagged().items() if asked.only_unflagged else ():
        if any(BY_NAME[reason.kind].risk in (DIRECT, NEAR) for reason in reasons):
            aside[row // Report.SHARD].add(row % Report.SHARD)
    told = Looking(progress.begin_similar, progress.encoding, progress.compared)
    found = look(report.index, report.scanned, asked, aside, fresh, told)
    return Report(report.index, report.scanned, report.thresholds, found)


def references(on: Sequence[str], tasks_dir: Path | None) -> dict[str, TaskRef]:
    """The tasks that names stand for, by name, not loaded yet."""
    refs: dict[str, TaskRef] = {}
    for item in on:
        refs.update({ref.name: ref for ref in resolve(str(item), tasks_dir)})
    if not refs:
        raise UsageError("no task is named", "name tasks with `--on`; list them with `hakari tasks`")
    return refs


def index_of(
    on: Sequence[str], tasks_dir: Path | None, shingle: Shingle, progress: Progress | None = None
) -> Index:
    """The index of the tasks that names stand for, one loaded after the other."""
    progress = progress or Progress()
    refs = references(on, tasks_dir)

    def loaded() -> Iterator[Task]:
        for number, ref in enumerate(refs.values(), 1):
            progress.indexing(ref.name, number, len(refs))
            yield ref.load()

    place = kept_index.place_of(refs, shingle)
    kept = kept_index.read(place, shingle)
    if kept is None:
        kept = build(loaded(), shingle)
        kept_index.write(place, kept)
    return kept
