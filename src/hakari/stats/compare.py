"""Paired comparisons of many systems, on each task and over tasks, through one matrix product a task.

Systems share the random numbers, so the resampled sum of a difference is the difference of two resampled
sums: 190 pairs of 20 systems cost one product with 20 columns. Sums are exact, so nothing is lost by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput
from hakari.stats.bootstrap import Resamples, interval, pooled_freedom
from hakari.stats.draws import Draws, Resampling
from hakari.stats.exact import FINEST_BITS, FloatArray
from hakari.stats.paired import detectable, flip_sums, p_value, random_flip_sums
from hakari.stats.ranks import IntArray
from hakari.stats.scores import TaskInput, TaskScores, read_tasks

_PAIRS_IN_CACHE = 16
_PAIRS_IN_MEMORY = 1024


@dataclass(frozen=True, eq=False)
class Differences:
    """One value a pair (a, b) in every array: a - b, its interval, and how sure one can be of it."""

    pairs: IntArray
    """(pairs, 2): system numbers."""
    diff: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    """Two-sided, by paired randomisation, not yet corrected for the number of comparisons: see `holm`."""
    smallest: FloatArray
    """The smallest true difference that these queries could have shown: see `smallest_difference`."""
    wins: IntArray
    """Queries on which a is better."""
    ties: IntArray
    losses: IntArray
    queries: int


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Differences by task, in the order given, and of the macro mean: the mean over tasks."""

    tasks: dict[str, Differences]
    macro: Differences


