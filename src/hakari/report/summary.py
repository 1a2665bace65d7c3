"""Every number with its interval: rows for JSON, and the table that a person reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hakari.measures import Measure
from hakari.report import truncation
from hakari.report.arrays import by_task
from hakari.report.costs import cost_tables, over_tasks
from hakari.report.tables import Table, number

if TYPE_CHECKING:
    from hakari.report.results import Results, System, Weighed

EVERY_TASK = "*"
"""The task of an aggregate: the mean over tasks, each weighing the same."""

BEST_MARK = "*"
SIGNIFICANT = 0.05
"""Differences with a corrected p-value up to this are called significant."""
TOLD_TIES = 0.05
"""The share of queries with a tie across a cut-off from which on it is told."""


def summarise(results: Results) -> list[dict[str, Any]]:
    """One row a task, system and measure; aggregates over tasks last, where there are several."""
    rows: dict[tuple[str, System, Measure], dict[str, Any]] = {}
    for measure in results.measures:
        for task in results.tasks:
            here = [s for s in results.systems if results.has(task, s)]
            _add(rows, results, here, measure, [task])
        if len(results.tasks) > 1 and results.complete():
            _add(rows, results, results.complete(), measure, results.tasks)
    order = [*results.tasks, EVERY_TASK]
    keys = ((t, s, m) for t in order for s in results.systems for m in results.measures)
    return [rows[key] for key in keys if key in rows]


def _add(
    rows: dict[tuple[str, System, Measure], dict[str, Any]],
    results: Results,
    systems: Sequence[System],
    measure: Measure,
    tasks: Sequence[str],
) -> None:
    from hakari import stats

    found = stats.summarise(by_task(results, systems, measure, tasks), results.resampling).macro
    name = tasks[0] if len(tasks) == 1 else EVERY_TASK
    for i, system in enumerate(systems):
        value = float(np.mean([results.at(task, system).mean(measure) for task in tasks]))
        rows[name, system, measure] = {
            "task": name,
            "retriever": system.retriever,
            "variant": system.variant,
            "measure": str(measure),
            "value": value,
            "low": min(float(found.lows[i]), value),
            "high": max(float(found.highs[i]), value),
            "queries": found.queries,
        }


def results_tables(results: Results, costs_by_task: bool = False) -> list[Table]:
    """The table of everything that was weighed: quality with intervals, cost beside it and in full below."""
    costly = any(w.costs for w in results.weighed)
    sets = {task.rpartition("/")[0] for task in results.tasks}
    short = len(sets) == 1 and "" not in sets
    columns = ["task", "retriever", *map(str, results.measures)]
    if costly:
        columns += ["seconds", "index MB", "peak MB"]
    rows: list[list[str]] = []
    breaks: list[int] = []
    groups = [*results.tasks, *([EVERY_TASK] if len(results.tasks) > 1 and results.complete() else [])]
    for group in groups:
        breaks.append(len(rows))
        systems = (
            results.complete()
            if group == EVERY_TASK
            else [s for s in results.systems if results.has(group, s)]
        )
        marks = best_marks(results, systems, group)
        label = (
            f"mean of {len(results.tasks)}"
            if group == EVERY_TASK
            else group.rpartition("/")[2]
            if short
            else group
        )
        for system in systems:
            cells = [label if system == systems[0] else "", str(system)]
            for measure in results.measures:
                row = results.value(group, system, measure)
                cells.append(_cell(row) + (BEST_MARK if (measure, system) in marks else " "))
            tasks = results.tasks if group == EVERY_TASK else [group]
            if costly:
                cells += _costs([results.at(task, system) for task in tasks])
            rows.append(cells)
    title = f"{sets.pop()}: " if short else ""
    queries = sum(
        len(results.at(t, next(s for s in results.systems if results.has(t, s))).query_ids)
        for t in results.tasks
    )
    title += f"{len(results.tasks)} task{'s' * (len(results.tasks) > 1)}, {queries:,} queries"
    # A line between groups of one row each would only draw the table out; the mean is set apart all the same.
    kept = breaks[1:] if len(results.systems) > 1 else breaks[len(results.tasks) :]
    table = Table(title, columns, rows, texts=(0, 1), notes=_notes(results), breaks=kept)
    return [table, *cost_tables(results, by_task=costs_by_task)]


def best_marks(results: Results, systems: Sequence[System], task: str) -> set[tuple[Measure, System]]:
    """The systems that are best or not distinguished from the best, by paired tests with Holm's correction."""
    from hakari import stats

    if len(systems) < 2:
        return set()
    marks = set()
    tasks = results.tasks if task == EVERY_TASK else [task]
    for measure in results.measures:
        given = by_task(results, systems, measure, tasks)
        pairs, p = stats.pair_p_values(given, results.resampling)
        means = [results.value(task, system, measure)["value"] for system in systems]
        among = stats.not_distinguished_from_best(means, pairs, stats.holm(p))
        marks |= {(measure, system) for system, kept in zip(systems, among, strict=True) if kept}
    return marks


