"""The one place where task, retriever and variant meet: plan, look up, run, score, keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hakari import footprint, measures
from hakari.errors import UsageError
from hakari.measures import Measure
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.returned import check_returned, settled
from hakari.store import files, keys
from hakari.types import Task

DEFAULT_DEPTH = 500
STORED_MEASURES = ("nDCG@10", "hit@10", "R@100", "RR@10", "AP@100", "P@10")
"""Kept in every result file, so far as its depth allows; any other is derived from the rankings."""


@dataclass(frozen=True)
class Step:
    """What is about to be done or was done, for whoever shows progress."""

    task: str
    retriever: str
    number: int
    total: int
    state: str
    """`running`, `stored` (just now) or `found` (an earlier result was good)."""


@dataclass(frozen=True)
class Plan:
    """What to weigh, how deep, and where the results lie."""

    retrievers: Sequence[Retriever]
    depth: int = DEFAULT_DEPTH
    results: Path = Path("results")
    fresh: bool = False
    """Run again what is there already."""
    variants: Sequence[str] = (BASE_VARIANT,)
    """Names of the variants wanted of the retrievers that have them; `float` is always there."""


def weigh(
    plan: Plan, tasks: Iterable[Task], total: int, tell: Callable[[Step], None] = lambda step: None
) -> Iterator[tuple[Task, files.Stored]]:
    """Bring every task x retriever into the store, in order; what is there already is not run again."""
    folders: set[Path] = set()
    try:
        for position, task in enumerate(tasks):
            if position == 0:
                _require(plan, task)
            for place, retriever in enumerate(plan.retrievers):
                number = position * len(plan.retrievers) + place + 1
                step = partial(Step, task.name, retriever.name, number, total * len(plan.retrievers))
                folders.update(_folders(plan, task, retriever, plan.depth))
                yield task, obtain(plan, task, retriever, plan.depth, partial(_tell, tell, step))
    finally:
        for folder in sorted(folders):
            files.write_manifests(folder)


def _tell(tell: Callable[[Step], None], step: Callable[[str], Step], state: str) -> None:
    tell(step(state))


def _folders(plan: Plan, task: Task, retriever: Retriever, depth: int) -> Iterator[Path]:
    """Where the results of a retriever and its parts for a task lie."""
    folder = keys.folder(plan.results, retriever.name, retriever.settings(), depth)
    yield files.result_path(folder, task.name).parent
    for part in retriever.parts:
        yield from _folders(plan, task, part, retriever.source_depth)


def _require(plan: Plan, task: Task) -> None:
    """Say what is missing before the first retriever runs, not after it; results that are there need nothing."""
    for retriever in plan.retrievers:
        if lookup(plan, task, retriever, plan.depth)[0] is None:
            retriever.require()


def lookup(
    plan: Plan, task: Task, retriever: Retriever, depth: int
) -> tuple[files.Stored | None, set[str], Path, dict[str, Any]]:
    """The result that is there, still true and whole, or None; and of the one to make if None: its variants
    (those asked for, and those of a result that is true and lacks some), where it will lie, and its manifest.
    """
    manifest = describe(task, retriever, depth)
    folder = keys.folder(plan.results, retriever.name, manifest["settings"], depth)
    path = files.result_path(folder, task.name)
    earlier = None if plan.fresh else files.read(path)
    held: set[str] = set()
    if earlier is not None and earlier.manifest.get("key") == manifest["key"]:
        held = set(earlier.manifest.get("variants", ()))
    variants = held | {BASE_VARIANT, *retriever.variants_among(plan.variants)}
    return (earlier if variants <= held else None), variants, path, manifest


def obtain(
    plan: Plan, task: Task, retriever: Retriever, depth: int, step: Callable[[str], None] = lambda state: None
) -> files.Stored:
    """The result of one retriever on one task: from the store where it is still true, else made and stored."""
    earlier, variants, path, manifest = lookup(plan, task, retriever, depth)
    if earlier is not None:
        step("found")
        return earlier
    step("running")
    only_float = replace(plan, variants=(BASE_VARIANT,))
    sources = [obtain(only_float, task, part, retriever.source_depth) for part in retriever.parts]
    inputs = [files.read_variants(source, task.corpus.ids)[BASE_VARIANT].run for source in sources]
    watch = footprint.Watch()
    given = retriever.retrieve_variants(task, depth, sorted(variants), inputs)
    retrieved = check_returned(retriever.name, given)
    for variant in sorted(variants - set(retrieved.runs)):
        raise UsageError(f"retriever `{retriever.name}` gave no run named `{variant}`")
    costs = footprint.settled({**retrieved.costs, **watch.stop()}, len(task.corpus))
    told = [
        {k: s.manifest[k] for k in ("retriever", "facts", "settings")} for s in sources if s.manifest["facts"]
    ]
    if told:
        retrieved = replace(retrieved, facts={**retrieved.facts, "parts": told})
    stored = keep(path, task, manifest, retrieved, footprint.with_parts(costs, [s.costs for s in sources]))
    step("stored")
    return stored


def describe(task: Task, retriever: Retriever, depth: int) -> dict[str, Any]:
    """The manifest of a result before it is made: everything that decides it, and its key."""
    settings, of_task = retriever.settings(), dict(retriever.settings_for(task))
    if task.exclude_self:  # decides rankings, and is not in the content of the task
        of_task["exclude_self"] = True
    settings_key = keys.settings_key(retriever.name, settings, depth)
    return {
        "key": keys.result_key(settings_key, task.content, of_task),
        "protocol": keys.PROTOCOL,
        "task": task.name,
        "dataset": task.dataset,
        "split": task.split,
        "content": task.content,
        "language": task.language,
        "category": task.category,
        "shape": task.shape,
        "origins": dict(task.origins),
        "queries": len(task.queries),
        "documents": len(task.corpus),
        "retriever": retriever.name,
        "family": retriever.family,
        "settings": settings,
        "task_settings": of_task,
        "depth": depth,
        "versions": keys.versions(tuple(retriever.packages)),
    }


def keep(
    path: Path, task: Task, manifest: Mapping[str, Any], retrieved: Retrieved, costs: Mapping[str, Any]
) -> files.Stored:
    """Check the runs, score them and write the result."""
    depth = manifest["depth"]
    wanted = [m for m in map(measures.parse, STORED_MEASURES) if (m.cut or 0) <= depth]
    wanted = wanted or [measures.parse(f"P@{depth}")]  # so shallow are first stages of a reranker
    variants, unanswered, ties = {}, {}, {}
    for name, run in retrieved.runs.items():
        run = settled(task, run, depth)
        scores = measures.score(run, task.qrels, wanted)
        variants[name] = files.Variant(run, {str(m): scores.of(m) for m in wanted})
        unanswered[name] = len(scores.unanswered)
        ties[name] = {str(cut): share for cut, share in scores.ties.items()}
    found = {
        "variants": sorted(variants),
        "facts": dict(retrieved.facts),
        "unanswered": unanswered,
        "ties": ties,
    }
    return files.write(path, {**manifest, **found}, variants, costs)


def check_depth(wanted: Sequence[Measure], depth: int) -> None:
    """Raise where measures look deeper than the rankings will be."""
    if depth < 1:
        raise UsageError(f"the depth of a ranking is {depth}, and must be 1 or more", "add `--depth 100`")
    deeper = [m for m in wanted if m.depth is not None and m.depth > depth]
    if deeper:
        named = ", ".join(f"`{m}`" for m in deeper)
        looks = "looks" if len(deeper) == 1 else "look"
        raise UsageError(
            f"{named} {looks} deeper than the rankings, which are {depth} deep",
            f"add `--depth {max(m.depth or 0 for m in deeper)}`, or choose others with `--measures`",
        )
