"""Scores: measures by queries, and what has to be known about the run to read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.measures.found import find, rows_of
from hakari.measures.measure import Measure, parse, parse_many
from hakari.measures.pool import Counts, Values
from hakari.types import Ids, Qrels, Run


@dataclass(frozen=True, eq=False)
class Scores:
    """The value of every measure on every query of the judgements.

    Aggregates are weighted means over queries. The weights are 1 except where a measure is a ratio of sums
    (`Rpool`); whoever resamples queries resamples values and weights together.
    """

    measures: tuple[Measure, ...]
    query_ids: Ids
    """The queries of the judgements, whether the run answers them or not."""
    values: npt.NDArray[np.float64]
    """Measures by queries."""
    weights: npt.NDArray[np.float64]
    """Measures by queries."""
    unanswered: Ids
    """Queries without a ranking in the run; they score 0."""
    extra: Ids
    """Queries of the run without judgements; they are left out."""
    ties: Mapping[int, float | None]
    """For each cut-off the share of queries whose scores at ranks k and k + 1 are equal, so that only the
    tie rule decides what is above the cut; None where the run ends at k and the next score is not known."""

    def of(self, measure: str | Measure) -> Values:
        """The values of one measure, one a query."""
        return self.values[self._row(measure)]

    def weights_of(self, measure: str | Measure) -> Values:
        """What each query counts for in the mean of one measure."""
        return self.weights[self._row(measure)]

    def mean(self, measure: str | Measure) -> float:
        """The weighted mean over queries, to the last bit the same in any order of queries."""
        row = self._row(measure)
        total = math.fsum(self.weights[row])
        return math.fsum(self.values[row] * self.weights[row]) / total if total else 0.0

    def means(self) -> dict[Measure, float]:
        """The mean of every measure."""
        return {measure: self.mean(measure) for measure in self.measures}

    def _row(self, measure: str | Measure) -> int:
        wanted = parse(measure)
        if wanted not in self.measures:
            have = ", ".join(map(str, self.measures))
            raise UsageError(f"`{wanted}` was not computed", f"these were: {have}")
        return self.measures.index(wanted)


def score(run: Run, qrels: Qrels, measures: str | Iterable[str | Measure]) -> Scores:
    """Every measure on every query of the judgements, with trec_eval's rules.

    Grades of 1 and more are relevant, gains are linear, negative grades are not relevant, and a query
    without relevant documents or without a ranking scores 0. The run is in the one order already: those of
    `hakari.rankings` and `hakari.io` are, and `check_run` says whether another one is.
    """
    wanted = parse_many(measures)
    found, rows = find(run, qrels)
    shape = len(wanted), len(qrels.query_ids)
    values = np.array([m.kind.values(found, m.last_rank) for m in wanted]).reshape(shape)
    weights = np.array([m.kind.weights(found.pool) for m in wanted]).reshape(shape)
    answered = found.retrieved > 0
    extra = run.query_ids[:0]
    if run.query_ids is not qrels.query_ids:
        extra = run.query_ids[rows_of(run.query_ids, qrels.query_ids) < 0]
    cuts = sorted({m.cut for m in wanted if m.cut is not None})
    ties = {cut: _tied(run, rows, found.retrieved, cut) for cut in cuts}
    return Scores(wanted, qrels.query_ids, values, weights, qrels.query_ids[~answered], extra, ties)


def _tied(run: Run, rows: Counts, retrieved: Counts, cut: int) -> float | None:
    deeper = retrieved > cut
    if not deeper.any() and (retrieved == cut).any():
        return None
    last = run.offsets[rows[deeper]] + cut - 1
    return float(np.count_nonzero(run.scores[last] == run.scores[last + 1]) / max(len(rows), 1))
