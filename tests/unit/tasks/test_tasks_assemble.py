from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_builders import CORPUS, JUDGEMENTS, QUERIES, write_judgements, write_texts
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import InvalidInput
from hakari.io.nano_write import write_nano_set
from hakari.tasks.assemble import Traits, assemble
from hakari.tasks.loaders import layout_of, load_split
from hakari.types import Task

SETTINGS = settings(derandomize=True, deadline=None, max_examples=40)
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0") | st.sampled_from(
    "\n\t\r\"'`\\,;%*?[]{} \u2028\u200f\u202e\u05d0\u0661\U0001f600\U00010000\ufeff\x1f\x7f"
)
ids = st.text(characters, min_size=1, max_size=8)
texts = st.text(characters, min_size=1, max_size=40).filter(str.strip)


@st.composite
def parts(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str], list[tuple[str, str, int]]]:
    queries = draw(st.dictionaries(ids, texts, min_size=1, max_size=5))
    corpus = draw(st.dictionaries(ids, texts, min_size=1, max_size=6))
    pairs = st.tuples(st.sampled_from(sorted(queries)), st.sampled_from(sorted(corpus)))
    judged = draw(st.dictionaries(pairs, st.integers(-2, 3), max_size=10))
    judged |= {(query, min(corpus)): draw(st.integers(1, 4)) for query in queries}
    return queries, corpus, [(q, d, grade) for (q, d), grade in judged.items()]


def same(one: Task, other: Task) -> bool:
    """Whether two tasks are equal in every array, bit for bit."""
    if one.content != other.content:
        return False
    for a, b in ((one.queries, other.queries), (one.corpus, other.corpus)):
        if a.ids.tolist() != b.ids.tolist() or a.texts.tolist() != b.texts.tolist():
            return False
    arrays = ("offsets", "documents", "grades")
    pairs = [(getattr(one.qrels, name), getattr(other.qrels, name)) for name in arrays]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def load(folder: Path) -> Task:
    layout = layout_of(folder)
    assert layout is not None
    return load_split(folder, "Task", layout)


@SETTINGS
@given(parts())
def test_any_task_survives_writing_and_loading(tmp_path_factory, given_parts):
    task = assemble("NanoX", "Task", *given_parts)
    folder = tmp_path_factory.mktemp("nano") / "NanoX"
    write_nano_set(folder, [task])
    assert same(load(folder), task)


@SETTINGS
@given(parts(), st.randoms(use_true_random=False))
def test_row_order_leaves_no_trace(tmp_path_factory, given_parts, rng: random.Random):
    folder = tmp_path_factory.mktemp("nano") / "NanoX"
    queries, corpus, judged = (list(part.items()) if isinstance(part, dict) else part for part in given_parts)
    for part in (queries, corpus, judged):
        rng.shuffle(part)
    write_texts(folder / "queries" / "Task.parquet", queries)
    write_texts(folder / "corpus" / "Task.parquet", corpus)
    write_judgements(folder / "qrels" / "Task.parquet", judged)
    task = assemble("NanoX", "Task", *given_parts)
    assert same(load(folder), task)
    assert same(assemble("NanoX", "Task", dict(queries), dict(corpus), judged), task)


@SETTINGS
@given(parts())
def test_columns_are_sorted_and_hold_what_was_given(given_parts):
    queries, corpus, judged = given_parts
    task = assemble("NanoX", "Task", *given_parts)
    assert dict(zip(task.queries.ids, task.queries.texts, strict=True)) == queries
    assert dict(zip(task.corpus.ids, task.corpus.texts, strict=True)) == corpus
    assert task.corpus.ids.tolist() == sorted(corpus)
    found = [
        (query, task.corpus.ids[task.qrels.documents[row]], int(task.qrels.grades[row]))
        for q, query in enumerate(task.queries.ids)
        for row in range(task.qrels.offsets[q], task.qrels.offsets[q + 1])
    ]
    assert found == sorted(judged)


