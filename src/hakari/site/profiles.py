"""The three profiles of a task: how BM25, a dense model and their fusion behave on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari import measures, stats
from hakari.io.candidates import load_candidates
from hakari.site.model import BASE, Opened, Reading, System
from hakari.types import Run

ROLES = {"bm25": "BM25", "dense": "Dense", "hybrid": "Reranking hybrid"}
PUBLISHED = {"bm25": "bm25", "dense": "dense", "hybrid": "reranking_hybrid"}
"""The name of each profile in the published figures, and of its candidates in a nano set but for the dense one."""
SHOWN = ("nDCG@10", "hit@10", "R@100", "R@500")
POOL = 100
"""How many candidates a reranker is given."""


@dataclass(frozen=True)
class Cast:
    """Which systems play the roles, the same on every page of a site."""

    bm25: System | None = None
    dense: System | None = None
    hybrid: System | None = None

    def of(self, role: str) -> System | None:
        """The system of a role."""
        found: System | None = getattr(self, role)
        return found


@dataclass(frozen=True, eq=False)
class Profile:
    """One role on one task: the rankings and their values."""

    role: str
    label: str
    run: Run
    values: Mapping[str, npt.NDArray[np.float64]]
    """By measure, one value a query of the task; only what the rankings are deep enough for."""
    depth: int
    provided: bool
    """Whether these are candidates that the task comes with, rather than a result."""
    rows_with_safeguard: int = 0
    """Rankings with a document at rank 101 that a protocol put there; it never counts."""

    @property
    def title(self) -> str:
        """The role in words."""
        return ROLES[self.role]

    def mean(self, measure: str) -> float:
        """The mean over queries."""
        return float(self.values[measure].mean())

    @cached_property
    def missing(self) -> int:
        """Queries with no positive among the first hundred: where the protocol appends one at rank 101."""
        return int((self.values["hit@100"] == 0).sum())


@dataclass(frozen=True)
class Best:
    """Which profile is best by one measure, and which others are not distinguished from it."""

    measure: str
    role: str
    value: float
    differences: Mapping[str, tuple[float, float, float]]
    """By role: how much worse it is than the best, with the paired interval of that difference."""

    @property
    def also(self) -> tuple[str, ...]:
        """Roles whose interval of the difference includes zero."""
        return tuple(role for role, (_, low, _) in self.differences.items() if low <= 0)


def cast(reading: Reading) -> Cast:
    """Who plays which role: by the spelling of the published protocol first, then by how many tasks have it."""
    whole = [system for system in reading.systems if system.variant == BASE]

    def deepest(system: System) -> int:
        return -int(reading.manifests.get((system.retriever, system.key), {}).get("depth", 0))

    bm25 = _first(whole, "bm25", lambda s: (s.retriever != "bm25", deepest(s)))
    dense = _first(whole, "dense", lambda s: (deepest(s), -reading.counts.get(s, 0)))
    names = {s.retriever for s in (bm25, dense) if s is not None}
    hybrid = _first(whole, "fuse", lambda s: (-sum(n in _parts(s.retriever) for n in names), deepest(s)))
    return Cast(bm25, dense, hybrid)


def _first(systems: Sequence[System], family: str, rank: Any) -> System | None:
    return min((s for s in systems if s.family == family), key=lambda s: (*rank(s), s), default=None)


def _parts(retriever: str) -> list[str]:
    """What stands between the outermost brackets of a fusion's name, split at its own commas."""
    inner, depth, parts = retriever.partition("(")[2].removesuffix(")"), 0, [""]
    for character in inner:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def profiles(opened: Opened, roles: Cast) -> dict[str, Profile]:
    """The profiles of a task by role: from results where there are any, else from its own candidates."""
    if opened.task is None:
        return {}
    found: dict[str, Profile] = {}
    for role in ROLES:
        system = roles.of(role)
        if system is not None and system in opened.systems:
            depth = int(opened.stored[opened.row(system)].manifest.get("depth", 0))
            found[role] = _scored(opened, role, system.label, opened.run(system), (depth, False))
        elif (name := _provided(opened, role)) is not None:
            run = load_candidates(opened.task.candidates[name], opened.task)
            found[role] = _scored(opened, role, name, run, (int(np.diff(run.offsets).max(initial=0)), True))
    return found


def _provided(opened: Opened, role: str) -> str | None:
    """The configuration of candidates of a role; the dense one is named after its model."""
    assert opened.task is not None
    names = sorted(opened.task.candidates)
    if role == "dense":
        return next((n for n in names if n not in ("bm25", "reranking_hybrid")), None)
    return PUBLISHED[role] if PUBLISHED[role] in names else None


def _scored(opened: Opened, role: str, label: str, run: Run, kind: tuple[int, bool]) -> Profile:
    assert opened.task is not None
    depth, provided = kind
    longest = min(len(opened.task.corpus), 500)
    wanted = [m for m in (*SHOWN, "hit@100") if int(m.partition("@")[2]) <= depth or depth >= longest]
    scores = measures.score(run, opened.task.qrels, wanted)
    safeguards = int((np.diff(run.offsets) == POOL + 1).sum()) if provided and depth == POOL + 1 else 0
    values = {m: scores.of(m) for m in wanted}
    return Profile(role, label, run, values, depth, provided, safeguards)


def best(found: Mapping[str, Profile], measure: str) -> Best | None:
    """The profile with the highest mean, and by how much each other is behind, paired by query."""
    among = [p for p in found.values() if measure in p.values]
    if len(among) < 2:
        return None
    winner = max(among, key=lambda p: p.mean(measure))
    others = [p for p in among if p is not winner]
    scores = np.stack([p.values[measure] for p in (winner, *others)])
    pairs = [(0, i + 1) for i in range(len(others))]
    told = stats.compare_pairs({"task": scores}, pairs).macro
    behind = {
        p.role: (float(told.diff[i]), float(told.low[i]), float(told.high[i])) for i, p in enumerate(others)
    }
    return Best(measure, winner.role, winner.mean(measure), behind)
