from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from small import small_task

import hakari
from hakari import measures
from hakari.errors import InvalidInput, UsageError
from hakari.rankings import run_from_mapping
from hakari.retrievers.bm25 import Bm25
from hakari.store import files, index, keys
from hakari.types import Run


def _variant(hostile: str = "d'1") -> files.Variant:
    run = run_from_mapping({"q1": {hostile: 2.0, "d2": 1.0}, "q2": {"d2": 0.25}, "q3": {}})
    return files.Variant(run, {"nDCG@10": np.array([1.0, 0.5, 0.0]), "hit@10": np.array([1.0, 1.0, 0.0])})


def _write(root: Path, task: str = "NanoX/Task", **manifest: object) -> files.Stored:
    path = files.result_path(root / "bm25-12345678", task)
    dataset, _, split = task.rpartition("/")
    told = {
        "task": task,
        "dataset": dataset,
        "split": split,
        "retriever": "bm25",
        "family": "bm25",
        **manifest,
    }
    return files.write(path, told, {"float": _variant(), "int8": _variant()}, {"seconds": 1.5})


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    stored = files.read(_write(tmp_path).path)
    assert stored is not None
    assert stored.task == "NanoX/Task"
    assert stored.costs == {"seconds": 1.5}
    kept = files.read_variants(stored)
    assert sorted(kept) == ["float", "int8"]
    run = kept["float"].run
    assert run.query_ids.tolist() == ["q1", "q2", "q3"]
    assert run.offsets.tolist() == [0, 2, 3, 3]
    assert run.document_ids[run.documents].tolist() == ["d'1", "d2", "d2"]
    assert run.scores.tolist() == [2.0, 1.0, 0.25]
    assert kept["int8"].values["nDCG@10"].tolist() == [1.0, 0.5, 0.0]
    queries, values = files.read_values(stored)["float"]
    assert queries.tolist() == ["q1", "q2", "q3"]
    assert values["hit@10"].tolist() == [1.0, 1.0, 0.0]


def test_equal_results_have_equal_bytes(tmp_path: Path) -> None:
    first, second = _write(tmp_path / "a").path, _write(tmp_path / "b").path
    assert first.read_bytes() == second.read_bytes()


def _run(document_ids: list[str], offsets: list[int], documents: list[int]) -> files.Variant:
    scores = np.linspace(1, 0.5, len(documents)).astype(np.float32)
    queries = np.array(["q1", "q2"], dtype=object)
    ids = np.array(document_ids, dtype=object)
    run = Run(queries, ids, np.array(offsets), np.array(documents, np.int32), scores)
    return files.Variant(run, {"nDCG@10": np.array([0.0, 1.0])})


def _ranked(variant: files.Variant) -> tuple[list[str], list[int]]:
    run = variant.run
    return run.document_ids[run.documents].tolist(), run.offsets.tolist()


HOSTILE = ["", "a\0b", "d'\"\\;--", "é\U0001f600"]


@pytest.mark.parametrize(
    "variants",
    [
        {"float": _run(["a", "b"], [0, 0, 0], [])},
        {"float": _run([], [0, 0, 0], [])},
        {"float": _run(HOSTILE, [0, 3, 4], [3, 2, 0, 1])},
        {"float": _run(["a", "b", "c"], [0, 1, 3], [2, 0, 1]), "int8": _run(["b", "z"], [0, 2, 2], [1, 0])},
    ],
    ids=["nothing ranked", "no documents", "hostile ids", "ids that variants share in part"],
)
def test_documents_are_read_back_as_they_were_ranked(tmp_path: Path, variants: dict) -> None:
    told = {"task": "NanoX/Task", "retriever": "bm25"}
    stored = files.write(files.result_path(tmp_path / "x-1", "NanoX/Task"), told, variants, {})
    kept = files.read_variants(stored)
    assert {name: _ranked(v) for name, v in kept.items()} == {n: _ranked(v) for n, v in variants.items()}


def test_documents_that_are_not_ranked_change_no_byte(tmp_path: Path) -> None:
    few, many = _run(["b", "d"], [0, 2, 3], [1, 0, 0]), _run(["a", "b", "c", "d"], [0, 2, 3], [3, 1, 1])
    for name, variants in {"one": {"float": few}, "other": {"float": many}}.items():
        files.write(tmp_path / name, {}, variants, {})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_text_of_an_id_stands_in_a_file_once(tmp_path: Path) -> None:
    ids = [f"document {number:04} of a collection with long names" for number in range(300)]
    every = _run(ids, [0, 300, 600], [*range(299, -1, -1)] * 2)
    stored = files.write(
        tmp_path / "x.parquet", {}, {name: every for name in ("float", "int8", "binary")}, {}
    )
    assert stored.path.stat().st_size < 3 * sum(
        map(len, ids)
    )  # of six times as many characters that are ranked
    with files.connection() as con:
        encodings = con.execute(
            "SELECT encodings FROM parquet_metadata($1) WHERE path_in_schema LIKE 'doc_ids%'",
            [str(stored.path)],
        ).fetchall()
    assert encodings == [("RLE_DICTIONARY",)]


