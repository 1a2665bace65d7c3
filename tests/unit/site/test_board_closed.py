"""The closed form against the resampling that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from hakari.site.board import closed
from hakari.stats import Summary, mean_intervals
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
    squares = np.array([np.square(v[PAIRS[:, 0]] - v[PAIRS[:, 1]]).mean(axis=1) for v in values])
    return closed.summarise(moments, PAIRS, squares, micro)


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


def test_where_no_query_changed_the_difference_is_nothing():
    means = np.full((3, 1), 0.4)
    gap, reach = closed.differences((means, means), np.zeros((3, 1)), np.array([20.0, 30.0, 40.0]), False)
    assert (gap[0], reach[0]) == (0.0, 0.0)
    assert closed.surely_ordered(gap, reach)[0] == 0
