from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.nano.sampling import NearDuplicates, sample, stable_hash
from hakari.nano.shapes import Pair
from hakari.text.shingles import NEAR, shingles

WORDS = [f"w{number}" for number in range(400)]


def text(seed: int, length: int = 20) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def pairs(count: int) -> list[Pair]:
    return [Pair(f"n{number:03}", text(number), text(1000 + number)) for number in range(count)]


def test_the_choice_depends_on_seed_and_names_alone() -> None:
    pool = pairs(60)
    first = sample(pool, 10, 30, seed="1")
    assert first == sample(pool[::-1], 10, 30, seed="1")
    assert (len(first.queries), len(first.documents)) == (10, 30)
    assert first.judgements == [(name, name) for name in first.queries]
    assert list(first.documents) == sorted(first.documents)
    assert first.queries != sample(pool, 10, 30, seed="2").queries


def test_a_larger_sample_keeps_the_queries_of_a_smaller_one() -> None:
    pool = pairs(60)
    assert sample(pool, 5, 30, seed="1").queries.items() <= sample(pool, 10, 40, seed="1").queries.items()


def test_the_same_query_has_several_positives_and_the_same_document_moves_its_judgement() -> None:
    pool = [
        Pair("b", "Asked TWICE  over", text(1)),
        Pair("a", "asked twice\nover", text(2)),
        Pair("c", "asked otherwise here", text(1).upper()),
    ]
    chosen = sample(pool, 10, 10, seed="0")
    assert chosen.queries == {"a": "asked twice\nover", "c": "asked otherwise here"}
    assert chosen.documents == {"a": text(2), "b": text(1)}
    assert chosen.judgements == [("a", "a"), ("a", "b"), ("c", "b")]


def test_boilerplate_is_left_out() -> None:
    same_question = [Pair(f"q{n}", "see the base class", text(n)) for n in range(4)]
    same_answer = [Pair(f"d{n}", text(100 + n), "returns nothing of note") for n in range(4)]
    fine = Pair("fine", text(200), text(201))
    chosen = sample([*same_question, *same_answer, fine], 10, 10, seed="0")
    assert list(chosen.queries) == ["fine"]
    assert sorted(chosen.documents) == ["fine", "q0", "q1", "q2", "q3"]
    queries, documents = chosen.stages
    assert queries.left_out == {"the same as another": 3, "boilerplate": 5}
    assert documents.left_out == {"the same as another": 3, "boilerplate": 1}


def test_nearly_the_same_documents_and_unasked_queries_are_passed_over() -> None:
    near = text(1, 60) + " extra"
    pool = [Pair("a", text(10), text(1, 60)), Pair("b", text(11), near), Pair("c", text(12), text(3, 60))]
    chosen = sample(pool, 10, 10, seed="0")
    assert len(chosen.documents) == len(chosen.queries) == 2
    assert chosen.stages[0].left_out == {"nearly the same as one chosen": 1}
    # A document whose own query is nearly one that is asked might answer it, and nobody judged that.
    asked = text(20, 60)
    pool = [Pair("a", asked, text(4)), Pair("b", asked + " more", text(5))]
    chosen = sample(pool, 1, 10, seed="0")
    assert len(chosen.documents) == 1


def test_positives_never_exceed_the_documents_allowed() -> None:
    pool = pairs(30)
    chosen = sample(pool, 20, 7, seed="3")
    assert len(chosen.documents) == len(chosen.queries) == 7


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.text("ab ", max_size=12), max_size=8), st.text("ab ", max_size=12))
def test_near_agrees_with_its_definition(seen: list[str], new: str) -> None:
    index = NearDuplicates()
    taken = [text for text in seen if index.add_all([text])]
    mine = shingles(new)
    expected = any(len(mine & shingles(old)) / len(mine | shingles(old)) >= NEAR for old in taken)
    assert index.near(new) == expected


def test_stable_hash_is_what_it_always_was() -> None:
    assert stable_hash("d", "json.dumps") == "ee81db7cd6429fa8"
    assert stable_hash("a", "bc") != stable_hash("ab", "c")
