"""Fusion by weights: held against its definition, and the learned weights against leaking judgements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command import hakari_json, within
from small import small_set, small_task

from hakari import measures
from hakari.errors import UsageError
from hakari.io.trec import write_run
from hakari.rankings import run_from_mapping, run_from_matrix
from hakari.retrievers.fuse import rrf
from hakari.retrievers.learned import GRID, folds_of, grid
from hakari.retrievers.registry import parse
from hakari.retrievers.weighted import bring_together, scaled
from hakari.types import Run


def order_of(run: Run, query: int = 0) -> list[str]:
    return run.document_ids[run.documents[run.offsets[query] : run.offsets[query + 1]]].tolist()


def random_runs(count: int, seed: int = 0) -> list[Run]:
    rng = np.random.default_rng(seed)
    queries, documents = (
        np.array([f"{kind}{i:03d}" for i in range(n)], object) for kind, n in (("q", 30), ("d", 200))
    )
    return [run_from_matrix(queries, documents, rng.normal(size=(30, 200)), 80) for _ in range(count)]


def plainly(runs: list[Run], weights: list[float], query: str) -> list[str]:
    """The definition of `minmax`, with dicts."""
    total: dict[str, float] = {}
    best: dict[str, int] = {}
    for run, weight in zip(runs, weights, strict=True):
        row = int(np.searchsorted(run.query_ids, query))
        at = slice(run.offsets[row], run.offsets[row + 1])
        scores = run.scores[at].astype(float)
        for rank, (document, score) in enumerate(zip(run.documents[at], scores, strict=True)):
            name = run.document_ids[document]
            total[name] = total.get(name, 0) + weight * (score - scores.min()) / (scores.max() - scores.min())
            best[name] = min(best.get(name, rank), rank)
    return sorted(total, key=lambda name: (-round(total[name], 12), best[name], name))


def test_the_sum_is_that_of_the_definition() -> None:
    runs = random_runs(3)
    fused = bring_together(runs, "minmax").fused(np.array([[0.2, 0.5, 0.3]]), 50, "x")
    for row, query in enumerate(fused.query_ids):
        assert order_of(fused, row) == plainly(runs, [0.2, 0.5, 0.3], query)[:50]


@pytest.mark.parametrize("count", [2, 3])
def test_equal_weights_of_ranks_are_reciprocal_rank_fusion(count: int) -> None:
    runs = random_runs(count, seed=count)
    fused = bring_together(runs, "ranks", k=60).fused(np.full((1, count), 7.0), 100, "x")
    known = rrf(runs, k=60, depth=100)
    assert fused.documents.tolist() == known.documents.tolist()
    assert fused.offsets.tolist() == known.offsets.tolist()


def test_only_proportions_of_weights_matter_and_a_weight_of_one_is_that_run() -> None:
    runs = random_runs(2)
    together = bring_together(runs, "zscore")
    one, other = (together.fused(np.array([w]), 80, "x") for w in ([3.0, 7.0], [0.3, 0.7]))
    assert one.documents.tolist() == other.documents.tolist()
    alone = together.fused(np.array([[1.0, 0.0]]), 79, "x")  # its last counts 0, as what it lacks
    assert order_of(alone)[:79] == order_of(runs[0])[:79]


def test_scales_of_special_queries() -> None:
    offsets = np.array([0, 3, 3, 4, 6])
    scores = np.array([3, 2, 1, 9, 5, 5], np.float32)
    assert scaled(scores, offsets, "minmax").tolist() == [1, 0.5, 0, 1, 1, 1]
    np.testing.assert_allclose(scaled(scores, offsets, "zscore")[:3], np.array([2, 1, 0]) / np.std([1, 2, 3]))
    with pytest.raises(UsageError, match="infinite"):
        scaled(np.array([np.inf, 1, 0], np.float32), np.array([0, 3]), "minmax")


def test_runs_that_answer_different_queries_and_documents() -> None:
    runs = [
        run_from_mapping({"q1": {"a": 2, "b": 1}}),
        run_from_mapping({"q1": {"c": 5, "b": 4}, "q2": {"z": 1}}),
    ]
    fused = bring_together(runs, "minmax").fused(np.array([[0.5, 0.5]]), 10, "x")
    assert order_of(fused) == ["a", "c", "b"]
    assert order_of(fused, 1) == ["z"]


def test_folds_are_even_and_follow_the_ids_alone() -> None:
    ids = np.array([f"q{i:03d}" for i in range(203)], object)
    fold = folds_of(ids, 5, seed=3)
    assert np.bincount(fold).tolist() == [41, 41, 41, 40, 40]
    assert (folds_of(ids, 5, seed=4) != fold).any()
    assert folds_of(ids[:3], 5, 0).max() == 2


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
def test_the_grid_is_even_and_small(count: int) -> None:
    points = grid(count)
    assert len(set(points)) == len(points) <= GRID
    assert all(abs(sum(point) - 1) < 1e-12 for point in points)
    assert (1.0, *[0.0] * (count - 1)) in points


def test_weights_of_a_fold_are_the_best_on_the_others() -> None:
    task = small_task(queries=40)
    retriever = parse("weighted(bm25,random,folds=4,seed=2)")
    found = retriever.retrieve(task, 50)
    told = found.facts["weights_learned"]
    assert [fold["queries"] for fold in told["folds"]] == [10] * 4
    assert told["measure"] == "nDCG@10"
    fold = folds_of(task.queries.ids, 4, 2)
    fixed = {
        point: measures.score(
            parse(f"weighted(bm25,random,weights={point[0]}:{point[1]})").retrieve(task, 50).runs["float"],
            task.qrels,
            ["nDCG@10"],
        ).of("nDCG@10")
        for point in grid(2)
    }
    scores = measures.score(found.runs["float"], task.qrels, ["nDCG@10"]).of("nDCG@10")
    for number, row in enumerate(told["folds"]):
        others = fold != number
        best = max(values[others].mean() for values in fixed.values())
        assert row["on_the_others"] == pytest.approx(best, abs=1e-6)
        chosen = fixed[min(fixed, key=lambda p: abs(p[0] - row["weights"][0]))]
        np.testing.assert_array_equal(scores[~others], chosen[~others])


def test_learned_weights_do_not_see_the_judgements_of_the_query_itself() -> None:
    """Fusing two runs of chance gives chance: learning on one's own judgements would be above it."""
    task = small_task(queries=60, documents=90)
    gains = []
    for seed in range(12):
        name = f"weighted(random(seed={2 * seed}),random(seed={2 * seed + 1}),folds=5,seed={seed})"
        run = parse(name).retrieve(task, 90).runs["float"]
        gains.append(measures.score(run, task.qrels, ["RR@10"]).mean("RR@10"))
    expected = sum(1 / rank for rank in range(1, 11)) / 90
    assert abs(np.mean(gains) - expected) < 4 * np.std(gains) / np.sqrt(12)


