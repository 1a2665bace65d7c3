from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import UsageError
from hakari.rankings import run_from_mapping, run_from_matrix
from hakari.retrievers.base import Retrieved, Retriever
from hakari.retrievers.fuse import Rrf, rrf
from hakari.types import Qrels, Run, Task, Texts


def ranked(rankings: dict[str, list[str]]) -> Run:
    """A run from documents in order, best first."""
    return run_from_mapping({q: {d: float(-i) for i, d in enumerate(docs)} for q, docs in rankings.items()})


def as_lists(run: Run) -> dict[str, list[str]]:
    return {
        query: run.document_ids[run.documents[run.offsets[i] : run.offsets[i + 1]]].tolist()
        for i, query in enumerate(run.query_ids)
    }


def exactly(sources: list[dict[str, list[str]]], k: int, depth: int | None) -> dict[str, list[str]]:
    """The definition, in fractions."""
    fused = {}
    for query in sorted({query for source in sources for query in source}):
        score: dict[str, Fraction] = {}
        best: dict[str, int] = {}
        for source in sources:
            for rank, document in enumerate(source.get(query, []), start=1):
                score[document] = score.get(document, Fraction(0)) + Fraction(1, k + rank)
                best[document] = min(best.get(document, rank), rank)
        fused[query] = sorted(score, key=lambda d: (-score[d], best[d], d))[:depth]
    return fused


ids = st.sampled_from([f"d{i}" for i in range(14)])
rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.lists(ids, unique=True, max_size=14), min_size=1
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.lists(rankings, min_size=1, max_size=4),
    st.sampled_from([0, 1, 2, 60, 100]),
    st.sampled_from([None, 1, 5]),
)
def test_fused_order_equals_the_definition_in_exact_fractions(sources, k, depth):
    fused = rrf([ranked(source) for source in sources], k=k, depth=depth)
    assert as_lists(fused) == exactly(sources, k, depth)


@pytest.mark.parametrize(
    ("k", "better", "worse"),
    [
        (0, (2, 12), (3, 4)),
        (0, (3, 15), (5, 5)),
        (0, (3, 30), (5, 6)),
        (1, (2, 14), (4, 4)),
        (60, (3, 80), (24, 30)),
    ],
)
def test_sums_equal_as_fractions_tie_though_their_floats_differ(k, better, worse):
    sums = [1 / (k + ranks[0]) + 1 / (k + ranks[1]) for ranks in (better, worse)]
    assert sums[0] != sums[1]
    sources = []
    for source in range(2):
        placed = {better[source]: "z", worse[source]: "a"}
        sources.append({"q": [placed.get(rank, f"{source}filler{rank}") for rank in range(1, 91)]})
    order = as_lists(rrf([ranked(source) for source in sources], k=k))["q"]
    assert order == exactly(sources, k, None)["q"]
    assert order.index("z") < order.index("a")


def test_ties_go_to_the_best_source_rank_then_to_the_smaller_id():
    # All of the first ranks tie in score and in rank, and so do all of the second.
    fused = rrf([ranked({"q": ["d2", "d9"]}), ranked({"q": ["d10", "d1"]})])
    assert as_lists(fused)["q"] == ["d10", "d2", "d1", "d9"]


def test_scores_fall_at_every_step_so_sorting_again_keeps_the_order():
    rng = np.random.default_rng(3)
    query_ids, document_ids = names("q", 6), names("d", 700)
    runs = [run_from_matrix(query_ids, document_ids, rng.normal(size=(6, 700)), 500) for _ in range(2)]
    fused = rrf(runs)
    for i in range(6):
        scores = fused.scores[fused.offsets[i] : fused.offsets[i + 1]]
        assert (np.diff(scores) < 0).all()
    again = run_from_mapping(
        {
            q: dict(zip(docs, fused.scores[fused.offsets[i] : fused.offsets[i + 1]].tolist(), strict=True))
            for i, (q, docs) in enumerate(as_lists(fused).items())
        }
    )
    assert as_lists(again) == as_lists(fused)


def test_order_of_the_runs_and_the_vocabulary_leave_no_trace():
    rng = np.random.default_rng(5)
    query_ids, document_ids = names("q", 20), names("d", 300)
    runs = [run_from_matrix(query_ids, document_ids, rng.normal(size=(20, 300)), 120) for _ in range(3)]
    fused = rrf(runs)
    back = rrf(runs[::-1])
    own = rrf([narrowed(run) for run in runs])
    assert fused.documents.tobytes() == back.documents.tobytes()
    assert fused.scores.tobytes() == back.scores.tobytes() == own.scores.tobytes()
    assert as_lists(own) == as_lists(fused)