def test_a_torn_or_foreign_file_is_no_result(tmp_path: Path) -> None:
    path = _write(tmp_path).path
    whole = path.read_bytes()
    for torn in (b"", whole[:100], whole[:-20], b"PAR1 not at all"):
        path.write_bytes(torn)
        assert files.read(path) is None
        assert files.scan(tmp_path) == []


def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path) -> None:
    path = files.result_path(tmp_path / "bm25-1", "NanoX/Task")
    with pytest.raises(ValueError, match="Out of range float"):
        files.write(path, {"task": float("nan")}, {"float": _variant()}, {})
    assert [p.name for p in path.parent.iterdir()] == ["Task.run.json"]


def test_leftovers_of_a_killed_process_are_swept(tmp_path: Path) -> None:
    path = files.result_path(tmp_path / "bm25-12345678", "NanoX/Task")
    path.parent.mkdir(parents=True)
    dead = path.with_name(f".{path.name}.{2**22 + 12345}.tmp")
    living = path.with_name(f".{path.name}.{os.getppid()}.tmp")
    dead.write_text("half")
    living.write_text("half")
    _write(tmp_path)
    files.write_manifests(path.parent)
    assert not dead.exists()
    assert living.exists()


@pytest.mark.parametrize(
    "name",
    ["../../x", "..", ".", "", "a/b", "a\\b", "日本", "nul\0", "x" * 400, "CON:", "%2E", "-rf", "\ud800"],
)
def test_names_become_one_safe_component(name: str) -> None:
    safe = keys.safe(name)
    assert safe
    assert not set(safe) & set('/\\:\0*?"<>|')
    assert not safe.startswith(".")
    assert len(safe.encode()) <= 255
    assert keys.safe(name) != keys.safe(name + "!")


def test_keys_change_with_every_setting() -> None:
    task = small_task()
    base = keys.settings_key("bm25", Bm25().settings(), 500)
    others = {
        keys.settings_key("bm25", Bm25(k1=1.2).settings(), 500),
        keys.settings_key("bm25", Bm25(b=0.5).settings(), 500),
        keys.settings_key("bm25", Bm25(method="lucene").settings(), 500),
        keys.settings_key("bm25", Bm25(tokenizer="regex").settings(), 500),
        keys.settings_key("bm25", Bm25().settings(), 100),
    }
    assert base not in others
    assert len(others) == 5
    assert keys.result_key(base, task.content, {}) != keys.result_key(base, "other", {})
    assert keys.result_key(base, task.content, {}) != keys.result_key(base, task.content, {"tokenizer": "x"})


def test_the_index_follows_the_files(tmp_path: Path) -> None:
    _write(tmp_path)
    names, rows = index.query(tmp_path, "SELECT variant, measure, value, queries FROM means ORDER BY ALL")
    assert names == ["variant", "measure", "value", "queries"]
    assert rows[1] == ("float", "nDCG@10", 0.5, 3)
    other = _write(tmp_path, "NanoX/Other")
    assert index.query(tmp_path, "SELECT count(*) FROM results")[1] == [(4,)]
    other.path.unlink()
    assert index.query(tmp_path, "SELECT count(*) FROM results")[1] == [(2,)]
    assert index.query(tmp_path, "SELECT count(*) FROM rankings")[1] == [(6,)]
    (tmp_path / "results.duckdb").unlink()
    assert index.query(tmp_path, "SELECT count(*) FROM scores")[1] == [(12,)]


def test_the_stored_measures_are_measures() -> None:
    from hakari.bench import STORED_MEASURES

    assert [str(measures.parse(m)) for m in STORED_MEASURES] == list(STORED_MEASURES)


def test_what_the_system_refuses_is_told_without_a_traceback(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(UsageError, match="cannot be written: Not a directory"):
        hakari.run("random", on=small_task(), results=blocked / "results")


def test_a_damaged_body_is_told_with_the_file_and_what_to_do(tmp_path: Path) -> None:
    hakari.run("random", on=small_task(), results=tmp_path)
    (path,) = tmp_path.glob("*/*/*.parquet")
    body = bytearray(path.read_bytes())
    body[40:900] = bytes(860)
    path.write_bytes(body)
    with pytest.raises(InvalidInput, match="damaged") as caught:
        hakari.run("random", on=small_task(), results=tmp_path)
    assert f"rm {path}" in str(caught.value.hint)


def test_one_unreadable_file_does_not_keep_the_index_from_the_others(tmp_path: Path) -> None:
    hakari.run(["random", "constant"], on=small_task(), results=tmp_path)
    next(tmp_path.glob("random-*/*/*.parquet")).write_bytes(b"")
    assert index.query(tmp_path, "SELECT DISTINCT retriever FROM means")[1] == [("constant",)]
    assert index.query(tmp_path, "SELECT count(*) FROM rankings")[1] == [(24,)]


def test_a_manifest_that_is_right_is_left_alone(tmp_path: Path) -> None:
    hakari.run("random", on=small_task(), results=tmp_path)
    (path,) = tmp_path.glob("*/*/manifest.json")
    before = path.stat().st_ino
    hakari.run("random", on=small_task(), results=tmp_path)
    assert path.stat().st_ino == before
    path.unlink()
    hakari.run("random", on=small_task(), results=tmp_path)
    assert path.is_file()
