"""Means, intervals and ranks of systems on each task and over tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hakari.stats.bootstrap import Resamples, interval, pooled_freedom
from hakari.stats.draws import Resampling
from hakari.stats.exact import FloatArray
from hakari.stats.ranks import IntArray, rank_ranges
from hakari.stats.scores import TaskInput, TaskScores, read_tasks


@dataclass(frozen=True, eq=False)
class Summary:
    """One value a system in every array, systems in the order given."""

    means: FloatArray
    lows: FloatArray
    highs: FloatArray
    best_ranks: IntArray
    worst_ranks: IntArray
    queries: int


@dataclass(frozen=True, eq=False)
class Summaries:
    """Summaries by task, in the order given, and of the macro mean: the plain mean over tasks."""

    tasks: dict[str, Summary]
    macro: Summary


def summarise(scores_by_task: Mapping[str, TaskInput], resampling: Resampling | None = None) -> Summaries:
    """Means with intervals and rank ranges, per task and over tasks.

    Each task gives scores (systems, queries), or numerators and denominators for a pooled ratio. For the
    macro mean queries are resampled within tasks. What is said of a task does not depend on other tasks.
    """
    plan = resampling or Resampling()
    tasks = read_tasks(scores_by_task)
    draws = plan.draws
    shape = len(tasks[0].numerators), plan.resamples
    deviations, means, made = np.zeros(shape), np.zeros(shape), {}
    for task in tasks:
        resamples = Resamples(task, draws, shuffled=len(tasks) > 1)
        own_deviations, own_means = resamples.score_deviations(), resamples.plain_means()
        if len(tasks) > 1:
            deviations += own_deviations
            means += own_means
        made[task.name] = _summary([task], own_deviations, own_means, plan)
    by_task = {name: made[name] for name in scores_by_task}
    if len(tasks) == 1:
        return Summaries(by_task, made[tasks[0].name])
    return Summaries(by_task, _summary(tasks, deviations / len(tasks), means, plan))


def _summary(
    tasks: list[TaskScores], deviations: FloatArray, resampled: FloatArray, plan: Resampling
) -> Summary:
    estimates = np.mean([task.estimates() for task in tasks], axis=0)
    sizes = [task.queries for task in tasks]
    freedom = pooled_freedom([task.squared_errors() for task in tasks], sizes)
    low, high = interval(estimates, deviations, freedom, plan.confidence)
    best, worst = rank_ranges(resampled, plan.confidence)
    return Summary(estimates, np.maximum(low, 0.0), np.minimum(high, 1.0), best, worst, sum(sizes))
