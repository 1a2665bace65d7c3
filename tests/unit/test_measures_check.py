"""The rules of a run, each broken in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hakari.errors import InvalidInput
from hakari.measures import check, check_run
from hakari.rankings import run_from_mapping
from hakari.types import Run


@pytest.fixture
def run() -> Run:
    return run_from_mapping(
        {"a": {"d1": 2.0, "d2": 1.0, "d3": 1.0}, "b": {}, "c": {"d2": 0.0, "d1": -0.0}, "d": {"d3": 9.0}}
    )


def test_a_run_of_ours_passes(run: Run) -> None:
    check_run(run)
    check_run(run_from_mapping({}))


@pytest.mark.parametrize("block", [1, 2, 1 << 20])
def test_repeats_are_all_named(run: Run, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "BLOCK", block)
    broken = replace(run, documents=np.array([0, 0, 0, 1, 1, 2], np.int32))
    with pytest.raises(InvalidInput) as caught:
        check_run(broken)
    whats = [f.what for f in caught.value.faults]
    assert whats == [
        "query `a`, document `d1`: ranked 3 times",
        "query `c`, document `d2`: ranked 2 times",
    ]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_are_finite(run: Run, bad: float) -> None:
    scores = run.scores.copy()
    scores[-1] = bad
    with pytest.raises(InvalidInput, match="query `d`, document `d3`: the score is not finite"):
        check_run(replace(run, scores=scores))


def test_scores_never_rise(run: Run) -> None:
    with pytest.raises(InvalidInput, match="query `a`, document `d3`: scored higher"):
        check_run(replace(run, scores=np.array([1, 2, 1, 0, 0, 9], np.float32)))


def test_ids_descend_where_scores_tie(run: Run) -> None:
    with pytest.raises(InvalidInput, match="query `c`, document `d2`: ties") as caught:
        check_run(replace(run, documents=np.array([0, 2, 1, 0, 1, 2], np.int32)))
    assert caught.value.hint is not None


@pytest.mark.parametrize(
    "change",
    [
        {"offsets": np.array([0, 3, 3, 5])},
        {"offsets": np.array([0, 3, 2, 5, 6])},
        {"documents": np.array([0, 1, 2, 1, 0, 3], np.int32)},
        {"scores": np.zeros(5, np.float32)},
    ],
)
def test_arrays_fit_together(run: Run, change: dict) -> None:
    with pytest.raises(InvalidInput, match="do not fit together"):
        check_run(replace(run, **change))


def test_a_flood_of_faults_is_summed_up(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MOST", 2)
    with pytest.raises(InvalidInput) as caught:
        check_run(replace(run, scores=np.full(6, np.nan, np.float32)))
    assert [f.what for f in caught.value.faults] == [
        "query `a`, document `d1`: the score is not finite",
        "query `a`, document `d3`: the score is not finite",
        "4 more like this: the score is not finite",
    ]
