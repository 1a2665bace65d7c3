"""What is kept of a task once its page is written: the few numbers that other pages show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hakari import stats
from hakari.site.model import MEASURES, Listed, Opened, System
from hakari.site.profiles import Best, Profile, best
from hakari.store.files import Stored
from hakari.tasks.catalog import Entry

HEADLINE = "nDCG@10"
COVERAGE = "R@100"
COSTS = ("seconds", "search_s", "index_bytes", "peak_bytes")
"""What pages say of what a retriever took; the rest is not kept, being much where there are many results."""
MOST_RANKED = 40
"""Up to so many systems are ranked with the ranges that resampling leaves open."""
MOST_INTERVALS = 100
"""Up to so many systems of a task get intervals on its page; beyond, only the board has them."""


Source = tuple[str, str]
"""A retriever and the key of its settings."""


@dataclass(frozen=True, eq=False)
class Digest:
    """A task in numbers."""

    listed: Listed
    traits: Mapping[str, str | None]
    counts: Mapping[str, int]
    """Queries, documents and positives."""
    lengths: tuple[float, float] | None
    """Mean characters of queries and documents."""
    with_texts: bool
    systems: tuple[System, ...]
    means: npt.NDArray[np.float64]
    """(measures of `MEASURES`, systems)."""
    lows: npt.NDArray[np.float64]
    highs: npt.NDArray[np.float64]
    """The interval of the headline measure, NaN where none was computed."""
    ranks: npt.NDArray[np.int64] | None
    """(2, systems): the best and the worst rank that resampling leaves open; None for very many systems."""
    profiles: Mapping[str, Mapping[str, float]]
    """By role the means of its profile."""
    labels: Mapping[str, str]
    """By role the name of the system that plays it."""
    best: Mapping[str, Best]
    """By measure."""
    facts: Mapping[Source, Mapping[str, object]]
    """What retrievers told of the task: truncation and the like."""
    costs: Mapping[Source, Mapping[str, object]]
    """What they took, of `COSTS`; both are those of a retriever with all its variants."""
    sizes: npt.NDArray[np.float64]
    """(systems,): bytes of the index a document, as variants tell it; NaN where it is not known."""

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return self.listed.name

    @property
    def entry(self) -> Entry | None:
        """What is published of it."""
        return self.listed.entry

    @cached_property
    def places(self) -> dict[System, int]:
        """The place of each system in the arrays."""
        return {system: i for i, system in enumerate(self.systems)}

    def facts_of(self, system: System) -> Mapping[str, object]:
        """What the retriever of a system told of the task."""
        return self.facts.get((system.retriever, system.key), {})

    def costs_of(self, system: System) -> Mapping[str, object]:
        """What the retriever of a system took."""
        return self.costs.get((system.retriever, system.key), {})

    def size_of(self, system: System) -> float | None:
        """Bytes of the index a document, where the variant tells it."""
        value = float(self.sizes[self.places[system]])
        return value if value == value else None

    def mean(self, system: System, measure: str = HEADLINE) -> float | None:
        """The mean of a system; None where it has none."""
        place = self.places.get(system)
        if place is None:
            return None
        value = float(self.means[MEASURES.index(measure), place])
        return value if value == value else None

    def interval(self, system: System) -> tuple[float, float] | None:
        """The interval of the headline measure of a system."""
        place = self.places[system]
        low, high = float(self.lows[place]), float(self.highs[place])
        return None if np.isnan(low) else (low, high)


def digested(opened: Opened, found: Mapping[str, Profile]) -> Digest:
    """The numbers of a task; no rankings and no texts are kept."""
    low, high, ranks = _intervals(opened)
    shape = len(MEASURES), len(opened.systems)
    means = np.array([opened.values[m].mean(axis=1) for m in MEASURES if opened.systems]).reshape(shape)
    told = {(s.retriever, s.key): one for s, one in zip(opened.systems, opened.stored, strict=True)}
    return Digest(
        opened.listed,
        opened.traits,
        _counts(opened),
        _lengths(opened),
        opened.task is not None,
        opened.systems,
        means,
        low,
        high,
        ranks,
        {role: {m: p.mean(m) for m in p.values} for role, p in found.items()},
        {role: p.label for role, p in found.items()},
        {m: b for m in (HEADLINE, COVERAGE) if (b := best(found, m)) is not None},
        {source: one.manifest.get("facts") or {} for source, one in told.items()},
        {source: {k: one.costs[k] for k in COSTS if k in one.costs} for source, one in told.items()},
        np.array(
            [_size(one, s) for s, one in zip(opened.systems, opened.stored, strict=True)], dtype=np.float64
        ),
    )


def _size(stored: Stored, system: System) -> float:
    variants = stored.costs.get("variants")
    own = variants.get(system.variant) if isinstance(variants, dict) else None
    value = own.get("index_bytes_per_document") if isinstance(own, dict) else None
    return float(value) if isinstance(value, int | float) else np.nan


Floats = npt.NDArray[np.float64]


def _intervals(opened: Opened) -> tuple[Floats, Floats, npt.NDArray[np.int64] | None]:
    """Intervals and rank ranges by the headline measure, where there are not too many systems for them."""
    values = opened.values[HEADLINE]
    low, high = np.full((2, len(opened.systems)), np.nan)
    whole = np.flatnonzero(~np.isnan(values).any(axis=1))
    if not len(whole) or not len(opened.query_ids):
        return low, high, None
    if len(whole) <= MOST_RANKED:
        told = stats.summarise({"task": values[whole]}).macro
        low[whole], high[whole] = told.lows, told.highs
        ranks = np.zeros((2, len(opened.systems)), dtype=np.int64)
        ranks[:, whole] = told.best_ranks, told.worst_ranks
        return low, high, ranks
    if len(whole) <= MOST_INTERVALS:
        low[whole], high[whole] = stats.mean_intervals(values[whole])
    return low, high, None


def _counts(opened: Opened) -> dict[str, int]:
    if opened.facts is not None:
        facts = opened.facts
        return {"queries": facts.queries, "documents": facts.documents, "positives": facts.positives}
    counts = dict(opened.entry.counts) if opened.entry is not None else {}
    manifest = opened.stored[0].manifest if opened.stored else {}
    return {**counts, **{k: int(manifest[k]) for k in ("queries", "documents") if k in manifest}}


def _lengths(opened: Opened) -> tuple[float, float] | None:
    if opened.facts is not None:
        return opened.facts.query_lengths.mean, opened.facts.document_lengths.mean
    chars = opened.entry.row.get("chars") if opened.entry is not None else None
    return (float(chars["query_mean"]), float(chars["document_mean"])) if chars else None