def test_it_is_a_system_like_any_other(tmp_path: Path) -> None:
    place, results = small_set(tmp_path), tmp_path / "results"
    names = ["bm25", "weighted(bm25,bm25-code)", "weighted(bm25,bm25-code,weights=1:3,normalise=ranks)"]
    rows = hakari_json("run", *names, "--on", place, "--results", results)
    assert {row["retriever"] for row in rows} == set(names)
    shown = within("run", *names, "--on", place, "--results", results).stdout
    assert "weights learned by cross-validation over the judged queries" in shown
    first = {path: path.read_bytes() for path in results.rglob("*.parquet")}
    within("run", *names, "--on", place, "--results", results, "--fresh", HAKARI_THREADS="1")
    assert {path: path.read_bytes() for path in results.rglob("*.parquet")} == first


def test_the_run_of_another_engine_is_fused(tmp_path: Path) -> None:
    task = small_task()
    write_run(parse("bm25-code").retrieve(task, 50).runs["float"], tmp_path / "Small.run")
    spelt = f"weighted(bm25,run:{tmp_path}/{{split}}.run,weights=1:1,normalise=ranks)"
    fused, known = (
        parse(n).retrieve(task, 30).runs["float"] for n in (spelt, "rrf(bm25,bm25-code,source_depth=50)")
    )
    assert len(set(order_of(fused)) & set(order_of(known))) >= 28
    before = parse(f"run:{tmp_path}/Small.run").settings_for(task)
    (tmp_path / "Small.run").write_text("q0 Q0 d1 1 2.5 x\n")
    assert parse(f"run:{tmp_path}/Small.run").settings_for(task) != before
    with pytest.raises(UsageError, match="no run of `NanoTest/Small`"):
        parse("run:missing.run").retrieve(task, 10)


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("weighted(bm25)", "at least two"),
        ("weighted(bm25,bm25-code,weights=1)", "1 of them for 2"),
        ("weighted(bm25,bm25-code,weights=0:0)", "all of them 0"),
        ("weighted(bm25,bm25-code,weights=a:b)", "not numbers"),
        ("weighted(bm25,bm25-code,weights=-1:2)", "not numbers"),
        ("weighted(bm25,bm25-code,measure=nDGC@10)", "unknown measure"),
        ("weighted(bm25,bm25-code,folds=1)", "folds 1"),
    ],
)
def test_what_cannot_be_is_told(spelling: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse(spelling)


def test_its_spelling_is_canonical() -> None:
    name = "weighted(bm25,bm25-code,weights=0.3:0.7,normalise=zscore)"
    assert parse("weighted(bm25, bm25-code, normalise=zscore, weights=0.30:.7, folds=5)").name == name
    assert parse(name).settings() == parse(parse(name).name).settings()
