from __future__ import annotations

import numpy as np
import pytest
from data_builders import write_candidates_file, write_nano

from hakari.errors import UnknownName, UsageError
from hakari.measures import check_run
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import assemble
from hakari.tasks.registry import load
from hakari.types import Task


def task_in(folder, **changed) -> Task:
    """A task with 130 documents and candidates `hybrid`, 101 deep for q1 and 100 deep for the others."""
    corpus = {f"d{i:03d}": f"text {i}" for i in range(130)}
    queries = {"q1": "one", "q2": "two", "q3": "three"}
    judgements = [(q, "d129", 1) for q in queries]
    write_nano(folder, "Task", queries=queries, corpus=corpus, judgements=judgements)
    rankings = {q: sorted(corpus)[:100] for q in queries}
    rankings["q1"] = [*rankings["q1"], "d129"]
    write_candidates_file(folder / "hybrid" / "Task.parquet", {**rankings, **changed})
    return loaded(folder)


def loaded(folder) -> Task:
    return load(str(folder))[0]


def lengths(task: Task, spec: str, depth: int = 500) -> list[int]:
    run = parse(spec).retrieve(task, depth).runs["float"]
    check_run(run)
    return np.diff(run.offsets).tolist()


def test_the_safeguard_counts_only_where_it_is_asked_for(tmp_path):
    task = task_in(tmp_path / "Set")
    assert lengths(task, "candidates:hybrid") == [100, 100, 100]
    assert lengths(task, "candidates:hybrid(safeguard=true)") == [101, 100, 100]
    assert parse("candidates:hybrid").retrieve(task, 500).facts == {"safeguards_left_out": 1}
    found = parse("rerank(candidates:hybrid,constant-reranker)").retrieve(task, 500)
    assert found.facts["ceiling"] == {"R@100": 0.0, "nDCG@10": 0.0}
    assert found.facts["pairs"] == 300
    deep = parse("rerank(candidates:hybrid(safeguard=true),constant-reranker,depth=101)").retrieve(task, 500)
    assert deep.facts["ceiling"]["R@101"] == round(1 / 3, 6)


def test_deeper_candidates_keep_their_rank_101(tmp_path):
    task = task_in(tmp_path / "Set", q2=[f"d{i:03d}" for i in range(120)])
    assert lengths(task, "candidates:hybrid") == [101, 120, 100]
    assert lengths(task, "candidates:hybrid", 60) == [60, 60, 60]


def test_a_first_stage_that_happens_to_find_101_keeps_them(tmp_path):
    task = task_in(tmp_path / "Set", q2=[f"d{i:03d}" for i in range(37)])
    assert lengths(task, "candidates:hybrid") == [101, 37, 100]


def test_the_order_given_is_kept(tmp_path):
    task = task_in(tmp_path / "Set", q3=["d007", "d009", "d001"])
    run = parse("candidates:hybrid").retrieve(task, 2).runs["float"]
    assert run.document_ids[run.documents[run.offsets[2] :]].tolist() == ["d007", "d009"]


def test_a_changed_file_is_another_result(tmp_path):
    first = parse("candidates:hybrid").settings_for(task_in(tmp_path / "Set"))
    same = parse("candidates:hybrid").settings_for(task_in(tmp_path / "Other" / "Set"))
    changed = parse("candidates:hybrid").settings_for(task_in(tmp_path / "Third" / "Set", q3=["d001"]))
    assert first == same != changed
    inside = parse("rerank(candidates:hybrid,constant-reranker)")
    assert inside.settings_for(loaded(tmp_path / "Set"))["first"] == first


def test_candidates_that_are_not_there_are_said(tmp_path):
    task = task_in(tmp_path / "Set")
    with pytest.raises(UnknownName, match="did you mean `hybrid`"):
        parse("candidates:hybrd").settings_for(task)
    bare = assemble("Made", "Bare", {"q": "x"}, {"d": "y"}, [("q", "d", 1)])
    with pytest.raises(UsageError, match="comes without candidates"):
        parse("candidates:hybrid").retrieve(bare, 5)
