"""Leaks inside a benchmark, and the scan on a cluster."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import hakari
from small import small_set

from hakari.audit.inside import inside
from hakari.audit.run import Settings, audit, index_of
from hakari.audit.scan import Plan, scan, scan_shard
from hakari.audit.shards import find
from hakari.io.files import connect
from hakari.io.nano_write import write_nano_set
from hakari.tasks.assemble import assemble
from hakari.tasks.registry import load
from hakari.types import Task

LONG = "the quick auditor compares every sentence of the corpus with every sentence of the training data"


def made(split: str, queries: dict[str, str], corpus: dict[str, str], judged: dict[str, str]) -> Task:
    return assemble("NanoIn", split, queries, corpus, [(q, d, 1) for q, d in judged.items()])


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    code = "def area(width, height):\n    scale = width * height\n    return [scale for _ in range(3)]\n"
    first = made(
        "First",
        {"q1": LONG, "q2": "where is the harbour of the northern town"},
        {
            "d1": f"Somebody said: {LONG}. Nobody knew why.",
            "d2": "A harbour lies north.",
            "d3": LONG + " again",
            "d4": code,
        },
        {"q1": "d1", "q2": "d2"},
    )
    second = made(
        "Second",
        {"x1": LONG.upper(), "x2": "something else that nobody asked before today"},
        {"y1": "A harbour, lies NORTH", "y2": "Entirely unlike anything that was ever written down here."},
        {"x1": "y1", "x2": "y2"},
    )
    return [first, second]


def test_every_check_finds_what_was_planted(tasks: list[Task]) -> None:
    found = {(f.check, f.task[7:], f.other[7:]): f.to_json() for f in inside(tasks)}
    assert found["query in positive", "First", "First"]["examples"] == [["q1", "d1", "embedded"]]
    assert found["query in other document", "First", "First"]["examples"] == [["q1", "d3", "embedded"]]
    assert found["judged differently", "First", "First"]["examples"][0][:2] == ["d1", "d3"]
    assert found["shared query", "First", "Second"]["examples"] == [["q1", "x1", "exact"]]
    assert found["shared query", "Second", "First"]["count"] == 1
    assert found["shared positive", "First", "Second"]["examples"] == [["d2", "y1", "exact"]]
    assert found["shared positive", "Second", "First"]["total"] == 2
    assert set(found) == {
        ("query in positive", "First", "First"),
        ("query in other document", "First", "First"),
        ("judged differently", "First", "First"),
        ("shared query", "First", "Second"),
        ("shared query", "Second", "First"),
        ("shared positive", "First", "Second"),
        ("shared positive", "Second", "First"),
    }


def test_self_is_an_option_of_audit(tasks: list[Task], tmp_path: Path) -> None:
    write_nano_set(tmp_path / "NanoIn", tasks)
    told = json.loads(hakari("audit", "--self", tmp_path / "NanoIn", "--json").stdout)
    assert {one["check"] for one in told} >= {"query in positive", "shared query"}
    assert "1 task compared; none found" in hakari("audit", "--self", tmp_path / "NanoIn/Second").stdout


def shards(folder: Path, nano: Path) -> Path:
    task = load(f"{nano}/First")[0]
    place = folder / "train"
    place.mkdir()
    with connect() as con:
        for number in range(4):
            texts = [f"filler {i} of {number}" for i in range(300)] + [
                str(t) for t in task.corpus.texts[number::4]
            ]
            con.execute("CREATE OR REPLACE TABLE t AS SELECT unnest(?::VARCHAR[]) AS text", [texts])
            con.execute(f"COPY t TO '{place}/{number}.parquet' (FORMAT parquet)")
    return place


@pytest.mark.peer
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_report_though_a_worker_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")
    from hakari.engines.audit_ray import scan_on_ray

    monkeypatch.setenv("HAKARI_THREADS", "2")
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    nano = small_set(tmp_path)
    train, marker = shards(tmp_path, nano), tmp_path / "died"
    local = audit([train], [str(nano)], settings=Settings(fresh=True))
    try:
        remote = audit([train], [str(nano)], settings=Settings(fresh=True, engine=scan_on_ray))

        def dying(index: Any, shard: Any, plan: Any) -> Any:
            if shard.name.endswith("2.parquet") and not marker.exists():
                marker.touch()
                os._exit(1)
            return scan_shard(index, shard, plan)

        index = index_of([str(nano)], None, local.index.shingle)
        again = scan_on_ray(index, find([train]), Plan(fresh=True), dying)
    finally:
        ray.shutdown()
    assert marker.exists()
    assert remote.found.tobytes() == local.found.tobytes()
    assert [c.to_json() for c in remote.counts] == [c.to_json() for c in local.counts]
    plain = scan(index, find([train]), Plan(fresh=True))
    assert [one.found.tobytes() for one in again] == [one.found.tobytes() for one in plain]
    assert local.risk == "direct"
