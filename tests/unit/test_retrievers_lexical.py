import math
from collections import Counter

import numpy as np
import pytest
from both_paths import needs_compiled, without_compiled
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari import native
from hakari.retrievers.bm25 import METHODS, Formula
from hakari.retrievers.lexical import Found, Postings
from hakari.text.scan import number

word_lists = st.lists(st.lists(st.sampled_from([f"w{i}" for i in range(12)]), max_size=15), max_size=12)


def weight(formula: Formula, tf: int, df: int, n: int, length: int, average: float) -> float:
    """The formulas as their papers have them, term by term."""
    k1, b = formula.k1, formula.b
    norm = 1 - b + b * length / average
    if formula.method == "robertson":
        return max(0.0, math.log((n - df + 0.5) / (df + 0.5))) * tf / (tf + k1 * norm)
    if formula.method == "lucene":
        return math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * norm)
    if formula.method == "atire":
        return math.log(n / df) * tf * (k1 + 1) / (tf + k1 * norm)
    if formula.method == "bm25+":
        delta = 1.0 if formula.delta is None else formula.delta
        return math.log((n + 1) / df) * (tf * (k1 + 1) / (tf + k1 * norm) + delta)
    delta = 0.5 if formula.delta is None else formula.delta
    return math.log((n + 1) / (df + 0.5)) * (k1 + 1) * (tf / norm + delta) / (k1 + tf / norm + delta)


def by_definition(formula: Formula, corpus: list[list[str]], query: list[str]) -> list[float]:
    average = sum(map(len, corpus)) / max(1, len(corpus))
    counts = [Counter(words) for words in corpus]
    scores = []
    for words, count in zip(corpus, counts, strict=True):
        score = 0.0
        for word in query:
            if count[word]:
                df = sum(word in other for other in counts)
                score += weight(formula, count[word], df, len(corpus), len(words), average)
        scores.append(score)
    return scores


def search(
    formula: Formula, corpus: list, queries: list, depth: int, left_out: list[int] | None = None
) -> Found:
    index = formula.index(number(corpus))
    out = None if left_out is None else np.array(left_out, np.int32)
    return index.search(index.queries(number(queries)), depth, out)


def same(a: Found, b: Found) -> bool:
    pairs = ((a.offsets, b.offsets), (a.documents, b.documents), (a.scores, b.scores))
    return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in pairs)


