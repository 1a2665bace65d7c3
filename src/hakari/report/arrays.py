"""From results to the arrays that the statistics want."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hakari.errors import UsageError
from hakari.measures import Measure

if TYPE_CHECKING:
    from hakari.report.results import Results, System
    from hakari.stats import TaskInput


def by_task(
    results: Results, systems: Sequence[System], measure: Measure, tasks: Sequence[str]
) -> dict[str, TaskInput]:
    """Per task the scores of the systems on the same queries, in order; or a ratio of sums where it is one."""
    found: dict[str, TaskInput] = {}
    for task in tasks:
        here = [results.at(task, system) for system in systems]
        queries = here[0].query_ids
        for other in here[1:]:
            if len(other.query_ids) != len(queries) or (other.query_ids != queries).any():
                raise UsageError(
                    f"the results of `{here[0].system}` and `{other.system}` for `{task}` have different queries",
                    "they were made from different tasks of the same name; run both again on one of them",
                )
        values = np.stack([w.values[measure] for w in here])
        weights = here[0].weights[measure]
        if not weights.any():  # nothing is relevant, so every value is 0 and no query counts for more
            weights = np.ones_like(weights)
        found[task] = values if (weights == 1).all() else (values * weights, weights)
    return found
