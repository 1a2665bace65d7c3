from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import UsageError
from hakari.retrievers.spelling import Spelled, read_spelling, spell


def test_names_settings_and_retrievers_inside():
    assert read_spelling(" bm25 ") == Spelled("bm25")
    assert read_spelling("bm25( k1 = 1.2 , b=0.6)") == Spelled("bm25", (), (("k1", "1.2"), ("b", "0.6")))
    assert read_spelling("bm25()") == Spelled("bm25")
    nested = read_spelling("rrf(bm25(k1=1.2,b=0.6),onnx:a/b c(pooling=cls),k=60)")
    assert nested == Spelled(
        "rrf",
        (
            Spelled("bm25", (), (("k1", "1.2"), ("b", "0.6"))),
            Spelled("onnx:a/b c", (), (("pooling", "cls"),)),
        ),
        (("k", "60"),),
    )


def test_quotes_keep_what_would_part_the_text():
    spelled = read_spelling(
        """onnx:"my (models), v=2"(query_prompt="Query (short), a=b: ",document_prompt='')"""
    )
    assert spelled.name == "onnx:my (models), v=2"
    assert spelled.keywords == (("query_prompt", "Query (short), a=b: "), ("document_prompt", ""))


def test_a_setting_may_hold_a_retriever():
    assert read_spelling("rerank(first=bm25(k1=1.2))").keywords == (("first", "bm25(k1=1.2)"),)


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("", "a name is missing"),
        ("(a)", "a name is missing"),
        ("rrf(a,b", "not closed"),
        ("rrf(a,(b)", "not closed"),
        ("rrf(a)b)", "closed that was not opened"),
        ("rrf)", "closed that was not opened"),
        ("rrf(a)b", "follows the last bracket"),
        ("rrf(a,,b)", "between two commas"),
        ("rrf(a,)", "after the last one"),
        ("bm25(k1=1,k1=2)", "given twice"),
        ("bm25(1k=2)", "not the name of a setting"),
        ("onnx:x(query_prompt='a)", "quotation mark"),
    ],
)
def test_what_cannot_be_read_is_said(spec, what):
    with pytest.raises(UsageError, match=what):
        read_spelling(spec)


text = st.text(alphabet="abz ,()='", max_size=8)


@settings(derandomize=True, deadline=None)
@given(text, st.integers(), st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_spelled_is_read_back(prompt, whole, number):
    keywords = {"prompt": prompt, "k": whole, "k1": number, "on": True}
    spelled = read_spelling(spell("rrf", ["bm25(k1=1)", "x"], keywords))
    values = dict(spelled.keywords)
    assert [part.name for part in spelled.positional] == ["bm25", "x"]
    assert (values["prompt"], int(values["k"]), float(values["k1"]), values["on"]) == (
        prompt,
        whole,
        number,
        "true",
    )


def test_numbers_have_one_spelling():
    assert spell("bm25", keywords={"k1": 2.0, "b": 0.75}) == "bm25(k1=2,b=0.75)"
    assert spell("onnx:a (b)") == 'onnx:"a (b)"'
    assert spell("bm25") == "bm25"
