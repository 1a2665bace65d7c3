"""Training pairs: what each source gives, and that the files load, agree and come out the same again."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from command import within as hakari
from small import small_set, small_task

from hakari.mining.from_tables import answer_texts, turns_of
from hakari.mining.rows import row_id
from hakari.text.posts import plain_text

CODE = '''
def moving_average(values, width):
    """Return the mean of every window of so many neighbouring values."""
    if width < 1:
        raise ValueError("a window holds at least one value")
    sums = []
    for start in range(len(values) - width + 1):
        sums.append(sum(values[start : start + width]) / width)
    return sums
'''


def table(path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and rows of a Parquet file."""
    found = duckdb.sql(f"SELECT * FROM '{path}'")
    return found.columns, found.fetchall()


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_code_gives_pairs_with_their_provenance_beside_them(tmp_path: Path) -> None:
    (tmp_path / "averages.py").write_text(CODE, encoding="utf-8")
    out = tmp_path / "out" / "pairs.parquet"
    hakari("pairs", "code", tmp_path / "averages.py", "--out", out)
    columns, rows = table(out)
    assert columns == ["anchor", "positive"]
    told = table(out.with_name("pairs.provenance.parquet"))
    kinds = [dict(zip(told[0], row, strict=True)) for row in told[1]]
    assert [k["kind"] for k in kinds] == [
        "docstring-to-function",
        "function-to-docstring",
        "beginning-to-rest",
    ]
    assert [k["id"] for k in kinds] == [row_id(*row) for row in rows]
    assert {k["name"] for k in kinds} == {"averages.moving_average"}
    manifest = json.loads(out.with_name("pairs.manifest.json").read_text())
    assert (manifest["rows"], manifest["source"], manifest["audit"]) == (3, "averages.py", "not audited")


@pytest.mark.parametrize("name", ["pairs.parquet", "pairs.jsonl"])
def test_the_same_source_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    made = []
    for place in ("one", "two"):
        hakari("pairs", "code", "click", "--out", tmp_path / place / name, "--limit", 50)
        made.append({p.name: p.read_bytes() for p in sorted((tmp_path / place).iterdir())})
    assert made[0] == made[1]
    assert len(made[0]) == 3


def test_a_file_that_is_there_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    out.write_text("mine")
    error = hakari("pairs", "code", "click", "--out", out, code=2).stderr
    assert "is there already" in error
    assert out.read_text() == "mine"
    hakari("pairs", "code", "click", "--out", out, "--replace")
    assert set(json.loads(out.read_text().splitlines()[0])) == {"anchor", "positive"}


def test_nothing_is_written_where_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    error = hakari("pairs", "code", tmp_path / "empty.py", "--out", tmp_path / "p.parquet", code=2).stderr
    assert "no row is left" in error
    assert [p.name for p in tmp_path.iterdir()] == ["empty.py"]


MESSAGES = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Sort a list"},
    {"role": "assistant", "content": "sorted(x)"},
    {"role": "user", "content": "Backwards"},
    {"role": "assistant", "content": "sorted(x, reverse=True)"},
]


@pytest.mark.parametrize(("turn", "answers"), [("final", 1), ("each", 2)])
def test_dialogues_give_what_was_said_and_the_turn_that_follows(
    tmp_path: Path, turn: str, answers: int
) -> None:
    source = lines(
        tmp_path / "chat.jsonl", {"messages": MESSAGES}, {"messages": MESSAGES[:2]}, {"messages": 3}
    )
    hakari("pairs", "chat", source, "--turn", turn, "--out", tmp_path / "p.parquet")
    rows = table(tmp_path / "p.parquet")[1]
    assert len(rows) == answers
    history, answer = rows[-1]
    assert answer == "sorted(x, reverse=True)"
    assert history.endswith("assistant:\nsorted(x)\n\nuser:\nBackwards")


def test_turns_are_read_in_the_spellings_that_people_use() -> None:
    shared = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    parts = [{"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image"}]}]
    assert turns_of(shared) == turns_of(json.dumps(shared)) == [("user", "Hi"), ("assistant", "Hello")]
    assert turns_of(parts) == [("user", "Hi")]
    assert turns_of([{"role": "nobody", "content": "x"}]) == turns_of("{") == turns_of(None) == []


