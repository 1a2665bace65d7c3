"""Candidates made and written: sources first, then the hybrid from the files of its sources.

What is there and was made in the same way is found and not made again, so a command that was killed goes on
where it stopped. What is there and was made otherwise is never touched unless it may be replaced.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.candidates import protocol
from hakari.candidates.protocol import BM25, HYBRID, HYBRID_DEPTH, SOURCE_DEPTH
from hakari.candidates.quality import counts, fingerprint, quality
from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io.candidates import load_candidates
from hakari.io.nano import NOT_CANDIDATES, files_by_split
from hakari.io.nano_write import write_metadata, write_rankings
from hakari.retrievers import registry
from hakari.retrievers.base import BASE_VARIANT, Retriever
from hakari.store.keys import digest
from hakari.tasks.loaders import layout_of
from hakari.types import Run, Task

VERSION = 1
"""Raised whenever the same settings would give other candidates."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")

Record = dict[str, Any]
"""What the metadata of a task say of one configuration."""


@dataclass(frozen=True)
class Plan:
    """Which configurations to make."""

    sources: Mapping[str, Retriever]
    """By the name of their configuration: `bm25`, and a dense model under its own name."""
    hybrid: bool = False
    replace: bool = False
    """Make again what is there and was made otherwise."""

    @property
    def configs(self) -> list[str]:
        """The names of all configurations that are wanted, in the order of making."""
        return [*self.sources, *([HYBRID] if self.hybrid else [])]


@dataclass(frozen=True)
class Made:
    """One configuration of one task, and whether it was `written` or `found`."""

    task: str
    config: str
    state: str
    path: Path
    record: Record


def planned(bm25: bool, dense: str | None, hybrid: bool, replace: bool = False) -> Plan:
    """A plan from what was asked for."""
    if not (bm25 or dense or hybrid):
        raise UsageError("no candidates are asked for", "--bm25 --dense bge_small_en --hybrid")
    sources: dict[str, Retriever] = {BM25: registry.parse("bm25")} if bm25 else {}
    if dense is not None:
        model = registry.parse(dense)
        if model.family != "dense":
            hint = "name a dense model such as bge_small_en; list them with `hakari retrievers`"
            raise UsageError(f"`{dense}` is of the family {model.family}, not dense", hint)
        sources[config_name(model)] = model
    return Plan(sources, hybrid, replace)


def config_name(retriever: Retriever) -> str:
    """The own name of a model, without its settings and without the path to it."""
    name = retriever.name.partition("(")[0]
    if ":" in name:
        name = Path(name.partition(":")[2]).name or name
    if not _NAME.fullmatch(name) or name in (*NOT_CANDIDATES, BM25, HYBRID):
        raise UsageError(
            f"`{name}` cannot be the name of a folder of candidates", "rename the model's folder"
        )
    return name


def check_plan(plan: Plan, tasks: Sequence[Task]) -> None:
    """Raise, before anything is made, where the plan would touch what it may not or lacks a source."""
    faults = []
    for task in tasks:
        layout = None if task.source is None else layout_of(task.source)
        if layout is None or layout.name != "nano":
            hint = "make a nano set of it first, with `hakari build`"
            faults.append(Fault(f"`{task.name}` does not lie in a nano set", hint=hint))
            continue
        for config in plan.configs if not plan.replace else ():
            record = recorded(task).get(config)
            keys = [_key(task, _making(config, plan.sources[config], task))] if config in plan.sources else []
            if _is_there(task, config) and (record is None or (keys and record.get("key") not in keys)):
                faults.append(_made_otherwise(task, config))
        if plan.hybrid:
            try:
                _hybrid_sources(plan, task)
            except UsageError as error:
                faults.append(Fault(error.message, str(task.source), hint=error.hint))
    if faults:
        raise InvalidInput("what was asked for", faults)
    for retriever in plan.sources.values():
        retriever.require()


def make(plan: Plan, task: Task, tell: Callable[[str, str], None] = lambda config, state: None) -> list[Made]:
    """Make the candidates of one task; `tell` hears `running`, then `written` or `found`, of each."""
    made = []
    for config in plan.configs:
        tell(config, "running")
        one = _make_hybrid(plan, task) if config == HYBRID else _make_source(plan, task, config)
        tell(config, one.state)
        made.append(one)
    return made


def recorded(task: Task) -> dict[str, Record]:
    """What the metadata of a task say of its candidates, by configuration."""
    told = _metadata(task).get("candidates")
    return {k: v for k, v in told.items() if isinstance(v, dict)} if isinstance(told, dict) else {}


def _metadata(task: Task) -> dict[str, Any]:
    path = _metadata_path(task)
    return json.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {}


def _metadata_path(task: Task) -> Path:
    return _folder(task) / "metadata" / f"{task.split}.json"


def _folder(task: Task) -> Path:
    if task.source is None:
        raise UsageError(f"`{task.name}` does not lie in a folder")
    return task.source


