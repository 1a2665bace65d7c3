from __future__ import annotations

import numpy as np
import pytest

from hakari.errors import InvalidInput
from hakari.stats import Resampling, mean_intervals, ratio_intervals, summarise
from hakari.stats.summary import Summary

QUICK = Resampling(resamples=1_000)
FIELDS = ("means", "lows", "highs", "best_ranks", "worst_ranks")


def scores(queries: int, systems: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, queries]).random((systems, queries))


def same(one: Summary, other: Summary) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in FIELDS)


def test_one_task_is_its_own_mean():
    values = scores(80)
    summary = summarise({"a": values}, QUICK)
    low, high = mean_intervals(values, QUICK)
    assert summary.macro is summary.tasks["a"]
    assert np.allclose(summary.macro.means, values.mean(axis=1), atol=1e-10)
    assert np.array_equal(summary.macro.lows, low)
    assert np.array_equal(summary.macro.highs, high)
    assert summary.macro.queries == 80


def test_a_task_does_not_depend_on_its_company_nor_the_mean_on_the_order():
    tasks = {"a": scores(80), "b": scores(80, seed=1), "c": scores(30)}
    forward = summarise(tasks, QUICK)
    backward = summarise(dict(reversed(tasks.items())), QUICK)
    assert list(backward.tasks) == ["c", "b", "a"]
    assert same(forward.macro, backward.macro)
    for name, values in tasks.items():
        assert same(forward.tasks[name], backward.tasks[name])
        assert same(forward.tasks[name], summarise({name: values}, QUICK).macro)


def test_every_task_counts_the_same_in_the_macro_mean():
    summary = summarise({"large": np.ones((1, 400)), "small": np.zeros((1, 20))}, QUICK)
    assert summary.macro.means[0] == 0.5
    assert summary.macro.queries == 420
    assert summary.macro.lows[0] < 0.5 < summary.macro.highs[0]


def test_tasks_of_one_size_are_resampled_independently():
    values = scores(100, systems=1)
    single = summarise({"a": values}, Resampling()).macro
    macro = summarise({name: values for name in "abcd"}, Resampling()).macro
    ratio = (macro.highs - macro.lows) / (single.highs - single.lows)
    assert ratio[0] == pytest.approx(0.5, abs=0.03)  # it would be 1 if all took the same resamples


def test_pooled_ratios_are_summarised_too():
    found = np.random.default_rng(0).integers(0, 4, (2, 60))
    summary = summarise({"a": (found, np.full(60, 3)), "b": scores(50, systems=2)}, QUICK)
    assert summary.tasks["a"].means == pytest.approx(found.sum(axis=1) / 180)
    low, high = ratio_intervals(found, np.full(60, 3), QUICK)
    assert np.array_equal(summary.tasks["a"].lows, low)
    assert np.array_equal(summary.tasks["a"].highs, high)


def test_ranks_of_equal_systems():
    values = scores(60, systems=2)
    summary = summarise({"a": np.vstack([values[:1], values[:1], np.ones((1, 60))])}, QUICK)
    assert summary.macro.best_ranks.tolist() == [2, 2, 1]
    assert summary.macro.worst_ranks.tolist() == [3, 3, 1]


def test_faults_of_all_tasks_come_at_once():
    with pytest.raises(InvalidInput) as caught:
        summarise({"a": [[2.0, 0.1]], "b": [[0.1, np.nan]], "c": [[0.5], [0.5]], "d": [0.5]})
    assert [fault.what.split(":")[0] for fault in caught.value.faults] == ["a", "b", "d"]
    with pytest.raises(InvalidInput, match="different numbers of systems: 1, 2"):
        summarise({"a": [[1.0]], "b": [[0.5], [0.5]]})
    with pytest.raises(InvalidInput, match="no task"):
        summarise({})


@pytest.mark.slow
def test_coverage_of_the_macro_mean():
    rng = np.random.default_rng(11)
    rates = {"a": (20, 0.95), "b": (50, 0.5), "c": (200, 0.8), "d": (200, 0.05)}
    tasks = {name: rng.random((500, queries)) < rate for name, (queries, rate) in rates.items()}
    macro = summarise(tasks, Resampling(resamples=1_000)).macro
    truth = np.mean([rate for _, rate in rates.values()])
    assert np.mean((macro.lows <= truth) & (truth <= macro.highs)) > 0.92
