"""`hakari candidates`: nothing twice, nothing half, nothing of others touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import hakari_json, within
from data_builders import write_beir, write_candidates_file
from small import small_set, small_task

from hakari.candidates.make import config_name, planned
from hakari.errors import UsageError
from hakari.io.nano_write import write_nano_set
from hakari.retrievers.registry import parse

DENSE = "house_dense"


def with_dense(path: Path, split: str = "First") -> Path:
    task = small_task(split, seed=1)
    ids = task.corpus.ids.tolist()
    write_nano_set(path, [task], replace=True)
    write_candidates_file(path / DENSE / f"{split}.parquet", {q: ids for q in task.queries.ids})
    return path


def content(path: Path) -> dict[str, bytes]:
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def test_the_second_run_finds_and_changes_nothing(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    first = hakari_json("candidates", path, "--bm25", "--hybrid")
    before = content(path)
    times = {p: p.stat().st_mtime_ns for p in path.rglob("*")}
    again = hakari_json("candidates", path, "--bm25", "--hybrid")
    assert [m["state"] for m in again] == ["found", "found"]
    assert [{**m, "state": None} for m in first] == [{**m, "state": None} for m in again]
    assert content(path) == before
    assert {p: p.stat().st_mtime_ns for p in path.rglob("*")} == times


def test_metadata_keep_what_they_stated(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    file = path / "metadata" / "First.json"
    file.write_text(json.dumps({"language": "en", "category": "code", "made_by": {"somebody": 1}}))
    within("candidates", path, "--bm25")
    stated = json.loads(file.read_text())
    assert (stated["made_by"], stated["language"]) == ({"somebody": 1}, "en")
    record = stated["candidates"]["bm25"]
    assert record["settings"]["k1"] == 1.5
    assert record["task_settings"] == {"tokenizer": "regex"}
    assert str(tmp_path) not in file.read_text()


@pytest.mark.parametrize("stop", range(1, 5))
def test_a_command_that_is_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    whole = with_dense(tmp_path / "whole" / "NanoTest")
    within("candidates", whole, "--bm25", "--hybrid")
    path = with_dense(tmp_path / "cut" / "NanoTest")
    before = content(path)
    replaced, calls = os.replace, iter(range(1, 100))

    def interrupted(*arguments: object) -> None:
        if next(calls) == stop:
            raise KeyboardInterrupt
        replaced(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", interrupted)
    within("candidates", path, "--bm25", "--hybrid", code=130)
    monkeypatch.undo()
    left = content(path)
    assert all("tmp" not in name for name in left)
    assert all(left[name] == content(whole)[name] for name in left if not name.startswith("metadata"))
    assert {name: left[name] for name in before if not name.startswith("metadata")} == {
        name: data for name, data in before.items() if not name.startswith("metadata")
    }
    within("show", path)
    within("candidates", path, "--bm25", "--hybrid")
    assert content(path) == content(whole)


def test_what_others_made_is_touched_only_when_asked(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    task = small_task("First", seed=1)
    theirs = {q: task.corpus.ids.tolist() for q in task.queries.ids}
    write_candidates_file(path / "bm25" / "First.parquet", theirs)
    before = content(path)
    done = within("candidates", path, "--bm25", "--hybrid", code=2)
    assert "bm25/First.parquet" in done.stderr
    assert "--replace" in done.stderr
    assert content(path) == before
    within("candidates", path, "--hybrid")  # of theirs
    assert content(path)["bm25/First.parquet"] == before["bm25/First.parquet"]
    within("candidates", path, "--bm25", "--hybrid", "--replace")
    assert content(path)["bm25/First.parquet"] != before["bm25/First.parquet"]
    fresh = with_dense(tmp_path / "fresh" / "NanoTest")
    within("candidates", fresh, "--bm25", "--hybrid")
    assert content(fresh) == content(path)


def test_a_hybrid_of_sources_that_changed_is_not_taken_for_true(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    within("candidates", path, "--bm25", "--hybrid")
    task = small_task("First", seed=1)
    turned = task.corpus.ids[::-1].tolist()
    write_candidates_file(path / DENSE / "First.parquet", {q: turned for q in task.queries.ids})
    before = content(path)
    assert "reranking_hybrid" in within("candidates", path, "--bm25", "--hybrid", code=2).stderr
    assert content(path) == before
    states = [m["state"] for m in hakari_json("candidates", path, "--bm25", "--hybrid", "--replace")]
    assert states == ["found", "written"]


@pytest.mark.parametrize("config", ["bm25", "reranking_hybrid"])
@pytest.mark.parametrize("damage", ["cut", "edited"])
def test_what_was_damaged_or_edited_is_made_again_when_asked(
    tmp_path: Path, config: str, damage: str
) -> None:
    path = with_dense(tmp_path / "NanoTest")
    within("candidates", path, "--bm25", "--hybrid")
    whole, file = content(path), path / config / "First.parquet"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:100])
    else:
        task = small_task("First", seed=1)
        write_candidates_file(file, {q: task.corpus.ids.tolist() for q in task.queries.ids})
    damaged = content(path)
    assert "--replace" in within("candidates", path, "--bm25", "--hybrid", code=2).stderr
    assert content(path) == damaged
    within("candidates", path, "--bm25", "--hybrid", "--replace")
    assert content(path) == whole


def test_candidates_in_the_form_of_hubs_are_found(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    within("candidates", path, "--bm25")
    (path / "bm25" / "First.parquet").rename(path / "bm25" / "First-00000-of-00001.parquet")
    assert [m["state"] for m in hakari_json("candidates", path, "--bm25")] == ["found"]


def test_a_stray_file_does_not_make_another_layout_and_beir_is_refused(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    (path / "notes.jsonl").write_text("{}\n")
    within("candidates", path, "--bm25")
    beir = write_beir(tmp_path / "beir")
    assert "does not lie in a nano set" in within("candidates", beir, "--bm25", code=2).stderr


def test_out_leaves_the_set_alone(tmp_path: Path) -> None:
    path, out = with_dense(tmp_path / "NanoTest"), tmp_path / "there" / "NanoCopy"
    before = content(path)
    within("candidates", path, "--bm25", "--hybrid", "--out", out)
    assert content(path) == before
    within("candidates", path, "--bm25", "--hybrid")
    assert content(out) == content(path)
    other = with_dense(tmp_path / "other", "First")
    (other / "queries" / "First.parquet").write_bytes(b"")
    assert "differs" in within("candidates", path, "--bm25", "--out", other, code=2).stderr


def test_the_hub_form_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = with_dense(tmp_path / "NanoTest")
    task = small_task("First", seed=1)
    ids = task.corpus.ids.tolist()
    shard = path / "bm25" / "First-00000-of-00001.parquet"
    write_candidates_file(shard, {q: ids for q in task.queries.ids})
    within("candidates", path, "--bm25", "--replace")
    assert not shard.exists()
    assert (path / "bm25" / "First.parquet").exists()


def test_what_cannot_be_done_is_said_before_anything_is_written(tmp_path: Path) -> None:
    path = small_set(tmp_path)
    before = content(path)
    for arguments, told in (
        ((), "no candidates are asked for"),
        (("--hybrid",), "no candidates `bm25`"),
        (("--bm25", "--hybrid"), "no dense ones"),
        (("--dense", "bm25"), "family bm25, not dense"),
        (("--dense", "no_such_model"), "no_such_model"),
    ):
        assert told in within("candidates", path, *arguments, code=2).stderr
    assert content(path) == before


def test_names_of_configurations() -> None:
    assert config_name(parse("bge_small_en(max_length=128)")) == "bge_small_en"
    with pytest.raises(UsageError):
        planned(False, "random", False)
