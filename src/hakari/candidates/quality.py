"""What candidates are worth: counts, profile and coverage, the same for every way to the same rankings.

Keys are those of published metadata where they mean the same. Published recall pools the positives of all
queries; the mean over queries stands beside it. A safeguard never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hakari import measures
from hakari.store.keys import digest
from hakari.types import Run, Task

DIGITS = 10
PROFILE = {
    "ndcg_at_10": "nDCG@10",
    "hit_at_10": "hit@10",
    "recall_at_100": "Rpool@100",
    "recall_at_100_mean": "R@100",
}
DEEPER = {"recall_at_500": "Rpool@500", "recall_at_500_mean": "R@500"}


def quality(run: Run, task: Task, depth: int) -> dict[str, Any]:
    """Profile and coverage of candidates, safeguards left out."""
    wanted = PROFILE | (DEEPER if depth >= 500 else {})
    scored = measures.score(run, task.qrels, list(wanted.values()))
    found = measures.score(run, task.qrels, f"hit@{depth}").of(f"hit@{depth}")
    told: dict[str, Any] = {key: round(scored.mean(measure), DIGITS) for key, measure in wanted.items()}
    return told | {"top_k": depth, "queries_without_positive": int((found == 0).sum())}


def counts(rankings: Sequence[Sequence[str]]) -> dict[str, Any]:
    """How many candidates queries have."""
    lengths = [len(ranking) for ranking in rankings]
    return {
        "candidate_count_min": min(lengths),
        "candidate_count_max": max(lengths),
        "candidate_count_mean": round(sum(lengths) / len(lengths), DIGITS),
    }


def fingerprint(query_ids: Iterable[str], rankings: Sequence[Sequence[str]]) -> str:
    """SHA-256 over the ids in their order, whatever file they lie in."""
    return digest([[query, list(ranking)] for query, ranking in zip(query_ids, rankings, strict=True)])
