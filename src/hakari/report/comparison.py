"""Comparisons: which of two systems is better, and how surely, on each task and over all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hakari.errors import UsageError
from hakari.measures import Measure
from hakari.report.arrays import by_task
from hakari.report.summary import EVERY_TASK, SIGNIFICANT
from hakari.report.tables import DETECTABLE, Table, detectable, difference, html, number, p_value, plain

if TYPE_CHECKING:
    import pandas

    from hakari.report.results import Results, System


class Change(NamedTuple):
    """One query on which two systems differ."""

    task: str
    query_id: str
    a: float
    b: float

    @property
    def diff(self) -> float:
        """How much better the first is."""
        return self.a - self.b


class Comparison:
    """Every pair of some systems, paired by query; differences are the first less the second."""

    def __init__(self, results: Results, systems: Sequence[System]) -> None:
        if len(set(systems)) < 2:
            raise UsageError(
                "a comparison needs two different systems or more", "name two retrievers or variants"
            )
        self.results = results
        self.systems = list(dict.fromkeys(systems))
        self.tasks = [t for t in results.tasks if all(results.has(t, s) for s in self.systems)]
        if not self.tasks:
            raise UsageError(
                "these systems have no task in common", "run them on the same tasks: `hakari run ...`"
            )

    @property
    def left_out(self) -> list[str]:
        """Tasks that not all of the systems have a result for."""
        return [t for t in self.results.tasks if t not in self.tasks]

    def rows(self) -> list[dict[str, Any]]:
        """One row a task, pair and measure; those over all tasks last, with task `*`, where there are several.

        `p_holm` is corrected over all rows.
        """
        return self._rows

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        from hakari import stats

        pairs = list(combinations(range(len(self.systems)), 2))
        made: dict[tuple[str, Measure], list[dict[str, Any]]] = {}
        count = len(pairs) * len(self.results.measures) * (len(self.tasks) + (len(self.tasks) > 1))
        # Beyond some hundred comparisons 10,000 resamples could never be significant after Holm.
        resamples = max(10_000, stats.resamples_needed(count))
        plan = stats.Resampling(self.results.seed, resamples)
        for measure in self.results.measures:
            given = by_task(self.results, self.systems, measure, self.tasks)
            found = stats.compare_pairs(given, pairs, plan)
            groups = dict(found.tasks)
            if len(self.tasks) > 1:
                groups[EVERY_TASK] = found.macro
            for task, differences in groups.items():
                made[task, measure] = self._of(task, measure, pairs, differences)
        order = [*self.tasks, EVERY_TASK]
        rows = [row for t in order for m in self.results.measures for row in made.get((t, m), [])]
        for row, corrected in zip(rows, stats.holm(np.array([r["p"] for r in rows])), strict=True):
            row["p_holm"] = float(corrected)
        return rows

    def _of(
        self, task: str, measure: Measure, pairs: list[tuple[int, int]], found: Any
    ) -> list[dict[str, Any]]:
        rows = []
        for i, (a, b) in enumerate(pairs):
            smallest = float(found.smallest[i])
            rows.append(
                {
                    "task": task,
                    "a": self.systems[a].retriever,
                    "variant_a": self.systems[a].variant,
                    "b": self.systems[b].retriever,
                    "variant_b": self.systems[b].variant,
                    "measure": str(measure),
                    "diff": float(found.diff[i]),
                    "low": float(found.low[i]),
                    "high": float(found.high[i]),
                    "p": float(found.p[i]),
                    "p_holm": 1.0,
                    "smallest_difference": smallest if np.isfinite(smallest) else None,
                    "wins": int(found.wins[i]),
                    "ties": int(found.ties[i]),
                    "losses": int(found.losses[i]),
                    "queries": int(found.queries),
                }
            )
        return rows

    def changes(self, count: int = 10, measure: Measure | None = None) -> list[Change]:
        """The queries on which the first two systems differ most, largest first; ties by task and query."""
        a, b = self.systems[:2]
        wanted = measure or self.results.measures[0]
        found = []
        for task in self.tasks:
            first, second = self.results.at(task, a), self.results.at(task, b)
            both = zip(first.query_ids, first.values[wanted], second.values[wanted], strict=True)
            found += [Change(task, str(q), float(x), float(y)) for q, x, y in both if x != y]
        return sorted(found, key=lambda c: (-abs(c.diff), c.task, c.query_id))[:count]

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas data frame."""
        from hakari.report.frames import frame

        return frame(self.rows())

    def __repr__(self) -> str:
        return plain(*self.tables())

    def _repr_html_(self) -> str:
        return html(*self.tables())

    def tables(self) -> list[Table]:
        """The table that a person reads."""
        pair = len(self.systems) == 2
        columns = [
            "task",
            *([] if pair else ["a", "b"]),
            "measure",
            "a",
            "b",
            "a - b [95 %]",
            "p",
            "p Holm",
            "better",
        ]
        columns += ["detectable", "wins/ties/losses"]
        rows: list[list[str]] = []
        breaks: list[int] = []
        last = ""
        for row in self.rows():
            if row["task"] != last:
                breaks.append(len(rows))
            rows.append(self._cells(row, pair, row["task"] != last))
            last = row["task"]
        title = (
            f"a = {self.systems[0]}, b = {self.systems[1]}"
            if pair
            else f"{len(self.systems)} systems, by pairs"
        )
        texts = (0, 1) if pair else (0, 1, 2, 3)
        return [Table(title, columns, rows, texts=texts, notes=self._notes(), breaks=breaks[1:])]

    def _cells(self, row: dict[str, Any], pair: bool, first: bool) -> list[str]:
        label = f"mean of {len(self.tasks)}" if row["task"] == EVERY_TASK else row["task"]
        names = [_name(row["a"], row["variant_a"]), _name(row["b"], row["variant_b"])]
        means = [self._mean(row, side) for side in ("a", "b")]
        verdict = "" if row["p_holm"] > SIGNIFICANT else "a" if row["diff"] > 0 else "b"
        return [
            label if first else "",
            *([] if pair else names),
            row["measure"],
            *(number(m) for m in means),
            difference(row["diff"], row["low"], row["high"]),
            p_value(row["p"]),
            p_value(row["p_holm"]),
            verdict,
            detectable(row["smallest_difference"]),
            f"{row['wins']}/{row['ties']}/{row['losses']}",
        ]

    def _mean(self, row: dict[str, Any], side: str) -> float:
        system = next(
            s for s in self.systems if (s.retriever, s.variant) == (row[side], row[f"variant_{side}"])
        )
        measure = next(m for m in self.results.measures if str(m) == row["measure"])
        tasks = self.tasks if row["task"] == EVERY_TASK else [row["task"]]
        return float(np.mean([self.results.at(t, system).mean(measure) for t in tasks]))

    def _notes(self) -> list[str]:
        notes = [
            "p: paired randomisation test; Holm: corrected over all rows shown; the letter names the significantly "
            "better side (p Holm at most .05).",
            DETECTABLE,
        ]
        if self.left_out:
            notes.append(f"Left out, for lack of results of one of them: {', '.join(self.left_out)}.")
        return notes


