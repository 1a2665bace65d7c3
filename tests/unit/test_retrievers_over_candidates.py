"""Rerankers that are named alone, over candidates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import within as hakari
from small import small_set, small_task

from hakari.errors import UsageError
from hakari.io.trec import write_run
from hakari.retrievers.over_candidates import over_candidates
from hakari.retrievers.registry import parse

TASK = small_task("First", seed=1)


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    write_run(parse("bm25").retrieve(TASK, 20).runs["float"], tmp_path / "mine.run")
    return tmp_path / "mine.run"


def test_rerankers_named_alone_get_the_candidates(run_file: Path) -> None:
    named = ["bm25", "constant-reranker"]
    assert over_candidates(named, "bm25", 50) == ["bm25", "rerank(bm25,constant-reranker,depth=50)"]
    assert over_candidates(named[1:], "reranking_hybrid", 100) == [
        "rerank(candidates:reranking_hybrid,constant-reranker,depth=100)"
    ]
    assert over_candidates(named[1:], str(run_file), 9) == [
        f"rerank(run:{run_file},constant-reranker,depth=9)"
    ]
    assert over_candidates(named[1:], "rrf(bm25,bm25-code)", 9)[0].startswith("rerank(rrf(bm25,bm25-code),")
    with pytest.raises(UsageError, match="is for rerankers, and none is named"):
        over_candidates(["bm25"], "bm25", 100)


def test_the_command_takes_candidates_and_their_depth(tmp_path: Path, run_file: Path) -> None:
    small_set(tmp_path, ("First",))
    on = ("--on", tmp_path / "NanoTest", "--results", tmp_path / "r", "--json")
    done = hakari("run", "bm25", "constant-reranker", "--candidates", "bm25", *on)
    assert {row["retriever"] for row in json.loads(done.stdout)} == {"bm25", "rerank(bm25,constant-reranker)"}
    done = hakari(
        "run", "constant-reranker", "--candidates", run_file, "--depth", 10, "--measures", "nDCG@10", *on
    )
    (row,) = [row for row in json.loads(done.stdout) if row["task"] != "mean"][:1]
    assert row["retriever"] == f"rerank(run:{run_file},constant-reranker,depth=10)"
    manifest = next((tmp_path / "r").glob("rerank_run*/NanoTest/manifest.json")).read_text()
    assert '"depth": 10' in manifest
