from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import InvalidInput, UsageError
from hakari.nano.recipes import Recipe, apportion, select
from hakari.nano.sources_cells import Item, Judged
from hakari.nano.sources_parts import Source
from hakari.nano.sources_tables import FaultLog

Texts = list[tuple[str, str]]


def source(corpus: Texts, queries: Texts, judgements: list[tuple[str, str, float]]) -> Source:
    def items(texts: Texts) -> list[Item]:
        return [Item(("file", row), name, text) for row, (name, text) in enumerate(texts, 1)]

    def judged() -> list[Judged]:
        return [Judged(("qrels", row), *values) for row, values in enumerate(judgements, 1)]

    return Source(
        "file", lambda: iter(items(corpus)), lambda: iter(items(queries)), lambda: iter(judged()),
        FaultLog("the source"), "qrels",
    )  # fmt: skip


def large(seed: int = 1, documents: int = 300, queries: int = 60) -> tuple[Texts, Texts, list]:
    """Documents of many lengths, some the same; queries with one to five positives, some the same."""
    rng = random.Random(seed)
    corpus = [(f"d{i}", f"{i % 280} " + "word " * rng.choice((1, 5, 30, 200))) for i in range(documents)]
    asked = [(f"q{i}", f"question {i % 55}") for i in range(queries)]
    judgements = [
        (name, f"d{d}", float(rng.choice((0, 1, 1, 2))))
        for name, _ in asked
        for d in rng.sample(range(documents), rng.randrange(1, 6))
    ]
    return corpus, asked, judgements


PUBLISHED = Recipe("published", queries=2, documents=6)


def test_published_takes_heads_positives_and_hard_negatives_in_turn() -> None:
    corpus = [(f"d{i}", f"text {i}") for i in range(10)]
    asked = [(f"q{i}", f"question {i}") for i in range(5)]
    judgements = [
        ("q0", "d5", 0.0), ("q3", "d9", 1.0), ("q1", "d8", 2.0), ("q4", "d1", 1.0),
        ("q1", "d7", 0.0), ("q1", "d6", 0.0), ("q3", "d4", 0.0),
    ]  # fmt: skip
    chosen = select(source(corpus, asked, judgements), PUBLISHED)
    assert list(chosen.queries) == ["q1", "q3"]
    assert chosen.judgements == [("q1", "d8", 2), ("q3", "d9", 1)]
    assert list(chosen.corpus) == ["d0", "d4", "d6", "d7", "d8", "d9"]
    narrow = select(source(corpus, asked, judgements), Recipe("published", queries=2, documents=4))
    assert list(narrow.corpus) == ["d4", "d7", "d8", "d9"], "the first negative of each query comes first"


def test_judgements_of_merged_documents_move_to_the_one_kept() -> None:
    corpus = [("d0", "same"), ("d1", " same\n"), ("d2", "other"), ("d3", "same")]
    asked = [("q0", "a"), ("q1", "b")]
    chosen = select(source(corpus, asked, [("q0", "d1", 1), ("q1", "d3", 3), ("q1", "d0", 1)]), PUBLISHED)
    assert chosen.corpus == {"d1": "same", "d2": "other"}
    assert chosen.judgements == [("q0", "d1", 1), ("q1", "d1", 3)]
    told = {stage.name: stage for stage in chosen.stages}
    assert told["documents"].left_out == {"the same as another": 2}
    assert told["judgements"].left_out == {"merged with their document": 1}


def test_a_question_asked_twice_is_one_query_when_sampled() -> None:
    corpus = [("d0", "x"), ("d1", "y")]
    texts = source(corpus, [("q0", "same "), ("q1", "same")], [("q0", "d0", 1), ("q1", "d1", 1)])
    chosen = select(texts, Recipe())
    assert chosen.queries == {"q0": "same"}
    assert chosen.judgements == [("q0", "d0", 1), ("q0", "d1", 1)]


@given(st.integers(0, 2**32), st.integers(0, 3))
@settings(derandomize=True, deadline=None, max_examples=25)
def test_a_sample_depends_on_the_seed_and_not_on_the_order_of_rows(order: int, seed: int) -> None:
    corpus, asked, judgements = large()
    recipe = Recipe("sampled", queries=20, documents=120, seed=seed)
    chosen = select(source(corpus, asked, judgements), recipe)
    shuffled = [
        random.Random(order + i).sample(rows, len(rows)) for i, rows in enumerate((corpus, asked, judgements))
    ]
    assert select(source(*shuffled), recipe) == chosen
    other = Recipe("sampled", queries=20, documents=120, seed=seed + 1)
    assert select(source(corpus, asked, judgements), other).queries != chosen.queries


