"""Scores by hand, and the rules around them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from hakari.errors import InvalidInput, UsageError
from hakari.measures import score
from hakari.rankings import run_from_mapping
from hakari.types import Qrels, Run


def qrels_of(judgements: Mapping[str, Mapping[str, int]], more: tuple[str, ...] = ()) -> Qrels:
    query_ids = np.array(sorted(judgements), dtype=object)
    document_ids = np.array(sorted({d for j in judgements.values() for d in j} | set(more)), dtype=object)
    row = {d: i for i, d in enumerate(document_ids)}
    rows = [(row[d], judgements[q][d]) for q in query_ids for d in sorted(judgements[q])]
    offsets = np.cumsum([0, *(len(judgements[q]) for q in query_ids)])
    documents, grades = np.array(rows, dtype=np.int32).reshape(-1, 2).T
    return Qrels(query_ids, document_ids, offsets, documents.copy(), grades.copy())


RANKING = {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 2.0, "d5": 1.0}
JUDGED = {"d2": 1, "d4": 3, "d5": -1, "d8": 2, "d1": 0}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("nDCG@3", (1 / math.log2(3)) / (3 + 2 / math.log2(3) + 1 / 2)),
        ("nDCG", (1 / math.log2(3) + 3 / math.log2(5)) / (3 + 2 / math.log2(3) + 1 / 2)),
        ("nDCG@1", 0.0),
        ("nDCGbin@3", (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2)),
        ("R@3", 1 / 3),
        ("R@4", 2 / 3),
        ("Rpool@4", 2 / 3),
        ("hit@1", 0.0),
        ("hit@2", 1.0),
        ("P@4", 2 / 4),
        ("P@10", 2 / 10),
        ("RR", 1 / 2),
        ("RR@1", 0.0),
        ("AP", (1 / 2 + 2 / 4) / 3),
        ("AP@2", (1 / 2) / 3),
        ("APcap@2", (1 / 2) / 2),
        ("Judged@3", 2 / 3),
        ("Judged@10", 4 / 5),
    ],
)
def test_by_hand(measure: str, value: float) -> None:
    scores = score(run_from_mapping({"q": RANKING}), qrels_of({"q": JUDGED}), measure)
    assert scores.of(measure)[0] == pytest.approx(value, abs=1e-15)


def test_unanswered_queries_score_zero_and_extra_ones_are_left_out() -> None:
    qrels = qrels_of({"a": {"d1": 1}, "b": {"d1": 1}, "c": {"d1": 1}})
    run = run_from_mapping({"b": {"d1": 1.0}, "c": {}, "z": {"d1": 1.0}})
    scores = score(run, qrels, "RR,R@1")
    assert list(scores.query_ids) == ["a", "b", "c"]
    assert list(scores.of("RR")) == [0.0, 1.0, 0.0]
    assert list(scores.unanswered) == ["a", "c"]
    assert list(scores.extra) == ["z"]
    assert scores.mean("rr") == pytest.approx(1 / 3)


def test_nothing_relevant_scores_zero() -> None:
    scores = score(
        run_from_mapping({"q": RANKING}), qrels_of({"q": {"d1": 0, "d2": -2}}), "nDCG@10,R@5,AP,RR"
    )
    assert not scores.values.any()


def test_ids_on_which_run_and_judgements_differ() -> None:
    qrels = qrels_of({"q": {"d2": 1, "missing": 1, "d9": 1}})
    run = run_from_mapping({"q": {"d1": 3.0, "d10": 2.0, "d9": 2.0, "d2": 1.0, "unknown": 0.5}})
    scores = score(run, qrels, "R@10,RR,P@2")
    assert scores.of("R@10")[0] == 2 / 3
    assert scores.of("RR")[0] == 1 / 2  # `d9` before `d10`, for ids descend where scores tie
    assert scores.of("P@2")[0] == 1 / 2


def test_empty_run_and_empty_judgements() -> None:
    nothing = run_from_mapping({})
    scores = score(nothing, qrels_of({"q": {"d": 1}}), "nDCG@10")
    assert list(scores.unanswered) == ["q"]
    none = score(run_from_mapping({"q": {"d": 1.0}}), qrels_of({}), "nDCG@10,Rpool@3")
    assert none.values.shape == (2, 0)
    assert none.mean("Rpool@3") == none.mean("nDCG@10") == 0.0
    assert list(none.extra) == ["q"]


def test_pooled_recall_is_a_ratio_of_sums_at_every_resample() -> None:
    qrels = qrels_of({"a": {"d1": 1}, "b": {"d1": 1, "d2": 1, "d3": 2, "d4": 1}, "c": {"d1": 0}})
    run = run_from_mapping({"a": {"d1": 1.0}, "b": {"d2": 2.0, "d9": 1.0}, "c": {"d1": 1.0}})
    scores = score(run, qrels, "R@2,Rpool@2")
    assert scores.mean("R@2") == pytest.approx((1 + 1 / 4 + 0) / 3)
    assert scores.mean("Rpool@2") == pytest.approx(2 / 5)
    drawn = np.array([1, 1, 0])
    value, weight = scores.of("Rpool@2")[drawn], scores.weights_of("Rpool@2")[drawn]
    assert (value * weight).sum() / weight.sum() == pytest.approx(3 / 9)


def test_ties_at_the_cut_are_counted_as_float32() -> None:
    qrels = qrels_of({q: {"d1": 1} for q in "abcd"})
    run = run_from_mapping(
        {
            "a": {"d1": 1.0, "d2": 1.0, "d3": 0.0},
            "b": {"d1": 1.0, "d2": 0.5, "d3": 0.0},
            "c": {"d1": 0.5 + 1e-9, "d2": 0.5},
            "d": {"d1": 1.0},
        }
    )
    scores = score(run, qrels, "R@1,P@2,hit@5")
    assert scores.ties == {1: 0.5, 2: 0.0, 5: 0.0}


def test_ties_are_unknown_where_the_run_ends_at_the_cut() -> None:
    scores = score(run_from_mapping({"q": {"d1": 1.0, "d2": 1.0}}), qrels_of({"q": {"d1": 1}}), "R@2,R@1")
    assert scores.ties == {1: 1.0, 2: None}


def test_a_judged_document_ranked_twice_is_an_error_and_not_a_score() -> None:
    ids = np.array(["d1", "d2"], dtype=object)
    run = Run(
        np.array(["q"], dtype=object),
        ids,
        np.array([0, 3]),
        np.array([1, 0, 1], dtype=np.int32),
        np.array([3, 2, 1], dtype=np.float32),
    )
    with pytest.raises(InvalidInput, match="query `q`, document `d2`: ranked 2 times"):
        score(run, qrels_of({"q": {"d2": 1, "d1": 0}}), "nDCG@10")


def test_a_measure_that_was_not_computed_is_named() -> None:
    scores = score(run_from_mapping({"q": RANKING}), qrels_of({"q": JUDGED}), "nDCG@10")
    with pytest.raises(UsageError, match="`AP` was not computed"):
        scores.mean("AP")
    assert {str(m): v for m, v in scores.means().items()} == {"nDCG@10": scores.mean("ndcg@10")}
