"""The stemmer against nltk's, in its default mode, over whole vocabularies and arbitrary words."""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.text.porter import stem

pytestmark = pytest.mark.peer

SUFFIXES = re.findall(
    "[a-z]+",
    "s ies ied sses eed ed ing at bl iz y ational tional enci anci izer bli alli fulli entli eli "
    "ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative "
    "alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti "
    "ous ive ize e ll yy ly",
)


@pytest.fixture(scope="module")
def nltk_stem() -> Callable[[str], str]:
    porter = pytest.importorskip("nltk.stem.porter")
    return porter.PorterStemmer().stem


def assert_same_stems(words: Iterable[str], peer: Callable[[str], str]) -> None:
    assert [(word, stem(word)) for word in words] == [(word, peer(word)) for word in words]


def test_every_word_of_the_english_tasks(real_data: Path, nltk_stem: Callable[[str], str]) -> None:
    words: set[str] = set()
    for task in json.loads((real_data / "manifest.json").read_text()):
        if task["language"] != "en":
            continue
        for part in ("corpus", "queries"):
            path = real_data / task["suite"] / part / f"{task['task']}.parquet"
            for (text,) in duckdb.execute("select text from read_parquet(?)", [str(path)]).fetchall():
                words.update(re.findall("[a-z0-9]+", text.lower()))
    assert len(words) > 100_000
    assert_same_stems(sorted(words), nltk_stem)


def test_every_word_of_the_standard_library(nltk_stem: Callable[[str], str]) -> None:
    words: set[str] = set()
    for path in Path(sysconfig.get_path("stdlib")).glob("*.py"):
        words.update(re.findall(r"[^\W_]+", path.read_text(encoding="utf-8", errors="ignore").lower()))
    assert len(words) > 10_000
    assert_same_stems(sorted(words), nltk_stem)


@settings(derandomize=True, deadline=None, max_examples=2_000)
@given(
    st.one_of(
        st.from_regex(r"\A[a-z0-9]{0,20}\Z"),
        st.text("aeiouybcllsstz", max_size=12),
        st.lists(st.sampled_from(SUFFIXES), max_size=4).map("".join),
        st.builds(str.__add__, st.text("aeiybct", max_size=4), st.sampled_from(SUFFIXES)),
        st.text(st.characters(categories=["L", "N"]), max_size=10).map(str.lower),
    )
)
def test_any_word(nltk_stem: Callable[[str], str], word: str) -> None:
    assert stem(word) == nltk_stem(word)
