from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import small_task

from hakari.errors import InvalidInput, UsageError
from hakari.measures import chance, check_run, score
from hakari.retrievers.base import Retrieved, Retriever
from hakari.retrievers.registry import known, parse
from hakari.retrievers.rerank import (
    ConstantReranker,
    Pairs,
    Rerank,
    Reranker,
    Rescored,
    ranked,
    shuffled_pairs,
)
from hakari.tasks.assemble import assemble
from hakari.types import Run, Task


class Helpful(Retriever):
    """A first stage that puts what is relevant first, and after it the documents by id, descending."""

    family, name = "test", "helpful"

    def settings(self) -> dict:
        return {}

    def retrieve(self, task: Task, depth: int, parts=()) -> Retrieved:
        rankings = []
        for q in range(len(task.queries)):
            judged = slice(task.qrels.offsets[q], task.qrels.offsets[q + 1])
            relevant = task.qrels.documents[judged][task.qrels.grades[judged] > 0]
            rest = np.setdiff1d(np.arange(len(task.corpus)), relevant)[::-1]
            rankings.append(np.concatenate([relevant, rest])[:depth])
        width = len(rankings[0])
        offsets = np.arange(len(rankings) + 1, dtype=np.int64) * width
        scores = np.tile(np.arange(width, 0, -1, dtype=np.float32), len(rankings))
        documents = np.concatenate(rankings).astype(np.int32)
        return Retrieved({"float": Run(task.queries.ids, task.corpus.ids, offsets, documents, scores)})


class Scripted(Reranker):
    """Scores by a function of the task and the pairs, which it keeps."""

    name = "scripted"

    def __init__(self, rule) -> None:
        self.rule = rule
        self.seen: Pairs | None = None

    def settings(self) -> dict:
        return {}

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        self.seen = pairs
        return Rescored(self.rule(task, pairs))


def grades_of(task: Task, pairs: Pairs) -> np.ndarray:
    grade = {}
    for q in range(len(task.queries)):
        for row in range(task.qrels.offsets[q], task.qrels.offsets[q + 1]):
            grade[q, int(task.qrels.documents[row])] = float(task.qrels.grades[row])
    return np.array(
        [grade.get((int(q), int(d)), 0.0) for q, d in zip(pairs.queries, pairs.documents, strict=True)]
    )


def wide_task(queries: int = 500, documents: int = 100) -> Task:
    """Two relevant documents a query, always those with the largest ids, so ids give them away."""
    corpus = {f"d{i:03d}": f"text {i}" for i in range(documents)}
    judged = [(f"q{q:04d}", f"d{documents - 1 - i:03d}", 1 + i) for q in range(queries) for i in range(2)]
    return assemble("Made", "Wide", {f"q{q:04d}": f"query {q}" for q in range(queries)}, corpus, judged)


@pytest.mark.parametrize("measure", ["nDCG@10", "R@10", "RR@10"])
@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -3e38])
def test_a_constant_reranker_lands_on_chance_among_its_candidates(measure, value):
    task = wide_task()
    constant = Scripted(lambda _, pairs: np.full(len(pairs), value, np.float32))
    first = Helpful().retrieve(task, 40).runs["float"]
    run = Rerank(Helpful(), constant, depth=40).retrieve(task, 100, [first]).runs["float"]
    check_run(run)
    wanted = chance.expected(task.qrels, 40, measure)
    z = (score(run, task.qrels, measure).mean(measure) - wanted.mean) / wanted.sd
    assert abs(z) < 4
    by_first = (score(first, task.qrels, measure).mean(measure) - wanted.mean) / wanted.sd
    assert by_first > 20  # what the order of the first stage, or that of ids, would be worth


