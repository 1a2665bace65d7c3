from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.nano.near import NearTexts
from hakari.text.shingles import NEAR, shingles

WORDS = st.sampled_from("a b c d e f".split())  # noqa: SIM905
TEXTS = st.lists(st.lists(WORDS, max_size=14).map(" ".join), max_size=14)


def jaccard(one: str, other: str) -> float:
    left, right = shingles(one), shingles(other)
    return len(left & right) / len(left | right)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(TEXTS)
def test_all_pairs_are_found_and_no_others(texts: list[str]) -> None:
    near = NearTexts(texts)
    assert near.complete
    for place, text in enumerate(texts):
        expected = {o for o, t in enumerate(texts) if o != place and jaccard(text, t) >= NEAR - 1e-9}
        assert near.of(place).keys() == expected
    for one, other, share in near.text_pairs():
        assert one < other
        assert abs(share - jaccard(texts[one], texts[other])) < 1e-12


@settings(derandomize=True, deadline=None, max_examples=100)
@given(TEXTS, st.randoms())
def test_the_order_of_texts_leaves_no_trace(texts: list[str], rng: object) -> None:
    order = list(range(len(texts)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    shuffled = NearTexts([texts[place] for place in order])
    near = NearTexts(texts)
    for place, came_from in enumerate(order):
        assert {order[other] for other in shuffled.of(place)} == set(near.of(came_from))


def test_a_text_inside_another_at_the_very_threshold() -> None:
    inner = "one two three four five six seven eight nine"  # 7 shingles, and 3 rarer ones in front make 10
    assert NearTexts([f"x y z {inner}", inner]).of(0) == {1: NEAR}
    assert not NearTexts([f"w x y z {inner}", inner]).of(0)


def test_many_equal_texts_are_one_group_and_not_all_pairs() -> None:
    near = NearTexts(["def get ( self ) : return self . x"] * 5_000 + ["something else entirely here"])
    assert sorted(map(len, near.groups)) == [1, 5_000]
    assert len(list(near.text_pairs())) == 4_999


def test_pairs_beyond_the_limit_are_said_to_be_missing() -> None:
    texts = [" ".join([*"abcdefghijklmnopqrstuvwxyz", str(number)]) for number in range(30)]
    assert NearTexts(texts).complete
    few = NearTexts(texts, limit=50)
    assert not few.complete
    assert len(few.pairs) == 50
