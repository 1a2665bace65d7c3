"""Hard negatives: what is left out as possibly right, which kinds come, and that files come out the same again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from command import within as hakari
from small import small_set, small_task

from hakari.errors import UsageError
from hakari.mining.hard import KINDS, Found, Wanted, judges_among, mined
from hakari.mining.rows import Account, Row
from hakari.retrievers.bm25 import Bm25Code
from hakari.tasks.assemble import assemble
from hakari.types import Run, Task


def a_task(documents: dict[str, str], query: str = "merge sorted streams") -> Task:
    return assemble("NanoT", "One", {"q": query}, documents, [("q", "right", 1)])


def ranked(task: Task, **scores: float) -> Run:
    """One query's ranking of the documents named."""
    order = sorted(scores, key=lambda name: (-scores[name], name))
    rows = np.array([list(task.corpus.ids).index(name) for name in order], np.int32)
    values = np.array([scores[name] for name in order], np.float32)
    return Run(task.queries.ids, task.corpus.ids, np.array([0, len(rows)]), rows, values)


DOCUMENTS = {
    "right": "heapq.merge combines iterables that are in order",
    "again": "heapq.merge combines iterables that are in order .",
    "close": "merge two branches of a repository",
    "far": "sorted streams of water in a valley",
    "other": "a bicycle has two wheels and a bell",
}


def rows_of(task: Task, *found: Found, **wanted: Any) -> tuple[list[Row], Account]:
    account = Account("hard negatives")
    rows = list(mined(task, found, judges_among(found), Wanted(**wanted), account))
    return rows, account


def test_what_might_be_right_is_left_out_and_counted() -> None:
    task = a_task(DOCUMENTS)
    run = ranked(task, right=1.0, again=0.9, close=0.97, far=0.5, other=0.4)
    rows, account = rows_of(task, Found("m", "dense", run), negatives=2)
    assert [n.text for n in rows[0].negatives] == [DOCUMENTS["far"], DOCUMENTS["other"]]
    assert account.left_out == {
        "documents that a judge scores like the positive": 1,
        "documents that are nearly the positive": 1,
    }
    assert rows_of(task, Found("m", "dense", run), negatives=2, margin=1.0)[0][0].negatives[0].text in (
        DOCUMENTS["close"],
        DOCUMENTS["far"],
    )


def test_a_judge_that_did_not_find_the_positive_makes_nothing_safe_unless_it_counts_words() -> None:
    task = a_task(DOCUMENTS)
    run = ranked(task, close=0.9, far=0.5)
    assert rows_of(task, Found("m", "dense", run), negatives=1)[0] == []
    assert len(rows_of(task, Found("m", "bm25", run), negatives=1)[0]) == 1


def test_what_a_judge_did_not_rank_scores_at_most_its_last() -> None:
    task = a_task(DOCUMENTS)
    words = Found("words", "bm25", ranked(task, other=3.0, far=2.0))
    shallow = Found("model", "dense", ranked(task, right=1.0, close=0.99))
    deep = Found("model", "dense", ranked(task, right=1.0, close=0.5))
    assert rows_of(task, words, shallow, negatives=1)[0] == []
    assert [n.facts["id"] for n in rows_of(task, words, deep, negatives=3)[0][0].negatives] != []


def test_negative_scores_have_a_margin_too() -> None:
    task = a_task(DOCUMENTS)
    run = ranked(task, right=-1.0, close=-1.01, far=-2.0)
    rows, _ = rows_of(task, Found("m", "dense", run), negatives=1)
    assert rows[0].negatives[0].facts["id"] == "far"


def test_kinds_take_turns() -> None:
    task = small_task(queries=10)
    run = Bm25Code().retrieve(task, 40).runs["float"]
    rows, _ = rows_of(task, Found("bm25-code", "bm25", run), negatives=4, margin=1.0)
    assert rows
    for row in rows:
        kinds = [n.kind for n in row.negatives]
        assert set(kinds) <= KINDS.keys()
        first_round = kinds[: len(set(kinds))]
        assert first_round == sorted(set(kinds), key=list(KINDS).index)


def test_wrong_wishes_are_told() -> None:
    with pytest.raises(UsageError, match="unknown kind of negative `same-eror`") as told:
        Wanted(kinds=frozenset({"same-eror"}))
    assert "same-error" in str(told.value.hint)
    with pytest.raises(UsageError, match="margin"):
        Wanted(margin=0)


def lines(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def pairs_file(path: Path, reverse: bool = False) -> Path:
    task = small_task(queries=24)
    rows = [
        {"question": task.queries.texts[q], "answer": task.corpus.texts[task.qrels.documents[q]]}
        for q in range(len(task.queries))
    ]
    return lines(path, rows[::-1] if reverse else rows)


def test_triplets_of_a_table_come_out_the_same_whatever_its_order(tmp_path: Path) -> None:
    for name, reverse in (("a", False), ("b", True)):
        train = pairs_file(tmp_path / f"{name}.jsonl", reverse)
        out = tmp_path / name / "triplets.parquet"
        hakari(
            "mine", train, "--with", "bm25-code", "--negatives", 2, "--out", out, "--results", tmp_path / name
        )
    found = [tmp_path / name / "triplets.parquet" for name in "ab"]
    assert found[0].read_bytes() == found[1].read_bytes()
    table = duckdb.sql(f"SELECT * FROM '{found[0]}'")
    assert table.columns == ["anchor", "positive", "negative_1", "negative_2"]
    assert all(len({*row[1:]}) == 3 for row in table.fetchall())


def test_triplets_of_a_task_say_that_it_is_evaluation_data(tmp_path: Path) -> None:
    folder = small_set(tmp_path)
    out = tmp_path / "hard.jsonl"
    told = hakari(
        "mine",
        folder / "First",
        "--with",
        "bm25",
        "--negatives",
        1,
        "--out",
        out,
        "--results",
        tmp_path / "r",
        "--json",
    )
    manifest = json.loads(told.stdout)
    assert manifest["rows"] == len(out.read_text().splitlines())
    assert any("evaluation data" in line for line in manifest["told"])


@pytest.mark.peer
def test_datasets_loads_triplets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    out = tmp_path / "triplets.parquet"
    train = pairs_file(tmp_path / "pairs.jsonl")
    hakari("mine", train, "--with", "bm25-code", "--negatives", 2, "--out", out, "--results", tmp_path / "r")
    loaded = datasets.Dataset.from_parquet(str(out), cache_dir=str(tmp_path / "cache"))
    assert loaded.column_names == ["anchor", "positive", "negative_1", "negative_2"]
    assert len(loaded) > 0
