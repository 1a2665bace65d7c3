import re

import numpy as np
import pytest
from both_paths import needs_compiled, without_compiled
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hakari import native
from hakari.text.scan import Pattern, Tokens, number, scan

# Letters whose lower case has another length or depends on its neighbours, marks, other scripts, characters
# outside the first plane, halves of pairs, and what separates or joins words.
AWKWARD = "İıΣςſKßẞéé̀ǅ٣²Ⅷ½中文हि𝐀𐐀𐐨🙂\ud800\udfff\x00\x7f\x80\xa0\u200d_.:::.. \n\tAZaz09"
texts = st.lists(st.text(st.one_of(st.sampled_from(AWKWARD), st.characters()), max_size=40), max_size=8)


def expected(text: str, pattern: Pattern) -> list[str]:
    if pattern is Pattern.WORD:
        return re.findall(r"\b\w+\b", text.lower())
    if pattern is Pattern.ASCII_WORD:
        return [word.lower() for word in re.findall("[A-Za-z0-9]+", text)]
    return re.findall(r"\w+(?:(?:\.|::)\w+)*", text)


def same(a: Tokens, b: Tokens) -> bool:
    return (
        a.ids.dtype == b.ids.dtype == np.int32
        and a.offsets.dtype == b.offsets.dtype == np.int64
        and a.ids.tobytes() == b.ids.tobytes()
        and a.offsets.tobytes() == b.offsets.tobytes()
        and a.words == b.words
    )


@given(texts=texts, pattern=st.sampled_from(Pattern))
@example(texts=["ΑΣ ΑΣΑ", "İstanbul", "a\ud800b", "x\x00y", "naïve_été"], pattern=Pattern.WORD)
@example(texts=["std::vector a.b.c. ..x a::b:c é.f: g::"], pattern=Pattern.CODE)
@settings(derandomize=True, deadline=None, max_examples=500)
def test_both_paths_find_what_the_expression_finds(texts: list[str], pattern: Pattern) -> None:
    with without_compiled():
        plain = scan(texts, pattern)
    assert [plain.of(i) for i in range(len(plain))] == [expected(text, pattern) for text in texts]
    assert plain.words == list(dict.fromkeys(word for text in texts for word in expected(text, pattern)))
    assert same(plain, scan(texts, pattern))


def test_every_character_of_unicode() -> None:
    everything = [
        "".join(map(chr, range(start, start + 0x1000))) + " ".join(map(chr, range(start, start + 0x1000)))
        for start in range(0, 0x110000, 0x1000)
    ]
    for pattern in Pattern:
        with without_compiled():
            plain = scan(everything, pattern)
        assert same(plain, scan(everything, pattern))


def test_many_distinct_and_long_words_survive_growth() -> None:
    words = [f"w{i}" for i in range(20_000)] + ["x" * 100_000, "é" * 50_000]
    tokens = scan([" ".join(words), " ".join(reversed(words))], Pattern.WORD)
    assert tokens.words == words
    assert tokens.of(1) == words[::-1]


def test_words_are_numbered_in_order_of_first_appearance() -> None:
    tokens = scan(np.array(["b a", "", "A c"], dtype=object), Pattern.WORD)
    assert tokens.words == ["b", "a", "c"]
    assert tokens.ids.tolist() == [0, 1, 1, 2]
    assert tokens.offsets.tolist() == [0, 2, 2, 4]


def test_no_texts() -> None:
    assert same(scan([], Pattern.CODE), Tokens(np.empty(0, np.int32), np.zeros(1, np.int64), []))


def test_numbering_words_that_are_split_already() -> None:
    tokens = number([["x", "y"], [], ["y", "y"]])
    assert [tokens.of(i) for i in range(3)] == [["x", "y"], [], ["y", "y"]]
    assert tokens.words == ["x", "y"]


@needs_compiled
def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="a text must be a string, not int"):
        scan(["a", 3], Pattern.WORD)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="no pattern 9"):
        native.compiled.scan(("a",), 9)
    with pytest.raises(TypeError):
        native.compiled.scan(["a"], 0)
