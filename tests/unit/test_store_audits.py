"""Audits beside results: kept by training data, read by task, asked in SQL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import hakari
from small import small_set

from hakari.errors import InvalidInput
from hakari.store.audits import audit_files, kept_audits
from hakari.store.index import query
from hakari.tasks.registry import load


@pytest.fixture
def nano(tmp_path: Path) -> Path:
    return small_set(tmp_path)


def training(nano: Path, split: str, name: str) -> Path:
    path = nano.parent / f"{name}.jsonl"
    lines = [{"anchor": text} for text in load(f"{nano}/{split}")[0].queries.texts[:5]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_an_audit_is_kept_beside_results_and_found_by_task(nano: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    asked = ("--examples", 0, "--results", results)
    hakari("audit", training(nano, "First", "a"), "--on", nano, *asked, "--name", "org/a'b")
    hakari("audit", training(nano, "Second", "c"), "--on", nano / "First", *asked)
    hakari("audit", training(nano, "Second", "c"), "--on", nano / "Second", *asked)
    assert len(audit_files(results)) == 2
    first = kept_audits(results, "NanoTest/First")
    assert [(e["source_dataset"], e["risk"]) for e in first] == [
        ("c.jsonl", first[0]["risk"]),
        ("org/a'b", "direct"),
    ]
    assert kept_audits(results, "NanoTest/Third") == []
    assert kept_audits(None, "NanoTest/First") == []

    columns, rows = query(results, "SELECT task, training_data, risk, rows_scanned FROM audits")
    assert columns == ["task", "training_data", "risk", "rows_scanned"]
    assert ("NanoTest/First", "org/a'b", "direct", 5) in rows
    assert ("NanoTest/Second", "c.jsonl", "direct", 5) in rows
    assert len(rows) == 4
    _, counts = query(
        results,
        "SELECT c.matched FROM (SELECT *, unnest(counts) AS c FROM audits) "
        "WHERE training_data = 'org/a''b' AND task = 'NanoTest/First' AND c.side = 'query' AND c.kind = 'exact'",
    )
    assert counts == [(5,)]
    assert "org/a'b" in hakari("show", nano / "First", "--results", results).stdout


def test_what_is_on_record_in_the_set_comes_first(nano: Path, tmp_path: Path) -> None:
    results, train = tmp_path / "results", training(nano, "First", "a")
    hakari("audit", train, "--on", nano, "--examples", 0, "--results", results, "--record", "--name", "org/a")
    told = json.loads(hakari("show", nano / "First", "--results", results, "--json").stdout)[0]
    assert [entry["source_dataset"] for entry in told["audits"]] == ["org/a"]


def test_a_damaged_file_is_named(nano: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    hakari("audit", training(nano, "First", "a"), "--on", nano, "--examples", 0, "--results", results)
    (path,) = audit_files(results)
    path.write_text("{}")
    with pytest.raises(InvalidInput, match="no file of kept audits"):
        kept_audits(results, "NanoTest/First")


def test_without_audits_the_table_is_empty(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    columns, rows = query(tmp_path / "results", "FROM audits")
    assert columns == ["task", "training_data", "risk", "rows_scanned", "date", "counts"]
    assert rows == []
