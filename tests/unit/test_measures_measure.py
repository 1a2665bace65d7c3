"""The text form of measures: one spelling, and a hint for every misspelling."""

from __future__ import annotations

import pickle

import pytest

from hakari.errors import UnknownName, UsageError
from hakari.measures import Measure, deepest, known, parse, parse_many


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG", "nDCG"),
        ("r@100", "R@100"),
        ("RPOOL@100", "Rpool@100"),
        ("HIT@1", "hit@1"),
        ("rr", "RR"),
        ("rr@10", "RR@10"),
        ("ap", "AP"),
        ("apCAP@5", "APcap@5"),
        (" judged@10 ", "Judged@10"),
    ],
)
def test_any_case_parses_to_one_form(text: str, canonical: str) -> None:
    measure = parse(text)
    assert str(measure) == canonical
    assert measure == parse(canonical)
    assert hash(measure) == hash(parse(canonical))
    assert parse(measure) is measure
    assert pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ndcg@1O", "nDCG@10"),
        ("nDCG@0", "nDCG@10"),
        ("nDCG@-1", "nDCG@10"),
        ("nDCG@", "nDCG@10"),
        ("nDCG@010", "nDCG@10"),
        ("ndgc@20", "nDCG@20"),
        ("ndcg_cut_5", "nDCG@5"),
        ("R", "R@100"),
        ("P_10", "P@10"),
        ("MRR@10", "RR@10"),
        ("map", "AP"),
        ("recall@100", "R@100"),
        ("Success@1", "hit@1"),
        ("nDCG@١٠", "nDCG@10"),
    ],
)
def test_a_misspelt_measure_is_answered_with_the_nearest(text: str, meant: str) -> None:
    with pytest.raises(UnknownName) as caught:
        parse(text)
    assert caught.value.message == f"unknown measure `{text}`"
    assert caught.value.hint == f"did you mean `{meant}`? List them with `hakari measures`"


@pytest.mark.parametrize("text", ["", "@", "@10", "zzz", "日本語@10", "nDCG@10;drop"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(UnknownName):
        parse(text)


@pytest.mark.parametrize(("name", "cut"), [("ndcg", 10), ("R", None), ("nDCG", 0), ("nope", 3)])
def test_no_other_measure_can_be_made(name: str, cut: int | None) -> None:
    with pytest.raises(UsageError):
        Measure(name, cut)


def test_many_are_read_once_each_in_order() -> None:
    assert [str(m) for m in parse_many("R@100, ndcg@10,r@100")] == ["R@100", "nDCG@10"]
    assert parse_many(["AP", parse("RR")]) == (parse("AP"), parse("RR"))
    with pytest.raises(UsageError):
        parse_many([])


def test_known_measures_are_described() -> None:
    for measure in known():
        assert parse(str(measure)) == measure
        assert measure.summary
        assert "\n" not in measure.summary
        assert measure.bounds[0] < measure.bounds[1]
    assert {m.name for m in known()} == {
        "nDCG", "nDCGbin", "R", "Rpool", "hit", "P", "RR", "AP", "APcap", "Judged",
    }  # fmt: skip


def test_depth_says_how_deep_a_run_must_be() -> None:
    assert parse("R@100").depth == 100
    assert parse("AP").depth is None
    assert deepest(parse_many("R@100,nDCG@10")) == 100
    assert deepest(parse_many("R@100,AP")) is None
