"""Every malformed source ends in one clear error that says what and where, and leaves nothing behind."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import within
from malformed_sources import (
    ARGUMENTS,
    ASKED,
    CASES,
    CORPUS,
    DOCUMENTS,
    TOPICS_FILE,
    TSV,
    write_lines,
    write_sound,
)
from malformed_talk import ARGUMENTS as TALK_ARGUMENTS
from malformed_talk import CASES as TALK_CASES
from malformed_talk import CHAT, QA, SQL, write_talk

from hakari.errors import HakariError
from hakari.nano.build import Target, build_from, build_from_code
from hakari.nano.recipes import Recipe
from hakari.nano.sources_parts import Files, from_tables
from hakari.nano.sources_tables import MAX_LINE


@contextmanager
def _as_somebody_else(wanted: bool, folder: Path) -> Iterator[None]:
    """Give up the rights of root, to whom nothing is forbidden."""
    if not wanted or os.geteuid() != 0:
        yield
        return
    for part in (folder, *folder.parents):
        if "pytest" in part.name or part == folder:
            part.chmod(0o777)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def _tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def _write_all(folder: Path) -> None:
    write_sound(folder)
    write_talk(folder)


def _one_error(told: str, named: str) -> None:
    assert told.count("error: ") == 1, told
    assert told.count("hint: ") == 1, told
    assert named in told, told
    assert "Traceback" not in told, told


CASES = CASES | TALK_CASES
ARGUMENTS = ARGUMENTS | TALK_ARGUMENTS


@pytest.mark.parametrize("case", CASES)
def test_a_malformed_source_ends_in_one_error_and_leaves_nothing(case: str, tmp_path: Path) -> None:
    kind, damage, named = CASES[case]
    _write_all(tmp_path)
    damage(tmp_path)
    before = _tree(tmp_path)
    with _as_somebody_else(case.endswith("not-permitted"), tmp_path):
        done = within("build", *ARGUMENTS[kind], "--name", "NanoX", code=2, cwd=tmp_path)
    assert done.stdout == ""
    _one_error(done.stderr[done.stderr.index("error: ") :], named)
    assert _tree(tmp_path) == before


@pytest.mark.parametrize("kind", [kind for kind in ARGUMENTS if kind != "code"])
def test_the_sound_sources_build(kind: str, tmp_path: Path) -> None:
    _write_all(tmp_path)
    for recipe in ("published", "sampled"):
        arguments = ("--name", "NanoX", "--recipe", recipe, "--out", recipe)
        within("build", *ARGUMENTS[kind], *arguments, cwd=tmp_path)
        assert (tmp_path / recipe / "build.json").is_file()


REQUESTS: dict[str, tuple[tuple[object, ...], str]] = {
    "name-with-a-path": (("beir", "beir", "--name", "../../x"), "cannot be the name"),
    "name-hidden": (("beir", "beir", "--name", ".x"), "cannot be the name"),
    "name-empty": (("beir", "beir", "--name", ""), "cannot be the name"),
    "name-too-long": (("beir", "beir", "--name", "x" * 300), "cannot be the name"),
    "name-with-escapes": (("beir", "beir", "--name", "x\x1b[2J"), "cannot be the name"),
    "task-with-a-path": (("beir", "beir", "--name", "X", "--task", "a/b"), "cannot be the name"),
    "task-like-a-shard": (
        ("beir", "beir", "--name", "X", "--task", "a-00000-of-00002"),
        "cannot be the name",
    ),
    "no-such-split": (("beir", "beir", "--name", "X", "--split", "dev"), "no split `dev`"),
    "column-without-role": (("beir", "beir", "--name", "X", "--column", "text"), "is not ROLE=NAME"),
    "unknown-role": (("beir", "beir", "--name", "X", "--column", "corpus.txt=a"), "unknown role"),
    "unknown-column": (("beir", "beir", "--name", "X", "--column", "corpus.text=txt"), "has no column `txt`"),
    "unknown-negative": (
        ("pairs", "pairs/pairs.jsonl", "--name", "X", "--negative", "no"),
        "has no column `no`",
    ),
    "one-column-twice": (
        ("pairs", "pairs/pairs.jsonl", "--name", "X", "--query", "query", "--positive", "query"),
        "query and positive at once",
    ),
    "unknown-suffix": (("pairs", "code/empty.py", "--name", "X"), "what kind of table"),
    "nothing-named": (("parquet", "--name", "X"), "--corpus and --queries-file and --qrels"),
    "folder-and-files": (("parquet", "tables", "--corpus", "a", "--name", "X"), "at once"),
    "too-many-positives": (("beir", "beir", "--name", "X", "--documents", 3), "4 positives"),
    "out-is-there": (("beir", "beir", "--name", "X", "--out", "beir"), "`beir` is there already"),
    "out-is-a-file": (("beir", "beir", "--name", "X", "--out", "code/empty.py"), "is there already"),
    "out-below-a-file": (("beir", "beir", "--name", "X", "--out", "code/empty.py/x"), "cannot be written"),
    "out-through-a-loop": (("beir", "beir", "--name", "X", "--out", "loop/x"), "cannot be written"),
    "out-too-long": (("beir", "beir", "--name", "X", "--out", "x" * 300), "cannot be written"),
    "code-of-nothing": (("code", "--name", "X"), "one source of code"),
    "code-of-an-unknown-package": (("code", "no_such_package", "--name", "X"), "neither a path nor"),
    "bad-language": (("beir", "beir", "--name", "X", "--language", "not a code"), "language"),
}


@pytest.mark.parametrize("request_name", REQUESTS)
def test_an_impossible_request_ends_in_one_error_and_leaves_nothing(
    request_name: str, tmp_path: Path
) -> None:
    arguments, named = REQUESTS[request_name]
    write_sound(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    before = _tree(tmp_path)
    done = within("build", *arguments, code=2, cwd=tmp_path)
    assert done.stdout == ""
    _one_error(done.stderr[done.stderr.index("error: ") :], named)
    assert _tree(tmp_path) == before


def test_a_place_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    write_sound(tmp_path)
    (tmp_path / "locked").mkdir(mode=0o555)
    before = _tree(tmp_path)
    with _as_somebody_else(True, tmp_path):
        done = within("build", *ARGUMENTS["beir"], "--name", "X", "--out", "locked/x", code=2, cwd=tmp_path)
    _one_error(done.stderr[done.stderr.index("error: ") :], "cannot be written: Permission denied")
    assert _tree(tmp_path) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda f: Target("a\0b"),
        lambda f: Target("X", "a\0b"),
        lambda f: Target("X", out=f / "a\0b"),
        lambda f: build_from_code("a\0b", Target("X", out=f / "x")),
        lambda f: from_tables(Files([f / "a\0b.jsonl"], [f / "q.jsonl"], [f / "r.jsonl"])),
        lambda f: Recipe("unknown"),
        lambda f: Recipe(queries=0),
    ],
)
def test_what_no_shell_can_pass_is_refused_from_python_too(
    call: Callable[[Path], object], tmp_path: Path
) -> None:
    with pytest.raises(HakariError) as caught:
        call(tmp_path)
    assert caught.value.hint
    assert _tree(tmp_path) == []


def test_every_fault_is_told_at_once_and_reading_ends_at_the_twentieth(tmp_path: Path) -> None:
    write_sound(tmp_path)
    (tmp_path / CORPUS).write_text('{"_id": "d1"\n' * 1000)
    done = within("build", *ARGUMENTS["beir"], "--name", "X", code=2, cwd=tmp_path)
    assert "corpus.jsonl:20: is not JSON" in done.stderr
    assert "corpus.jsonl:21" not in done.stderr


def test_a_source_that_changes_while_it_is_read_is_told(tmp_path: Path) -> None:
    write_sound(tmp_path)
    files = [tmp_path / CORPUS, tmp_path / ASKED, tmp_path / TSV]
    source = from_tables(Files(*([path] for path in files)))
    read = source.queries

    def queries() -> Iterator:
        write_lines(tmp_path / CORPUS, DOCUMENTS[:2])
        return read()

    source.queries = queries
    with pytest.raises(HakariError, match="changed while it was read"):
        build_from(source, Recipe(), Target("X", out=tmp_path / "x"))
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("name", [CORPUS, CORPUS + ".gz", TOPICS_FILE, TSV, CHAT, SQL, QA])
def test_one_endless_line_ends_in_an_error_and_in_bounded_memory(name: str, tmp_path: Path) -> None:
    """200 MB in one line, and nothing beyond the limit of a line is ever read: 2 GB take as little."""
    _write_all(tmp_path)
    size, block = 200 << 20, b"x" * (1 << 20)
    if name.endswith(".gz"):
        (tmp_path / CORPUS).unlink()
        with gzip.open(tmp_path / name, "wb", compresslevel=1) as file:
            for _ in range(size // len(block)):
                file.write(block)
    else:
        with open(tmp_path / name, "wb") as file:
            file.truncate(size)
            file.seek(0)
            file.write(b'{"_id": "d1", "text": "' if name == CORPUS else b"1\tx")
    before = _tree(tmp_path)
    kind = {TOPICS_FILE: "trec", CHAT: "chat", SQL: "sql", QA: "qa"}.get(name, "beir")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "build", *map(str, ARGUMENTS[kind]), "--name", "X"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    _one_error(done.stderr, f"{name}:1: is longer than {MAX_LINE >> 20} MiB")
    assert _tree(tmp_path) == before
    assert int(done.stdout) < 320 << 10, f"{int(done.stdout) >> 10} MB"


MEASURED = """
import re, sys
from pathlib import Path
from hakari.cli import execute
code = execute(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""