def compare_pairs(
    scores_by_task: Mapping[str, TaskInput],
    pairs: npt.ArrayLike | None = None,
    resampling: Resampling | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Comparisons:
    """Compare pairs of systems (all of them unless given) query by query, per task and over tasks.

    Each task gives scores (systems, queries), or numerators and denominators for a pooled ratio. Over tasks
    the difference is that of the macro means; queries are resampled, and signs flipped, within tasks.
    """
    plan = resampling or Resampling()
    tasks = read_tasks(scores_by_task)
    couples = _read_pairs(pairs, len(tasks[0].numerators))
    parts = [
        _Comparison(tasks, couples[part], plan).run(plan.draws, (power, alpha))
        for part in _parts(len(couples), _PAIRS_IN_MEMORY)
    ]
    joined = {name: _join([part[name] for part in parts]) for name in parts[0]}
    macro = joined.pop(None)
    return Comparisons({name: joined[name] for name in scores_by_task}, macro)


def pair_p_values(
    scores_by_task: Mapping[str, TaskInput], resampling: Resampling | None = None
) -> tuple[IntArray, FloatArray]:
    """All pairs of systems and their p-values over the tasks: those of `compare_pairs`, without its intervals."""
    plan = resampling or Resampling()
    tasks = read_tasks(scores_by_task)
    couples = _read_pairs(None, len(tasks[0].numerators))
    found = [
        _Signs(tasks, couples[part], plan).over_tasks(plan.draws)
        for part in _parts(len(couples), _PAIRS_IN_MEMORY)
    ]
    return couples, np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What one task's data say of each pair, without resampling."""

    diff: FloatArray
    squared_errors: FloatArray
    absolute: FloatArray
    """The mean size of a difference."""
    wins: IntArray
    ties: IntArray
    losses: IntArray
    queries: int


class _Signs:
    """How far some pairs differ on tasks, held against what drawing each sign by lot gives."""

    def __init__(self, tasks: list[TaskScores], pairs: IntArray, plan: Resampling) -> None:
        self.tasks, self.pairs, self.resamples = tasks, pairs, plan.resamples
        self.several = len(tasks) > 1
        self.flips = np.zeros((len(pairs), plan.resamples) if self.several else (0, 0))

    def on(self, task: TaskScores, draws: Draws) -> FloatArray:
        """The p-values on one task; each task has to come by once before `together`."""
        sums, complete = flip_sums(task.numerators, draws)
        if self.several:
            drawn = random_flip_sums(task.numerators, draws) if complete else sums
            drawn = drawn[:, draws.shuffle("signs", task.name)] / (task.total * len(self.tasks))
        observed = task.numerators.sum(axis=1)
        counts = np.empty(len(self.pairs), dtype=np.int64)
        for part in _parts(len(self.pairs)):
            a, b = self.pairs[part].T
            flipped = sums[a]
            flipped -= sums[b]
            np.abs(flipped, out=flipped)
            counts[part] = np.count_nonzero(flipped >= np.abs(observed[a] - observed[b])[:, None], axis=1)
            if self.several:
                self.flips[part] += drawn[a]
                self.flips[part] -= drawn[b]
        return p_value(counts, sums.shape[1], complete)

    def together(self, observed: FloatArray) -> FloatArray:
        """The p-values over all tasks of the mean differences that are observed."""
        # Over tasks sums are divided before they are added, so equal statistics may differ by rounding.
        threshold = np.abs(observed)[:, None] - 2.0**-FINEST_BITS
        extreme = np.count_nonzero(np.abs(self.flips) >= threshold, axis=1)
        return p_value(extreme, self.resamples, complete=False)

    def over_tasks(self, draws: Draws) -> FloatArray:
        """The p-values over all tasks, which come by here."""
        each = [self.on(task, draws) for task in self.tasks]
        if not self.several:
            return each[0]
        return self.together(np.mean([_mean_differences(task, self.pairs) for task in self.tasks], axis=0))


class _Comparison:
    """Some pairs on all tasks: each task's own figures, and what adds up to the macro mean."""

    def __init__(self, tasks: list[TaskScores], pairs: IntArray, plan: Resampling) -> None:
        self.tasks, self.pairs, self.plan = tasks, pairs, plan
        self.several = len(tasks) > 1
        self.signs = _Signs(tasks, pairs, plan)
        self.deviations = np.zeros((len(pairs), plan.resamples) if self.several else (0, 0))

    def run(self, draws: Draws, power_and_alpha: tuple[float, float]) -> dict[str | None, Differences]:
        """Differences by the name of the task, those of the macro mean under None."""
        made: dict[str | None, Differences] = {}
        seen = [_look(task, self.pairs) for task in self.tasks]
        for task, look in zip(self.tasks, seen, strict=True):
            low, high = self._intervals(task, look, draws)
            made[task.name] = self._assemble([look], low, high, self.signs.on(task, draws), power_and_alpha)
        if not self.several:
            return made | {None: made[self.tasks[0].name]}
        observed = np.mean([look.diff for look in seen], axis=0)
        low, high = interval(observed, self.deviations, _freedom(seen), self.plan.confidence)
        made[None] = self._assemble(seen, low, high, self.signs.together(observed), power_and_alpha)
        return made

    def _intervals(self, task: TaskScores, look: _Seen, draws: Draws) -> tuple[FloatArray, FloatArray]:
        resamples = Resamples(task, draws, shuffled=self.several)
        freedom = _freedom([look])
        low, high = np.empty(len(self.pairs)), np.empty(len(self.pairs))
        for part in _parts(len(self.pairs)):
            deviations = resamples.difference_deviations(
                self.pairs[part], _differences(task, self.pairs[part])
            )
            if self.several:
                self.deviations[part] += deviations / len(self.tasks)
            low[part], high[part] = interval(look.diff[part], deviations, freedom[part], self.plan.confidence)
        return low, high

    def _assemble(
        self,
        seen: list[_Seen],
        low: FloatArray,
        high: FloatArray,
        p: FloatArray,
        power_and_alpha: tuple[float, float],
    ) -> Differences:
        squared_errors = np.sum([look.squared_errors for look in seen], axis=0) / len(seen) ** 2
        wins = np.sum([look.wins for look in seen], axis=0)
        losses = np.sum([look.losses for look in seen], axis=0)
        steps = np.mean([look.absolute for look in seen], axis=0) / np.maximum(wins + losses, 1)
        freedom = np.where(sum(look.queries for look in seen) > len(seen), _freedom(seen), 0.0)
        return Differences(
            self.pairs,
            np.mean([look.diff for look in seen], axis=0),
            np.maximum(low, -1.0),
            np.minimum(high, 1.0),
            p,
            detectable(squared_errors, freedom, steps, power_and_alpha),
            wins,
            np.sum([look.ties for look in seen], axis=0),
            losses,
            sum(look.queries for look in seen),
        )


def _look(task: TaskScores, pairs: IntArray) -> _Seen:
    parts: list[tuple[npt.NDArray[np.generic], ...]] = []
    for part in _parts(len(pairs)):
        differences = _differences(task, pairs[part])
        parts.append(
            (
                differences.sum(axis=1) / task.total,
                task.squared_errors(differences),
                np.abs(differences).sum(axis=1) / task.total,
                np.count_nonzero(differences > 0, axis=1),
                np.count_nonzero(differences == 0, axis=1),
                np.count_nonzero(differences < 0, axis=1),
            )
        )
    diff, squared_errors, absolute, wins, ties, losses = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    return _Seen(diff, squared_errors, absolute, wins, ties, losses, task.queries)


def _mean_differences(task: TaskScores, pairs: IntArray) -> FloatArray:
    parts = (_differences(task, pairs[part]).sum(axis=1) for part in _parts(len(pairs)))
    return np.concatenate(list(parts)) / task.total


def _differences(task: TaskScores, pairs: IntArray) -> FloatArray:
    return task.numerators[pairs[:, 0]] - task.numerators[pairs[:, 1]]


def _freedom(seen: list[_Seen]) -> FloatArray:
    return pooled_freedom([look.squared_errors for look in seen], [look.queries for look in seen])


def _parts(pairs: int, size: int | None = None) -> Iterator[slice]:
    size = size or _PAIRS_IN_CACHE
    for start in range(0, max(pairs, 1), size):
        yield slice(start, start + size)


def _read_pairs(pairs: npt.ArrayLike | None, systems: int) -> IntArray:
    if pairs is None:
        return np.array(list(combinations(range(systems), 2)), dtype=np.int64).reshape(-1, 2)
    couples = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    wrong = [pair for pair in couples.tolist() if not all(0 <= system < systems for system in pair)]
    if wrong:
        raise InvalidInput(
            "pairs", [Fault(f"there are {systems} systems, but no pair {pair}") for pair in wrong]
        )
    return couples


def _join(parts: list[Differences]) -> Differences:
    if len(parts) == 1:
        return parts[0]
    arrays = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Differences)
        if field.name != "queries"
    }
    return Differences(**arrays, queries=parts[0].queries)
