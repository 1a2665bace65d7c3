import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import UnknownName
from hakari.text.scan import number
from hakari.text.tokenizers import (
    SEGMENTED,
    SNOWBALL,
    published_tokenizer,
    replaced,
    tokenizer,
    tokenizer_names,
)


@pytest.mark.parametrize(
    ("language", "category", "name"),
    [
        ("en", "code", "regex"),
        ("zh", "code", "regex"),
        ("en", "natural_language", "english_porter_stop"),
        ("en", None, "english_porter_stop"),
        ("de", "natural_language", "snowball:german"),
        ("id", "natural_language", "snowball:indonesian"),
        ("bn", "natural_language", "whitespace"),
        ("te", "natural_language", "whitespace"),
        ("ko", "natural_language", "segment:ko"),
        ("sv", "natural_language", "regex"),
        ("multilingual", "natural_language", "regex"),
        (None, None, "regex"),
    ],
)
def test_the_published_choice(language: str | None, category: str | None, name: str) -> None:
    assert published_tokenizer(language, category) == name


def test_every_choice_is_a_known_name() -> None:
    chosen = {published_tokenizer(code, None) for code in [*SNOWBALL, *SEGMENTED, "en", "bn", "xx"]}
    assert chosen <= set(tokenizer_names())
    assert all(tokenizer(name).name == name for name in tokenizer_names())


@pytest.mark.parametrize("name", ["regexp", "snowball:klingon", "segment:en", ""])
def test_unknown_names(name: str) -> None:
    with pytest.raises(UnknownName):
        tokenizer(name)


def test_regex_keeps_underscores_and_lowers() -> None:
    assert tokenizer("regex")(["Read_File(Ä)"]).of(0) == ["read_file", "ä"]


def test_snowball_stems() -> None:
    assert tokenizer("snowball:german")(["Die Häuser der Stadt"]).of(0) == ["die", "haus", "der", "stadt"]


def test_whitespace_lowers_and_keeps_marks() -> None:
    assert tokenizer("whitespace")(["আমি  Bangla।"]).of(0) == ["আমি", "bangla।"]


def test_english_stems_and_drops_stop_words() -> None:
    pytest.importorskip("hakari.text.porter")
    assert tokenizer("english_porter_stop")(["The running of the naïve cats"]).of(0) == [
        "run",
        "na",
        "ve",
        "cat",
    ]


@given(
    texts=st.lists(st.lists(st.sampled_from("abcdef")), max_size=6),
    terms=st.fixed_dictionaries(
        {c: st.lists(st.sampled_from(["x", "y", "z"]), max_size=3) for c in "abcdef"}
    ),
)
@settings(derandomize=True, deadline=None)
def test_words_are_replaced_by_their_terms(texts: list[list[str]], terms: dict[str, list[str]]) -> None:
    tokens = number(texts)
    result = replaced(tokens, [terms[word] for word in tokens.words])
    assert [result.of(i) for i in range(len(texts))] == [
        [t for w in words for t in terms[w]] for words in texts
    ]
    assert result.ids.dtype == np.int32
    assert result.offsets.dtype == np.int64
    assert len(set(result.words)) == len(result.words)
