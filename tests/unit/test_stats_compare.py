from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hakari.errors import InvalidInput
from hakari.stats import (
    Differences,
    Resampling,
    compare_pairs,
    pair_p_values,
    paired_randomisation,
    smallest_difference,
)
from hakari.stats import compare as module

QUICK = Resampling(resamples=1_000)
SOURCE = Path(__file__).resolve().parents[2] / "src"


def scores(queries: int, systems: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, queries]).random((systems, queries))


def same(one: Differences, other: Differences) -> bool:
    return all(
        np.array_equal(getattr(one, f.name), getattr(other, f.name), equal_nan=True) for f in fields(one)
    )


def test_one_task_agrees_with_the_single_functions():
    values = scores(80)
    found = compare_pairs({"a": values}, resampling=QUICK)
    assert found.macro is found.tasks["a"]
    pairs = found.macro.pairs
    assert pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    assert np.allclose(found.macro.diff, differences.mean(axis=1), atol=1e-10)
    assert np.array_equal(found.macro.p, paired_randomisation(differences, QUICK))
    assert np.allclose(found.macro.smallest, smallest_difference(differences), rtol=1e-6)
    assert found.macro.wins.tolist() == (differences > 0).sum(axis=1).tolist()
    assert found.macro.losses.tolist() == (differences < 0).sum(axis=1).tolist()
    assert np.all((found.macro.low < found.macro.diff) & (found.macro.diff < found.macro.high))


def test_identical_systems_do_not_differ():
    values = np.repeat(scores(60, systems=1), 2, axis=0)
    for tasks in ({"a": values}, {"a": values, "b": values[:, :40]}):
        macro = compare_pairs(tasks, resampling=QUICK).macro
        assert (macro.diff[0], macro.low[0], macro.high[0], macro.p[0]) == (0, 0, 0, 1)
        assert np.isnan(macro.smallest[0])
        assert macro.ties[0] == macro.queries == sum(task.shape[1] for task in tasks.values())


@settings(derandomize=True, deadline=None, max_examples=40)
@given(arrays(np.float64, st.tuples(st.just(3), st.integers(1, 30)), elements=st.floats(0, 1)))
def test_a_pair_and_its_reverse_mirror_each_other(values):
    tasks = {"a": values, "b": values[:, ::2]}
    found = compare_pairs(tasks, [(0, 1), (1, 0)], Resampling(resamples=300))
    for part in (found.macro, *found.tasks.values()):
        assert part.diff[0] == -part.diff[1]
        assert (part.low[0], part.high[0]) == (-part.high[1], -part.low[1])
        assert part.p[0] == part.p[1]
        assert (part.wins[0], part.ties[0], part.losses[0]) == (part.losses[1], part.ties[1], part.wins[1])
        assert np.all((part.p > 0) & (part.p <= 1))
        assert np.all((part.low <= part.diff) & (part.diff <= part.high))
        assert np.all((part.low >= -1) & (part.high <= 1))


def test_a_shift_of_both_systems_changes_nothing():
    values = np.floor(scores(60, systems=2) * 64) / 128
    one = compare_pairs({"a": values}, resampling=QUICK).macro
    assert same(one, compare_pairs({"a": values + 0.25}, resampling=QUICK).macro)


def test_a_task_does_not_depend_on_its_company_nor_the_mean_on_the_order():
    tasks = {"a": scores(80), "b": scores(80, seed=1), "c": scores(9)}
    forward = compare_pairs(tasks, resampling=QUICK)
    backward = compare_pairs(dict(reversed(tasks.items())), resampling=QUICK)
    assert same(forward.macro, backward.macro)
    for name, values in tasks.items():
        assert same(forward.tasks[name], backward.tasks[name])
        assert same(forward.tasks[name], compare_pairs({name: values}, resampling=QUICK).macro)


def test_how_pairs_are_split_changes_nothing(monkeypatch):
    tasks = {"a": scores(40, systems=6), "b": scores(20, systems=6)}
    whole = compare_pairs(tasks, resampling=QUICK)
    monkeypatch.setattr(module, "_PAIRS_IN_MEMORY", 4)
    monkeypatch.setattr(module, "_PAIRS_IN_CACHE", 3)
    split = compare_pairs(tasks, resampling=QUICK)
    assert same(whole.macro, split.macro)
    assert same(whole.tasks["b"], split.tasks["b"])


