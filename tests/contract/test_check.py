"""`hakari check`: every fault of a set at once, with exit code 1 for errors only."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
from command import within
from data_builders import write_candidates_file, write_nano, write_parquet, write_texts
from small import small_set, small_task

from hakari.io.candidates import load_candidates
from hakari.io.nano_write import write_nano_set
from hakari.tasks.registry import load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of one task with candidates of all kinds."""
    path = tmp_path / "NanoTest"
    task = small_task("One", 40, 700)
    write_nano_set(path, [task])
    rng = random.Random(5)
    made = {q: rng.sample(task.corpus.ids.tolist(), 500) for q in task.queries.ids}
    write_candidates_file(path / "house_dense" / "One.parquet", made)
    within("candidates", path, "--bm25", "--hybrid")
    return path


def check(*sets: object, code: int = 0) -> dict[str, Any]:
    return json.loads(within("check", *sets, "--json", code=code).stdout)


def told(report: dict[str, Any], name: str, severity: str | None = None) -> list[str]:
    return [f["what"] for f in report["findings"] if f["check"] == name and severity in (None, f["severity"])]


def hybrid(folder: Path) -> dict[str, list[str]]:
    with duckdb.connect(":memory:") as con:
        path = str(folder / "reranking_hybrid" / "One.parquet")
        return dict(con.execute("SELECT * FROM read_parquet(?)", [path]).fetchall())


def test_sound_candidates_have_no_errors(folder: Path) -> None:
    report = check(folder)
    assert report["tasks"] == ["NanoTest/One"]
    assert report["counts"]["error"] == 0
    assert not told(report, "candidates", "warning")
    assert any("safeguard at rank 101" in what for what in told(report, "safeguard", "note"))
    printed = within("check", folder).stdout
    assert printed.splitlines()[-1].startswith("1 task checked: 0 errors")


def test_safeguards_missing_needless_wrong_or_drawn_otherwise(folder: Path) -> None:
    rankings = hybrid(folder)
    guarded = [q for q, ranking in rankings.items() if len(ranking) == 101]
    free = next(q for q, ranking in rankings.items() if len(ranking) == 100)
    task = load(str(folder / "One"))[0]
    run = load_candidates(task.candidates["reranking_hybrid"], task)
    wrong = next(d for d in task.corpus.ids if d not in rankings[guarded[1]])
    changes = {
        guarded[0]: rankings[guarded[0]][:100],
        guarded[1]: [*rankings[guarded[1]][:100], wrong],
        free: [*rankings[free], next(d for d in task.corpus.ids if d not in rankings[free])],
    }
    assert len(run.query_ids) == len(rankings)
    write_candidates_file(folder / "reranking_hybrid" / "One.parquet", rankings | changes)
    report = check(folder, code=1)
    assert told(report, "safeguard", "error") == [
        "1 query without a positive and without a safeguard",
        "1 query with more than 100 candidates though a positive is among the first",
        "1 query with something else than one positive after rank 100",
    ]
    assert any("`rankings_sha256`" in what for what in told(report, "metadata", "error"))


def test_a_hybrid_of_something_else_is_seen(folder: Path) -> None:
    rankings = hybrid(folder)
    query = next(iter(rankings))
    rankings[query][0], rankings[query][1] = rankings[query][1], rankings[query][0]
    write_candidates_file(folder / "reranking_hybrid" / "One.parquet", rankings)
    assert "1 ranking other than the fusion of `bm25` and `house_dense`" in told(
        check(folder, code=1), "candidates"
    )


def test_splits_that_differ_between_configurations(tmp_path: Path) -> None:
    path = small_set(tmp_path)
    write_candidates_file(path / "bm25" / "Third.parquet")
    (path / "qrels" / "Second.parquet").unlink()
    (path / "metadata" / "First.json").unlink()
    report = check(path, code=1)
    assert set(told(report, "splits")) == {
        "`bm25` lacks the task `First`",
        "`bm25` lacks the task `Second`",
        "`bm25` has `Third`, which is no task",
        "`qrels` lacks the task `Second`",
        "`metadata` lacks the task `First`",
    }
    assert report["tasks"] == ["NanoTest/First", "NanoTest/Second"]
    assert told(report, "files")  # and the first task was checked all the same
    assert told(report, "score-column") or told(report, "traits")


def test_what_a_killed_command_left_is_told(tmp_path: Path) -> None:
    path = small_set(tmp_path)
    (path / "qrels" / ".First.parquet.17.tmp").write_bytes(b"PAR1")
    assert told(check(path), "files") == ["was left by a command that was killed"]