def test_content_tells_apart_whatever_differs():
    variations = [
        (QUERIES, CORPUS, JUDGEMENTS),
        ({**QUERIES, "q1": "sort a lisT"}, CORPUS, JUDGEMENTS),
        (QUERIES, {**CORPUS, "d3": "new"}, JUDGEMENTS),
        (QUERIES, {**CORPUS, "d1": CORPUS["d1"] + " "}, JUDGEMENTS),
        (QUERIES, CORPUS, [*JUDGEMENTS, ("q1", "d2", 1)]),
        (QUERIES, CORPUS, [("q1", "d1", 1), *JUDGEMENTS[1:]]),
        (
            QUERIES,
            {("d2x" if k == "d2" else k): v for k, v in CORPUS.items()},
            [(q, "d2x" if d == "d2" else d, g) for q, d, g in JUDGEMENTS],
        ),
    ]
    assert len({assemble("X", "T", *variation).content for variation in variations}) == len(variations)
    moved = [({"a": "bc"}, {"d": "ef"}), ({"ab": "c"}, {"d": "ef"}), ({"a": "bc"}, {"de": "f"})]
    hashes = {assemble("X", "T", q, c, [(min(q), min(c), 1)]).content for q, c in moved}
    assert len(hashes) == len(moved)


def test_content_does_not_depend_on_name_or_traits():
    one = assemble("X", "T", QUERIES, CORPUS, JUDGEMENTS)
    other = assemble("Y", "U", QUERIES, CORPUS, JUDGEMENTS, traits=Traits("de", "code"))
    assert one.content == other.content


def test_the_content_hash_is_the_documented_one():
    """Written out here by hand, so that a change of it cannot pass unnoticed: results are keyed by it."""
    task = assemble("X", "T", {"q": "ä"}, {"d": "e", "c": "fg"}, [("q", "d", 2)])
    digest = hashlib.sha256(b"hakari task 1\n")
    for strings in (["q"], ["ä"], ["c", "d"], ["fg", "e"]):
        numbers = [len(strings), *map(len, strings)]
        digest.update(b"".join(number.to_bytes(8, "little") for number in numbers))
        digest.update("".join(strings).encode())
    digest.update(b"".join(number.to_bytes(8, "little") for number in (1, 0, 1, 1, 2)))
    assert task.content == digest.hexdigest()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"queries": {"q": ""}}, "is empty"),
        ({"corpus": {"d": "\n "}}, "is empty"),
        ({"queries": {"q": None}}, "not a string"),
        ({"corpus": {1: "text"}}, "not a string"),
        ({"corpus": {"d": "a\0"}}, "NUL"),
        ({"corpus": {"d\0": "a"}}, "NUL"),
        ({"corpus": {"d": "\ud83d"}}, "surrogate"),
        ({"judgements": [("q", "x", 1)]}, "not there"),
        ({"judgements": [("x", "d", 1)]}, "not there"),
        ({"judgements": [("q", "d", 0)]}, "no positive"),
        ({"judgements": [("q", "d", 1.5)]}, "an integer"),
        ({"judgements": [("q", "d", True)]}, "an integer"),
        ({"judgements": [("q", "d", 1), ("q", "d", 1)]}, "both times 1"),
        ({"judgements": [("q", "d", 1), ("q", "d", 2)]}, "1 and 2"),
        ({"queries": {}}, "no queries"),
        ({"corpus": {}}, "no documents"),
        ({"judgements": []}, "no judgements"),
    ],
)
def test_faults_of_parts_given_in_memory(change: dict[str, Any], words: str):
    sound: dict[str, Any] = {"queries": {"q": "a"}, "corpus": {"d": "b"}, "judgements": [("q", "d", 1)]}
    assert assemble("X", "T", **sound).name == "X/T"
    with pytest.raises(InvalidInput, match=words) as caught:
        assemble("X", "T", **(sound | change))
    assert caught.value.hint


@pytest.mark.parametrize(("dataset", "split"), [("", "T"), ("X", ""), ("X", "a/b"), ("X", "a\0")])
def test_names_that_do_not_make_a_task_name(dataset: str, split: str):
    with pytest.raises(InvalidInput, match="task name"):
        assemble(dataset, split, QUERIES, CORPUS, JUDGEMENTS)


def test_all_faults_come_at_once():
    with pytest.raises(InvalidInput) as caught:
        assemble("X", "T", {"q": "a", "r": ""}, {"d": " "}, [("q", "d", 1), ("q", "e", 1)])
    assert len(caught.value.faults) == 4