def differences_table(results: Results) -> Table:
    """Which systems differ significantly on the first measure, over all tasks."""
    from hakari import stats

    comparison = type(results)(results.weighed, results.measures[:1], results.seed).compare()
    overall = EVERY_TASK if len(comparison.tasks) > 1 else comparison.tasks[0]
    pairs = [row for row in comparison.rows() if row["task"] == overall]
    rows = []
    for row, p in zip(pairs, stats.holm([row["p"] for row in pairs]), strict=True):
        names = [_name(row[side], row[f"variant_{side}"]) for side in ("a", "b")]
        low, high = row["low"], row["high"]
        if row["diff"] < 0:
            names, low, high = names[::-1], -high, -low
        told = "yes" if p <= SIGNIFICANT else "not shown"
        rows.append([*names, difference(abs(row["diff"]), low, high), p_value(p), told])
    columns = ["better", "than", f"{results.measures[0]} [95 %]", "p Holm", "significant"]
    over = f"over {len(comparison.tasks)} tasks" if overall == EVERY_TASK else f"on {overall}"
    notes = ["p Holm: paired randomisation test, corrected over the rows shown."]
    return Table(f"Differences {over}", columns, rows, texts=(0, 1, 4), notes=notes)


def _name(retriever: str, variant: str) -> str:
    return retriever if variant == "float" else f"{retriever} {variant}"
