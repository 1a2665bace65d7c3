"""Every number of the board: collected a task at a time, then summarised for each measure and view.

A board of usual size is resampled as `hakari run` does it, with the same numbers. One with many thousands of
results is summarised in closed form (`closed`), and the page says which it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hakari.site.board import closed
from hakari.site.board.views import View
from hakari.site.model import BASE, MEASURES, Opened, System
from hakari.stats import Resampling, Summary
from hakari.stats.selections import Scored, Selection, summarise_selections

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
ALL_PAIRS = 64
"""Up to so many systems every pair is kept; beyond, retrievers with each other and variants with theirs."""
LARGEST_STEPS = 255
RESAMPLED_RESULTS = 2_500
"""Up to so many results (systems on tasks) the board is resampled."""


@dataclass(frozen=True, eq=False)
class Block:
    """The numbers of one view and measure, one a system; NaN and 0 where a system is incomplete."""

    means: FloatArray
    lows: FloatArray
    highs: FloatArray
    best: IntArray
    worst: IntArray


@dataclass(frozen=True, eq=False)
class Measured:
    """What is kept of the scores of one task."""

    name: str
    queries: int
    systems: IntArray
    """Numbers of the systems that have a result."""
    means: FloatArray
    """(measures, systems)"""
    squares: FloatArray
    """(measures, systems): the mean of the squared scores."""
    pairs: IntArray
    """Numbers of the pairs whose systems both have a result."""
    gaps: npt.NDArray[np.float32]
    """(measures, pairs): the root of the mean squared difference."""
    largest: npt.NDArray[np.uint8]
    """(measures, pairs): the largest difference, in steps of 1/255."""
    values: FloatArray | None
    """(measures, systems, queries), where the board may be resampled."""


def weighed(opened: Opened, systems: Mapping[System, int], pairs: IntArray, with_values: bool) -> Measured:
    """The scores of one task, for a board of these systems and pairs of systems."""
    present = np.array([systems[s] for s in opened.systems], dtype=np.int64)
    row = np.full(len(systems), -1, dtype=np.int64)
    row[present] = np.arange(len(present))
    sides = row[pairs]
    both = np.flatnonzero((sides >= 0).all(axis=1))
    values = np.clip(np.stack([opened.values[measure] for measure in MEASURES]), 0.0, 1.0)
    found = [_gaps(of_measure, sides[both]) for of_measure in values]
    return Measured(
        opened.name,
        len(opened.query_ids),
        present,
        values.mean(axis=2),
        np.square(values).mean(axis=2),
        both,
        np.array([roots for roots, _ in found], dtype=np.float32),
        np.array([largest for _, largest in found]),
        values if with_values else None,
    )


class Numbers:
    """What is kept of all scores, for every measure, task and system."""

    def __init__(self, systems: Sequence[System], tasks: int) -> None:
        self.systems = systems
        self.heads = heads_of(systems)
        self.pairs = pairs_of(self.heads)
        shape = len(MEASURES), tasks, len(systems)
        self.means, self.squares = np.full(shape, np.nan), np.full(shape, np.nan)
        paired = len(MEASURES), tasks, len(self.pairs)
        self.gaps = np.full(paired, np.nan, dtype=np.float32)
        """The root of the mean squared difference of each pair."""
        self.largest = np.zeros(paired, dtype=np.uint8)
        """The largest difference of each pair, in steps of 1/255."""
        self.queries = np.zeros(tasks)
        self._scores: dict[int, tuple[str, IntArray, FloatArray]] = {}
        """Name, systems and values (measures, systems, queries) of each task, while the board is resampled."""
        self._results = 0

    def add(self, task: int, measured: Measured) -> None:
        """Take in the scores of one task."""
        present, both = measured.systems, measured.pairs
        self.queries[task] = measured.queries
        self.means[:, task, present], self.squares[:, task, present] = measured.means, measured.squares
        self.gaps[:, task, both], self.largest[:, task, both] = measured.gaps, measured.largest
        self._results += len(present)
        if self.resampled and measured.values is not None:
            self._scores[task] = measured.name, present, measured.values
        elif len(present):
            self._results = max(self._results, RESAMPLED_RESULTS + 1)
            self._scores.clear()

    @property
    def resampled(self) -> bool:
        """Whether the board is small enough to be resampled."""
        return self._results <= RESAMPLED_RESULTS

    def blocks(self, measure: int, views: Sequence[View], seed: int = 0) -> list[tuple[Block, Block]]:
        """The macro and the micro numbers of each view."""
        asked = [(view, micro) for view in views for micro in (False, True)]
        if self.resampled:
            made = self._resample(measure, [(v.tasks, micro) for v, micro in asked], seed)
        else:
            made = [self._close(measure, view.tasks, micro) for view, micro in asked]
        return list(zip(made[::2], made[1::2], strict=True))

    def cells(self, measure: int, tasks: Sequence[int], seed: int = 0) -> list[Block] | None:
        """The numbers of single tasks, where they are resampled; the browser makes the others."""
        if not self.resampled:
            return None
        return self._resample(measure, [((task,), False) for task in tasks], seed)

    def complete(self, measure: int, tasks: Sequence[int]) -> IntArray:
        """The systems that have a result for every one of some tasks."""
        return np.flatnonzero(np.isfinite(self.means[measure][list(tasks)]).all(axis=0))

    def _resample(
        self, measure: int, asked: Sequence[tuple[tuple[int, ...], bool]], seed: int
    ) -> list[Block]:
        """Retrievers are ranked with each other, and their variants are not, being forms of them."""
        scored, names = {}, {task: name for task, (name, _, _) in self._scores.items()}
        for name, systems, values in self._scores.values():
            known = np.isfinite(values[measure]).all(axis=1)
            if known.any():
                scored[name] = Scored(systems[known], values[measure][known])
        wanted: list[tuple[int, bool, Selection]] = []
        for number, (tasks, micro) in enumerate(asked):
            complete = self.complete(measure, tasks)
            is_head = self.heads[complete] == complete
            for ranked, rows in ((True, complete[is_head]), (False, complete[~is_head])):
                if len(rows):
                    named = [names[task] for task in tasks]
                    wanted.append((number, ranked, Selection(named, rows.tolist(), micro)))
        made = summarise_selections(scored, [w[2] for w in wanted], Resampling(seed))
        blocks = [self._empty() for _ in asked]
        for (number, ranked, selection), summary in zip(wanted, made, strict=True):
            _fill(blocks[number], selection.systems, summary, ranked)
        return blocks

    def _close(self, measure: int, tasks: Sequence[int], micro: bool) -> Block:
        block, rows = self._empty(), self.complete(measure, tasks)
        if len(rows):
            at = np.array(tasks, dtype=np.int64)
            chosen = np.ix_(at, rows)
            moments = closed.Moments(
                self.means[measure][chosen], self.squares[measure][chosen], self.queries[at]
            )
            known = np.zeros(len(self.systems), dtype=np.bool_)
            known[rows[self.heads[rows] == rows]] = True
            inside = np.flatnonzero(known[self.pairs].all(axis=1))
            place = np.full(len(self.systems), -1, dtype=np.int64)
            place[rows] = np.arange(len(rows))
            squares = np.square(self.gaps[measure][np.ix_(at, inside)].astype(np.float64))
            gaps = closed.Gaps(squares, self.largest[measure][np.ix_(at, inside)] / LARGEST_STEPS)
            summary = closed.summarise(moments, place[self.pairs[inside]], gaps, micro)
            _fill(block, rows.tolist(), summary, ranked=False)
            heads = np.flatnonzero(known)
            others = len(rows) - len(heads)
            block.best[heads] = summary.best_ranks[place[heads]]
            block.worst[heads] = summary.worst_ranks[place[heads]] - others
        return block

    def _empty(self) -> Block:
        count = len(self.systems)
        means, lows, highs = (np.full(count, np.nan) for _ in range(3))
        return Block(means, lows, highs, np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64))


def heads_of(systems: Sequence[System]) -> IntArray:
    """For each system the number of the retriever that it is a form of; its own where that was not weighed."""
    heads = {(s.retriever, s.key): i for i, s in enumerate(systems) if s.variant == BASE}
    return np.array([heads.get((s.retriever, s.key), i) for i, s in enumerate(systems)], dtype=np.int64)


def pairs_of(heads: IntArray) -> IntArray:
    """The pairs of systems whose differences are kept, (pairs, 2)."""
    if len(heads) <= ALL_PAIRS:
        chosen = list(combinations(range(len(heads)), 2))
    else:
        own = [i for i, head in enumerate(heads) if head == i]
        chosen = list(combinations(own, 2)) + [(int(h), i) for i, h in enumerate(heads) if h != i]
    return np.array(chosen, dtype=np.int64).reshape(-1, 2)


def _gaps(values: FloatArray, sides: IntArray) -> tuple[FloatArray, npt.NDArray[np.uint8]]:
    """Of each pair the root of the mean squared difference, and the largest difference."""
    roots, largest = np.empty(len(sides)), np.zeros(len(sides), dtype=np.uint8)
    for start in range(0, len(sides), 256):
        a, b = sides[start : start + 256].T
        gaps = np.abs(values[a] - values[b])
        roots[start : start + 256] = np.sqrt(np.square(gaps).mean(axis=1))
        known = np.nan_to_num(gaps.max(axis=1, initial=0.0))
        largest[start : start + 256] = np.ceil(known * LARGEST_STEPS).astype(np.uint8)
    return roots, largest


def _fill(block: Block, systems: Sequence[int], summary: Summary, ranked: bool) -> None:
    rows = np.array(systems, dtype=np.int64)
    block.means[rows], block.lows[rows], block.highs[rows] = summary.means, summary.lows, summary.highs
    if ranked:
        block.best[rows], block.worst[rows] = summary.best_ranks, summary.worst_ranks
