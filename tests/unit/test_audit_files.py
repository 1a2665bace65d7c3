"""What an audit reads and writes: columns, shards, clean data, manifests, records, resumption."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, hakari
from small import small_set

from hakari.audit import scan as scanning
from hakari.audit.columns import choose
from hakari.audit.compare import Shingle
from hakari.audit.origin import declared
from hakari.audit.run import Settings, audit, index_of
from hakari.audit.shards import find
from hakari.cli.audit_progress import Lines
from hakari.errors import InvalidInput, UsageError
from hakari.io.files import connect
from hakari.tasks.origins import declared_names, upstream
from hakari.tasks.registry import load

FILLER = [f"row {i} is about the weather in town number {i * 7}, nothing else" for i in range(500)]


@pytest.fixture(scope="module")
def nano(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_set(tmp_path_factory.mktemp("tasks"))


def rows_of(nano: Path) -> list[tuple[str, str]]:
    """Training rows: every tenth holds a query with its positive."""
    task = load(f"{nano}/First")[0]
    rows = [(text, f"answer {i} to {text}") for i, text in enumerate(FILLER)]
    for q in range(20):
        document = task.qrels.documents[task.qrels.offsets[q]]
        rows[10 * q + 3] = (task.queries.texts[q], task.corpus.texts[document])
    return rows


PLANTED = [10 * q + 3 for q in range(20)]


def parquet(
    path: Path, rows: list[tuple[str, str]], options: str = "COMPRESSION zstd, ROW_GROUP_SIZE 2048"
) -> Path:
    with connect() as con:
        columns = [list(column) for column in zip(*rows, strict=True)]
        con.execute(
            "CREATE TABLE t AS SELECT unnest(?::VARCHAR[]) AS anchor, unnest(?::VARCHAR[]) AS positive",
            columns,
        )
        con.execute("ALTER TABLE t ADD COLUMN number INTEGER DEFAULT 7")
        con.execute(f"COPY t TO '{path}' (FORMAT parquet, {options})")
    return path


def table(path: Path) -> tuple[list[Any], list[Any]]:
    with connect() as con:
        read = con.execute(f"SELECT * FROM '{path}'")
        return [column[:2] for column in read.description], read.fetchall()


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "jsonl.gz", "csv"])
def test_clean_data_keeps_schema_order_and_bytes(nano: Path, tmp_path: Path, kind: str) -> None:
    rows, train = rows_of(nano), tmp_path / f"train.{kind}"
    if kind == "parquet":
        parquet(train, rows, "COMPRESSION gzip, KV_METADATA {huggingface: '{}'}")
    elif kind == "csv":
        lines = [
            "anchor,positive",
            *(",".join('"' + c.replace('"', '""') + '"' for c in row) for row in rows),
        ]
        train.write_text("\n".join(lines) + "\n")
    else:
        data = "".join(json.dumps({"anchor": a, "positive": p}) + "\n" for a, p in rows).encode()
        train.write_bytes(gzip.compress(data, mtime=0) if kind.endswith("gz") else data)
    cleaned, manifest, again = tmp_path / f"clean.{kind}", tmp_path / "m.jsonl", tmp_path / f"again.{kind}"
    hakari(
        "audit", train, "--on", nano / "First", "--clean", cleaned, "--manifest", manifest, "--examples", 0
    )
    hakari("audit", "apply", manifest, train, "--clean", again)
    assert cleaned.read_bytes() == again.read_bytes()
    flagged = [json.loads(line) for line in manifest.read_text().splitlines()[1:]]
    assert [one["row"] for one in flagged] == PLANTED
    assert {one["risk"] for one in flagged} == {"direct"}
    before, after = table(train), table(cleaned)
    assert after[0] == before[0]
    assert after[1] == [row for i, row in enumerate(before[1]) if i not in PLANTED]
    if kind == "parquet":
        with connect() as con:
            codecs = con.execute(f"SELECT DISTINCT compression FROM parquet_metadata('{cleaned}')").fetchall()
            assert codecs == [("GZIP",)]
            assert con.execute(f"SELECT key FROM parquet_kv_metadata('{cleaned}')").fetchall() == [
                (b"huggingface",)
            ]
    assert "none found" in hakari("audit", "verify", cleaned, "--on", nano / "First").stdout
    hakari("audit", "verify", train, "--on", nano / "First", code=1)
    statement = (tmp_path / f"{cleaned.name}.audit.md").read_text()
    assert "20 rows held" in statement


def test_json_has_one_object_for_each_task_side_and_kind(nano: Path, tmp_path: Path) -> None:
    train = parquet(tmp_path / "train.parquet", rows_of(nano))
    told = json.loads(hakari("audit", train, "--on", nano, "--json").stdout)
    assert set(map(tuple, told)) == {("task", "side", "kind", "matched", "total", "rows", "risk")}
    by_place = {(one["task"], one["side"], one["kind"]): one for one in told}
    assert len(by_place) == len(told) == 2 * 3 * 12
    exact = by_place["NanoTest/First", "query", "exact"]
    assert (exact["matched"], exact["total"], exact["rows"], exact["risk"]) == (20, 24, 20, "direct")
    assert by_place["NanoTest/First", "pair", "exact"]["matched"] == 20
    assert by_place["NanoTest/Second", "pair", "exact"]["risk"] == "none found"
    assert by_place["NanoTest/First", "query", "fingerprint"]["risk"] == "not audited"


def test_a_dialogue_matches_in_either_form(nano: Path, tmp_path: Path) -> None:
    query, document = rows_of(nano)[3]
    turns = [{"role": "user", "content": query}, {"role": "assistant", "content": document}]
    lines = [
        {"messages": turns, "id": "a"},
        {"messages": [{"role": "user", "content": "hello"}], "id": query},
    ]
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = f"User: {query}\nAssistant: {document}"
    (tmp_path / "text.jsonl").write_text(json.dumps({"text": text}) + "\n")
    for name in ("chat.jsonl", "text.jsonl"):
        report = audit([tmp_path / name], [f"{nano}/First"], settings=Settings(fresh=True))
        counts = {(c.side, c.kind): c for c in report.counts}
        assert counts["pair", "exact"].matched == 1, name
        assert counts["pair", "exact"].rows == 1


def test_a_parquet_file_that_was_cut_off_is_left_out_only_when_told_to(nano: Path, tmp_path: Path) -> None:
    whole = parquet(tmp_path / "a.parquet", rows_of(nano))
    (tmp_path / "b.parquet").write_bytes(whole.read_bytes()[:2000])
    done = hakari("audit", tmp_path, "--on", nano / "First", code=2)
    assert "b.parquet" in done.stderr
    assert "--skip-corrupt" in done.stderr
    done = hakari("audit", tmp_path, "--on", nano / "First", "--skip-corrupt", "--examples", 0)
    assert "not scanned" in done.stderr
    assert "500 rows scanned of 1 shard;" in done.stdout
    assert "1 shard could not be read and is not audited" in done.stdout


def test_a_corrupt_shard_is_named_and_never_counted(nano: Path, tmp_path: Path) -> None:
    good = parquet(tmp_path / "a.parquet", rows_of(nano))
    (tmp_path / "b.parquet").write_bytes(good.read_bytes()[:-900])
    damaged = bytearray(good.read_bytes())
    damaged[400:700] = bytes(300)
    (tmp_path / "c.parquet").write_bytes(bytes(damaged))
    (tmp_path / "d.jsonl").write_text(json.dumps({"text": "fine"}) + "\n{broken\n")
    done = hakari("audit", tmp_path, "--on", nano / "First", code=2)
    assert "b.parquet" in done.stderr
    assert "--skip-corrupt" in done.stderr
    done = hakari("audit", tmp_path, "--on", nano / "First", "--skip-corrupt", "--examples", 0)
    for name in ("b.parquet", "c.parquet", "d.jsonl"):
        assert f"not scanned: {tmp_path.name}/{name}" in done.stderr
    assert "500 rows scanned of 1 shard; 3 shards could not be read and are not audited" in done.stdout
    hakari("audit", "verify", tmp_path / "d.jsonl", "--on", nano / "First", "--skip-corrupt", code=2)


def test_an_interrupted_scan_goes_on(nano: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = parquet(tmp_path / "train.parquet", rows_of(nano) * 9)
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scanning, "PIECE", 1000)
    whole = audit([train], [str(nano)], settings=Settings(fresh=True))
    shutil.rmtree(tmp_path / "cache")
    read: list[int] = []
    batches = find([train])[0].batches

    def interrupted(self: Any, expressions: list[str], skip: int = 0) -> Iterator[Any]:
        read.append(skip)
        for number, batch in enumerate(batches(expressions, skip)):
            if len(read) == 1 and number == 3:
                raise KeyboardInterrupt
            yield batch

    monkeypatch.setattr("hakari.audit.shards.Shard.batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        audit([train], [str(nano)])
    resumed = audit([train], [str(nano)])
    assert read[1] > 0
    assert read[1] % 1000 == 0
    assert resumed.found.tobytes() == whole.found.tobytes()
    assert resumed.rows_scanned == whole.rows_scanned == 4500
    audit([train], [str(nano)])
    assert len(read) == 2
    kept = sorted((tmp_path / "cache" / "audit").rglob("*.npz"))
    kept[0].write_bytes(b"damaged")
    assert audit([train], [str(nano)]).found.tobytes() == whole.found.tobytes()


def test_an_index_is_kept_by_the_content_of_its_files(
    nano: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    copy = tmp_path / "NanoTest"
    shutil.copytree(nano, copy)
    made = index_of([str(copy)], None, Shingle())
    monkeypatch.setattr("hakari.audit.run.build", None)
    kept = index_of([str(copy)], None, Shingle())
    assert kept.identity == made.identity
    assert kept.texts == made.texts
    for name in ("folded_bytes", "offsets", "counts", "keys", "starts", "postings"):
        assert np.array_equal(getattr(kept, name), getattr(made, name)), name
    for one, other in zip(kept.tasks, made.tasks, strict=True):
        assert one.query_ids == other.query_ids
        assert np.array_equal(one.pairs, other.pairs)
    shutil.copy(copy / "queries/First.parquet", copy / "queries/Second.parquet")
    with pytest.raises(TypeError):
        index_of([str(copy / "Second")], None, Shingle())


def test_what_is_recorded_is_shown(nano: Path, tmp_path: Path) -> None:
    train = parquet(tmp_path / "train.parquet", rows_of(nano))
    copy = tmp_path / "NanoTest"
    shutil.copytree(nano, copy)
    (copy / "README.md").write_text("# Mine\n\nWords.\n")
    for _ in range(2):
        hakari("audit", train, "--on", copy, "--record", "--name", "my|data", "--examples", 0)
    shown = json.loads(hakari("show", copy / "First", "--json").stdout)[0]["audits"]
    assert len(shown) == 1
    assert shown[0]["source_dataset"] == "my|data"
    assert shown[0]["normalized_exact_query_positive_matches"] == 20
    assert (shown[0]["nano_query_rows"], shown[0]["source_train_rows_scanned"]) == (24, 500)
    assert shown[0]["risk"] == "direct"
    assert "leakage audits on record" in hakari("show", copy / "First").stdout
    card = (copy / "README.md").read_text()
    assert card.startswith("# Mine\n\nWords.\n")
    assert card.count("## Leakage audits") == 1
    assert "my\\|data" in card
    assert load(f"{copy}/First")[0].content == load(f"{nano}/First")[0].content


def test_standard_input_is_training_data(nano: Path, tmp_path: Path) -> None:
    lines = "".join(json.dumps({"anchor": a, "positive": p}) + "\n" for a, p in rows_of(nano))
    command = [
        *COMMAND,
        "audit",
        "-",
        "--on",
        str(nano / "First"),
        "--json",
        "--clean",
        str(tmp_path / "clean.jsonl"),
    ]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    assert sum(one["matched"] for one in json.loads(done.stdout) if one["kind"] == "exact") == 60
    assert len((tmp_path / "clean.jsonl").read_text().splitlines()) == 480


def test_rows_that_declare_the_same_origin_are_flagged(tmp_path: Path, nano: Path) -> None:
    names = upstream("NanoRTEB/NanoMBPP")
    assert names == {"google-research-datasets/mbpp", "mbpp"}
    for value in ("mbpp", "MBPP", "google-research-datasets/mbpp"):
        assert declared_names(value) & names, value
    assert declared_names("https://huggingface.co/datasets/google-research-datasets/mbpp") & names
    for value in ("mbpp-like", "other/thing", "", "a/b/c"):
        assert not declared_names(value) & names, value
    lines = [{"text": "nothing", "source": source} for source in ("x", "MBPP", "y", "mbpp")]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = declared(find([tmp_path / "t.jsonl"])[0], {"text": "VARCHAR", "source": "VARCHAR"}, names)
    assert {value: rows.tolist() for value, rows in found.items()} == {"MBPP": [1], "mbpp": [3]}


def test_columns_are_guessed_or_named() -> None:
    types = {
        "id": "VARCHAR",
        "question": "VARCHAR",
        "code": "VARCHAR",
        "hard_negatives": "VARCHAR[]",
        "n": "INTEGER",
    }
    types |= {
        "notes": "VARCHAR",
        "source": "VARCHAR",
        "conversations": 'STRUCT("from" VARCHAR, "value" VARCHAR)[]',
    }
    guessed = {c.name: c.role for c in choose(types, {}, "x")}
    assert guessed == {
        "question": "query",
        "code": "positive",
        "hard_negatives": "negatives",
        "notes": "text",
        "conversations": "messages",
    }
    assert [c.name for c in choose(types, {"text": ["id"]}, "x")] == ["id"]
    with pytest.raises(UsageError, match="no column `quest`"):
        choose(types, {"query": ["quest"]}, "x")
    with pytest.raises(UsageError, match="holds no text"):
        choose(types, {"query": ["n"]}, "x")


def test_what_is_no_training_data_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput) as caught:
        find([tmp_path / "x.bin", tmp_path / "empty", tmp_path / "missing.parquet"])
    assert len(caught.value.faults) == 3


def test_hostile_text_cannot_steer_a_terminal(nano: Path, tmp_path: Path) -> None:
    query, document = rows_of(nano)[3]
    line = {"text": f"\x1b[31m\u202e {query} \x07", "code": document}
    (tmp_path / "t.jsonl").write_text(json.dumps(line) + "\n")
    done = hakari("audit", tmp_path / "t.jsonl", "--on", nano / "First")
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_a_list_in_json_on_standard_input_is_read_as_rows(nano: Path) -> None:
    task = load(f"{nano}/First")[0]
    rows = json.dumps([{"anchor": text} for text in task.queries.texts], indent=1)
    command = [*COMMAND, "audit", "-", "--on", str(nano / "First"), "--examples", "0"]
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=True)
    assert "24 rows scanned of 1 shard\n" in done.stdout


def test_a_statement_says_whether_anything_was_left_out(nano: Path, tmp_path: Path) -> None:
    train, told = parquet(tmp_path / "train.parquet", rows_of(nano)), tmp_path / "told.md"
    asked = ("audit", train, "--on", nano / "First", "--examples", 0, "--statement", told, "--replace")
    hakari(*asked)
    assert "20 rows held something of them and are still there" in told.read_text()
    hakari(*asked, "--clean", tmp_path / "clean.parquet")
    assert "20 rows held something of them and were left out." in told.read_text()
    hakari("audit", tmp_path / "clean.parquet", *asked[2:])
    assert "No row held anything of them." in told.read_text()
    assert "1 evaluation task (" in told.read_text()


def test_time_left_is_told_for_files_that_do_not_tell_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("hakari.cli.audit_progress.time.monotonic", lambda: now[0])
    lines = Lines()
    lines.begin(None, 1000)
    assert "left" not in lines.state()
    now[0] = 110.0
    lines.scanned(5, 250)
    assert lines.state() == "5 rows, 0 MB/s, at most 30 s left"
    lines.scanned(5, 5000)
    assert "left" not in lines.state(), "a packed file holds more text than bytes"
    lines.begin(20, 1000)
    now[0] = 120.0
    assert lines.state() == "10 of 20 rows, 0 MB/s, 10 s left"