def _cell(row: dict[str, Any]) -> str:
    return f"{number(row['value'])} [{number(row['low'], 2)},{number(row['high'], 2)}]"


def _costs(weighed: Sequence[Weighed]) -> list[str]:
    costs = over_tasks(weighed)
    seconds, index, peak = costs["seconds"], costs["index_bytes"], costs["peak_bytes"]
    return [
        f"{seconds:.2f}" if seconds is not None else "–",
        f"{index / 1e6:.1f}" if index is not None else "–",
        f"{peak / 1e6:.0f}" if peak is not None else "–",
    ]


def _notes(results: Results) -> list[str]:
    notes = ["In brackets: 95 % interval, queries resampled within tasks."]
    if len(results.systems) > 1:
        notes.append(
            f"{BEST_MARK} the best, or not distinguished from it "
            "(paired randomisation test, Holm within task and measure)."
        )
    if len(results.tasks) > 1 and any(w.costs for w in results.weighed):
        notes.append("Cost over all tasks: seconds and index MB are sums, peak MB is the largest.")
    if any(system.variant != "float" for system in results.systems):
        notes.append(
            "Variants of a retriever come from one encoding: index MB are each one's own, seconds and peak MB "
            "those of the run that made them all."
        )
    partial = [s for s in results.systems if s not in results.complete()]
    if partial and len(results.tasks) > 1:
        notes.append(
            "Not in the mean, for lack of results on some tasks: " + ", ".join(map(str, partial)) + "."
        )
    for w in results.weighed:
        missing = w.manifest.get("unanswered", {}).get(w.system.variant, 0)
        if missing:
            notes.append(
                f"{w.system} answers {missing} of {len(w.query_ids)} queries of {w.task} with nothing; they score 0."
            )
        if w.manifest.get("extra"):
            notes.append(
                f"{w.system} ranks {w.manifest['extra']} queries without judgements; they are left out."
            )
    return (
        notes
        + _learned_notes(results)
        + truncation.notes(results)
        + _detection_notes(results)
        + _tie_notes(results)
    )


def _learned_notes(results: Results) -> list[str]:
    """A system that was tuned on the judgements is not to be read like one that was not."""
    told: dict[str, list[str]] = {}
    for w in results.weighed:
        learned = w.manifest.get("facts", {}).get("weights_learned")
        if learned:
            weights = ":".join(f"{weight:.2f}" for weight in learned["mean_weights"])
            told.setdefault(str(w.system), []).append(f"{weights} on {w.task}")
    return [
        f"{system}: weights learned by cross-validation over the judged queries, on the mean "
        + ", ".join(where[:3])
        + (f" and {len(where) - 3} more" if where[3:] else "")
        + "."
        for system, where in told.items()
    ]


def _detection_notes(results: Results) -> list[str]:
    """Tokenizers follow from language and category, so the reader has to know which of these were guessed."""
    told: dict[str, str] = {}
    for w in results.weighed:
        origins = w.manifest.get("origins", {})
        guessed = [
            f"{trait} {w.manifest[trait]}"
            for trait in ("language", "category")
            if origins.get(trait) == "detected"
        ]
        if guessed:
            told[w.task] = f"{w.task} ({', '.join(guessed)})"
    if not told:
        return []
    listed = ", ".join(list(told.values())[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "")
    return [f"Not stated, so detected in the texts: {listed}; `--language` and `--category` say better."]


def _tie_notes(results: Results) -> list[str]:
    """Where the tie rule decides much of what stands above a cut-off, the reader has to know."""
    told = []
    for cut in sorted({m.cut for m in results.measures if m.cut is not None}):
        shares = [
            (share, w)
            for w in results.weighed
            if (share := w.manifest.get("ties", {}).get(w.system.variant, {}).get(str(cut)))
            and share >= TOLD_TIES
        ]
        if shares:
            worst, w = max(shares, key=lambda pair: pair[0])
            told.append(
                f"Ties: at the cut after rank {cut} only the order of ids decides for {worst:.0%} of the queries "
                f"of {w.system} on {w.task}"
                + (f", and less in {len(shares) - 1} more." if len(shares) > 1 else ".")
            )
    return told


def per_query_rows(results: Results) -> list[dict[str, Any]]:
    """One row a task, system, query and measure."""
    return [
        {
            "task": w.task,
            "retriever": w.system.retriever,
            "variant": w.system.variant,
            "query_id": str(query),
            "measure": str(measure),
            "value": float(value),
        }
        for w in results.weighed
        for measure in results.measures
        for query, value in zip(w.query_ids, w.values[measure], strict=True)
    ]
