"""Summaries of many selections of tasks from one resampling of each task.

A leaderboard asks for the mean over all tasks, over each suite, over each language: what is resampled is the
same each time, so it is done once and added up where it belongs. The numbers are those of `summarise`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.stats.bootstrap import Resamples, interval, pooled_freedom
from hakari.stats.draws import Resampling
from hakari.stats.exact import FloatArray
from hakari.stats.ranks import rank_ranges
from hakari.stats.scores import TaskScores, read_task
from hakari.stats.summary import Summary

_VALUES_AT_ONCE = 1 << 25
"""Numbers held while selections add up: 256 MB."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Some tasks, the systems that have a result for each of them, and how tasks are weighed."""

    tasks: Sequence[str]
    systems: Sequence[int]
    """Numbers of systems, as in `Scored.systems`; every task has all of them."""
    micro: bool = False
    """Whether every query counts the same, and not every task."""


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of the systems that have a result for a task."""

    systems: npt.NDArray[np.int64]
    """(present,): numbers of systems, ascending."""
    values: npt.NDArray[np.float64]
    """(present, queries), queries in ascending order of id."""


def summarise_selections(
    scored: Mapping[str, Scored], selections: Sequence[Selection], resampling: Resampling | None = None
) -> list[Summary]:
    """Means, intervals and rank ranges of each selection, systems in the order of the selection."""
    plan = resampling or Resampling()
    draws = plan.draws
    tasks = {name: read_task(name, scored[name].values) for name in scored}
    order = sorted(tasks, key=lambda name: (tasks[name].queries, name))
    found: list[Summary] = []
    for part in _parts(selections, plan.resamples):
        sums = [_Sum(selection, plan.resamples) for selection in part]
        for name in order:
            wanting = [sum_ for sum_ in sums if name in sum_.wanted]
            if wanting:
                resamples = Resamples(tasks[name], draws, shuffled=True)
                deviations, means = resamples.score_deviations(), resamples.plain_means()
                for sum_ in wanting:
                    rows = np.searchsorted(scored[name].systems, sum_.selection.systems)
                    sum_.add(tasks[name], rows, deviations, means)
        found += [sum_.summary(plan) for sum_ in sums]
    return found


class _Sum:
    """One selection while its tasks come by, in the order in which `summarise` takes them."""

    def __init__(self, selection: Selection, resamples: int) -> None:
        self.selection, self.wanted = selection, frozenset(selection.tasks)
        shape = len(selection.systems), resamples
        self.deviations, self.means = np.zeros(shape), np.zeros(shape)
        self.estimates: list[FloatArray] = []
        self.errors: list[FloatArray] = []
        self.sizes: list[int] = []

    def add(
        self, task: TaskScores, rows: npt.NDArray[np.intp], deviations: FloatArray, means: FloatArray
    ) -> None:
        weight = float(task.queries) if self.selection.micro else 1.0
        self.deviations += deviations[rows] * weight
        self.means += means[rows] * weight
        self.estimates.append(task.estimates()[rows])
        self.errors.append(task.squared_errors()[rows])
        self.sizes.append(task.queries)

    def summary(self, plan: Resampling) -> Summary:
        sizes = np.array(self.sizes, dtype=np.float64)
        weights = sizes if self.selection.micro else np.ones(len(sizes))
        total = float(weights.sum())
        estimates = (np.array(self.estimates) * weights[:, None]).sum(axis=0) / total
        shares = weights * len(weights) / total
        freedom = pooled_freedom([e * s * s for e, s in zip(self.errors, shares, strict=True)], self.sizes)
        low, high = interval(estimates, self.deviations / total, freedom, plan.confidence)
        best, worst = rank_ranges(self.means, plan.confidence)
        return Summary(estimates, np.maximum(low, 0.0), np.minimum(high, 1.0), best, worst, int(sizes.sum()))


def _parts(selections: Sequence[Selection], resamples: int) -> Iterator[list[Selection]]:
    """Runs of selections whose sums fit in memory together."""
    part: list[Selection] = []
    held = 0
    for selection in selections:
        size = 2 * len(selection.systems) * resamples
        if part and held + size > _VALUES_AT_ONCE:
            yield part
            part, held = [], 0
        part.append(selection)
        held += size
    if part:
        yield part
