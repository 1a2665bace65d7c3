"""A nano set as a hub gets it: every file written anew in the one form that all readers take, whatever it was in.

Judgements get an integer `score`, candidates the two columns that mteb allows, shards become one file. Judgements that
are not relevant stay behind, since sentence-transformers takes every row of `qrels` for a positive.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hakari.candidates import protocol
from hakari.candidates.protocol import HYBRID, HYBRID_DEPTH
from hakari.candidates.quality import quality
from hakari.errors import Fault, InvalidInput
from hakari.io.candidates import load_candidates
from hakari.io.nano import CONFIG_NAME, NOT_CANDIDATES, SPLIT_NAME
from hakari.io.nano_write import write_metadata, write_nano_set, write_rankings
from hakari.tasks.assemble import content_hash
from hakari.types import Task

REPORT = "build.json"
STATED = ("language", "category", "shape")


@dataclass(frozen=True)
class Staged:
    """What is ready to go: the tasks as they will be read again, and what their candidates are worth."""

    folder: Path
    tasks: tuple[Task, ...]
    quality: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """By task and configuration of candidates."""
    left_out: int = 0
    """Judgements that are not relevant."""
    build: dict[str, Any] = field(default_factory=dict)
    """What `hakari build` wrote of how the set was made."""

    @property
    def configs(self) -> dict[str, list[str]]:
        """The tasks of every configuration."""
        splits = [task.split for task in self.tasks]
        found = {part: splits for part in ("corpus", "queries", "qrels")}
        for name in sorted({name for told in self.quality.values() for name in told}):
            found[name] = [split for split in splits if name in self.quality[split]]
        return found

    @property
    def files(self) -> dict[str, Path]:
        """Every file by its path in the repository."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path for path in paths}


def stage(tasks: Sequence[Task], folder: Path) -> Staged:
    """Write the tasks of one set, with their candidates and metadata, into a folder that is not there yet."""
    _check_names(tasks)
    kept = tuple(_positives(task) for task in tasks)
    write_nano_set(folder, [_as_stated(task) for task in kept])
    worth: dict[str, dict[str, dict[str, Any]]] = {}
    for task in kept:
        worth[task.split] = {
            config: _stage_candidates(task, config, path, folder)
            for config, path in sorted(task.candidates.items())
        }
        _stage_metadata(task, folder)
    build = _stage_report(tasks, folder)
    dropped = sum(len(task.qrels) for task in tasks) - sum(len(task.qrels) for task in kept)
    return Staged(folder, kept, worth, dropped, build)


def _check_names(tasks: Sequence[Task]) -> None:
    """Names that a file may have and `datasets` cannot read are told before anything is sent."""
    faults = []
    for task in tasks:
        if not SPLIT_NAME.fullmatch(task.split):
            hint = "rename the task: letters, digits, `_`, and `.` between them"
            faults.append(Fault(f"`{task.split}` cannot be a split of `datasets`", hint=hint))
        for config in task.candidates:
            if not CONFIG_NAME.fullmatch(config):
                hint = "rename the folder of candidates: letters, digits, `-`, `_`, `+` and `.`"
                faults.append(Fault(f"`{config}` cannot be a configuration of `datasets`", hint=hint))
    if faults:
        raise InvalidInput("what was to be pushed", faults)


def _positives(task: Task) -> Task:
    """The task with its relevant judgements alone."""
    qrels, relevant = task.qrels, task.qrels.grades > 0
    if relevant.all():
        return task
    counts = np.concatenate([[0], np.cumsum(relevant)])[qrels.offsets]
    bare = replace(
        qrels,
        offsets=counts.astype(np.int64),
        documents=qrels.documents[relevant],
        grades=qrels.grades[relevant],
    )
    return replace(task, qrels=bare, content=content_hash(task.queries, task.corpus, bare))


def _as_stated(task: Task) -> Task:
    """The task without what was only detected in its texts."""
    return replace(task, **{key: None for key in STATED if task.origins.get(key) == "detected"})  # type: ignore[arg-type]


def _stage_candidates(task: Task, config: str, path: Path, folder: Path) -> dict[str, Any]:
    """Write one configuration of candidates; what it is worth."""
    run = load_candidates(path, task)
    lists = protocol.listed(run)
    write_rankings(folder / config / f"{task.split}.parquet", task.queries.ids.tolist(), lists)
    told = quality(run, task, HYBRID_DEPTH if config == HYBRID else protocol.SOURCE_DEPTH)
    lengths = [len(ranking) for ranking in lists]
    told |= {"fewest": min(lengths), "most": max(lengths)}
    if config == HYBRID:
        told["safeguards"] = sum(length > HYBRID_DEPTH for length in lengths)
    return told


def _stage_metadata(task: Task, folder: Path) -> None:
    """Everything that the metadata of the task state, with its traits on top."""
    path = folder / "metadata" / f"{task.split}.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    source = None if task.source is None else task.source / "metadata" / path.name
    if source is not None and source.is_file():
        written = json.loads(source.read_text(encoding="utf-8-sig")) | written
    write_metadata(path, written)


def _stage_report(tasks: Sequence[Task], folder: Path) -> dict[str, Any]:
    """Send the account of the build along, where there is one."""
    source = None if tasks[0].source is None else tasks[0].source / REPORT
    if source is None or not source.is_file():
        return {}
    try:
        told = json.loads(source.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    shutil.copyfile(source, folder / REPORT)
    return told if isinstance(told, dict) else {}


def is_of_a_set(path: str) -> bool:
    """Whether a file of a repository belongs to a nano set, so that a push may replace it."""
    config, slash, name = path.removeprefix("data/").rpartition("/")
    if not slash or "/" in config:
        return False
    if config == "metadata":
        return name.endswith(".json")
    return name.endswith(".parquet") and (
        config in NOT_CANDIDATES or CONFIG_NAME.fullmatch(config) is not None
    )
