"""The scores of some systems on one task, checked and rounded for exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput
from hakari.stats.exact import FloatArray, quantise, sums_of_squares

TaskInput = npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]
"""Scores (systems, queries) whose mean counts, or numerators (systems, queries) and denominators (queries,)
whose ratio of sums counts, as pooled recall wants. Queries stand in ascending order of id in both."""


@dataclass(frozen=True, eq=False)
class TaskScores:
    """A ratio of sums per system. A mean is the case in which all denominators are 1."""

    name: str
    numerators: FloatArray
    """(systems, queries), exact to sum."""
    denominators: FloatArray
    """(queries,), exact to sum."""

    @property
    def queries(self) -> int:
        """How many queries the task has."""
        return self.numerators.shape[1]

    @property
    def total(self) -> float:
        """The sum of the denominators."""
        return float(self.denominators.sum())

    def estimates(self) -> FloatArray:
        """(systems,): the means or pooled ratios."""
        return self.numerators.sum(axis=1) / self.total

    def squared_errors(self, numerators: FloatArray | None = None) -> FloatArray:
        """Squared standard errors of the estimates, or of those that other numerators would give."""
        tops = self.numerators if numerators is None else numerators
        ratios = tops.sum(axis=1) / self.total
        residuals = (tops - ratios[:, None] * self.denominators) * (self.queries / self.total)
        return sums_of_squares(residuals) / (self.queries * max(self.queries - 1, 1))


def read_task(name: str, given: TaskInput) -> TaskScores:
    """Check one task's scores and round them for exact sums."""
    numerators, denominators = given if isinstance(given, tuple) else (given, None)
    tops = np.array(numerators, dtype=np.float64)
    if tops.ndim != 2 or 0 in tops.shape:
        raise InvalidInput(
            "scores", [Fault(f"{name}: expected (systems, queries), got the shape {tops.shape}")]
        )
    bottoms = np.ones(tops.shape[1]) if denominators is None else np.array(denominators, dtype=np.float64)
    faults = _faults(name, tops, bottoms)
    if faults:
        raise InvalidInput("scores", faults)
    return TaskScores(name, quantise(tops), quantise(bottoms))


def read_tasks(given: Mapping[str, TaskInput]) -> list[TaskScores]:
    """All tasks, those of one size together so that they can share their draws, then by name."""
    faults: list[Fault] = []
    tasks: list[TaskScores] = []
    for name in given:
        try:
            tasks.append(read_task(name, given[name]))
        except InvalidInput as error:
            faults.extend(error.faults)
    counts = sorted({len(task.numerators) for task in tasks})
    if len(counts) > 1:
        faults.append(Fault(f"tasks have different numbers of systems: {', '.join(map(str, counts))}"))
    if not given:
        faults.append(Fault("there is no task"))
    if faults:
        raise InvalidInput("scores", faults)
    return sorted(tasks, key=lambda task: (task.queries, task.name))


def _faults(name: str, tops: FloatArray, bottoms: FloatArray) -> list[Fault]:
    if bottoms.shape != tops.shape[1:]:
        return [Fault(f"{name}: {tops.shape[1]} queries, but denominators of the shape {bottoms.shape}")]
    if not (np.isfinite(bottoms).all() and (bottoms >= 0).all() and bottoms.sum() > 0):
        return [Fault(f"{name}: denominators must not be negative, and not all 0")]
    slack = 1e-9
    bad = ~((tops >= -slack) & (tops <= bottoms + slack))
    limit = "its denominator" if (bottoms != 1).any() else "1"
    return [
        Fault(f"{name}: system {system}, query {query}: {tops[system, query]} is not between 0 and {limit}")
        for system, query in np.argwhere(bad).tolist()
    ]