def _path(task: Task, config: str) -> Path:
    return _folder(task) / config / f"{task.split}.parquet"


def _key(task: Task, making: Record) -> str:
    return digest({"version": VERSION, "content": task.content, "depth": SOURCE_DEPTH, **making})


def _making(config: str, retriever: Retriever, task: Task) -> Record:
    """What decides a source. A model goes by the name of its configuration: its own may be a path."""
    return {
        "retriever": config,
        "settings": retriever.settings(),
        "task_settings": retriever.settings_for(task),
    }


def _made_otherwise(task: Task, config: str) -> Fault:
    what = f"the candidates `{config}` are there already and were not made in this way"
    path = task.candidates.get(config, _path(task, config))
    return Fault(what, str(path), hint="keep them, or make them again with --replace")


def _is_there(task: Task, config: str) -> bool:
    return config in task.candidates or os.path.lexists(_path(task, config))


def _found(plan: Plan, task: Task, config: str, key: str) -> Made | None:
    """The configuration that is there, where it is what this key stands for; raise where it is another."""
    if not _is_there(task, config):
        return None
    record, path = recorded(task).get(config, {}), task.candidates.get(config, _path(task, config))
    if record.get("key") == key:
        with suppress(InvalidInput):
            lists = protocol.listed(load_candidates(path, task))
            if fingerprint(task.queries.ids, lists) == record.get("rankings_sha256"):
                return Made(task.name, config, "found", path, record)
    if not plan.replace:
        raise InvalidInput("what was asked for", [_made_otherwise(task, config)])
    return None


def _make_source(plan: Plan, task: Task, config: str) -> Made:
    retriever = plan.sources[config]
    making = _making(config, retriever, task)
    key = _key(task, making)
    if found := _found(plan, task, config, key):
        return found
    retrieved = retriever.retrieve(task, SOURCE_DEPTH)
    matching = retrieved.runs[BASE_VARIANT]
    run = protocol.filled(matching, task)
    record: Record = {
        "key": key,
        **making,
        **quality(run, task, SOURCE_DEPTH),
        "documents_not_matching": len(run) - len(matching),
    }
    if retrieved.facts:
        record["facts"] = dict(retrieved.facts)
    return _write(task, config, record, protocol.listed(run))


def _make_hybrid(plan: Plan, task: Task) -> Made:
    runs = {name: _source_run(task, name) for name in _hybrid_sources(plan, task)}
    sources = {name: fingerprint(task.queries.ids, protocol.listed(run)) for name, run in runs.items()}
    how = {"k": protocol.RRF_K, "source_depth": SOURCE_DEPTH, "safeguard_seed": protocol.SEED}
    key = digest(
        {"version": VERSION, "content": task.content, "split": task.split, "sources": sources, **how}
    )
    if found := _found(plan, task, HYBRID, key):
        return found
    run = protocol.fused(list(runs.values()))
    rankings = protocol.listed(run)
    chosen = protocol.safeguards(run, task)
    for query, document in chosen.items():
        rankings[query].append(document)
    record: Record = {
        "key": key,
        "settings": how,
        "sources": sources,
        **quality(run, task, HYBRID_DEPTH),
        "safeguard_positive_rows": len(chosen),
        "rows_with_101_candidates": sum(len(ranking) == HYBRID_DEPTH + 1 for ranking in rankings),
    }
    return _write(task, HYBRID, record, rankings)


def _hybrid_sources(plan: Plan, task: Task) -> list[str]:
    """The two configurations to fuse: those that the plan makes, else those that are there."""
    there = sorted({*task.candidates, *plan.sources} - {HYBRID})
    dense = [name for name in plan.sources if name != BM25] or [name for name in there if name != BM25]
    if BM25 not in there:
        raise UsageError(f"`{task.name}` has no candidates `{BM25}` to fuse", "add --bm25")
    if len(dense) != 1:
        told = f"{len(dense)} dense ones ({', '.join(dense)})" if dense else "no dense ones"
        raise UsageError(f"`{task.name}` has {told} to fuse", "name one with --dense")
    return [BM25, *dense]


def _source_run(task: Task, config: str) -> Run:
    path = _path(task, config)
    return load_candidates(path if path.is_file() else task.candidates[config], task)


def _write(task: Task, config: str, record: Record, rankings: Sequence[Sequence[str]]) -> Made:
    """Write the metadata, then the rankings: killed in between, the same command makes them again."""
    record |= {"rankings_sha256": fingerprint(task.queries.ids, rankings), **counts(rankings)}
    stated = _metadata(task)
    stated["candidates"] = {**recorded(task), config: record}
    path = _path(task, config)
    write_metadata(_metadata_path(task), stated)
    write_rankings(path, task.queries.ids.tolist(), rankings)
    for shard in files_by_split(path.parent, []).get(task.split, []):
        if shard != path:  # the same task in the form of hubs, which this replaces
            shard.unlink()
    return Made(task.name, config, "written", path, record)
