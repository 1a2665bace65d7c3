"""Everything that a maintainer verifies before publishing a nano set, as findings; nothing stops at the first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.candidates.check_configs import check_configs, faults_as_findings
from hakari.candidates.check_facts import Facts, facts_of
from hakari.errors import Fault, InvalidInput
from hakari.io import nano
from hakari.io.files import connect, is_folder, names_in
from hakari.io.parquet import Table, family
from hakari.nano.check import check_texts
from hakari.nano.findings import ERROR, WARNING, Finding, finding
from hakari.retrievers.controls import ControlReport, Random, control_report
from hakari.tasks.loaders import layout_of
from hakari.tasks.registry import TaskRef, resolve
from hakari.tasks.remote import HubSet, RemoteRef
from hakari.types import Task

DRAWS = 200
"""Of the control that hands out ids at random; enough for a leak of ids, which is told by its own test."""
OFF_CHANCE = 5.0

Tell = Callable[[str, int, int, str], None]
"""Hears the name of a task, its number, how many there are, and `running` or `stored`."""


@dataclass(frozen=True)
class Checked:
    """What a check came to."""

    tasks: list[str]
    """The names of the tasks that were checked, those that could not be read included."""
    findings: list[Finding]
    facts: dict[str, Facts]
    """What was measured of every task that could be read."""


def check_sets(
    specs: Sequence[str], tasks_dir: Path | None = None, tell: Tell = lambda task, number, total, state: None
) -> Checked:
    """Check sets and their folders; nothing stops at the first fault."""
    found: list[Finding] = []
    facts: dict[str, Facts] = {}
    refs: dict[str, TaskRef] = {}
    for spec in specs:
        for ref in _references(spec, tasks_dir, found):
            refs.setdefault(ref.name, ref)
    local = [ref for ref in refs.values() if not isinstance(ref, RemoteRef)]
    for folder in dict.fromkeys(ref.folder for ref in local if ref.layout.name == "nano"):
        found += check_splits(folder)
    for source in dict.fromkeys(ref.source for ref in refs.values() if isinstance(ref, RemoteRef)):
        found += _splits_on_hub(source)
    for number, ref in enumerate(refs.values(), 1):
        tell(ref.name, number, len(refs), "running")
        found += check_task(ref, facts)
        tell(ref.name, number, len(refs), "stored")
    return Checked(list(refs), found, facts)


def _references(spec: str, tasks_dir: Path | None, found: list[Finding]) -> list[TaskRef]:
    """The tasks that are meant; what is wrong with the listing of a folder is a finding, not the end."""
    folder = Path(spec).expanduser()
    layout = layout_of(folder) if is_folder(folder) else None
    if layout is None:
        return resolve(spec, tasks_dir)
    faults: list[Fault] = []
    splits = layout.splits(folder, faults)
    if faults:
        found += faults_as_findings(InvalidInput(str(folder), faults), str(folder))
    name = folder.absolute().name
    return [TaskRef(name, split, folder, layout) for split in splits]


def check_task(ref: TaskRef, facts: dict[str, Facts]) -> list[Finding]:
    """Every finding in one task, and what was measured of it; where it cannot be read, what is wrong with its files."""
    found: list[Finding] = []
    try:
        if ref.layout.name == "nano":
            found += _columns(ref.here(), ref.split)
        task = ref.load()
    except InvalidInput as error:
        return found + faults_as_findings(error, ref.name)
    found += check_texts(task)
    found += check_configs(task)
    report = control_report(task, draws=DRAWS)
    facts[task.name] = facts_of(task, report)
    found += _controls(task, report)
    if ref.layout.name == "nano":
        found += _metadata(task)
    return found


def check_splits(folder: Path) -> list[Finding]:
    """Whether every configuration of a nano set has the same tasks."""
    configs = [name for name in names_in(folder, []) if is_folder(folder / name)]
    held = {
        config: set(nano.files_by_split(folder / config, [])) for config in configs if config != "metadata"
    }
    held = {config: splits for config, splits in held.items() if splits or config in nano.PARTS}
    tasks = set().union(*(held.get(part, set()) for part in nano.PARTS))
    found = []
    for config, splits in sorted(held.items()):
        for split in sorted(tasks - splits):
            hint = f"add {folder / config / f'{split}.parquet'}, or remove the task everywhere"
            found.append(finding(ERROR, "splits", str(folder), f"`{config}` lacks the task `{split}`", hint))
        for split in sorted(splits - tasks):
            hint = f"remove {folder / config / f'{split}.parquet'}"
            found.append(
                finding(ERROR, "splits", str(folder), f"`{config}` has `{split}`, which is no task", hint)
            )
    found += _names(folder, sorted(tasks), sorted(held))
    for left in sorted(path for config in configs for path in (folder / config).glob(".*.tmp")):
        what = "was left by a command that was killed"
        found.append(finding(WARNING, "files", str(left), what, f"remove it with `rm {left}`"))
    stated = {
        name.removesuffix(".json") for name in names_in(folder / "metadata", []) if name.endswith(".json")
    }
    for split in sorted(tasks - stated):
        hint = f'write {{"language": ..., "category": ...}} to {folder / "metadata" / f"{split}.json"}'
        found.append(finding(WARNING, "splits", str(folder), f"`metadata` lacks the task `{split}`", hint))
    for split in sorted(stated - tasks):
        hint = f"remove {folder / 'metadata' / f'{split}.json'}"
        found.append(
            finding(WARNING, "splits", str(folder), f"`metadata` has `{split}`, which is no task", hint)
        )
    return found


def _names(folder: Path, splits: Sequence[str], configs: Sequence[str]) -> Iterator[Finding]:
    """Names that `datasets`, and with it sentence-transformers and mteb, cannot read from a hub."""
    for kind, names, readable in (("task", splits, nano.SPLIT_NAME), ("folder", configs, nano.CONFIG_NAME)):
        odd = [name for name in names if not readable.fullmatch(name)]
        if odd:
            what = f"the {kind} {', '.join(f'`{name}`' for name in odd[:5])} cannot be read by `datasets` from a hub"
            hint = "rename it: letters, digits and `_`" + ("" if kind == "task" else ", `-`, `+` and `.`")
            yield finding(WARNING, "names", str(folder), what, hint, odd)


def _splits_on_hub(source: HubSet) -> Iterator[Finding]:
    """Whether every configuration of a repository has the same tasks."""
    held = {split: configs.keys() for split, configs in source.pinned().tasks.items()}
    for config in sorted(set().union(*held.values()) - {"metadata"}):
        for split in sorted(split for split, configs in held.items() if config not in configs):
            hint = f"push the whole set again: `hakari push SET {source.spelling}`"
            what = f"`{config}` lacks the task `{split}`"
            yield finding(ERROR, "splits", source.spelling, what, hint)


def _columns(folder: Path, split: str) -> Iterator[Finding]:
    """Whether judgements have the integer column that mteb reads."""
    with connect() as con:
        for path in nano.files_by_split(folder / "qrels", []).get(split, []):
            types = Table(con, path, []).types
            if not types:
                continue  # unreadable, which loading the task tells
            kind = types.get("score")
            if kind is None:
                what = "the judgements have no column `score`, without which mteb does not read them"
                yield finding(WARNING, "score-column", str(path), what, "write 1 for every relevant document")
            elif family(kind) != "integer":
                what = f"the column `score` is {kind}; mteb reads integers"
                yield finding(WARNING, "score-column", str(path), what, "write `score` as integers")


def _controls(task: Task, report: ControlReport) -> Iterator[Finding]:
    if report.finding is not None:
        text, _, hint = report.finding.rpartition(". ")
        yield finding(WARNING, "id-order", task.name, text, hint)
    for score in report.scores:
        if score.control == Random().name and abs(score.z) > OFF_CHANCE:
            what = f"random order scores {score.measure} {score.value:.4f} where chance gives {score.expected:.4f}"
            hint = "look for what gives positives away; a fault of hakari is possible too"
            yield finding(ERROR, "controls", task.name, what, hint)


def _metadata(task: Task) -> Iterator[Finding]:
    """Whether counts that the metadata state are those of the task."""
    if task.source is None:
        return
    path = task.source / "metadata" / f"{task.split}.json"
    stated: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {}
    positives = int((task.qrels.grades > 0).sum())
    true = {
        "queries": {len(task.queries)},
        "documents": {len(task.corpus)},
        "corpus": {len(task.corpus)},
        "qrels": {len(task.qrels), positives},
        "judgements": {len(task.qrels)},
        "positives": {positives},
    }
    for key, values in true.items():
        value = stated.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value not in values:
            what = f"`{key}` is stated as {value:,}, and there are {max(values):,}"
            yield finding(ERROR, "metadata", str(path), what, f"correct `{key}` or remove it")