def test_every_fault_of_the_files_is_told_not_only_the_first(tmp_path: Path) -> None:
    path = write_nano(tmp_path / "NanoX", "Bad")
    write_texts(path / "corpus" / "Bad.parquet", [("d1", "one"), ("d1", "two"), ("d2", " ")])
    write_nano(path, "Good")
    report = check(path, code=1)
    files = told(report, "files", "error")
    assert any("duplicate document id `d1`" in what for what in files)
    assert any("the text of document `d2` is empty" in what for what in files)
    assert sum("which is not there" in what for what in files) == 2
    assert {f["where"] for f in report["findings"] if f["check"] == "files"} >= {
        f"{path}/corpus/Bad.parquet:2"
    }
    assert any(f["where"].startswith("NanoX/Good") for f in report["findings"])


def test_candidates_that_dangle(folder: Path) -> None:
    rankings = hybrid(folder)
    query = next(iter(rankings))
    write_candidates_file(folder / "bm25" / "One.parquet", {query: ["nowhere"], "nobody": ["d1"]})
    files = told(check(folder, code=1), "files", "error")
    assert any("document `nowhere` is not in the corpus" in what for what in files)
    assert any("query `nobody` is not in the task" in what for what in files)


def test_queries_without_candidates_and_short_rankings(folder: Path) -> None:
    rankings = hybrid(folder)
    query = next(iter(rankings))
    write_candidates_file(folder / "bm25" / "One.parquet", {query: ["d1", "d2"]})
    report = check(folder, code=1)
    assert "39 queries without candidates" in told(report, "candidates", "error")
    assert "1 query with fewer than 500 candidates" in told(report, "candidates", "warning")


@pytest.mark.parametrize(
    ("kind", "expected"), [("INTEGER", None), ("DOUBLE", "is DOUBLE"), (None, "have no column `score`")]
)
def test_the_score_column_that_mteb_reads(tmp_path: Path, kind: str | None, expected: str | None) -> None:
    path = write_nano(tmp_path / "NanoX", "Task")
    columns: dict[str, Any] = {
        "query-id": ("VARCHAR", ["q1", "q2", "q10"]),
        "corpus-id": ("VARCHAR", ["d1", "d2", "d9"]),
    }
    write_parquet(path / "qrels" / "Task.parquet", columns | ({"score": (kind, [1, 1, 1])} if kind else {}))
    found = told(check(path), "score-column", "warning")
    assert found == [] if expected is None else expected in found[0]


def test_counts_that_the_metadata_state(tmp_path: Path) -> None:
    metadata = {"language": "en", "category": "code", "queries": 3, "documents": 5}
    path = write_nano(tmp_path / "NanoX", "Task", metadata=metadata)
    assert told(check(path, code=1), "metadata", "error") == ["`documents` is stated as 5, and there are 4"]
    stated = {"language": "en", "candidates": {"bm25": {"key": "x"}}}
    (path / "metadata" / "Task.json").write_text(json.dumps(stated))
    assert told(check(path, code=1), "metadata") == [
        "the metadata tell of candidates `bm25`, which are not there"
    ]


def test_what_is_no_set_is_an_error_of_usage(tmp_path: Path) -> None:
    assert "holds no tasks" in within("check", tmp_path, code=2).stderr
    assert "NanoNowhere" in within("check", "NanoNowhere", code=2).stderr


def test_real_tasks_in_seconds_with_what_is_known_of_them(real_data: Path) -> None:
    report = check(real_data / "NanoRTEB", code=1)
    (twins,) = [f for f in report["findings"] if f["check"] == "false-negatives" and f["severity"] == "error"]
    assert twins["count"] >= 1
    assert all(len(example) == 3 for example in twins["examples"])
    assert [f["check"] for f in report["findings"] if "ids give relevance away" in f["what"]] == ["id-order"]
    clean = check(real_data / "NanoOpen" / "XQuAD_en")
    assert clean["counts"]["error"] == 0
    assert {f["check"] for f in clean["findings"]} == {"candidates", "score-column"}


