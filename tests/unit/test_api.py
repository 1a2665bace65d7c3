"""The functions behind `import hakari`."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import small_task

import hakari
from hakari.api import retrievers_of
from hakari.errors import UsageError
from hakari.retrievers.registry import parse


def test_a_retriever_that_is_named_twice_is_run_once() -> None:
    assert [r.name for r in retrievers_of(["bm25", "bm25-code", "bm25", parse("bm25(k1=1.5)")])] == [
        "bm25",
        "bm25-code",
    ]


def test_two_different_retrievers_of_one_name_are_refused_not_dropped() -> None:
    other = parse("bm25(k1=0.4)")
    other.name = "bm25"
    with pytest.raises(UsageError, match="two retrievers are called `bm25`"):
        retrievers_of(["bm25", other])


def test_a_retriever_without_a_name_is_refused() -> None:
    class Nameless(type(parse("bm25"))):  # type: ignore[misc]
        pass

    nameless = Nameless()
    nameless.name = ""
    with pytest.raises(UsageError, match="Nameless has no `name`"):
        retrievers_of(nameless)


def test_tasks_and_runs_are_one_line_at_the_prompt() -> None:
    task = small_task()
    assert repr(task) == "<Task NanoTest/Small: 24 queries, 90 documents, 24 judgements>"
    assert repr(task.qrels) == "<Qrels: 24 judgements of 24 queries>"
    assert repr(task.corpus) == "<Texts: 90>"
    run = hakari.run_from_mapping({"q1": {"d1": 2.0, "d2": 1.0}}, tag="mine")
    assert repr(run) == "<Run mine: 1 queries, 2 ranked documents>"


def test_shallow_rankings_are_told_by_the_default_measures_that_they_reach(tmp_path: Path) -> None:
    shallow = hakari.run("bm25", on=small_task(), depth=20, results=tmp_path)
    assert [str(measure) for measure in shallow.measures] == ["nDCG@10", "hit@10"]
    with pytest.raises(UsageError, match=r"`R@100` looks deeper"):
        hakari.run("bm25", on=small_task(), depth=20, results=tmp_path, measures="R@100")
    with pytest.raises(UsageError, match="look deeper than the rankings, which are 5 deep"):
        hakari.run("bm25", on=small_task(), depth=5, results=tmp_path)
