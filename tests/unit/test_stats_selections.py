from __future__ import annotations

import numpy as np
import pytest

from hakari.stats import Resampling, Summary, mean_intervals, summarise
from hakari.stats import selections as module
from hakari.stats.selections import Scored, Selection, summarise_selections

QUICK = Resampling(resamples=1_000)
FIELDS = ("means", "lows", "highs", "best_ranks", "worst_ranks")


def scores(queries: int, systems: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, queries]).random((systems, queries))


def same(one: Summary, other: Summary) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in FIELDS)


TASKS = {"a": scores(80), "b": scores(80, seed=1), "c": scores(30), "d": scores(5)}
SCORED = {name: Scored(np.arange(4), values) for name, values in TASKS.items()}


@pytest.mark.parametrize("names", [["a", "b", "c", "d"], ["c", "a"], ["d"]])
def test_a_selection_has_the_numbers_of_the_same_tasks_summarised_alone(names: list[str]):
    (found,) = summarise_selections(SCORED, [Selection(names, range(4))], QUICK)
    alone = summarise({name: TASKS[name] for name in names}, QUICK).macro
    assert same(found, alone)
    assert found.queries == alone.queries


def test_systems_are_known_by_number_where_tasks_lack_some():
    partial = {**SCORED, "a": Scored(np.array([0, 2, 3]), TASKS["a"][[0, 2, 3]])}
    (found,) = summarise_selections(partial, [Selection(["a", "b"], [2, 3])], QUICK)
    assert same(found, summarise({name: TASKS[name][[2, 3]] for name in "ab"}, QUICK).macro)


def test_every_query_counts_the_same_in_the_micro_mean():
    pooled = np.concatenate([TASKS["a"], TASKS["c"]], axis=1)
    found = summarise_selections(SCORED, [Selection(["a", "c"], range(4), micro=True)], Resampling())[0]
    low, high = mean_intervals(pooled)
    assert np.allclose(found.means, pooled.mean(axis=1))
    assert np.allclose(found.highs - found.lows, high - low, rtol=0.1)


def test_how_many_selections_fit_in_memory_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    asked = [
        Selection(list(TASKS), range(4)),
        Selection(["a"], [1, 2]),
        Selection(["b", "d"], [0], micro=True),
    ]
    together = summarise_selections(SCORED, asked, QUICK)
    monkeypatch.setattr(module, "_VALUES_AT_ONCE", 1)
    apart = summarise_selections(SCORED, asked, QUICK)
    assert all(same(a, b) for a, b in zip(together, apart, strict=True))