def test_what_is_not_among_the_candidates_lowers_chance():
    """The expectation by hand where candidates lack some of what is relevant."""
    task, depth = small_task(queries=60, documents=120), 30
    draws = []
    for seed in range(30):
        other = assemble_again(task, seed)
        first = parse("bm25").retrieve(other, depth).runs["float"]
        pairs = shuffled_pairs(other, first, depth)
        share = np.bincount(pairs.queries, grades_of(other, pairs) > 0, minlength=60) / np.maximum(
            np.diff(pairs.offsets), 1
        )
        run, _ = ranked(other, pairs, np.ones(len(pairs)), "constant")
        expected = share.sum() * min(10, depth) / 60  # one relevant document a query
        draws.append(score(run, other.qrels, "hit@10").mean("hit@10") - expected)
    assert abs(np.mean(draws)) < 4 * np.std(draws) / np.sqrt(len(draws))


def assemble_again(task: Task, seed: int) -> Task:
    """The same task with another id for each document, so that shuffles differ."""
    fresh = {d: f"{seed}-{d}" for d in task.corpus.ids}
    judged = [
        (task.queries.ids[q], fresh[task.corpus.ids[task.qrels.documents[row]]], int(task.qrels.grades[row]))
        for q in range(len(task.queries))
        for row in range(task.qrels.offsets[q], task.qrels.offsets[q + 1])
    ]
    queries = dict(zip(task.queries.ids, task.queries.texts, strict=True))
    corpus = {fresh[d]: text for d, text in zip(task.corpus.ids, task.corpus.texts, strict=True)}
    return assemble("Made", str(seed), queries, corpus, judged)


def test_a_reranker_sees_the_candidates_in_no_order_of_theirs():
    task, reranker = wide_task(200), Scripted(lambda _, pairs: np.zeros(len(pairs)))
    first = Helpful().retrieve(task, 50).runs["float"]
    Rerank(Helpful(), reranker, depth=50).retrieve(task, 50, [first])
    seen = reranker.seen
    best_at = np.flatnonzero(seen.documents == len(task.corpus) - 1) - seen.offsets[:-1]
    assert 18 < best_at.mean() < 31  # 24.5 by chance, with a deviation of 1
    assert len(set(best_at)) > 40
    for q in range(200):
        ours = seen.documents[seen.offsets[q] : seen.offsets[q + 1]]
        assert set(ours) == set(first.documents[first.offsets[q] : first.offsets[q + 1]])


def test_only_the_best_of_the_first_stage_are_ranked_and_depth_cuts_the_result():
    task = wide_task(20)
    by_id = Scripted(lambda _, pairs: pairs.documents)
    run = Rerank(Helpful(), by_id, depth=7).retrieve(task, 5).runs["float"]
    assert np.diff(run.offsets).tolist() == [5] * 20
    assert run.documents[:5].tolist() == [99, 98, 97, 96, 95]
    deep = Rerank(Helpful(), by_id, depth=7).retrieve(task, 500).runs["float"]
    assert np.diff(deep.offsets).tolist() == [7] * 20


def test_the_ceiling_is_what_a_perfect_reranker_scores():
    task = small_task(queries=40, documents=90)
    found = Rerank(parse("bm25"), Scripted(grades_of), depth=6).retrieve(task, 100)
    got = score(found.runs["float"], task.qrels, "R@6,nDCG@10")
    assert found.facts["ceiling"] == {name: round(got.mean(name), 6) for name in ("R@6", "nDCG@10")}
    assert 0 < found.facts["ceiling"]["R@6"] < 1
    first = parse("bm25").retrieve(task, 6).runs["float"]
    assert found.facts["ceiling"]["R@6"] == round(score(first, task.qrels, "R@6").mean("R@6"), 6)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([0.0, -0.0, 1.5, 1e-45, -1e-45, 3.0, -2.0]), min_size=90, max_size=90))
def test_any_scores_make_a_sound_run_in_their_order(values):
    task = TASK
    pairs = shuffled_pairs(task, Helpful().retrieve(task, 30).runs["float"], 30)
    run, tied = ranked(task, pairs, np.array(values), "made")
    check_run(run)
    scores = dict(
        zip(zip(pairs.queries.tolist(), pairs.documents.tolist(), strict=True), values, strict=True)
    )
    for q in range(3):
        mine = [scores[q, d] for d in run.documents[run.offsets[q] : run.offsets[q + 1]].tolist()]
        assert mine == sorted(mine, reverse=True)
    per_query = np.array(values).reshape(3, 30)
    assert tied == sum(int(np.count_nonzero(row == v)) for row in per_query for v in set(row)
                       if np.count_nonzero(row == v) > 1)  # fmt: skip


