"""On every task the controls land on what chance gives; where they do not, the report says what leaks.

`random` is drawn with several seeds, and the sum over them is held against the exact expectation and
deviation: a bound of 4.5 deviations is passed by accident once in 150,000 times, for 24 tasks and 4 measures.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import duckdb
import numpy as np
import pytest

from hakari.measures import chance, parse_many, score
from hakari.retrievers.controls import Constant, Random, control_report
from hakari.types import Qrels, Task, Texts

BOUND = 4.5
SEEDS = 8
MEASURES = parse_many("nDCG@100,R@100,Rpool@100,AP")


@lru_cache(maxsize=2)
def load(folder: Path, suite: str, name: str) -> Task:
    """A task by hand: `hakari.tasks` is tested elsewhere, and must not decide what is seen here."""

    def read(part: str) -> dict[str, np.ndarray]:
        return duckdb.sql(f"SELECT * FROM '{folder / suite / part / name}.parquet'").fetchnumpy()

    qrels = read("qrels")
    grades = qrels["score"] if "score" in qrels else np.ones(len(qrels["query-id"]), int)
    return task_of(
        name,
        [str(i) for i in read("queries")["_id"]],
        [str(i) for i in read("corpus")["_id"]],
        list(zip(map(str, qrels["query-id"]), map(str, qrels["corpus-id"]), map(int, grades), strict=True)),
    )


def task_of(name: str, queries: list[str], documents: list[str], judged: list[tuple[str, str, int]]) -> Task:
    query_ids, document_ids = (np.array(sorted(i), dtype=object) for i in (queries, documents))
    query_row, document_row = ({i: row for row, i in enumerate(ids)} for ids in (query_ids, document_ids))
    rows = np.array(sorted((query_row[q], document_row[d], g) for q, d, g in judged), dtype=np.int64)
    offsets = np.searchsorted(rows[:, 0], np.arange(len(query_ids) + 1)).astype(np.int64)
    qrels = Qrels(query_ids, document_ids, offsets, rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32))
    texts = [Texts(i, np.full(len(i), "", dtype=object)) for i in (query_ids, document_ids)]
    return Task("Real", name, *texts, qrels, content=name)


def with_hashed_ids(task: Task) -> Task:
    """The same task with document ids that say nothing, which is what the finding advises."""
    fresh = {i: hashlib.sha256(i.encode()).hexdigest() for i in task.corpus.ids}
    qrels = task.qrels
    query = np.repeat(qrels.query_ids, np.diff(qrels.offsets))
    documents = [fresh[i] for i in qrels.document_ids[qrels.documents]]
    judged = list(zip(query, documents, map(int, qrels.grades), strict=True))
    return replace(
        task_of(task.split, list(task.queries.ids), list(fresh.values()), judged), dataset="Hashed"
    )


def real_tasks(folder: Path) -> list[Task]:
    return [
        load(folder, entry["suite"], entry["task"])
        for entry in json.loads((folder / "manifest.json").read_text())
    ]


def deviations(task: Task, seeds: int) -> dict[str, float]:
    """How far the mean of `random` over several seeds is from chance, in deviations of that mean."""
    runs = [Random(seed).retrieve(task, 200).runs["float"] for seed in range(seeds)]
    got = [score(run, task.qrels, MEASURES) for run in runs]
    out = {}
    for measure in MEASURES:
        mean, sd = chance.expected(task.qrels, len(task.corpus.ids), measure, depth=200)
        out[str(measure)] = (np.mean([g.mean(measure) for g in got]) - mean) / (sd / np.sqrt(seeds))
    return out


def test_random_lands_on_chance_on_every_real_task(real_data: Path) -> None:
    far = {}
    for task in real_tasks(real_data):
        for measure, z in deviations(task, SEEDS).items():
            if abs(z) > BOUND:
                far[task.name, measure] = z
    assert not far


def test_random_in_the_middle_of_its_deviation_over_all_real_tasks(real_data: Path) -> None:
    z = np.array([deviations(task, 2)["R@100"] for task in real_tasks(real_data)])
    assert abs(z.sum()) < BOUND * np.sqrt(len(z))
    assert 0.4 < np.mean(z**2) < 2.2  # 24 tasks: the deviation is neither too wide nor too narrow


def test_constant_lands_on_chance_once_ids_say_nothing(real_data: Path) -> None:
    for task in real_tasks(real_data):
        report = control_report(with_hashed_ids(task), "R@100,AP", depth=200, draws=200)
        assert report.finding is None, task.name
        assert all(abs(s.z) < BOUND + 1.5 for s in report.scores), task.name  # few draws, and skewed ones


@pytest.mark.parametrize(
    ("suite", "name", "leaks"),
    [
        ("NanoRTEB", "NanoMBPP", True),
        ("NanoOpen", "DS1000ProblemToCode", True),
        ("NanoOpen", "XQuAD_en", False),
    ],
)
def test_what_ids_give_away_on_real_tasks(real_data: Path, suite: str, name: str, leaks: bool) -> None:
    report = control_report(load(real_data, suite, name), draws=100)
    assert report.leaks == leaks
    assert (report.finding is not None) == leaks


@pytest.fixture
def made_task() -> Task:
    documents = [f"d{i}" for i in range(400)]
    judged = [(f"q{q}", f"d{(q * 13 + i * 31) % 400}", i % 4) for q in range(60) for i in range(1 + q % 7)]
    return task_of("Made", [f"q{q}" for q in range(60)], documents, judged)


def test_controls_land_on_chance_on_a_made_task(made_task: Task) -> None:
    assert all(abs(z) < BOUND for z in deviations(made_task, 20).values())
    report = control_report(with_hashed_ids(made_task), [*MEASURES, "hit@10", "RR"], draws=500)
    assert all(abs(s.z) < BOUND for s in report.scores)


def test_a_positive_that_is_put_into_place_is_seen(made_task: Task) -> None:
    """A safeguard that counts as found: what `random` is there to catch."""
    run = Random().retrieve(made_task, 400).runs["float"]
    documents = run.documents.reshape(60, 400).copy()
    for q in range(60):
        judged = slice(made_task.qrels.offsets[q], made_task.qrels.offsets[q + 1])
        wanted = made_task.qrels.documents[judged][made_task.qrels.grades[judged] > 0]
        if len(wanted):
            at = int(np.flatnonzero(documents[q] == wanted[0])[0])
            documents[q, [99, at]] = documents[q, [at, 99]]
    leaking = replace(run, documents=documents.ravel())
    mean, sd = chance.expected(made_task.qrels, 400, "R@100")
    assert (score(leaking, made_task.qrels, "R@100").mean("R@100") - mean) / sd > BOUND
    assert Constant().retrieve(made_task, 5).runs["float"].tag == "constant"