@given(
    corpus=word_lists,
    queries=word_lists,
    depth=st.integers(1, 20),
    method=st.sampled_from(METHODS),
    k1=st.sampled_from([0.0, 0.9, 1.5]),
    b=st.sampled_from([0.0, 0.75, 1.0]),
    data=st.data(),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_scores_follow_the_definition_on_both_paths(corpus, queries, depth, method, k1, b, data) -> None:
    formula = Formula(k1, b, method)
    left_out = [data.draw(st.integers(-1, len(corpus) - 1)) for _ in queries]
    found = search(formula, corpus, queries, depth, left_out)
    with without_compiled():
        assert same(found, search(formula, corpus, queries, depth, left_out))
    assert len(found.offsets) == len(queries) + 1
    for q, query in enumerate(queries):
        rows = slice(found.offsets[q], found.offsets[q + 1])
        expected = by_definition(formula, corpus, query)
        if left_out[q] >= 0:
            expected[left_out[q]] = 0.0
        assert len(found.documents[rows]) == min(depth, sum(score > 0 for score in expected))
        for document, score in zip(found.documents[rows], found.scores[rows], strict=True):
            assert score == pytest.approx(expected[document], rel=1e-5)
        keys = list(zip(found.scores[rows].tolist(), found.documents[rows].tolist(), strict=True))
        assert keys == sorted(keys, reverse=True)
        if keys:
            others = set(range(len(corpus))) - set(found.documents[rows].tolist())
            assert all(expected[d] <= keys[-1][0] * (1 + 1e-5) for d in others)


@given(corpus=word_lists)
@settings(derandomize=True, deadline=None)
def test_postings_are_the_same_on_both_paths(corpus: list[list[str]]) -> None:
    tokens = number(corpus)
    fast = Postings.of(tokens)
    with without_compiled():
        plain = Postings.of(tokens)
    for name in ("starts", "documents", "counts", "lengths"):
        a, b = getattr(fast, name), getattr(plain, name)
        assert (name, a.dtype, a.tobytes()) == (name, b.dtype, b.tobytes())


def test_repeated_words_of_a_query_count_as_often_as_they_stand() -> None:
    corpus = [["a", "b"], ["a", "c"], ["d"], ["e"], ["f"], ["g"]]
    once = search(Formula(), corpus, [["b"]], 5).scores
    twice = search(Formula(), corpus, [["b", "b"]], 5).scores
    assert twice.tolist() == (2 * once).tolist()


def test_the_order_of_words_in_a_query_leaves_no_trace() -> None:
    generator = np.random.default_rng(0)
    corpus = [[f"w{i}" for i in generator.zipf(1.3, 60) if i < 500] for _ in range(300)]
    query = [f"w{i}" for i in generator.integers(1, 500, 400)]
    assert same(search(Formula(), corpus, [query], 300), search(Formula(), corpus, [query[::-1]], 300))


def test_equal_documents_tie_and_the_last_comes_first() -> None:
    found = search(Formula(), [["a"], ["b"], ["a"], ["c"], ["a"], ["d"], ["e"], ["f"]], [["a"]], 2)
    assert found.documents.tolist() == [4, 2]


def test_what_is_never_found() -> None:
    corpus = [["a", "b"], ["a"], ["c"]]
    assert (
        len(search(Formula(), corpus, [["x"], [], ["a"]], 5).documents) == 0
    )  # `a` stands in most documents
    assert search(Formula(method="lucene"), corpus, [["a"]], 5).documents.tolist() == [1, 0]


@needs_compiled
def test_arrays_that_do_not_fit_are_refused() -> None:
    index = Formula().index(number([["a"], ["b"], ["c"]]))
    queries = index.queries(number([["a"]]))

    def call(**changes: object) -> None:
        given = {
            "starts": index.postings.starts,
            "documents": index.postings.documents,
            "weights": index.weights,
            "offsets": queries.offsets,
            "terms": queries.terms,
            "factors": queries.factors,
            "left_out": np.full(1, -1, np.int32),
            "count": 3,
            "depth": 2,
            "found": np.empty(2, np.int32),
            "scores": np.empty(2, np.float32),
            "lengths": np.empty(1, np.int64),
        }
        native.compiled.search(*{**given, **changes}.values())

    call()
    for change in [
        {"starts": np.array([0, 1, 9, 3])},
        {"starts": np.array([0, 2, 1, 3])},
        {"starts": np.empty(0, np.int64)},
        {"documents": np.array([0, 1, 3], np.int32)},
        {"weights": index.weights[:2]},
        {"offsets": np.array([0, 2])},
        {"offsets": np.array([0])},
        {"terms": np.array([7], np.int32)},
        {"terms": np.array([-1], np.int32)},
        {"factors": np.empty(0, np.float32)},
        {"left_out": np.array([3], np.int32)},
        {"left_out": np.empty(0, np.int32)},
        {"count": 2},
        {"count": -1},
        {"depth": 0},
        {"depth": 3},
        {"lengths": np.empty(2, np.int64)},
    ]:
        with pytest.raises(ValueError):
            call(**change)
    with pytest.raises(ValueError):
        native.compiled.invert(np.array([2], np.int32), np.array([0, 1]), 1, 2)
    with pytest.raises(ValueError):
        native.compiled.invert(np.array([0], np.int32), np.array([0, 2]), 1, 2)
    with pytest.raises(ValueError):
        native.compiled.invert(np.array([0], np.int32), np.array([0, 1]), -1, 2)
