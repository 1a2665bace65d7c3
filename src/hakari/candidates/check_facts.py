"""What a check measured of a task, sound or not: sizes, lengths, controls, positives among its candidates."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from hakari.candidates.protocol import HYBRID, HYBRID_DEPTH, SOURCE_DEPTH
from hakari.candidates.quality import quality
from hakari.errors import InvalidInput
from hakari.io.candidates import load_candidates
from hakari.retrievers.controls import ControlReport
from hakari.tasks.statistics import statistics
from hakari.types import Task

Facts = dict[str, Any]


def facts_of(task: Task, controls: ControlReport) -> Facts:
    """Everything that was measured of a task."""
    counted = statistics(task)
    return {
        "queries": counted.queries,
        "documents": counted.documents,
        "judgements": counted.judgements,
        "positives": counted.positives,
        "characters": {"query": asdict(counted.query_lengths), "document": asdict(counted.document_lengths)},
        "controls": [
            {
                "control": score.control,
                "measure": str(score.measure),
                "value": score.value,
                "expected": score.expected,
                "z": score.z,
            }
            for score in controls.scores
        ],
        "candidates": {name: facts for name in sorted(task.candidates) if (facts := _of_config(task, name))},
    }


def _of_config(task: Task, config: str) -> Facts:
    """How many candidates queries have, and how many of them have a positive that was found."""
    try:
        run = load_candidates(task.candidates[config], task)
    except InvalidInput:
        return {}  # which is a finding
    depth = HYBRID_DEPTH if config == HYBRID else SOURCE_DEPTH
    lengths = np.diff(run.offsets)
    lacking = quality(run, task, depth)["queries_without_positive"]
    return {
        "fewest": int(lengths.min()),
        "most": int(lengths.max()),
        "queries_with_positive": len(task.queries) - lacking,
        "safeguards": int((lengths > depth).sum()),
    }


def told(name: str, facts: Facts) -> str:
    """The facts of a task on one line."""
    lengths = facts["characters"]
    parts = [
        f"{facts[many]:,} {many} of {lengths[one]['mean']:,.0f} characters (95 % up to {lengths[one]['p95']:,.0f})"
        for one, many in (("query", "queries"), ("document", "documents"))
    ]
    parts += [
        f"{score['control']} {score['measure']} {score['value']:.4f} (chance {score['expected']:.4f})"
        for score in facts["controls"]
    ]
    parts += [
        f"a positive in `{config}` for {one['queries_with_positive']:,} of {facts['queries']:,}"
        for config, one in facts["candidates"].items()
    ]
    return f"{name}: {'; '.join(parts)}"