@pytest.mark.parametrize("sizes", [(60,), (60, 60), (60, 9), (1,)])
def test_p_values_alone_are_those_of_the_comparison(sizes, monkeypatch):
    tasks = {f"t{place}": scores(size, seed=place) for place, size in enumerate(sizes)}
    macro = compare_pairs(tasks, resampling=QUICK).macro
    monkeypatch.setattr(module, "_PAIRS_IN_MEMORY", 4)
    pairs, p = pair_p_values(tasks, QUICK)
    assert pairs.tolist() == macro.pairs.tolist()
    assert p.tolist() == macro.p.tolist()


def test_random_numbers_that_are_kept_are_those_that_would_be_drawn():
    kept = Resampling(resamples=300)
    for queries in (80, 40, 80):
        tasks = {"a": scores(queries)}
        found, fresh = (compare_pairs(tasks, resampling=plan).macro for plan in (kept, Resampling(0, 300)))
        assert same(found, fresh)


def test_macro_p_agrees_with_enumeration():
    first, second = np.array([0.5, 0.25, -0.125, 0.5, 0.25]), np.array([0.125, -0.5, 0.75])
    tasks = {
        name: np.stack([np.maximum(row, 0), np.maximum(-row, 0)])
        for name, row in (("a", first), ("b", second))
    }
    observed = abs(first.mean() + second.mean())
    flipped = [
        abs((first * signs[:5]).mean() + (second * signs[5:]).mean()) for signs in product([-1, 1], repeat=8)
    ]
    exact = np.mean(np.array(flipped) >= observed - 1e-12)
    assert compare_pairs(tasks).macro.p[0] == pytest.approx(exact, abs=0.02)


def test_tasks_of_one_size_are_flipped_independently():
    values = scores(100, systems=2)
    single = compare_pairs({"a": values}).macro
    macro = compare_pairs({name: values for name in "abcd"}).macro
    assert (macro.high - macro.low)[0] == pytest.approx((single.high - single.low)[0] / 2, rel=0.06)
    assert macro.smallest[0] == pytest.approx(single.smallest[0] / 2, rel=0.02)
    assert macro.p[0] < single.p[0]


def test_pooled_recall_is_compared_as_a_ratio_of_sums():
    wanted = np.array([1, 2, 10] * 20)
    found = np.stack([wanted, np.maximum(wanted - 1, 0)])
    macro = compare_pairs({"a": (found, wanted)}, resampling=QUICK).macro
    assert macro.diff[0] == pytest.approx(60 / wanted.sum())
    assert macro.p[0] == 1 / 1_001
    assert 0 < macro.low[0] < macro.diff[0] < macro.high[0]


def test_pairs_that_are_not_there_are_refused():
    with pytest.raises(InvalidInput, match="no pair"):
        compare_pairs({"a": scores(5)}, [(0, 4), (-1, 0)])
    nothing = compare_pairs({"a": scores(5, systems=1)}).macro
    assert nothing.p.size == nothing.diff.size == 0


THREADS = """
import hashlib, numpy as np
from hakari.stats import compare_pairs, summarise
rng = np.random.default_rng(0)
tasks = {name: rng.random((20, size)) for name, size in (("a", 200), ("b", 200), ("c", 700))}
digest = hashlib.sha256()
for part in (compare_pairs(tasks), summarise(tasks)):
    for table in (part.macro, *part.tasks.values()):
        for column in vars(table).values():
            digest.update(np.asarray(column).tobytes())
print(digest.hexdigest())
"""


def test_the_number_of_threads_and_the_kernel_change_no_byte():
    digests = set()
    for changed in (
        {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "1"},
        {"OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "2"},
        {"OPENBLAS_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Haswell"},
    ):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), **changed}
        command = [sys.executable, "-c", THREADS]
        digests.add(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
    assert len(digests) == 1


@pytest.mark.slow
@pytest.mark.parametrize("queries", [50, 200])
def test_coverage_for_differences(queries):
    rng = np.random.default_rng(12)
    size, chance = rng.beta(0.7, 1.5, (1_500, queries)), rng.random((1_500, queries))
    differences = np.where(chance < 0.2, -size, np.where(chance < 0.3, size, 0))
    truth = -0.1 * 0.7 / 2.2
    values = np.vstack([np.maximum(differences, 0), np.maximum(-differences, 0)])
    pairs = np.arange(1_500)[:, None] + [0, 1_500]
    macro = compare_pairs({"a": values}, pairs, Resampling(resamples=1_000)).macro
    assert np.mean((macro.low <= truth) & (truth <= macro.high)) > 0.93
