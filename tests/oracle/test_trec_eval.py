"""Held against trec_eval: its own test files, runs on real tasks, and its code as a library.

The readers here are small on purpose and share nothing with `hakari.io`, so that a mistake there cannot hide.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.measures import Scores, check_run, score
from hakari.rankings import run_from_mapping
from hakari.types import Qrels

TREC_EVAL = {"map": "AP", "recip_rank": "RR", "ndcg": "nDCG"}
TREC_EVAL_CUTS = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "hit"}

Judgements = dict[str, dict[str, int]]
Rankings = dict[str, dict[str, float]]


def our_name(theirs: str) -> str | None:
    name, _, cut = theirs.rpartition("_")
    if name in TREC_EVAL_CUTS and cut.isdecimal():
        return f"{TREC_EVAL_CUTS[name]}@{cut}"
    return TREC_EVAL.get(theirs)


def read(path: Path) -> list[list[str]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [line.split() for line in text.splitlines() if line.strip()]


def read_qrels(path: Path) -> Judgements:
    judged: Judgements = defaultdict(dict)
    for query, _, document, grade in read(path):
        judged[query][document] = int(grade)
    return judged


def read_run(path: Path) -> Rankings:
    ranked: Rankings = defaultdict(dict)
    for query, _, document, _, value, _ in read(path):
        ranked[query][document] = float(value)
    return ranked


def qrels_of(judged: Judgements) -> Qrels:
    query_ids = np.array(sorted(judged), dtype=object)
    document_ids = np.array(sorted({d for j in judged.values() for d in j}), dtype=object)
    row = {d: i for i, d in enumerate(document_ids)}
    rows = [(row[d], judged[q][d]) for q in query_ids for d in sorted(judged[q])]
    offsets = np.cumsum([0, *(len(judged[q]) for q in query_ids)]).astype(np.int64)
    documents, grades = np.array(rows, dtype=np.int32).reshape(-1, 2).T
    return Qrels(query_ids, document_ids, offsets, documents.copy(), grades.copy())


def assert_as_printed(expected: list[list[str]], scores: Scores, answered: int) -> int:
    """trec_eval prints four digits, and its means are over the queries that the run answers."""
    row = {q: i for i, q in enumerate(scores.query_ids)}
    compared = 0
    for name, query, value in expected:
        ours = our_name(name)
        if ours is None:
            continue
        values = scores.of(ours)
        got = float(values.sum()) / answered if query == "all" else values[row[query]]
        assert f"{got:.4f}" == value or abs(got - float(value)) <= 0.00005 + 1e-9, (name, query)
        compared += 1
    return compared


def folder(real_data: Path, name: str) -> Path:
    path = real_data / "trec" / name
    if not path.exists():
        pytest.skip(f"no folder {name} of TREC files in the real data")
    return path


@pytest.mark.parametrize("output", ["out.test", "out.test.aq"])
def test_trec_evals_own_test_files(real_data: Path, output: str) -> None:
    files = folder(real_data, "trec_eval")
    expected = read(files / output)
    ranked = read_run(files / "results.test")
    run = run_from_mapping(ranked)
    check_run(run)
    judged = read_qrels(files / "qrels.test")
    measures = sorted({m for name, *_ in expected if (m := our_name(name))})
    scores = score(run, qrels_of(judged), measures)
    assert assert_as_printed(expected, scores, len(set(ranked) & set(judged))) > 10


@pytest.mark.parametrize(
    "task", ["CISI", "Cranfield", "NanoCodeRAGProgrammingSolutions", "NanoCosQA", "NanoSciFact"]
)
def test_runs_on_real_tasks_query_by_query(real_data: Path, task: str) -> None:
    files = folder(real_data, "generated")
    expected = read(files / f"{task}.trec_eval.txt")
    ranked, judged = read_run(files / f"{task}.run.gz"), read_qrels(files / f"{task}.qrels")
    measures = sorted({m for name, *_ in expected if (m := our_name(name))})
    scores = score(run_from_mapping(ranked), qrels_of(judged), measures)
    assert assert_as_printed(expected, scores, len(set(ranked) & set(judged))) > 1000


@pytest.mark.peer
@pytest.mark.parametrize("task", ["CISI", "Cranfield", "NanoSciFact"])
def test_the_same_bits_on_real_runs(real_data: Path, task: str) -> None:
    peer = pytest.importorskip("pytrec_eval")
    files = folder(real_data, "generated")
    ranked, judged = read_run(files / f"{task}.run.gz"), read_qrels(files / f"{task}.qrels")
    assert_same_bits(peer, ranked, judged)


# Scores that float32 cannot tell apart, ids whose order as strings is not that of their numbers, unjudged and
# unranked documents, negative grades. trec_eval reads uninitialised counts of a query whose grades are all
# negative, so one grade is not.
IDS = [*(f"d{i}" for i in range(12)), "D1", "é", "日本"]
SCORES = [
    0.0,
    0.5,
    0.5 + 1e-9,
    0.5 + 1e-7,
    1.0,
    1.0 + 2**-24,
    1.0 + 2**-23,
    -1.0,
    3e38,
    1e-45,
    16777216.0,
    16777217.0,
]
rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10", "extra"]),
    st.dictionaries(st.sampled_from(IDS), st.sampled_from(SCORES), min_size=1),
    min_size=1,
)
judgements = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10", "unanswered"]),
    st.builds(
        lambda grades, anchor: {**grades, anchor: abs(grades.get(anchor, 1))},
        st.dictionaries(st.sampled_from([*IDS, "never ranked"]), st.integers(-2, 4)),
        st.sampled_from(IDS),
    ),
    min_size=1,
)
CUTS = (1, 2, 3, 5, 10, 100)


@pytest.mark.peer
@given(rankings, judgements)
@settings(derandomize=True, deadline=None, max_examples=400)
def test_the_same_bits_as_trec_evals_code(ranked: Rankings, judged: Judgements) -> None:
    peer = pytest.importorskip("pytrec_eval")
    assert_same_bits(peer, ranked, judged)


def assert_same_bits(peer: Any, ranked: Rankings, judged: Judgements) -> None:
    asked = set(TREC_EVAL) | {f"{name}.{','.join(map(str, CUTS))}" for name in TREC_EVAL_CUTS}
    theirs = peer.RelevanceEvaluator(judged, asked).evaluate(ranked)
    forms = [*TREC_EVAL.values(), *(f"{name}@{k}" for name in TREC_EVAL_CUTS.values() for k in CUTS)]
    scores = score(run_from_mapping(ranked), qrels_of(judged), forms)
    assert set(scores.query_ids) - set(scores.unanswered) == set(theirs)
    assert set(scores.extra) == set(ranked) - set(judged)
    for row, query in enumerate(scores.query_ids):
        for name, value in theirs.get(query, {}).items():
            ours = our_name(name)
            assert ours is not None
            assert scores.of(ours)[row] == value, (name, query)


@pytest.mark.peer
@given(rankings, judgements)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_the_same_as_ir_measures(ranked: Rankings, judged: Judgements) -> None:
    peer = pytest.importorskip("ir_measures")
    forms = ["nDCG@3", "nDCG", "R@5", "P@5", "RR", "AP", "AP@4"]
    scores = score(run_from_mapping(ranked), qrels_of(judged), forms)
    assert_as_ir_measures(peer, {form: form for form in forms}, ranked, judged, scores)


@pytest.mark.peer
@given(
    st.dictionaries(st.sampled_from(["q1", "q2"]), st.permutations(IDS), min_size=1),
    judgements,
    st.integers(1, 20),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_the_same_as_ir_measures_where_trec_eval_is_not_asked(
    orders: dict[str, list[str]], judged: Judgements, cut: int
) -> None:
    peer = pytest.importorskip("ir_measures")
    # Without ties: ir_measures breaks them by another rule in the measures that it computes itself.
    ranked = {q: {d: float(-i) for i, d in enumerate(order)} for q, order in orders.items()}
    names = {f"Judged@{cut}": f"Judged@{cut}", f"RR@{cut}": f"RR@{cut}", f"hit@{cut}": f"Success@{cut}"}
    scores = score(run_from_mapping(ranked), qrels_of(judged), list(names))
    assert_as_ir_measures(peer, names, ranked, judged, scores)


def assert_as_ir_measures(
    peer: Any, names: dict[str, str], ranked: Rankings, judged: Judgements, scores: Scores
) -> None:
    row = {q: i for i, q in enumerate(scores.query_ids)}
    ours = {theirs: our for our, theirs in names.items()}
    compared = 0
    for got in peer.iter_calc([peer.parse_measure(m) for m in names.values()], judged, ranked):
        our, value = ours[str(got.measure)], got.value
        assert scores.of(our)[row[got.query_id]] == pytest.approx(value, abs=1e-9), (our, got.query_id)
        compared += 1
    assert compared or not set(ranked) & set(judged)
