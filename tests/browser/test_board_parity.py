"""The browser's numbers against Python's: what it saves is compared with what Python makes of the same selection."""

from __future__ import annotations

import base64
import csv
import io
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from board_page import Board
from board_site import shard

import hakari
from hakari.site.board import closed
from hakari.site.reading import read
from hakari.tasks.registry import resolve

pytestmark = [pytest.mark.peer, pytest.mark.slow]

MEASURE = "nDCG@10"


@pytest.fixture(scope="module")
def scores(site: Path) -> dict[str, dict[str, np.ndarray]]:
    """By task and system the values of every query."""
    reading = read(resolve(str(site.parent / "NanoTest")), site.parent / "results")
    return {
        opened.name: {s.label: opened.values[MEASURE][i] for i, s in enumerate(opened.systems)}
        for opened in reading.each()
    }


def saved(board: Board, state: str) -> dict[str, dict[str, str]]:
    text = board.go(state).saved()
    return {row["system"]: row for row in csv.DictReader(io.StringIO(text))}


def summary(scores: list[dict[str, np.ndarray]], systems: list[str], micro: bool) -> Any:
    values = [np.array([task[s] for s in systems]) for task in scores]
    pairs = np.array([(i, j) for i in range(len(systems)) for j in range(i + 1, len(systems))])
    moments = closed.Moments(
        np.array([v.mean(axis=1) for v in values]),
        np.array([np.square(v).mean(axis=1) for v in values]),
        np.array([float(v.shape[1]) for v in values]),
    )
    apart = [np.abs(v[pairs[:, 0]] - v[pairs[:, 1]]) for v in values]
    largest = np.array([np.ceil(a.max(axis=1) * 255) / 255 for a in apart])
    gaps = closed.Gaps(np.array([np.square(a).mean(axis=1) for a in apart]), largest)
    return closed.summarise(moments, pairs, gaps, micro)


@pytest.mark.parametrize("micro", [False, True])
def test_all_tasks_have_the_numbers_of_hakari_run(board: Board, site: Path, micro: bool):
    found = saved(board, "micro=1" if micro else "")
    core = shard(site / "board/data/core.js")
    block = {
        key: np.frombuffer(base64.b64decode(text), "<f4" if key in ("means", "lows", "highs") else "<u2")
        for key, text in core["first"][micro].items()
    }
    results = hakari.run(
        ["bm25-code", "random"], on=str(site.parent / "NanoTest"), results=site.parent / "results"
    )
    for i, system in enumerate(core["systems"]):
        row = found.get(system["name"])
        if row is None or row["state"] != "complete":
            continue
        for name, key in ((MEASURE, "means"), ("low", "lows"), ("high", "highs")):
            assert float(row[name]) == float(block[key][i]), system["name"]
        assert int(row["best rank"]) == block["best"][i]
        assert int(row["worst rank"]) == block["worst"][i]
    for system in () if micro else results.systems:
        value = results.value("*", system, results.measures[0])
        assert float(found[str(system)][MEASURE]) == pytest.approx(value["value"], abs=1e-6)
        assert float(found[str(system)]["low"]) == pytest.approx(value["low"], abs=1e-6)
        assert float(found[str(system)]["high"]) == pytest.approx(value["high"], abs=1e-6)


@pytest.mark.parametrize("micro", [False, True])
@pytest.mark.parametrize("tasks", [["NanoTest/First", "NanoTest/Second"], ["NanoTest/Second"]])
def test_the_closed_form_is_the_same_in_both_languages(
    board: Board, scores: dict[str, dict[str, np.ndarray]], tasks: list[str], micro: bool
):
    """Made to compute what Python weighed, the browser must land where Python's own closed form does."""
    board.go("&".join([f"task={quote(t, safe='')}" for t in tasks] + (["micro=1"] if micro else [])))
    board.js("window.hakariClosed(true)")
    board.settle()
    rows = list(csv.DictReader(io.StringIO(board.saved())))
    complete = [row for row in rows if row["state"] == "complete"]
    expected = summary([scores[t] for t in tasks], [row["system"] for row in complete], micro)
    for i, row in enumerate(complete):
        assert float(row[MEASURE]) == pytest.approx(expected.means[i], abs=1e-6)
        assert float(row["low"]) == pytest.approx(expected.lows[i], abs=1e-5)
        assert float(row["high"]) == pytest.approx(expected.highs[i], abs=1e-5)
        assert (int(row["best rank"]), int(row["worst rank"])) == (
            expected.best_ranks[i],
            expected.worst_ranks[i],
        ), row["system"]


def test_ranks_among_some_systems_are_counted_anew(board: Board, scores: dict[str, dict[str, np.ndarray]]):
    found = saved(board, "q=bm25-code")
    assert [(r["best rank"], r["worst rank"]) for r in found.values() if r["state"] == "complete"] == [
        ("1", "1")
    ]
    found = saved(board, "family=bm25&family=control")
    complete = [name for name, row in found.items() if row["state"] == "complete"]
    expected = summary(list(scores.values()), complete, False)
    for i, name in enumerate(complete):
        told = int(found[name]["best rank"]), int(found[name]["worst rank"])
        assert told == (expected.best_ranks[i], expected.worst_ranks[i])


def test_differences_agree_with_hakari_compare(board: Board, site: Path):
    found = saved(board, "view=differences&baseline=random&variants=1")
    compared = hakari.compare(
        "bm25-code", "random", on=str(site.parent / "NanoTest"), results=site.parent / "results"
    )
    (row,) = [r for r in compared.rows() if r["task"] == "*"]
    told = found["bm25-code"]
    assert float(told["difference"]) == pytest.approx(row["diff"], abs=1e-6)
    assert float(told["low"]) == pytest.approx(row["low"], abs=0.02)
    assert float(told["high"]) == pytest.approx(row["high"], abs=0.02)


def test_every_number_of_a_query_is_that_of_the_store(board: Board, scores: dict[str, dict[str, np.ndarray]]):
    board.go("view=pair&a=words&b=random&on=NanoTest%2FFirst")
    rows = list(csv.DictReader(io.StringIO(board.saved())))
    for name in ("words", "random"):
        assert np.allclose([float(r[name]) for r in rows], scores["NanoTest/First"][name], atol=1e-5)
