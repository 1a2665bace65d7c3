"""What holds for every measure, and for both ways of finding the judged documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import UnknownName
from hakari.measures import Kind, check_run, found, known, parse, parse_many, score
from hakari.measures.chance import expected
from hakari.measures.found import Found
from hakari.measures.kinds import KINDS
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Values
from hakari.native import compiled
from hakari.rankings import run_from_mapping, top_k
from hakari.types import Qrels, Run

FORMS = sorted({str(m) for m in known()} | {f"{m.name}@{k}" for m in known() for k in (1, 3, 7)})
DOCUMENTS = [f"d{i}" for i in range(12)]
needs_compiled = pytest.mark.skipif(compiled is None, reason="the compiled loops were not built")

rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10", "extra"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-9, 1.0, -3.0])),
)
judgements = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10", "unanswered"]),
    st.dictionaries(st.sampled_from([*DOCUMENTS, "never ranked"]), st.integers(-2, 3)),
)


def qrels_of(judged: dict[str, dict[str, int]]) -> Qrels:
    query_ids = np.array(sorted(judged), dtype=object)
    document_ids = np.array(sorted({d for j in judged.values() for d in j}), dtype=object)
    row = {d: i for i, d in enumerate(document_ids)}
    rows = [(row[d], judged[q][d]) for q in query_ids for d in sorted(judged[q])]
    offsets = np.cumsum([0, *(len(judged[q]) for q in query_ids)]).astype(np.int64)
    documents, grades = np.array(rows, dtype=np.int32).reshape(-1, 2).T
    return Qrels(query_ids, document_ids, offsets, documents.copy(), grades.copy())


@given(rankings, judgements)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_every_value_is_within_bounds(ranked: dict, judged: dict) -> None:
    run = run_from_mapping(ranked)
    check_run(run)
    scores = score(run, qrels_of(judged), FORMS)
    for measure, values in zip(scores.measures, scores.values, strict=True):
        low, high = measure.bounds
        assert ((values >= low) & (values <= high + 1e-12)).all()
        assert low <= scores.mean(measure) <= high + 1e-12
        assert not values[np.isin(scores.query_ids, scores.unanswered)].any()


@given(rankings, judgements)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_a_perfect_order_scores_highest(ranked: dict, judged: dict) -> None:
    best = {q: {d: float(g) for d, g in j.items() if g > 0} for q, j in judged.items()}
    qrels = qrels_of(judged)
    top = score(run_from_mapping(best), qrels, FORMS)
    any_run = score(run_from_mapping(ranked), qrels, FORMS)
    for measure in top.measures:
        assert (any_run.of(measure) <= top.of(measure) + 1e-12).all() or measure.name == "Judged"
        if measure.name in {"nDCG", "hit", "RR", "APcap", "Judged"}:
            relevant = [any(g > 0 for g in judged[q].values()) for q in top.query_ids]
            assert top.of(measure) == pytest.approx(np.array(relevant, dtype=float))


@needs_compiled
@given(rankings, judgements, st.sampled_from([1, 20, 1 << 22]))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_compiled_and_fallback_give_the_same_bits(ranked: dict, judged: dict, cells: int) -> None:
    run, qrels = run_from_mapping(ranked), qrels_of(judged)
    assert_same_bits(run, qrels, cells)


@needs_compiled
@pytest.mark.parametrize("documents", [50, 40_000, 3_000_000])
def test_compiled_and_fallback_agree_at_size(documents: int) -> None:
    rng = np.random.default_rng(documents)
    query_ids = np.array([f"q{i:04}" for i in range(60)], dtype=object)
    # Numbers stand in for ids: only their order matters here, and three million strings are slow to make.
    document_ids = np.arange(documents).astype(object)
    sizes = rng.integers(0, min(documents, 3000), 60)
    judged = [np.sort(rng.choice(documents, size, replace=False)) for size in sizes]
    lengths = rng.integers(0, min(documents, 1000), 60)
    ranked = [
        rng.permutation(np.union1d(j, rng.integers(0, documents, n)))[:n]
        for j, n in zip(judged, lengths, strict=True)
    ]
    offsets = np.cumsum([0, *sizes])
    grades = rng.integers(-1, 4, offsets[-1]).astype(np.int32)
    qrels = Qrels(query_ids, document_ids, offsets, np.concatenate(judged).astype(np.int32), grades)
    ends = np.cumsum([0, *map(len, ranked)])
    rows = np.concatenate(ranked).astype(np.int32)
    run = Run(query_ids, document_ids, ends, rows, np.zeros(len(rows), np.float32))
    assert_same_bits(run, qrels, found.TABLE_CELLS)


def assert_same_bits(run: Run, qrels: Qrels, cells: int) -> None:
    fast = score(run, qrels, FORMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(found, "compiled", None)
        patch.setattr(found, "TABLE_CELLS", cells)
        slow = score(run, qrels, FORMS)
    assert fast.values.tobytes() == slow.values.tobytes()
    assert fast.weights.tobytes() == slow.weights.tobytes()
    assert list(fast.unanswered) == list(slow.unanswered)
    assert list(fast.extra) == list(slow.extra)
    assert fast.ties == slow.ties


@needs_compiled
def test_compiled_loop_refuses_offsets_that_point_outside() -> None:
    three = np.zeros(3, np.int32)
    sound = [
        three,
        np.array([0]),
        np.array([3]),
        three,
        np.array([0, 3]),
        np.empty(9, np.int64),
        np.empty(9, np.int64),
    ]
    assert compiled.locate_judged(*sound) == 3
    for place, wrong in [
        (1, [-1]),
        (1, [4]),
        (2, [4]),
        (4, [0, 4]),
        (4, [2, 1]),
        (4, [-1, 2]),
        (4, [0]),
        (2, [3, 3]),
    ]:
        with pytest.raises(ValueError, match="offsets"):
            compiled.locate_judged(*sound[:place], np.array(wrong), *sound[place + 1 :])


@needs_compiled
def test_compiled_loop_counts_what_it_has_no_room_for() -> None:
    arrays = [
        np.array([5, 5, 5], np.int32),
        np.array([0]),
        np.array([3]),
        np.array([5], np.int32),
        np.array([0, 1]),
    ]
    judgement, rank = np.full(2, -7), np.full(2, -7)
    assert compiled.locate_judged(*arrays, judgement[:1], rank[:1]) == 3
    assert list(judgement) == [0, -7]
    assert list(rank) == [1, -7]


class FirstHalf(Kind):
    """A measure of somebody's own: this class and its registration are all there is to it."""

    name = "half"
    summary = "relevant documents in the better half of the first k, over half of k"
    usual = ("half@10",)

    def values(self, found: Found, cut: int) -> Values:
        return found.hits(cut // 2) / (cut / 2)

    def chance(self, luck: Luck, cut: int) -> Moments:
        return luck.count(luck.pool.relevant, cut // 2).over(np.full(luck.pool.queries, cut / 2))


def test_a_measure_is_added_by_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "half", FirstHalf())
    qrels = qrels_of({"q1": {"d1": 1, "d2": 1, "d3": 1}})
    run = run_from_mapping({"q1": {"d1": 3.0, "d9": 2.0, "d2": 1.0}})
    assert parse("HALF@4") in parse_many("half@4,R@1")
    assert parse("half@10") in known()
    assert score(run, qrels, "half@4").mean("half@4") == 0.5
    assert expected(qrels, 30, "half@4").mean == pytest.approx(3 / 30)
    with pytest.raises(UnknownName, match="unknown measure `haalf@4`") as caught:
        parse("haalf@4")
    assert caught.value.hint is not None
    assert "`half@4`" in caught.value.hint


@pytest.mark.parametrize("form", FORMS)
def test_a_task_in_memory_and_the_same_by_ids_score_alike(form: str) -> None:
    rng = np.random.default_rng(5)
    qrels = qrels_of(
        {f"q{q}": {f"d{d}": int(rng.integers(-1, 4)) for d in range(q, 40, 3)} for q in range(9)}
    )
    documents, scores = top_k(rng.integers(0, 9, (9, len(qrels.document_ids))) / 7, 20)
    offsets = np.arange(10) * 20
    shared = Run(qrels.query_ids, qrels.document_ids, offsets, documents.ravel(), scores.ravel())
    apart = run_from_mapping(
        {
            q: {qrels.document_ids[d]: float(s) for d, s in zip(documents[i], scores[i], strict=True)}
            for i, q in enumerate(qrels.query_ids)
        }
        | {"extra": {"unknown": 1.0}}
    )
    assert score(shared, qrels, form).values.tobytes() == score(apart, qrels, form).values.tobytes()
    assert score(shared, qrels, form).measures == (parse(form),)
