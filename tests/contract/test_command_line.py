"""What every command prints, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import COMMAND, hakari_json
from command import within as hakari
from small import small_set

ROW = {"task", "retriever", "variant", "measure", "value", "low", "high", "queries"}
PAIR = {
    *("task", "a", "variant_a", "b", "variant_b", "measure", "diff", "low", "high", "p", "p_holm"),
    *("smallest_difference", "wins", "ties", "losses", "queries"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    small_set(folder)
    hakari("run", "bm25", "bm25-code", "--on", folder / "NanoTest", "--results", folder / "results")
    return folder


def test_run_prints_one_row_a_task_retriever_and_measure(place: Path) -> None:
    rows = hakari_json(
        *("run", "bm25", "bm25-code", "--on", place / "NanoTest", "--results", place / "results"),
        *("--measures", "nDCG@10,Rpool@100,RR"),
    )
    assert all(set(row) == ROW for row in rows)
    assert {row["task"] for row in rows} == {"NanoTest/First", "NanoTest/Second", "*"}
    assert len(rows) == 3 * 2 * 3
    assert {row["variant"] for row in rows} == {"float"}
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in rows)
    assert [row["queries"] for row in rows if row["task"] == "*"] == [48] * 6
    by = {(r["task"], r["retriever"], r["measure"]): r["value"] for r in rows}
    mean = (by["NanoTest/First", "bm25", "RR"] + by["NanoTest/Second", "bm25", "RR"]) / 2
    assert by["*", "bm25", "RR"] == pytest.approx(mean, abs=1e-12)


def test_repeating_a_run_runs_nothing(place: Path) -> None:
    def times() -> dict[str, int]:
        return {str(p): p.stat().st_mtime_ns for p in (place / "results").rglob("*.parquet")}

    before = times()
    done = hakari("run", "bm25", "bm25-code", "--on", place / "NanoTest", "--results", place / "results")
    assert times() == before
    assert "[1/" not in done.stderr


def test_a_changed_setting_is_a_new_result(place: Path, tmp_path: Path) -> None:
    on = ("--on", place / "NanoTest/First", "--results", tmp_path)
    first = hakari_json("run", "bm25", *on)
    other = hakari_json("run", "bm25", *on, "-M", "k1=0.1", "-M", "b=0")
    assert [row["retriever"] for row in other] == ["bm25(k1=0.1,b=0)"] * 3
    assert [row["value"] for row in first] != [row["value"] for row in other]
    hakari_json("run", "bm25", *on, "--depth", "20", "--measures", "nDCG@10")
    assert len(list(tmp_path.glob("bm25*"))) == 3
    assert hakari_json("run", "bm25(k1=0.1,b=0)", *on) == other


def test_a_changed_task_is_a_new_result(tmp_path: Path) -> None:
    from small import small_task

    from hakari.io.nano_write import write_nano_set

    on = ("--on", tmp_path / "NanoTest", "--results", tmp_path / "results")
    write_nano_set(tmp_path / "NanoTest", [small_task("First", seed=1)])
    before = hakari_json("run", "bm25", *on)
    write_nano_set(tmp_path / "NanoTest", [small_task("First", seed=2)], replace=True)
    assert hakari_json("run", "bm25", *on) != before


def test_compare_prints_one_row_a_pair(place: Path) -> None:
    rows = hakari_json(
        "compare", "bm25", "bm25-code", "--on", place / "NanoTest", "--results", place / "results"
    )
    assert all(set(row) == PAIR for row in rows)
    assert [row["task"] for row in rows] == ["NanoTest/First", "NanoTest/Second", "*"]
    for row in rows:
        assert row["low"] <= row["diff"] <= row["high"]
        assert 0 < row["p"] <= row["p_holm"] <= 1
        assert row["wins"] + row["ties"] + row["losses"] == row["queries"]
    values = {
        (r["task"], r["retriever"]): r["value"]
        for r in hakari_json(
            *("run", "bm25", "bm25-code", "--on", place / "NanoTest", "--results", place / "results"),
            *("--measures", "nDCG@10"),
        )
    }
    for row in rows:
        assert row["diff"] == pytest.approx(
            values[row["task"], "bm25"] - values[row["task"], "bm25-code"], abs=1e-9
        )


def test_compare_lists_the_queries_that_changed(place: Path) -> None:
    changed = hakari_json(
        *("compare", "bm25", "random", "--on", place / "NanoTest", "--results", place / "results"),
        *("--queries", "--top", "4"),
    )
    assert len(changed) == 4
    assert {"task", "query_id", "query", "value_a", "value_b", "positives", "top_a", "top_b"} <= set(
        changed[0]
    )
    done = hakari(
        *(
            "compare",
            "bm25",
            "random",
            "--on",
            place / "NanoTest",
            "--results",
            place / "results",
            "--queries",
        )
    )
    assert changed[0]["query_id"] in done.stdout
    assert "positive" in done.stdout


@pytest.mark.parametrize(
    ("baseline", "candidate", "more", "code", "decision"),
    [
        ("bm25", "bm25", (), 0, "pass"),
        ("bm25", "random", (), 1, "fail"),
        ("random", "bm25", (), 0, "pass"),
        ("bm25", "bm25(k1=0.2,b=0)", ("--max-drop", "0.001"), 7, "inconclusive"),
    ],
)
def test_gate(
    place: Path, baseline: str, candidate: str, more: tuple[str, ...], code: int, decision: str
) -> None:
    results = ("--results", place / "results")
    hakari("run", baseline, candidate, "--on", place / "NanoTest", *results)
    gate = (
        "gate",
        "--baseline",
        baseline,
        "--candidate",
        candidate,
        *results,
        "--inconclusive-exit",
        "7",
        *more,
    )
    told = json.loads(hakari(*gate, "--json", code=code).stdout)
    assert told["decision"] == decision
    assert len(told["tasks"]) == 3
    markdown = hakari(*gate, "--markdown", code=code).stdout
    assert f"hakari gate: {decision}" in markdown
    assert "| NanoTest/First |" in markdown


def test_gate_across_folders(place: Path, tmp_path: Path) -> None:
    hakari("run", "bm25-code", "--on", place / "NanoTest", "--results", tmp_path / "new")
    done = hakari(
        *("gate", "--baseline", f"bm25-code@{place / 'results'}", "--candidate", tmp_path / "new", "--json")
    )
    assert json.loads(done.stdout)["diff"] == 0


def test_gate_refuses_what_it_cannot_judge(place: Path, tmp_path: Path) -> None:
    results = ("--results", place / "results")
    done = hakari("gate", "--baseline", "bm25", "--candidate", "bm26", *results, code=2)
    assert "hint: did you mean `bm25`?" in done.stderr
    hakari("run", "bm25", "--on", place / "NanoTest/First", "--results", tmp_path)
    done = hakari("gate", "--baseline", "bm25", "--candidate", tmp_path, *results, code=2)
    assert "NanoTest/Second" in done.stderr
    hakari("gate", "--baseline", "bm25", "--candidate", tmp_path, *results, "--on", "NanoTest/First")


def test_exported_runs_score_the_same(place: Path, tmp_path: Path) -> None:
    results = ("--results", place / "results")
    hakari("export", "trec", "bm25", *results, "--out", tmp_path)
    hakari("export", "qrels", "--on", place / "NanoTest", "--out", tmp_path)
    (run,) = (tmp_path / "NanoTest").glob("First.bm25-*.run")
    scored = hakari_json(
        "score", run, "--qrels", tmp_path / "NanoTest/First.qrels", "--measures", "nDCG@10,R@100"
    )
    weighed = hakari_json(
        *("run", "bm25", "--on", place / "NanoTest/First", *results, "--measures", "nDCG@10,R@100")
    )
    assert [(r["task"], r["retriever"]) for r in scored] == [("First", "bm25")] * 2
    same = ("measure", "value", "low", "high", "queries")
    assert [[r[k] for k in same] for r in scored] == [[r[k] for k in same] for r in weighed]
    lines = [line.split() for line in run.read_text().splitlines()]
    ranks: dict[str, list[int]] = {}
    for line in lines:
        ranks.setdefault(line[0], []).append(int(line[3]))
    assert all(r == list(range(1, len(r) + 1)) for r in ranks.values())
    hakari("export", "csv", *results, "--out", tmp_path / "scores.csv", "--per-query")
    assert (tmp_path / "scores.csv").read_text().startswith("task,retriever,variant,query_id,measure,value\n")


def test_lists(place: Path) -> None:
    assert {"NanoTest/First", "NanoTest/Second"} <= {
        r["task"] for r in hakari_json("tasks", "--tasks-dir", place)
    }
    sized = hakari_json("tasks", "NanoTest/F*", "--tasks-dir", place, "--sizes")
    assert [(r["task"], r["queries"], r["documents"]) for r in sized] == [("NanoTest/First", 24, 90)]
    assert {"nDCG", "Rpool", "Judged"} <= {r["name"] for r in hakari_json("measures")}
    assert {"bm25", "bm25-code", "rrf", "bge_small_en"} <= {r["name"] for r in hakari_json("retrievers")}
    assert any(r["part"] == "compiled loops" for r in hakari_json("doctor"))
    shown = hakari_json("show", place / "NanoTest/First")
    assert shown[0]["statistics"]["queries"] == 24
    assert len(shown[0]["examples"]) == 3
    assert "queries" in hakari("show", place / "NanoTest/First").stdout
    rows = hakari_json("sql", "SELECT count(*) AS n FROM means", "--results", place / "results")
    assert rows[0]["n"] > 0


@pytest.mark.parametrize(
    ("arguments", "code", "what", "hint"),
    [
        (("ruin",), 2, "unknown command `ruin`", "`hakari run`"),
        (("run", "bm25"), 2, "Missing option '--on'", "hakari run --help"),
        (("run", "bm52", "--on", "NanoTest"), 2, "unknown retriever `bm52`", "bm25"),
        (("run", "bm25", "--on", "NanoTset"), 2, "NanoTset", "NanoTest"),
        (("run", "bm25", "--on", "NanoTest/Frist"), 2, "Frist", "First"),
        (
            ("run", "bm25", "--on", "NanoTest", "--measures", "ndcg@1O"),
            2,
            "`ndcg@1O`",
            "did you mean `nDCG@10`?",
        ),
        (("run", "bm25", "--on", "NanoTest", "--measures", "R@1000"), 2, "500 deep", "--depth 1000"),
        (("run", "bm25", "--on", "NanoTest", "-M", "k9=1"), 2, "k9", "k1"),
        (("run", "bm25", "--on", "NanoTest", "-M", "k1"), 2, "KEY=VALUE", "-M k1=1.2"),
        (("run", "bm25", "--on", "NanoTest", "--depth", "0"), 2, "--depth", "--help"),
        (("compare", "bm25", "--on", "NanoTest"), 2, "two different retrievers", "hakari compare"),
        (("score", "none.run", "--qrels", "none.qrels"), 2, "none.qrels", "hint"),
        (
            ("gate", "--baseline", "bm25", "--candidate", "bm25", "--results", "none"),
            2,
            "no results",
            "hakari run",
        ),
        (("sql", "SELEC 1", "--results", "results"), 2, "failed", "tables"),
        (("sql", "--results", "none"), 2, "no folder of results", "hakari run"),
        (("export", "csv", "--results", "none", "--out", "x.csv"), 2, "no results", "hakari run"),
    ],
)
def test_errors_say_what_and_what_to_do(
    place: Path, arguments: tuple[str, ...], code: int, what: str, hint: str
) -> None:
    done = hakari(*arguments, code=code, cwd=place, HAKARI_TASKS=str(place))
    assert done.stdout == ""
    first, *rest = done.stderr.splitlines()
    assert first.startswith("error: ")
    assert what in done.stderr
    assert hint in "\n".join(rest)


OWN = """
import hakari
class Own(hakari.Retriever):
    family = "own"
    def settings(self): return {}
    def retrieve(self, task, depth, parts=()): raise LookupError("nothing here")
