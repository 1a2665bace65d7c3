"""Controls: the same in any order and process, and honest about what ids give away."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from hakari.measures import check_run
from hakari.retrievers import controls
from hakari.retrievers.controls import Constant, Random, control_report
from hakari.types import Qrels, Run, Task, Texts


def task_of(queries: list[str], documents: list[str], positives: dict[str, list[str]], **more) -> Task:
    query_ids, document_ids = (np.array(sorted(i), dtype=object) for i in (queries, documents))
    row = {d: i for i, d in enumerate(document_ids)}
    rows = [sorted(row[d] for d in positives.get(q, [])) for q in query_ids]
    offsets = np.cumsum([0, *map(len, rows)])
    judged = np.array([d for r in rows for d in r], dtype=np.int32)
    qrels = Qrels(query_ids, document_ids, offsets, judged, np.ones(len(judged), np.int32))
    texts = [Texts(i, np.full(len(i), "text", dtype=object)) for i in (query_ids, document_ids)]
    return Task("Set", "Split", *texts, qrels, more.pop("content", "content"), **more)


@pytest.fixture
def task() -> Task:
    documents = [f"d{i}" for i in range(300)]
    return task_of([f"q{i}" for i in range(40)], documents, {f"q{i}": [f"d{7 * i}"] for i in range(40)})


def run_of(retriever: Random | Constant, task: Task, depth: int) -> Run:
    return retriever.retrieve(task, depth).runs["float"]


def pairs(run: Run) -> dict[str, list[str]]:
    return {
        q: list(run.document_ids[run.documents[run.offsets[i] : run.offsets[i + 1]]])
        for i, q in enumerate(run.query_ids)
    }


@pytest.mark.parametrize("control", [Random(), Random(seed=3), Constant()])
@pytest.mark.parametrize("depth", [1, 10, 300, 1000])
def test_runs_keep_the_rules(control: Random | Constant, task: Task, depth: int) -> None:
    run = run_of(control, task, depth)
    check_run(run)
    assert set(np.diff(run.offsets)) == {min(depth, 300)}
    assert run.tag == control.name


def test_names_and_settings_say_what_decides() -> None:
    assert (Random().name, Random(seed=3).name, Constant().name) == ("random", "random(seed=3)", "constant")
    assert Random(seed=3).settings() == {"seed": 3}


def test_constant_ranks_by_id_descending(task: Task) -> None:
    assert pairs(run_of(Constant(), task, 3))["q0"] == ["d99", "d98", "d97"]


def test_random_differs_by_query_seed_and_task(task: Task) -> None:
    first = pairs(run_of(Random(), task, 50))
    assert len({tuple(r) for r in first.values()}) == 40
    assert first != pairs(run_of(Random(seed=1), task, 50))
    other = task_of(list(task.queries.ids), list(task.corpus.ids), {}, content="other")
    assert first != pairs(run_of(Random(), other, 50))


def test_random_needs_no_company(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pairs(run_of(Random(), task, 300))
    part = task_of(["q3", "q7"], [d for d in task.corpus.ids if d != "d5"], {})
    monkeypatch.setattr(controls, "BLOCK_CELLS", 1)
    for query, ranking in pairs(run_of(Random(), part, 300)).items():
        assert ranking == [d for d in whole[query] if d != "d5"]


def test_random_is_the_same_in_another_process() -> None:
    code = (
        "from tests_controls import task_of, run_of, pairs, Random;"
        "print(pairs(run_of(Random(), task_of(['a', 'b'], list('uvwxyz'), {}), 3)))"
    )
    code = code.replace(
        "from tests_controls",
        f"import sys; sys.path.insert(0, {str(__file__.rsplit('/', 1)[0])!r});from test_retrievers_controls",
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {f"{pairs(run_of(Random(), task_of(['a', 'b'], list('uvwxyz'), {}), 3))}\n"}


@pytest.mark.parametrize("control", [Random(), Constant()])
@pytest.mark.parametrize("depth", [1, 4, 9])
def test_a_query_that_is_a_document_is_left_out(control: Random | Constant, depth: int) -> None:
    names = [f"d{i}" for i in range(5)]
    run = run_of(control, task_of([*names[:3], "z"], names, {}, exclude_self=True), depth)
    check_run(run)
    for query, ranking in pairs(run).items():
        assert query not in ranking
        assert len(ranking) == min(depth, 4 if query != "z" else 5)


def test_no_queries_and_no_documents() -> None:
    for control in (Random(), Constant()):
        assert len(run_of(control, task_of(["q"], [], {}), 10)) == 0
        assert len(run_of(control, task_of([], ["d"], {}), 10)) == 0


def test_a_clean_task_has_no_finding(task: Task) -> None:
    report = control_report(task, "nDCG@10,R@100,AP", draws=200)
    assert report.finding is None
    assert len(report.scores) == 6
    assert all(abs(s.z) < 5 for s in report.scores)


@pytest.mark.parametrize(("at", "word"), [(900, "first"), (100, "last")])
def test_ids_that_name_the_positives_are_found_at_either_end(at: int, word: str) -> None:
    documents = [f"d{i}" for i in range(100, 1000)]
    queries = [f"q{i}" for i in range(50)]
    report = control_report(
        task_of(queries, documents, {f"q{i}": [f"d{at + i}"] for i in range(50)}), draws=200
    )
    assert report.leaks
    assert report.finding is not None
    assert f"relevant documents come {word}" in report.finding


def test_a_document_of_ones_own_does_not_count_as_rank() -> None:
    names = [f"d{i}" for i in range(8)]
    circle = {n: [names[(i + 1) % 8]] for i, n in enumerate(names)}
    report = control_report(task_of(names, names, circle, exclude_self=True), "hit@3", draws=300)
    for got in report.scores:
        assert got.expected == pytest.approx(3 / 7)
        assert abs(got.z) < 4
