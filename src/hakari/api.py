"""hakari from Python: load tasks, run retrievers, compare, gate, score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hakari import bench
from hakari.errors import UsageError
from hakari.measures import check_run, parse_many
from hakari.report.results import Results, System, Weighed, from_run, from_stored
from hakari.retrievers import registry
from hakari.retrievers.base import Retriever
from hakari.retrievers.variant_specs import parse_specs, part_variants
from hakari.tasks import registry as tasks_registry
from hakari.tasks.registry import TaskRef, resolve
from hakari.tasks.traits import fill_traits
from hakari.types import Qrels, Run, Task

if TYPE_CHECKING:
    from hakari.report.comparison import Comparison
    from hakari.report.finished import Scope
    from hakari.report.gate import Verdict
    from hakari.tasks.listing import Wanted

DEFAULT_MEASURES = "nDCG@10,hit@10,R@100"

Tasks = str | Path | Task | Sequence[str | Path | Task]


def _build_stdlib(cache: Path) -> Path:
    from hakari.nano.built_in import stdlib_set

    return stdlib_set(cache)


# The tasks' room is below that of the builders, so it is told of them here.
tasks_registry.builders.setdefault("NanoStdlib", _build_stdlib)


@dataclass(frozen=True)
class Where:
    """Where tasks and results lie, and what is known better than their metadata says."""

    results: Path = Path("results")
    tasks_dir: Path | None = None
    language: str | None = None
    category: str | None = None


def load(tasks: Tasks, tasks_dir: str | Path | None = None) -> list[Task]:
    """The tasks of a suite, task, glob, folder in nano layout or BEIR folder.

    >>> hakari.load("path/to/NanoX/Task")
    """
    return list(each(tasks, Where(tasks_dir=_path(tasks_dir))))


def run(
    retrievers: str | Retriever | Sequence[str | Retriever],
    on: Tasks,
    *,
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    depth: int = bench.DEFAULT_DEPTH,
    results: str | Path = "results",
    tasks_dir: str | Path | None = None,
    progress: Callable[[bench.Step], None] = lambda step: None,
) -> Results:
    """Weigh retrievers on tasks; finished results are kept and never made twice.

    A retriever's spelling may ask for cheaper variants of it, which are shown beside it.

    >>> hakari.run(["bm25", "bm25-code"], on="path/to/NanoX")
    >>> hakari.run("bge_small_en dim=256,128+int8,binary", on="path/to/NanoX")
    """
    where = Where(Path(results), _path(tasks_dir))
    plan = replace(planned(retrievers)[0], depth=depth, results=where.results)
    return weigh(plan, on, where, measures, progress)


def weigh(
    plan: bench.Plan,
    on: Tasks,
    where: Where,
    measures: str | Sequence[str],
    progress: Callable[[bench.Step], None] = lambda step: None,
) -> Results:
    """Carry out a plan on tasks and read the results."""
    wanted = parse_many(measures)
    if measures == DEFAULT_MEASURES:  # nobody chose them, so a shallow ranking is told by those that it has
        wanted = tuple(m for m in wanted if (m.depth or 0) <= plan.depth) or wanted
    bench.check_depth(wanted, plan.depth)
    refs = references(on, where)
    weighed: list[Weighed] = []
    for task, stored in bench.weigh(plan, loading(refs, where), len(refs), progress):
        found = {w.system.variant: w for w in from_stored(stored, wanted, task)}
        weighed.extend(found[name] for name in plan.variants if name in found)
    return Results(weighed, wanted)


def compare(
    *retrievers: str | Retriever,
    on: Tasks,
    measures: str | Sequence[str] = "nDCG@10",
    depth: int = bench.DEFAULT_DEPTH,
    results: str | Path = "results",
    tasks_dir: str | Path | None = None,
) -> Comparison:
    """Compare systems pairwise, on each task and over all; runs what has no result yet.

    A system is a retriever, or a spelling with a variant.

    >>> hakari.compare("bm25", "bm25-code", on="path/to/NanoX")
    >>> hakari.compare("bge_small_en", "bge_small_en int8", on="path/to/NanoX")
    """
    plan, systems = planned(retrievers)
    if len(systems) < 2:
        raise UsageError("a comparison needs two retrievers or variants")
    where = Where(Path(results), _path(tasks_dir))
    plan = replace(plan, depth=depth, results=where.results)
    return weigh(plan, on, where, measures).compare(*systems)


def score(
    runs: Run | Mapping[str, Run], qrels: Qrels, measures: str | Sequence[str] = DEFAULT_MEASURES
) -> Results:
    """Score runs made elsewhere against judgements; several runs may be named in a mapping."""
    wanted = parse_many(measures)
    named = {runs.tag: runs} if isinstance(runs, Run) else runs
    scored = []
    for name, run in named.items():
        check_run(run)
        scored.append(from_run(replace(run, tag=name), qrels, "qrels", wanted))
    return Results(scored, wanted)


def gate(
    baseline: str | Path,
    candidate: str | Path,
    *,
    measure: str = "nDCG@10",
    max_drop: float = 0.01,
    results: str | Path = "results",
) -> Verdict:
    """Judge a candidate's finished results against a baseline's; runs nothing."""
    from hakari.report.gate import judge

    return judge(baseline, candidate, measure=measure, max_drop=max_drop, results=Path(results))


def scope(names: Sequence[str] = (), tasks_dir: Path | None = None) -> Scope:
    """The finished results that names mean; tasks are loaded where a measure needs them, if they are there."""
    from hakari.report.finished import Scope

    where = Where(tasks_dir=tasks_dir)

    @cache
    def task_of(name: str) -> Task | None:
        for item in (*names, name):
            with suppress(UsageError):
                found = [ref for ref in references(item, where) if ref.name == name]
                if found:
                    return next(loading(found, where))
        return None

    return Scope(names, task_of)


def retrievers_of(
    spellings: str | Retriever | Sequence[str | Retriever], settings: Mapping[str, str] | None = None
) -> list[Retriever]:
    """Retrievers from their spellings, each once; two that differ must not have one name."""
    return _each_once(_made(_listed(spellings), settings))


def _listed(given: str | Retriever | Sequence[str | Retriever]) -> list[str | Retriever]:
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _made(many: Sequence[str | Retriever], settings: Mapping[str, str] | None) -> list[Retriever]:
    """A retriever for each spelling, in its place."""
    if not many:
        raise UsageError("no retriever is named", "list them with `hakari retrievers`")
    for one in many:
        if not isinstance(one, str):
            _check_retriever(one)
    made = iter(registry.parse_all([s for s in many if isinstance(s, str)], settings or {}))
    return [next(made) if isinstance(s, str) else s for s in many]


def _each_once(retrievers: Sequence[Retriever]) -> list[Retriever]:
    found: dict[str, Retriever] = {}
    for one in retrievers:
        first = found.setdefault(one.name, one)
        if first is not one and first.settings() != one.settings():
            raise UsageError(
                f"two retrievers are called `{one.name}` and have different settings",
                "give each a `name` of its own, such as one that spells out its settings",
            )
    return list(found.values())


def planned(
    names: str | Retriever | Sequence[str | Retriever],
    specs: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
) -> tuple[bench.Plan, list[System]]:
    """A plan for what names and specifications of variants ask for, and the systems that they mean.

    `bge_small_en int8` means that system, and `bge_small_en` that retriever as `float` and in each variant that
    `specs` ask for. Every variant must be one that a retriever has.
    """
    many = _listed(names)
    asked = [str(variant) for variant in parse_specs(specs)]
    parted: list[tuple[str | Retriever, list[str]]] = [
        part_variants(name) if isinstance(name, str) else (name, []) for name in many
    ]
    made = _made([head for head, _ in parted], settings)
    systems = []
    for retriever, (_, own) in zip(made, parted, strict=True):
        for variant in own or retriever.variants_among(asked):
            if variant not in retriever.variants_among([variant]):
                raise _without(variant, [retriever])
            systems.append(System(retriever.name, variant))
    every = [str(variant) for variant in parse_specs([*asked, *(system.variant for system in systems)])]
    for variant in every[1:]:
        if not any(variant in retriever.variants_among([variant]) for retriever in made):
            raise _without(variant, made)
    plan = bench.Plan(_each_once(made), variants=every)
    return plan, list(dict.fromkeys(systems))


def _without(variant: str, retrievers: Sequence[Retriever]) -> UsageError:
    told = ", ".join(f"`{retriever.name}`" for retriever in retrievers)
    return UsageError(
        f"{told}: no variant `{variant}`",
        "each family has its own: dense `int8`, sparse `active-dims:document=128`, late `pool=2`",
    )


def _check_retriever(given: object) -> None:
    """Raise where an object is no retriever, or one without what names its results."""
    if not isinstance(given, Retriever):
        what = "a class, not an object of it" if isinstance(given, type) else type(given).__name__
        raise UsageError(
            f"{given!r} is {what}; a spelling or a Retriever is expected",
            "write `bm25`, or subclass hakari.Retriever and pass an object: `MyRetriever()`",
        )
    for attribute in ("name", "family"):
        if not isinstance(getattr(given, attribute, None), str) or not getattr(given, attribute):
            raise UsageError(
                f"{type(given).__name__} has no `{attribute}`", f'say in its class: {attribute} = "mine"'
            )


def references(tasks: Tasks, where: Where) -> list[TaskRef | Task]:
    """Every task that is meant, each once, not loaded yet."""
    many = [tasks] if isinstance(tasks, str | Path | Task) or not isinstance(tasks, Iterable) else tasks
    found: dict[str, TaskRef | Task] = {}
    for one in many:
        if not isinstance(one, str | Path | Task):
            hint = "name a suite, a task or a folder, or pass what `hakari.load` gives"
            raise UsageError(f"{one!r} is {type(one).__name__}, not a task", hint)
        for ref in [one] if isinstance(one, Task) else resolve(str(one), where.tasks_dir):
            other = found.setdefault(ref.name, ref)
            if isinstance(ref, Task) and isinstance(other, Task) and ref.content != other.content:
                raise UsageError(
                    f"two tasks are called `{ref.name}` and have different content", "rename one of them"
                )
    if not found:
        raise UsageError("no task is named", "list them with `hakari tasks`")
    return list(found.values())


def loading(refs: Sequence[TaskRef | Task], where: Where) -> Iterator[Task]:
    """Load the tasks one after the other, with language and category settled."""
    for ref in refs:
        if isinstance(ref, Task):
            yield fill_traits(ref, where.language, where.category)
        else:
            yield ref.load(where.language, where.category)


def each(tasks: Tasks, where: Where) -> Iterator[Task]:
    """Every task that is meant, loaded one after the other."""
    return loading(references(tasks, where), where)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)


def describe(task: Task, measures: str = DEFAULT_MEASURES, results: Path | None = None) -> dict[str, Any]:
    """Statistics, examples and shipped candidates of a task, and what models cut of it in finished results."""
    from hakari.report.describe import describe as described

    return described(task, measures, results)


def site(
    tasks: Tasks,
    out: str | Path,
    where: Where,
    *,
    published: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, int]:
    """Build the site of tasks and of all results in a folder; how many files and bytes it has."""
    from hakari.retrievers.trained_on import trained_on
    from hakari.site import build, reading, render

    render.require()
    refs = [ref for ref in references(tasks, where) if not isinstance(ref, Task)] if tasks else []
    found = reading.read(refs, where.results, where.language, where.category, published)
    told = {system.retriever: trained_on(system.retriever) for system in found.systems}
    found = replace(
        found,
        licences={k.name: k.licence for k in registry.known() if k.licence},
        trained_on={retriever: data for retriever, data in told.items() if data is not None},
    )
    return build.build(build.site_of(found, tell), Path(out))


def listed(tasks_dir: Path | None = None, wanted: Wanted | None = None) -> list[dict[str, Any]]:
    """The tasks that can be asked for by name, where they lie, and what is published of them."""
    from hakari.tasks import listing

    return listing.listed(wanted or listing.Wanted(), tasks_dir)


def sizes(name: str, tasks_dir: Path | None = None) -> dict[str, Any]:
    """Sizes, language and category of the one task of a name."""
    task = next(each(name, Where(tasks_dir=tasks_dir)))
    return {
        "queries": len(task.queries),
        "documents": len(task.corpus),
        "judgements": len(task.qrels),
        "language": task.language,
        "category": task.category,
        "shape": task.shape,
    }
