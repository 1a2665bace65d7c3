"""Run comparison: a system against the baseline, on every task that both have, down to single queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hakari import stats
from hakari.site import charts, places
from hakari.site.blocks import Block, Code, Figure, Link, Page, Para, Run, Section, Table, Tag, Tiles
from hakari.site.digest import HEADLINE
from hakari.site.model import BASE, System
from hakari.site.task.words import number, several, signed

if TYPE_CHECKING:
    from hakari.site.build import Site

MOST = 24
"""Systems that get a page against the baseline; any two can be put side by side on the board."""
CHANGES = 20
FOREST = 60
SIGNIFICANT = 0.05


Found = dict[str, tuple[float, float, float, float, tuple[int, int, int]]]
"""By task, and `*` for all: difference, interval, p after Holm, and wins, ties and losses."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some systems that share the same tasks with the baseline."""

    systems: Sequence[System]
    scores: Mapping[str, npt.NDArray[np.float64]]
    """By task the values (1 + systems, queries), those of the baseline first."""


def parts(site: Site) -> list[Part]:
    """What is to be compared, in pieces that can be worked on side by side."""
    baseline, made = baseline_of(site), list[Part]()
    if baseline is None:
        return made
    for tasks, systems in _groups(site, baseline):
        scores = {t: np.stack([site.scores[t][s] for s in (baseline, *systems)]) for t in tasks}
        made.append(Part(systems, scores))
    return made


def weigh(part: Part) -> list[Found]:
    """Each system of a part against the baseline."""
    tasks = list(part.scores)
    told = stats.compare_pairs(part.scores, [(i + 1, 0) for i in range(len(part.systems))])
    made: list[Found] = []
    for i in range(len(part.systems)):
        rows = {**told.tasks, "*": told.macro} if len(tasks) > 1 else {**told.tasks}
        corrected = stats.holm(np.array([d.p[i] for d in rows.values()]))
        found: Found = {
            name: (
                float(d.diff[i]),
                float(d.low[i]),
                float(d.high[i]),
                float(p),
                (int(d.wins[i]), int(d.ties[i]), int(d.losses[i])),
            )
            for (name, d), p in zip(rows.items(), corrected, strict=True)
        }
        found.setdefault("*", found[tasks[0]])
        made.append(found)
    return made


def pages(site: Site) -> Iterator[Page]:
    """One page a system against the baseline, and the list of them."""
    baseline = baseline_of(site)
    rows: list[tuple[Run, ...]] = []
    if baseline is not None:
        for part, weighed in site.compared:
            tasks = list(part.scores)
            for system, found in zip(part.systems, weighed, strict=True):
                page = _page(site, system, baseline, tasks, found)
                macro = found["*"]
                verdict = (
                    "not distinguished"
                    if macro[1] <= 0 <= macro[2]
                    else "better"
                    if macro[0] > 0
                    else "worse"
                )
                rows.append(
                    (
                        Link(system.label, page.path),
                        str(len(tasks)),
                        f"{signed(macro[0])} [{signed(macro[1])}, {signed(macro[2])}]",
                        verdict,
                    )
                )
                yield page
    columns = [
        "System",
        "Shared tasks",
        f"{HEADLINE} against the baseline, with the paired 95 % interval",
        "Verdict",
    ]
    name = baseline.label if baseline is not None else "none"
    blocks: list[Block] = (
        [Table(f"Against {name}", columns, rows, texts=(0, 3))]
        if rows
        else [Para("There are no two systems.")]
    )
    yield Page(
        "compare/index.html",
        "Comparisons",
        f"Every system against the baseline {name}, paired by query.",
        [Section("pairs", "Pairs", blocks)],
        kicker="Comparisons",
    )


def baseline_of(site: Site) -> System | None:
    """The system that others are held against: the BM25 of the published protocol, or the first there is."""
    whole = [s for s in site.reading.systems if s.variant == BASE]
    return site.roles.bm25 or (whole[0] if whole else None)


def _groups(site: Site, baseline: System) -> list[tuple[list[str], list[System]]]:
    """Systems by the tasks that they share with the baseline, so that resampling is shared, too."""
    grouped: dict[tuple[str, ...], list[System]] = {}
    others = [s for s in site.reading.systems if s.variant == BASE and s.retriever != baseline.retriever]
    for system in others[:MOST]:
        tasks = tuple(t for t, values in site.scores.items() if system in values and baseline in values)
        if tasks:
            grouped.setdefault(tasks, []).append(system)
    return [(list(tasks), systems) for tasks, systems in grouped.items()]


