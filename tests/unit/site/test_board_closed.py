"""The closed form against the resampling that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from hakari.site.board import closed
from hakari.stats import Summary, compare_pairs, mean_intervals
from hakari.stats.selections import Scored, Selection, summarise_selections

SYSTEMS = 8
PAIRS = np.array([(i, j) for i in range(SYSTEMS) for j in range(i + 1, SYSTEMS)])


def scores(queries: int, seed: int, graded: bool) -> np.ndarray:
    rng = np.random.default_rng([seed, queries])
    ease = rng.normal(size=(SYSTEMS, 1)) * 0.3 + rng.normal(size=(1, queries)) * 1.5
    drawn = ease + rng.normal(size=(SYSTEMS, queries))
    return 1 / (1 + np.exp(-drawn)) if graded else (drawn > 0.5).astype(float)


TASKS = {f"t{i}": scores(n, i, graded=i % 2 == 0) for i, n in enumerate((200, 200, 50, 20, 120))}


def in_closed_form(names: list[str], micro: bool) -> Summary:
    values = [TASKS[name] for name in names]
    moments = closed.Moments(
        np.array([v.mean(axis=1) for v in values]),
        np.array([np.square(v).mean(axis=1) for v in values]),
        np.array([float(v.shape[1]) for v in values]),
    )
    return closed.summarise(moments, PAIRS, gaps_of(values), micro)


def gaps_of(values: list[np.ndarray]) -> closed.Gaps:
    apart = [np.abs(v[PAIRS[:, 0]] - v[PAIRS[:, 1]]) for v in values]
    return closed.Gaps(
        np.array([np.square(a).mean(axis=1) for a in apart]), np.array([a.max(axis=1) for a in apart])
    )


@pytest.mark.parametrize("micro", [False, True])
@pytest.mark.parametrize("names", [list(TASKS), *([name] for name in TASKS)], ids="+".join)
def test_it_says_what_resampling_says(names: list[str], micro: bool):
    scored = {name: Scored(np.arange(SYSTEMS), TASKS[name]) for name in names}
    (drawn,) = summarise_selections(scored, [Selection(names, range(SYSTEMS), micro)])
    found = in_closed_form(names, micro)
    assert np.allclose(found.means, drawn.means, atol=1e-9)
    near = 0.01 if names == ["t3"] else 0.004
    assert np.abs(found.lows - drawn.lows).max() < near
    assert np.abs(found.highs - drawn.highs).max() < near
    # Pairs one by one leave at least as many ranks open as all together, but for the luck of the draw.
    assert (found.best_ranks <= drawn.best_ranks + 1).all()
    assert (found.worst_ranks >= drawn.worst_ranks - 1).all()
    assert np.abs(found.best_ranks - drawn.best_ranks).mean() < 1
    assert np.abs(found.worst_ranks - drawn.worst_ranks).mean() < 1


@pytest.mark.parametrize("hits", [0, 1, 37, 50])
def test_hits_of_one_task_have_the_interval_of_a_proportion(hits: int):
    values = np.array([[1.0] * hits + [0.0] * (50 - hits)])
    share = values.mean(axis=1, keepdims=True)
    _, low, high = closed.intervals(closed.Moments(share, share, np.array([50.0])), False)
    assert np.allclose([low[0], high[0]], np.ravel(mean_intervals(values)), atol=0.004)


@pytest.mark.parametrize("names", [list(TASKS), *([name] for name in TASKS)], ids="+".join)
def test_differences_have_the_intervals_of_resampled_ones(names: list[str]):
    drawn = compare_pairs({name: TASKS[name] for name in names}, PAIRS).macro
    values = [TASKS[name] for name in names]
    means = np.array([v.mean(axis=1) for v in values])
    queries = np.array([float(v.shape[1]) for v in values])
    sides = means[:, PAIRS[:, 0]], means[:, PAIRS[:, 1]]
    gap, low, high = closed.differences(sides, gaps_of(values), queries, False)
    assert np.allclose(gap, drawn.diff, atol=1e-9)
    near = 0.04 if names == ["t3"] else 0.015
    assert np.abs(low - drawn.low).max() < near
    assert np.abs(high - drawn.high).max() < near


def test_where_no_query_changed_the_difference_is_nothing():
    means, nothing = np.full((3, 1), 0.4), closed.Gaps(np.zeros((3, 1)), np.zeros((3, 1)))
    gap, low, high = closed.differences((means, means), nothing, np.array([20.0, 30.0, 40.0]), False)
    assert (gap[0], low[0], high[0]) == (0.0, 0.0, 0.0)
    assert closed.surely_ordered(low, high)[0] == 0
