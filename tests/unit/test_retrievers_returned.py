"""What retrievers of one's own may return: right or refused, never scored in the wrong places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small import small_task

import hakari
from hakari.bench import describe
from hakari.errors import HakariError
from hakari.retrievers.bm25 import Bm25
from hakari.types import Run, Task


def perfect(task: Task) -> Run:
    """Every query with its positives."""
    qrels = task.qrels
    rankings = {
        q: {qrels.document_ids[d]: 1.0 for d in qrels.documents[qrels.offsets[i] : qrels.offsets[i + 1]]}
        for i, q in enumerate(qrels.query_ids)
    }
    return hakari.run_from_mapping(rankings)


def weighed(
    folder: Path, make: Callable[[Task], Any], depth: int = 500, **named: Any
) -> dict[str, dict[str, Any]]:
    class Own(hakari.Retriever):
        family = name = "own"

        def settings(self) -> dict[str, Any]:
            return {}

        def retrieve(self, task: Task, depth: int, parts: Any = ()) -> Any:
            made = make(task)
            return hakari.Retrieved({"float": made}, **named) if isinstance(made, Run) else made

    rows = hakari.run(Own(), on=small_task(), results=folder, depth=depth, measures="nDCG@10").rows()
    return {row["measure"]: row for row in rows}


def in_disorder(run: Run, which: str) -> Run:
    if which == "query":
        order = np.arange(len(run.query_ids))[::-1]
        assert (np.diff(run.offsets) == 1).all()
        return replace(run, query_ids=run.query_ids[order], documents=run.documents[::-1].copy())
    order = np.random.default_rng(0).permutation(len(run.document_ids))
    rows = np.argsort(order)[run.documents].astype(np.int32)
    return replace(run, document_ids=run.document_ids[order], documents=rows)


def test_a_perfect_run_scores_one_also_over_its_own_documents(tmp_path: Path) -> None:
    assert weighed(tmp_path, perfect)["nDCG@10"]["value"] == 1.0


@pytest.mark.parametrize("which", ["query", "document"])
def test_ids_out_of_order_are_refused_and_not_looked_up_in_the_wrong_rows(tmp_path: Path, which: str) -> None:
    with pytest.raises(HakariError, match=f"{which} id .* ids must ascend"):
        weighed(tmp_path, lambda task: in_disorder(perfect(task), which))


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (None, "returned NoneType, not Retrieved"),
        ({"q1": {}}, "returned dict, not Retrieved"),
        (hakari.Retrieved({}), "gave no run named `float`"),
        (hakari.Retrieved({"float": {}}), "is dict, not Run"),  # type: ignore[dict-item]
    ],
)
def test_what_is_no_run_is_told(tmp_path: Path, returned: Any, told: str) -> None:
    with pytest.raises(HakariError, match=told):
        weighed(tmp_path, lambda task: returned)


def test_documents_and_queries_that_the_task_lacks_are_named(tmp_path: Path) -> None:
    with pytest.raises(HakariError, match="document `nowhere` is not in the task"):
        weighed(tmp_path, lambda task: hakari.run_from_mapping({task.queries.ids[0]: {"nowhere": 1.0}}))
    with pytest.raises(HakariError, match="query `nobody` is not in the task"):
        weighed(tmp_path, lambda task: hakari.run_from_mapping({"nobody": {task.corpus.ids[0]: 1.0}}))


@pytest.mark.parametrize("named", [{"facts": {"n": np.int64(1)}}, {"costs": {"index_s": float("nan")}}])
def test_facts_and_costs_that_are_not_json_are_told(tmp_path: Path, named: dict[str, Any]) -> None:
    with pytest.raises(HakariError, match=f"the {next(iter(named))} of retriever `own` are not JSON"):
        weighed(tmp_path, perfect, **named)


def test_rankings_are_cut_to_the_depth_that_was_asked_for(tmp_path: Path) -> None:
    def all_of_it(task: Task) -> Run:
        scores = np.random.default_rng(0).random((len(task.queries), len(task.corpus)))
        return hakari.run_from_matrix(task.queries.ids, task.corpus.ids, scores, len(task.corpus))

    cut = weighed(tmp_path / "a", all_of_it, depth=10)["nDCG@10"]["value"]
    assert cut == weighed(tmp_path / "b", all_of_it)["nDCG@10"]["value"]
    from hakari.store import files

    (stored,) = files.scan(tmp_path / "a")
    assert set(np.diff(files.read_variants(stored)["float"].run.offsets)) == {10}


def test_an_unanswered_query_scores_zero(tmp_path: Path) -> None:
    def every_other(task: Task) -> Run:
        run = perfect(task)
        kept = {
            q: {run.document_ids[run.documents[i]]: 1.0} for i, q in enumerate(run.query_ids) if i % 2 == 0
        }
        return hakari.run_from_mapping(kept)

    assert weighed(tmp_path, every_other)["nDCG@10"]["value"] == 0.5


def test_objects_that_are_no_retriever_are_told() -> None:
    class Nameless(hakari.Retriever):
        family = "own"

        def settings(self) -> dict[str, Any]:
            return {}

        def retrieve(self, task: Task, depth: int, parts: Any = ()) -> Any:
            return None

    task = small_task()
    for wrong, told in ((Nameless, "is a class"), (3, "is int"), (Nameless(), "has no `name`")):
        with pytest.raises(HakariError, match=told):
            hakari.run(wrong, on=task)  # type: ignore[arg-type]
    with pytest.raises(HakariError, match="is int, not a task"):
        hakari.run("bm25", on=3)  # type: ignore[arg-type]


def test_one_name_never_stands_for_two_things() -> None:
    class Named(hakari.Retriever):
        family = name = "own"

        def __init__(self, setting: int) -> None:
            self.setting = setting

        def settings(self) -> dict[str, Any]:
            return {"setting": self.setting}

        def retrieve(self, task: Task, depth: int, parts: Any = ()) -> Any:
            return None

    with pytest.raises(HakariError, match="two retrievers are called `own`"):
        hakari.run([Named(1), Named(2)], on=small_task())
    with pytest.raises(HakariError, match="two tasks are called `NanoTest/Small`"):
        hakari.run("bm25", on=[small_task(), small_task(seed=8)])


def test_leaving_out_the_query_itself_is_another_result() -> None:
    retriever, task = Bm25(), small_task()
    keys = {describe(replace(task, exclude_self=own), retriever, 500)["key"] for own in (False, True)}
    assert len(keys) == 2