def _page(site: Site, system: System, baseline: System, tasks: Sequence[str], found: Found) -> Page:
    diff, low, high, p, _ = found["*"]
    verdict = (
        Tag("not distinguished")
        if low <= 0 <= high
        else Tag("better", "good")
        if diff > 0
        else Tag("worse", "warn")
    )
    sections = [
        Section("tasks", "By task", [*_forest(tasks, found), _table(site, system, baseline, tasks, found)]),
        Section("queries", "Queries that changed most", [_changes(site, system, baseline, tasks)]),
    ]
    lead: Run = (
        Link(system.label, places.system_page(system)),
        " against ",
        Link(baseline.label, places.system_page(baseline)),
        f": {signed(diff)} {HEADLINE} on the mean of {several(len(tasks), 'task')}, paired 95 % interval "
        f"{signed(low)} to {signed(high)}.",
    )
    better = sum(found[t][1] > 0 for t in tasks)
    worse = sum(found[t][2] < 0 for t in tasks)
    tiles = Tiles(
        [
            (signed(diff), HEADLINE, f"{signed(low)} to {signed(high)}"),
            (str(better), "tasks better", "interval above 0"),
            (str(worse), "tasks worse", "interval below 0"),
            (f"{p:.4f}", "p after Holm", "sign flips, 10,000"),
        ]
    )
    return Page(
        places.comparison_page(system, baseline),
        f"{system.label} against {baseline.label}",
        lead,
        sections,
        [Link("Comparisons", "compare/index.html")],
        [verdict],
        tiles,
        kicker="Comparison",
    )


def _forest(tasks: Sequence[str], found: Found) -> list[Block]:
    if len(tasks) > FOREST:
        return []
    order = sorted(tasks, key=lambda t: (-found[t][0], t))
    drawn = charts.forest(
        [*((t, *found[t][:3]) for t in order), (f"mean of {len(tasks)} tasks", *found["*"][:3])],
        f"Differences in {HEADLINE} by task",
    )
    return [
        Figure(
            drawn, f"Difference in {HEADLINE} on each task with its paired 95 % interval, and on their mean."
        )
    ]


def _table(site: Site, system: System, baseline: System, tasks: Sequence[str], found: Found) -> Table:
    rows: list[tuple[Run, ...]] = []
    for name in [*sorted(tasks, key=lambda t: (-found[t][0], t)), "*"]:
        diff, low, high, p, (wins, ties, losses) = found[name]
        over = tasks if name == "*" else [name]
        means = [float(np.mean([site.scores[t][s].mean() for t in over])) for s in (system, baseline)]
        label: Run = f"mean of {len(tasks)}" if name == "*" else Link(name, places.task_page(name))
        verdict = "" if p > SIGNIFICANT else "better" if diff > 0 else "worse"
        rows.append(
            (
                label,
                *map(number, means),
                f"{signed(diff)} [{signed(low)}, {signed(high)}]",
                f"{p:.4f}",
                verdict,
                f"{wins}/{ties}/{losses}",
            )
        )
    columns = [
        "Task",
        system.label,
        baseline.label,
        "Difference, 95 %",
        "p, Holm",
        "Verdict",
        "Wins/ties/losses",
    ]
    return Table(
        f"{HEADLINE} by task",
        columns,
        rows,
        texts=(0, 5),
        marked=(len(rows) - 1,),
        note="p-values are of paired sign flips, corrected by Holm over the rows of this table.",
    )


def _changes(site: Site, system: System, baseline: System, tasks: Sequence[str]) -> Table:
    found = []
    for task in tasks:
        gaps = np.abs(site.scores[task][system] - site.scores[task][baseline])
        found += [(-float(gaps[place]), task, place) for place in np.flatnonzero(gaps).tolist()]
    rows: list[tuple[Run, ...]] = []
    for _, task, place in sorted(found)[:CHANGES]:
        mine, theirs = float(site.scores[task][system][place]), float(site.scores[task][baseline][place])
        rows.append(
            (
                Code(str(site.query_ids[task][place])),
                Link(task, places.task_page(task)),
                number(mine),
                number(theirs),
                signed(mine - theirs),
            )
        )
    columns = ["Query", "Task", system.label, baseline.label, "Difference"]
    return Table(
        f"The largest differences in {HEADLINE}; equal ones by task and query", columns, rows, texts=(0, 1)
    )