TASK = wide_task(3, 40)


def test_scores_that_are_no_numbers_name_query_and_document():
    task = wide_task(2)
    broken = Scripted(lambda _, pairs: np.where(np.arange(len(pairs)) == 1, np.nan, 0.0))
    with pytest.raises(InvalidInput, match=r"query `q0000`, document `d0.*the score is nan"):
        Rerank(Helpful(), broken, depth=5).retrieve(task, 5)
    with pytest.raises(UsageError, match="there are 10 pairs, and scores of shape"):
        Rerank(Helpful(), Scripted(lambda *_: np.zeros(3)), depth=5).retrieve(task, 5)


def test_a_first_stage_that_finds_nothing_for_a_query_or_for_all():
    task = wide_task(3)
    first = Helpful().retrieve(task, 4).runs["float"]
    hole = Run(
        first.query_ids, first.document_ids, np.array([0, 4, 4, 8]), first.documents[:8], first.scores[:8]
    )
    run = Rerank(Helpful(), ConstantReranker()).retrieve(task, 9, [hole]).runs["float"]
    assert np.diff(run.offsets).tolist() == [4, 0, 4]
    empty = Run(
        first.query_ids, first.document_ids, np.zeros(4, np.int64), first.documents[:0], first.scores[:0]
    )
    found = Rerank(Helpful(), ConstantReranker()).retrieve(task, 9, [empty])
    assert len(found.runs["float"]) == 0
    assert found.facts["pairs"] == 0
    assert found.facts["ceiling"]["nDCG@10"] == 0


def test_candidates_that_are_not_in_the_task_are_named():
    task, other = wide_task(2), wide_task(2, 140)
    with pytest.raises(InvalidInput, match="document `d139` or its query is not in the task"):
        Rerank(Helpful(), ConstantReranker()).retrieve(task, 5, [Helpful().retrieve(other, 5).runs["float"]])


def test_how_rerankers_are_written():
    made = parse("rerank(bm25(k1=1.2), constant-reranker, depth=20)")
    assert made.name == "rerank(bm25(k1=1.2),constant-reranker,depth=20)"
    assert parse(made.name).settings() == made.settings()
    assert parse("rerank(bm25,constant-reranker,depth=100)").name == "rerank(bm25,constant-reranker)"
    assert (made.source_depth, [part.name for part in made.parts]) == (20, ["bm25(k1=1.2)"])
    inner = parse("rerank(rerank(bm25,constant-reranker,depth=50),constant-reranker,depth=10)")
    assert inner.name == "rerank(rerank(bm25,constant-reranker,depth=50),constant-reranker,depth=10)"
    assert {"rerank", "reranker_en", "colbert_backbone"} <= {entry.name for entry in known()}


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("rerank(bm25,bm25)", "`bm25` scores no pairs"),
        ("rerank(bm25,constant-reranker,depth=0)", "depth must be at least 1"),
        ("rerank(bm25)", "needs the setting `reranker`"),
        ("rerank:onnx:", "needs the path of a folder"),
        ("rerank:onnx:not/there", "no such folder"),
        ("late:onnx:not/there", "no such folder"),
        ("candidates:", "needs the name of a configuration"),
    ],
)
def test_what_cannot_be_is_said(spec, what):
    with pytest.raises(UsageError, match=what):
        parse(spec)


def test_a_reranker_alone_says_what_it_lacks():
    for act in (lambda r: r.require(), lambda r: r.retrieve(TASK, 5)):
        with pytest.raises(UsageError, match="finds none itself") as raised:
            act(parse("constant-reranker"))
        assert raised.value.hint == "add `--candidates bm25`, or write `rerank(bm25,constant-reranker)`"