def test_questions_take_the_accepted_answer_without_markup(tmp_path: Path) -> None:
    answers = [{"text": "no"}, {"text": "<p>use <code>a &lt; b</code></p>", "is_accepted": True}]
    source = lines(tmp_path / "qa.jsonl", {"title": "Compare?", "body": "<p>How?</p>", "answers": answers})
    told = hakari("pairs", "qa", source, "--out", tmp_path / "p.parquet").stderr
    assert "query `title` (guessed)" in told
    assert table(tmp_path / "p.parquet")[1] == [("Compare?\n\nHow?", "use a < b")]
    assert answer_texts(["a", " ", None]) == ["a"]
    assert plain_text("a < b and c > d") == "a < b and c > d"


def test_sql_puts_the_schema_after_the_question(tmp_path: Path) -> None:
    row = {"question": "How many?", "context": "CREATE TABLE t (a INT)", "sql": "SELECT count(*) FROM t"}
    source = lines(tmp_path / "sql.jsonl", row, {**row, "sql": None})
    hakari("pairs", "sql", source, "--out", tmp_path / "p.parquet")
    ((anchor, positive),) = table(tmp_path / "p.parquet")[1]
    assert anchor == "How many?\n\nCREATE TABLE t (a INT)"
    assert positive == "SELECT count(*) FROM t"


def test_a_column_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    source = lines(tmp_path / "t.jsonl", {"java": "int a;", "cs": "int b;"})
    error = hakari(
        "pairs", "translation", source, "--query", "jave", "--out", tmp_path / "p.jsonl", code=2
    ).stderr
    assert "`jave`" in error
    assert "did you mean `java`?" in error
    hakari("pairs", "translation", source, "--out", tmp_path / "p.jsonl")
    assert json.loads((tmp_path / "p.jsonl").read_text()) == {"anchor": "int a;", "positive": "int b;"}


def git(folder: Path, *arguments: str) -> None:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | settings
    )


def test_fixes_pair_the_broken_function_with_the_mended_one(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "--quiet")
    versions = [
        ("Add a mean", "def mean(v):\n    return sum(v) / len(v)\n\n\ndef keep(v):\n    return v\n"),
        (
            "Fix a crash for no values",
            "def mean(v):\n    return sum(v) / len(v) if v else 0\n\n\ndef keep(v):\n    return v\n",
        ),
        (
            "Fix layout",
            "def mean(v):\n    return (sum(v) / len(v) if v else 0)\n\n\ndef keep(v):\n    return v\n",
        ),
        (
            "Rename",
            "def mean(v):\n    return sum(v) / len(v) if v else None\n\n\ndef keep(v):\n    return v\n",
        ),
    ]
    for message, text in versions:
        (repository / "means.py").write_text(text)
        git(repository, "add", "means.py")
        git(repository, "commit", "--quiet", "-m", message)
    told = hakari("pairs", "fixes", repository, "--out", tmp_path / "p.parquet").stdout
    assert "1 only layout or comments changed" in told
    ((anchor, positive),) = table(tmp_path / "p.parquet")[1]
    assert anchor == "Fix a crash for no values\n\ndef mean(v):\n    return sum(v) / len(v)"
    assert positive.endswith("if v else 0")


def test_a_folder_that_is_no_repository_is_told(tmp_path: Path) -> None:
    error = hakari(
        "pairs",
        "fixes",
        tmp_path,
        "--out",
        tmp_path / "p.parquet",
        code=2,
        GIT_CEILING_DIRECTORIES=str(tmp_path.parent),
    ).stderr
    assert "cannot be read as a git repository" in error


def test_rows_that_hold_evaluation_texts_are_left_out(tmp_path: Path) -> None:
    task = small_task("First", seed=1)  # the first of a small set
    texts = [f"A text about gardens, number {n}, with roses of the kind {n * 7}." for n in range(20)]
    rows = [{"question": f"which garden has roses {n}", "answer": text} for n, text in enumerate(texts)]
    leaked = [
        {"question": task.queries.texts[q], "answer": task.corpus.texts[task.qrels.documents[q]]}
        for q in range(5)
    ]
    source = lines(tmp_path / "posts.jsonl", *rows, *leaked)
    folder = small_set(tmp_path, ("First",))
    out = tmp_path / "pairs.jsonl"
    told = json.loads(hakari("pairs", "qa", source, "--audit", folder, "--out", out, "--json").stdout)
    assert (told["audit"]["rows_scanned"], told["rows"]) == (25, 20)
    assert sum(told["audit"]["left_out"].values()) == 5
    hakari("audit", "verify", out, "--on", folder)