class Odd(Own):
    def settings(self): return {"made of": object()}
class Lacking(hakari.Retriever):
    family = "own"
    def settings(self): return {}
"""


@pytest.mark.parametrize(
    ("spelling", "told", "hint"),
    [
        ("own:Own", "own.py, line 6: LookupError: nothing here", "no part of hakari"),
        ("lacks:Own", "lacks.py, line 1: ModuleNotFoundError: No module named 'no_such", "no part of hakari"),
        ("broken:Own", "broken.py, line 1: SyntaxError", "no part of hakari"),
        ("own:Odd", "the settings of retriever `own:Odd` are not JSON", "plain strings"),
        ("own:Lacking", "`own:Lacking` lacks the method `retrieve`", "`retrieve(self, task"),
    ],
)
def test_a_fault_of_the_users_own_module_is_not_called_one_of_hakari(
    place: Path, tmp_path: Path, spelling: str, told: str, hint: str
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "lacks.py").write_text("import no_such_package")
    (tmp_path / "broken.py").write_text("def (")
    command = [*COMMAND, "run", spelling, "--on", str(place / "NanoTest")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    error, way_out = done.stderr.splitlines()[-2:]
    assert error.startswith("error: ")
    assert told in error
    assert way_out.startswith("hint: ")
    assert hint in way_out


def test_nothing_in_a_name_steers_the_terminal(place: Path, tmp_path: Path) -> None:
    done = hakari("run", "bm25", "--on", "\x1b[31mred\u202e", code=2, cwd=tmp_path)
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr


def test_what_was_detected_is_said_to_be(tmp_path: Path) -> None:
    small_set(tmp_path, ("First",))
    (tmp_path / "NanoTest" / "metadata" / "First.json").unlink()
    told = hakari("run", "bm25", "--on", tmp_path / "NanoTest", "--results", tmp_path / "r").stdout
    assert "detected in the texts: NanoTest/First (language en, category " in told


def test_a_reader_that_goes_away_is_neither_a_pass_nor_a_failure(place: Path) -> None:
    command = [*COMMAND, "gate", "--baseline", "bm25-code", "--candidate", "bm25-code", "--results"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        done = subprocess.run(
            [*command, str(place / "results")], stdout=nobody, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert (done.returncode, "Traceback" in done.stderr) == (141, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_standard_output_that_cannot_be_written_is_one_error(place: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "measures", "--json"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_judgements_without_a_positive_score_zero_with_every_measure(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q1 0 d1 0\nq2 0 d1 -1\n")
    (tmp_path / "r").write_text("q1 Q0 d1 1 1.0 t\n")
    wanted = "nDCG@10,Rpool@10,R@10,AP"
    rows = hakari_json("score", tmp_path / "r", "--qrels", tmp_path / "q", "--measures", wanted)
    assert [row["value"] for row in rows] == [0.0] * 4


@pytest.mark.parametrize(
    "on",
    ["NanoTest/First", "NanoTest/F*", "NanoTest", "{}/NanoTest/First", "{}/NanoTest/", "NanoTest/First,x"],
)
def test_the_gate_judges_the_tasks_named_however_they_are_named(place: Path, on: str) -> None:
    sides = ("--baseline", "bm25", "--candidate", "bm25-code", "--results", place / "results")
    told = json.loads(hakari("gate", *sides, "--json", "--on", on.format(place)).stdout)
    assert "NanoTest/First" in [row["task"] for row in told["tasks"]]
    hakari("gate", *sides, "--on", "NanoTest/Third", code=2)


def test_sql_tells_what_json_cannot_hold_as_null(place: Path) -> None:
    statement = "SELECT 'nan'::DOUBLE AS a, [1.5, 'inf'::DOUBLE] AS b, {'c': DATE '2026-01-02'} AS d"
    told = hakari_json("sql", statement, "--results", place / "results")
    assert told == [{"a": None, "b": [1.5, None], "d": {"c": "2026-01-02"}}]


def test_gate_and_export_take_any_measure_where_the_task_is_there(place: Path, tmp_path: Path) -> None:
    results = ("--results", place / "results")
    gate = ("gate", "--baseline", "bm25", "--candidate", "bm25", *results, "--measure", "AP")
    assert "needs the task" in hakari(*gate, code=2).stderr
    told = json.loads(hakari(*gate, "--json", "--tasks-dir", place).stdout)
    by_path = json.loads(hakari(*gate, "--json", "--on", place / "NanoTest").stdout)
    assert told == by_path
    rows = hakari_json("run", "bm25", "--on", place / "NanoTest", *results, "--measures", "AP")
    assert told["tasks"][-1]["baseline"] == pytest.approx(rows[-1]["value"], abs=1e-12)
    hakari(
        *("export", "json", "bm25", *results, "--measures", "AP", "--tasks-dir", place),
        *("--out", tmp_path / "x.json"),
    )
    assert json.loads((tmp_path / "x.json").read_text()) == rows


@pytest.mark.parametrize("group", ["audit", "build", "pairs"])
def test_a_group_without_a_command_prints_its_help(group: str) -> None:
    done = hakari(group, code=2)
    assert done.stderr.startswith(f"Usage: hakari {group} ")
    assert "error:" not in done.stderr