def test_blocks_of_queries_leave_no_trace(monkeypatch):
    rng = np.random.default_rng(6)
    query_ids, document_ids = names("q", 31), names("d", 200)
    runs = [run_from_matrix(query_ids, document_ids, rng.normal(size=(31, 200)), 90) for _ in range(2)]
    whole = rrf(runs, depth=50)
    monkeypatch.setattr("hakari.retrievers.fuse._BLOCK_ROWS", 300)
    parts = rrf(runs, depth=50)
    assert whole.documents.tobytes() == parts.documents.tobytes()
    assert whole.scores.tobytes() == parts.scores.tobytes()
    assert whole.offsets.tolist() == parts.offsets.tolist()


def test_sources_are_read_no_deeper_than_asked():
    deep = ranked({"q": [f"d{i}" for i in range(9)]})
    assert as_lists(rrf([deep, deep], source_depth=4))["q"] == ["d0", "d1", "d2", "d3"]


def test_queries_without_documents_and_runs_without_queries():
    empty = run_from_mapping({})
    assert as_lists(rrf([empty, ranked({"q1": ["a"], "q2": []})])) == {"q1": ["a"], "q2": []}
    assert len(rrf([empty, empty])) == 0
    with pytest.raises(UsageError, match="no run"):
        rrf([])


class Fixed(Retriever):
    """Ranks by scores that it was given: enough of a retriever to be fused."""

    family = "control"

    def __init__(self, name: str, scores: np.ndarray) -> None:
        self.name, self.scores = name, scores
        self.asked: list[int] = []

    def settings(self):
        return {"scores": self.scores.tolist()}

    def retrieve(self, task, depth, parts=()):
        self.asked.append(depth)
        return Retrieved({"float": run_from_matrix(task.queries.ids, task.corpus.ids, self.scores, depth)})


def test_retriever_fuses_its_parts_and_names_its_settings():
    task = small_task(3, 8)
    rng = np.random.default_rng(7)
    a, b = Fixed("a", rng.normal(size=(3, 8))), Fixed("b", rng.normal(size=(3, 8)))
    fusion = Rrf(a, b, k=60)
    assert fusion.name == "rrf(a,b,k=60)"
    assert Rrf(a, b).name == "rrf(a,b)"
    alone = fusion.retrieve(task, 4).runs["float"]
    runs = [part.retrieve(task, 500).runs["float"] for part in (a, b)]
    given = fusion.retrieve(task, 4, parts=runs).runs["float"]
    assert a.asked[0] == 500
    assert as_lists(alone) == as_lists(given) == as_lists(rrf(runs, k=60, depth=4))
    assert given.tag == "rrf(a,b,k=60)"
    assert fusion.settings()["parts"][1] == {"name": "b", "settings": b.settings()}


@pytest.mark.parametrize("wrong", [{"k": -1}, {"source_depth": 0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    part = Fixed("a", np.zeros((1, 1)))
    with pytest.raises(UsageError):
        Rrf(part, part, **wrong)
    with pytest.raises(UsageError, match="at least two"):
        Rrf(part)


def test_number_of_given_runs_must_fit():
    part = Fixed("a", np.zeros((1, 1)))
    with pytest.raises(UsageError, match="fuses 2 runs, and was given 1"):
        Rrf(part, part).retrieve(small_task(1, 1), 1, parts=[ranked({"q0": ["d0"]})])


def names(prefix: str, count: int) -> np.ndarray:
    return np.array([f"{prefix}{i:04d}" for i in range(count)], dtype=object)


def narrowed(run: Run) -> Run:
    """The same run with a vocabulary of just the documents in it."""
    used, documents = np.unique(run.documents, return_inverse=True)
    return replace(run, document_ids=run.document_ids[used], documents=documents.astype(np.int32))


def small_task(queries: int, documents: int) -> Task:
    q, d = names("q", queries), names("d", documents)
    none = np.zeros(0, np.int32)
    qrels = Qrels(q, d, np.zeros(queries + 1, np.int64), none, none)
    return Task("set", "task", Texts(q, q), Texts(d, d), qrels, "0")