def planted(folder: Path) -> Path:
    """A set with one fault of every kind that a maintainer looks for, all in one task."""
    rng = random.Random(3)
    words = [f"word{i}" for i in range(400)]
    texts = [" ".join(rng.choices(words, k=30)) for _ in range(600)]
    queries = {f"q{i:02d}": " ".join(rng.choices(words, k=8)) for i in range(40)}
    # Relevant documents have the last ids, and are longer than others.
    corpus = {f"d{i:03d}": text for i, text in enumerate(texts)}
    judged = [(f"q{i:02d}", f"d{560 + i:03d}", 1) for i in range(40)]
    for i in range(560, 600):
        corpus[f"d{i:03d}"] += " " + " ".join(rng.choices(words, k=60))
    corpus["d100"] = corpus["d101"]
    corpus["d200"] = corpus["d201"] + " more"
    corpus["d300"] = queries["q03"]
    corpus["d301"] = corpus["d561"]
    corpus["d302"] = corpus["d562"] + " more"
    queries["q38"] = queries["q39"]
    queries["q36"] = queries["q37"] + " more"
    parts: dict[str, Any] = {"queries": queries, "corpus": corpus, "judgements": judged}
    parts["metadata"] = {"language": "en", "category": "natural_language"}
    path = write_nano(folder / "NanoPlanted", "Planted-1", **parts)
    rankings = {query: rng.sample(sorted(corpus), 500) for query in queries}
    rankings["q00"] = [name for name in sorted(corpus) if name != "d560"][:500]
    write_candidates_file(path / "bm25" / "Planted-1.parquet", rankings)
    write_candidates_file(path / "bm25" / "Nowhere.parquet", rankings)
    return path


def test_every_kind_of_planted_fault_is_told_with_its_pairs(tmp_path: Path) -> None:
    report = check(planted(tmp_path), code=1)
    assert report["tasks"] == ["NanoPlanted/Planted-1"]
    findings = {(f["severity"], f["check"]): f for f in report["findings"]}

    def pairs(severity: str, name: str) -> list[list[str]]:
        return [example[:3] for example in findings[severity, name]["examples"]]

    assert "`bm25` has `Nowhere`, which is no task" in told(report, "splits", "error")
    assert ["d100", "d101"] in pairs("warning", "duplicate-documents")
    assert ["d200", "d201"] in [pair[:2] for pair in pairs("warning", "near-duplicate-documents")]
    assert pairs("error", "duplicate-queries") == [["q38", "q39"]]
    assert [pair[:2] for pair in pairs("warning", "near-duplicate-queries")] == [["q36", "q37"]]
    assert ["q03", "d300"] in pairs("warning", "self-retrieval")
    assert pairs("error", "false-negatives") == [["q01", "d561", "d301"]]
    assert pairs("warning", "false-negatives") == [["q02", "d562", "d302"]]
    assert "`Planted-1`" in findings["warning", "names"]["what"]
    assert "lengths tell positives" in findings["warning", "lengths"]["what"]
    assert "ids give relevance away" in findings["warning", "id-order"]["what"]
    assert "q00" in findings["note", "candidates"]["examples"]
    facts = report["facts"]["NanoPlanted/Planted-1"]
    assert (facts["queries"], facts["documents"], facts["positives"]) == (40, 600, 40)
    assert facts["characters"]["query"]["mean"] < 80 < facts["characters"]["document"]["mean"]
    assert facts["candidates"]["bm25"]["queries_with_positive"] < 40
    controls = {(c["control"], c["measure"]): c for c in facts["controls"]}
    assert set(controls) == {(c, m) for c in ("random", "constant") for m in ("nDCG@10", "R@100")}
    assert controls["constant", "R@100"]["value"] > 0.9, "by id descending the positives come first"
    assert abs(controls["random", "R@100"]["z"]) < 5
    printed = within("check", tmp_path / "NanoPlanted", code=1).stdout
    assert "constant R@100 " in printed
    assert "a positive in `bm25` for " in printed


def test_ids_that_are_not_unique_and_judgements_that_dangle_are_told(tmp_path: Path) -> None:
    path = write_nano(
        tmp_path / "NanoX", "Task", judgements=[("q1", "d1", 1), ("q2", "gone", 1), ("lost", "d1", 1)]
    )
    write_texts(path / "queries" / "Task.parquet", [("q1", "one"), ("q1", "two"), ("q2", "three")])
    files = told(check(path, code=1), "files", "error")
    assert any("duplicate query id `q1`" in what for what in files)
    assert any("`gone`" in what and "not there" in what for what in files)
    assert any("`lost`" in what and "not there" in what for what in files)


def test_more_pairs_are_kept_than_are_printed(tmp_path: Path) -> None:
    corpus = {f"d{i}": f"text number {i // 2} of many others that are alike" for i in range(120)}
    one: dict[str, Any] = {"queries": {"q1": "sort a list"}, "judgements": [("q1", "d1", 1)]}
    path = write_nano(tmp_path / "NanoX", "Task", corpus=corpus, **one)
    (found,) = [f for f in check(path, code=1)["findings"] if f["check"] == "duplicate-documents"]
    assert found["count"] == len(found["examples"]) == 60
