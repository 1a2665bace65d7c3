"""Metric interpretation: what the measures can say on this task, and what they cannot."""

from __future__ import annotations

import numpy as np

from hakari import stats
from hakari.site.blocks import Block, Para, Points, Run, Section
from hakari.site.digest import HEADLINE
from hakari.site.profiles import POOL, ROLES
from hakari.site.task.view import View
from hakari.site.task.words import listing, number, several, share

TOLD_TIES = 0.05


def section(view: View) -> Section:
    """What to look at, and how small a difference this task can show."""
    points: list[Run] = [*_positives(view), *_ceiling(view), *_power(view), *_ties(view), *_pool(view)]
    blocks: list[Block] = (
        [Points(points)] if points else [Para("Nothing was measured that needs interpretation.")]
    )
    return Section("metrics", "Metric interpretation", blocks)


def _positives(view: View) -> list[Run]:
    facts = view.opened.facts
    per = view.row.get("positives_per_query")
    most = facts.positives_per_query.max if facts is not None else per["max"] if per else None
    if most is None:
        return []
    if most == 1:
        return ["With one positive a query, hit@10 is the share of queries with it among ten, nDCG@10 says how "
                "near the top it is, R@100 equals hit@100, and pooled recall equals its mean."]  # fmt: skip
    told: list[Run] = ["With several positives a query, R@100 is the mean over queries; published recall is pooled, "
                       "all hits over all positives, and leans to queries with many."]  # fmt: skip
    if facts is not None:
        limit = float(np.mean(np.minimum(1.0, 10 / np.maximum(_counts(view), 1))))
        if limit < 0.995:
            told.append(
                f"Recall at 10 could reach {limit:.3f} at most: some queries have more than ten positives."
            )
        if facts.graded:
            told.append("Grades count: nDCG@10 gives a document of grade 2 twice the gain of one of grade 1.")
    return told


def _counts(view: View) -> np.ndarray:
    queries, _ = view.positives
    return np.bincount(queries, minlength=len(view.opened.query_ids))


def _ceiling(view: View) -> list[Run]:
    values = view.opened.values[HEADLINE]
    values = values[~np.isnan(values).any(axis=1)]
    if len(values) < 3:
        return []
    solved, hopeless = int((values >= 1 - 1e-9).all(axis=0).sum()), int((values == 0).all(axis=0).sum())
    queries = values.shape[1]
    told = (
        f"Of {queries} queries, {several(solved, 'is', 'are')} answered perfectly by all {len(values)} systems and "
        f"{several(hopeless, 'is', 'are')} answered by none within ten; the other {queries - solved - hopeless} "
        f"({share(queries - solved - hopeless, queries)}) are what tells systems apart."
    )
    return [told]


def _power(view: View) -> list[Run]:
    if not {"bm25", "dense"} <= view.profiles.keys():
        return []
    pair = np.stack([view.profiles[role].values[HEADLINE] for role in ("bm25", "dense")])
    smallest = float(stats.smallest_difference(pair[0] - pair[1])[0])
    if not np.isfinite(smallest):
        return []
    return [
        f"Two systems that differ as BM25 and the dense model do must be {smallest:.3f} apart in {HEADLINE} for these "
        "queries to show it with a power of 80 %; smaller differences here are no evidence either way."
    ]


def _ties(view: View) -> list[Run]:
    found = []
    for system, stored in zip(view.opened.systems, view.opened.stored, strict=True):
        tied = (stored.manifest.get("ties") or {}).get(system.variant, {}).get("10") or 0.0
        if tied >= TOLD_TIES:
            found.append(f"{system.label} ({tied:.0%})")
    if not found:
        return []
    more = f" and {len(found) - 4} more" if len(found) > 4 else ""
    return [
        f"Ties at rank 10 are settled by document id alone; they are frequent for {listing(found[:4])}{more}."
    ]


def _pool(view: View) -> list[Run]:
    told: list[Run] = []
    for role in ("bm25", "dense", "hybrid"):
        profile = view.profiles.get(role)
        if profile is not None and "R@100" in profile.values:
            told.append(f"{ROLES[role]} {number(profile.mean('R@100'))}")
    if len(told) < 2:
        return []
    names = [str(part) for part in told]
    return [f"What a reranker of {POOL} candidates could reach at most in R@{POOL} is what the first stage has there: "
            f"{listing(names)}."]  # fmt: skip
