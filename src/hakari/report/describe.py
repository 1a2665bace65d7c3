"""What a task looks like, as data: statistics, examples, and shipped candidates scored as they are."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from hakari import measures as _measures
from hakari.errors import InvalidInput
from hakari.io.audits import recorded
from hakari.io.candidates import load_candidates
from hakari.report.truncation import of_task
from hakari.store.audits import kept_audits
from hakari.tasks.statistics import Excerpt, examples, statistics
from hakari.types import Run, Task

PROFILE_MEASURES = "nDCG@10,hit@10,R@100"
SAFEGUARD_FREE_DEPTH = 100


def describe(task: Task, wanted: str = PROFILE_MEASURES, results: Path | None = None) -> dict[str, Any]:
    """Everything that `hakari show` tells of a task."""
    facts = statistics(task)
    candidates, faults = _profiles(task, wanted)
    return {
        "task": task.name,
        "content": task.content,
        "language": task.language,
        "category": task.category,
        "shape": task.shape,
        "origins": dict(task.origins),
        "exclude_self": task.exclude_self,
        "graded": facts.graded,
        "statistics": asdict(facts),
        "examples": [{"query": _excerpt(e.query), "positive": _excerpt(e.positive)} for e in examples(task)],
        "candidates": candidates,
        "candidate_faults": faults,
        "truncation": [asdict(cut) for cut in of_task(task, results)] if results else [],
        "audits": audits_of(task, results),
        "notes": list(task.notes),
    }


def audits_of(task: Task, results: Path | None) -> list[dict[str, Any]]:
    """The audits on record: in the metadata of the task, and of other training data those kept beside results."""
    found = recorded(task.source, task.split)
    named = {entry["source_dataset"] for entry in found}
    kept = [entry for entry in kept_audits(results, task.name) if entry["source_dataset"] not in named]
    return sorted([*found, *kept], key=lambda entry: str(entry["source_dataset"]))


def _excerpt(excerpt: Excerpt) -> dict[str, Any]:
    return {**asdict(excerpt), "shown": str(excerpt)}


def _profiles(task: Task, wanted: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Profiles of the candidate rankings shipped with a task; nothing is run."""
    parsed = _measures.parse_many(wanted)
    profiles, faults = [], []
    for name, path in sorted(task.candidates.items()):
        try:
            run = load_candidates(path, task)
        except InvalidInput as error:
            faults.append(error.message)
            continue
        lengths = np.diff(run.offsets)
        scores = _measures.score(_without_safeguards(run), task.qrels, parsed)
        profiles.append(
            {
                "name": name,
                "origin": "provided",
                "deepest": int(lengths.max(initial=0)),
                "shallowest": int(lengths.min(initial=0)),
                "rows_beyond_100": int((lengths > SAFEGUARD_FREE_DEPTH).sum()),
                "unanswered": len(scores.unanswered),
                "measures": {str(m): scores.mean(m) for m in parsed},
            }
        )
    return profiles, faults


def _without_safeguards(run: Run) -> Run:
    """Rankings that go to rank 101 hold a positive put there by force; it never counts."""
    lengths = np.diff(run.offsets)
    if lengths.max(initial=0) != SAFEGUARD_FREE_DEPTH + 1:
        return run
    keep = np.arange(len(run)) - np.repeat(run.offsets[:-1], lengths) < SAFEGUARD_FREE_DEPTH
    offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, SAFEGUARD_FREE_DEPTH))])
    return replace(run, offsets=offsets, documents=run.documents[keep], scores=run.scores[keep])
