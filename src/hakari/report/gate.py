"""The gate: may a candidate replace a baseline? Judged from finished results, by the paired interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hakari import measures as _measures
from hakari.errors import Fault, InvalidInput, UsageError
from hakari.report.arrays import by_task
from hakari.report.finished import EVERYTHING, Finished, Scope, find
from hakari.report.results import Results, System, Weighed
from hakari.report.tables import DETECTABLE, Table, detectable, difference, html, markdown, number, plain


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the gate decided, and on what grounds. Differences are candidate less baseline."""

    decision: str
    """`pass`, `fail` or `inconclusive`."""
    measure: str
    max_drop: float
    baseline: System
    candidate: System
    rows: list[dict[str, Any]]
    """One row a task, and the mean over tasks last, on which the decision rests."""
    new_tasks: tuple[str, ...] = ()
    """Tasks that only the candidate has results for; they are not judged."""

    def reason(self) -> str:
        """The decision in one sentence."""
        row = self.rows[-1]
        told = difference(row["diff"], row["low"], row["high"])
        limit = number(self.max_drop)
        return {
            "pass": f"pass: {self.measure} changes by {told}; a drop of more than {limit} is ruled out",
            "fail": f"fail: {self.measure} changes by {told}; the drop is more than {limit} even at its least",
            "inconclusive": f"inconclusive: {self.measure} changes by {told}, which neither rules out a drop of more "
            f"than {limit} nor shows one; more queries would decide",
        }[self.decision]

    def table(self) -> Table:
        """The table behind the decision."""
        columns = ["task", "baseline", "candidate", "change [95 %]", "detectable", "wins/ties/losses"]
        rows = [
            [
                row["task"] if row["task"] != "*" else f"mean of {len(self.rows) - 1}",
                number(row["baseline"]),
                number(row["candidate"]),
                difference(row["diff"], row["low"], row["high"]),
                detectable(row["smallest_difference"]),
                f"{row['wins']}/{row['ties']}/{row['losses']}",
            ]
            for row in self.rows
        ]
        notes = [f"{self.reason()}.", DETECTABLE]
        if self.new_tasks:
            notes.append(f"Not judged, for the baseline has no results: {', '.join(self.new_tasks)}.")
        title = f"{self.measure}: candidate {self.candidate} against baseline {self.baseline}"
        return Table(title, columns, rows, notes=notes)

    def markdown(self) -> str:
        """The verdict for a pull request."""
        mark = {"pass": "✅", "fail": "❌", "inconclusive": "❔"}[self.decision]
        return f"### {mark} hakari gate: {self.decision}\n\n{markdown(self.table())}\n"

    def to_json(self) -> dict[str, Any]:
        """The verdict as data."""
        return {
            "decision": self.decision,
            "measure": self.measure,
            "max_drop": self.max_drop,
            "baseline": {"retriever": self.baseline.retriever, "variant": self.baseline.variant},
            "candidate": {"retriever": self.candidate.retriever, "variant": self.candidate.variant},
            **{k: self.rows[-1][k] for k in ("diff", "low", "high", "p", "queries")},
            "tasks": self.rows,
            "new_tasks": list(self.new_tasks),
        }

    def __repr__(self) -> str:
        return plain(self.table())

    def _repr_html_(self) -> str:
        return html(self.table())


def judge(
    baseline: str | Path,
    candidate: str | Path,
    *,
    measure: str,
    max_drop: float,
    results: Path,
    scope: Scope = EVERYTHING,
    seed: int = 0,
) -> Verdict:
    """Judge a candidate against a baseline on the tasks that both have results for."""
    parsed = _measures.parse(measure)
    old, new = (find(reference, results, [parsed], scope) for reference in (baseline, candidate))
    tasks = _comparable(old, new)
    sides = Side(old.system, {t: old.weighed[t] for t in tasks}), Side(new.system, dict(new.weighed))
    return verdict(*sides, measure=parsed, max_drop=max_drop, seed=seed)


@dataclass(frozen=True, eq=False)
class Side:
    """A baseline or a candidate, and how it did by task."""

    system: System
    weighed: Mapping[str, Weighed]


def verdict(
    baseline: Side, candidate: Side, *, measure: _measures.Measure, max_drop: float, seed: int = 0
) -> Verdict:
    """Judge a candidate against a baseline on the tasks of the baseline, all of which both have."""
    from hakari import stats

    old, new, tasks = baseline.weighed, candidate.weighed, list(baseline.weighed)
    # Both sides may have one name (the same retriever, two states of it), so they are told apart by side.
    sides = System("baseline", "float"), System("candidate", "float")
    paired = [replace(of[t], system=side) for t in tasks for side, of in zip(sides, (old, new), strict=True)]
    given = by_task(Results(paired, [measure], seed), sides, measure, tasks)
    found = stats.compare_pairs(given, [(1, 0)], stats.Resampling(seed=seed))
    groups = [*found.tasks.items(), *([("*", found.macro)] if len(tasks) > 1 else [])]
    rows: list[dict[str, Any]] = []
    for task, differences in groups:
        over = tasks if task == "*" else [task]
        smallest = float(differences.smallest[0])
        rows.append(
            {
                "task": task,
                "baseline": float(np.mean([old[t].mean(measure) for t in over])),
                "candidate": float(np.mean([new[t].mean(measure) for t in over])),
                **{k: float(getattr(differences, k)[0]) for k in ("diff", "low", "high", "p")},
                "smallest_difference": smallest if np.isfinite(smallest) else None,
                **{k: int(getattr(differences, k)[0]) for k in ("wins", "ties", "losses")},
                "queries": int(differences.queries),
            }
        )
    last = rows[-1]
    decision = stats.decide(last["low"], last["high"], max_drop, last["queries"])
    fresh = tuple(t for t in new if t not in old)
    return Verdict(decision, str(measure), max_drop, baseline.system, candidate.system, rows, fresh)


def _comparable(old: Finished, new: Finished) -> list[str]:
    """The tasks to judge on: all that the baseline has; each must be the same task on both sides."""
    missing = [t for t in old.weighed if t not in new.weighed]
    if missing:
        raise UsageError(
            f"the candidate has no result for {len(missing)} task(s) of the baseline: {', '.join(missing[:5])}",
            "run the candidate on them, or choose tasks with `--on`",
        )
    changed = [
        t
        for t in old.weighed
        if old.weighed[t].manifest.get("content") != new.weighed[t].manifest.get("content")
    ]
    if changed:
        raise InvalidInput(
            "the comparison",
            [
                Fault(
                    f"`{t}` had other queries, documents or judgements for the baseline than for the candidate",
                    hint="run the baseline again on the tasks of today",
                )
                for t in changed
            ],
        )
    return list(old.weighed)