@pytest.mark.parametrize("name", ["published", "sampled"])
@pytest.mark.parametrize("seed", range(4))
def test_what_every_selection_holds(name: str, seed: int) -> None:
    corpus, asked, judgements = large(seed)
    chosen = select(source(corpus, asked, judgements), Recipe(name, queries=20, documents=150))
    texts = dict(corpus)
    assert (len(chosen.queries), len(chosen.corpus)) == (20, 150)
    assert len(set(chosen.corpus.values())) == 150
    kept = {(query, chosen.corpus[document]) for query, document, _ in chosen.judgements}
    same = {
        query: [other for other, text in asked if text == chosen.queries[query]] for query in chosen.queries
    }
    for query, document, grade in judgements:
        for name_of_kept in (kept_name for kept_name, names in same.items() if query in names):
            if grade > 0 and (name == "sampled" or query == name_of_kept):
                assert (name_of_kept, texts[document].strip()) in kept
    for stage in chosen.stages:
        assert stage.seen == stage.kept + sum(stage.left_out.values())
        assert all(count > 0 for count in stage.left_out.values()), stage


def test_a_sample_keeps_the_shares_of_the_strata() -> None:
    corpus = [(f"d{i}", f"{i} " + "w" * (10 if i % 4 else 1000)) for i in range(4000)]
    asked = [(f"q{i}", f"question {i}") for i in range(100)]
    judgements = [(f"q{i}", f"d{i * 7 + j}", 1.0) for i in range(100) for j in range(1 if i % 5 else 3)]
    chosen = select(source(corpus, asked, judgements), Recipe(queries=20, documents=440))
    assert Counter(Counter(query for query, _, _ in chosen.judgements).values()) == {1: 16, 3: 4}
    assert sum(len(text) > 500 for text in chosen.corpus.values()) == pytest.approx(110, abs=8)


@given(st.dictionaries(st.integers(0, 20), st.integers(1, 1000), min_size=1), st.integers(0, 5000))
@settings(derandomize=True, deadline=None)
def test_shares_add_up_and_never_exceed_what_is_there(counts: dict[int, int], total: int) -> None:
    shares = apportion(counts, total)
    assert sum(shares.values()) == min(total, sum(counts.values()))
    assert all(0 <= shares[name] <= count for name, count in counts.items())
    if total < sum(counts.values()):
        assert all(abs(shares[n] - total * c / sum(counts.values())) < 1 for n, c in counts.items())


def test_fractions_become_grade_one_and_the_bar_may_be_raised() -> None:
    corpus, asked = [(f"d{i}", f"text {i}") for i in range(3)], [("q0", "a")]
    fractions = [("q0", "d0", 0.9), ("q0", "d1", 0.2), ("q0", "d2", 0.0)]
    chosen = select(source(corpus, asked, fractions), Recipe())
    assert chosen.judgements == [("q0", "d0", 1), ("q0", "d1", 1)]
    assert any("no whole numbers" in change for change in chosen.changes)
    chosen = select(source(corpus, asked, fractions), Recipe(relevant_from=0.5))
    assert chosen.judgements == [("q0", "d0", 1)]
    whole = [("q0", "d0", 3.0), ("q0", "d1", 1.0)]
    assert select(source(corpus, asked, whole), Recipe(relevant_from=2)).judgements == [("q0", "d0", 3)]


def test_dangling_judgements_are_faults_or_counted() -> None:
    rows = ([("d0", "x")], [("q0", "a")], [("q0", "d0", 1), ("q0", "d9", 1), ("q9", "d0", 1)])
    with pytest.raises(InvalidInput) as caught:
        select(source(*rows), Recipe())
    assert len(caught.value.faults) == 2
    chosen = select(source(*rows), Recipe(drop_dangling=True))
    assert chosen.judgements == [("q0", "d0", 1)]
    assert chosen.stages[2].left_out == {"dangling": 2}


def test_more_positives_than_documents_is_an_error_with_the_number_to_ask_for() -> None:
    rows = ([(f"d{i}", f"t{i}") for i in range(9)], [("q0", "a")], [("q0", f"d{i}", 1.0) for i in range(7)])
    with pytest.raises(UsageError, match="--documents 7"):
        select(source(*rows), Recipe(documents=5))
