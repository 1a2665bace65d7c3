"""Chance levels against every order there is, not against samples of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hakari.errors import UsageError
from hakari.measures import chance, known, parse, score
from hakari.measures.chance import expected, id_order, shared_orders
from hakari.types import Qrels, Run

DOCUMENTS = 6
ORDERS = np.array(list(itertools.permutations(range(DOCUMENTS))), dtype=np.int32)
FORMS = sorted({str(m) for m in known()} | {f"{m.name}@{k}" for m in known() for k in (1, 2, 3, 5, 6, 9)})


def ids(letter: str, count: int) -> np.ndarray:
    return np.array([f"{letter}{i:04}" for i in range(count)], dtype=object)


def qrels_of(judgements: list[dict[int, int]], documents: int) -> Qrels:
    offsets = np.cumsum([0, *map(len, judgements)])
    rows = [row for j in judgements for row in sorted(j.items())]
    documents_, grades = np.array(rows, dtype=np.int32).reshape(-1, 2).T
    return Qrels(ids("q", len(judgements)), ids("d", documents), offsets, documents_.copy(), grades.copy())


@pytest.mark.parametrize("depth", [None, 4, 1])
@pytest.mark.parametrize("judgements", [{0: 1}, {1: 3, 2: 1, 4: 0, 5: -1}, {i: i for i in range(6)}, {2: 0}])
@pytest.mark.parametrize("measure", FORMS)
def test_mean_and_deviation_over_all_orders(
    measure: str, judgements: dict[int, int], depth: int | None
) -> None:
    orders = ORDERS[:, :depth]
    qrels = qrels_of([judgements] * len(orders), DOCUMENTS)
    offsets = np.arange(len(orders) + 1) * orders.shape[1]
    scores = np.tile(np.arange(orders.shape[1], 0, -1, dtype=np.float32), len(orders))
    run = Run(qrels.query_ids, qrels.document_ids, offsets, orders.ravel(), scores)
    got = score(run, qrels, measure)
    mean, sd = expected(qrels_of([judgements], DOCUMENTS), DOCUMENTS, measure, depth)
    assert mean == pytest.approx(got.mean(measure), abs=1e-12)
    relevant = any(grade > 0 for grade in judgements.values())
    assert sd == pytest.approx(got.of(measure).std() if relevant or "Judged" in measure else 0.0, abs=1e-7)


@pytest.mark.parametrize(
    "measure", ["nDCG@3", "nDCGbin@3", "R@3", "Rpool@3", "AP", "RR", "hit@2", "Judged@2"]
)
def test_the_mean_over_unlike_queries(measure: str) -> None:
    judgements = [{0: 1}, {1: 2, 3: 1, 4: 1}, {5: 0}, {i: 1 for i in range(6)}]
    qrels = qrels_of(judgements, 9)
    rng, values = np.random.default_rng(1), []
    for _ in range(4000):
        documents = np.concatenate([rng.permutation(9) for _ in judgements]).astype(np.int32)
        scores = np.tile(np.arange(9, 0, -1, dtype=np.float32), 4)
        run = Run(qrels.query_ids, qrels.document_ids, np.arange(5) * 9, documents, scores)
        values.append(score(run, qrels, measure).mean(measure))
    mean, sd = expected(qrels, 9, measure)
    assert abs(np.mean(values) - mean) < 4 * sd / np.sqrt(len(values)) + 1e-12
    assert np.std(values) == pytest.approx(sd, rel=0.05)


def test_a_query_that_leaves_out_a_document_has_one_less_to_rank() -> None:
    qrels = qrels_of([{0: 1}, {0: 1}], 10)
    assert expected(qrels, [10, 9], "hit@1").mean == pytest.approx((1 / 10 + 1 / 9) / 2)


def test_fewer_documents_than_judgements_is_an_error() -> None:
    with pytest.raises(UsageError, match="2 judged documents, but only 1 to rank"):
        expected(qrels_of([{0: 1, 1: 1}], 10), 1, "hit@1")


def test_no_queries() -> None:
    assert expected(qrels_of([], 3), 3, "nDCG@10") == (0.0, 0.0)


def test_deep_average_precision_stays_exact() -> None:
    mean, sd = expected(qrels_of([{i: 1 for i in range(40)}], 100_000), 100_000, "AP")
    harmonic = np.sum(1 / np.arange(1, 100_001))
    p1, p2 = 40 / 1e5, 40 * 39 / (1e5 * (1e5 - 1))
    assert mean == pytest.approx((p1 * harmonic + p2 * (1e5 - harmonic)) / 40, rel=1e-12)
    assert 0 < sd < 0.01


@pytest.mark.parametrize("measure", ["nDCG@3", "R@3", "AP", "RR"])
def test_orders_shared_by_all_queries_have_the_same_mean_and_more_spread(measure: str) -> None:
    qrels = qrels_of([{0: 1, 1: 2}] * 20, 12)
    drawn = shared_orders(qrels, measure, draws=3000)[:, 0]
    mean, sd = expected(qrels, 12, measure)
    # All queries agree on what is relevant, so a shared order is one draw and not twenty.
    assert drawn.std() == pytest.approx(sd * np.sqrt(20), rel=0.06)
    assert abs(drawn.mean() - mean) < 4 * drawn.std() / np.sqrt(3000)


def test_shared_orders_without_each_querys_own_document() -> None:
    qrels = qrels_of([{1: 1}, {2: 1}], 6)
    excluded = np.array([0, -1])
    drawn = shared_orders(qrels, "hit@2,R@5", depth=4, excluded=excluded, draws=4000)
    for column, measure in enumerate(["hit@2", "R@5"]):
        mean, _ = expected(qrels, [5, 6], measure, depth=4)
        assert abs(drawn[:, column].mean() - mean) < 4 * drawn[:, column].std() / np.sqrt(4000)


def test_id_order_is_exact_over_all_ways_to_hand_out_ids() -> None:
    judgements = [{0: 1, 3: 2}, {3: 1}, {4: 0}]
    positions = []
    for order in ORDERS:
        moved = [{int(order[d]): g for d, g in j.items()} for j in judgements]
        positions.append(id_order(qrels_of(moved, DOCUMENTS)).position)
    assert np.mean(positions) == pytest.approx(0.5)
    assert id_order(qrels_of(judgements, DOCUMENTS)).sd == pytest.approx(np.std(positions))
    assert id_order(qrels_of([{5: 1}], DOCUMENTS)).position == 0.0
    assert id_order(qrels_of([{0: 1}], DOCUMENTS)).z < 0


def test_id_order_of_nothing() -> None:
    assert id_order(qrels_of([{0: 0}], 3)) == chance.IdOrder(0.5, 0.0)
    assert id_order(qrels_of([{0: 0}], 3)).z == 0.0
    assert parse("nDCG@10").kind.name == "nDCG"
