"""Every malformed input ends in exactly one error that names the file and says what to do."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from data_builders import (
    CORPUS,
    JUDGEMENTS,
    QUERIES,
    write_beir,
    write_candidates_file,
    write_jsonl,
    write_judgements,
    write_nano,
    write_parquet,
    write_texts,
    write_trec_qrels,
    write_trec_run,
)

from hakari.errors import HakariError, InvalidInput
from hakari.io.candidates import load_candidates
from hakari.io.trec import read_qrels, read_run
from hakari.tasks.registry import load

Break = Callable[[Path], object]


@dataclass(frozen=True)
class Kind:
    """A sound input, and how it is read."""

    build: Callable[[Path], object]
    read: Callable[[Path], object]


def _load(folder: Path) -> object:
    return load(str(folder), language="en", category="code")


def _load_candidates(folder: Path) -> object:
    shutil.move(folder / "bm25", folder.parent / "aside")  # the task itself is sound and loads first
    try:
        (task,) = load(str(folder), language="en", category="code")
    finally:
        shutil.move(folder.parent / "aside", folder / "bm25")
    return load_candidates(folder / "bm25" / "Task.parquet", task)


def _folder_with(write: Callable[[Path], object]) -> Callable[[Path], object]:
    def build(folder: Path) -> object:
        folder.mkdir()
        return write(folder)

    return build


KINDS = {
    "nano": Kind(lambda folder: write_nano(folder), _load),
    "candidates": Kind(lambda folder: write_nano(folder, candidates=True), _load_candidates),
    "beir": Kind(lambda folder: write_beir(folder), _load),
    "run": Kind(
        _folder_with(lambda folder: write_trec_run(folder / "a.run")), lambda f: read_run(f / "a.run")
    ),
    "qrels": Kind(
        _folder_with(lambda folder: write_trec_qrels(folder / "a.qrels")), lambda f: read_qrels(f / "a.qrels")
    ),
}
FILES = {
    "nano": [f"{part}/Task.parquet" for part in ("corpus", "queries", "qrels")] + ["metadata/Task.json"],
    "candidates": ["bm25/Task.parquet"],
    "beir": ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"],
    "run": ["a.run"],
    "qrels": ["a.qrels"],
}


# Damage that any file can suffer.


def _swap_for(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def _edit(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _footer(data: bytes) -> int:
    """Where the footer of a Parquet file begins."""
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


DAMAGE: dict[str, Break] = {
    "empty": _edit(lambda data: b""),
    "zeros": _edit(lambda data: bytes(len(data))),
    "noise": _edit(lambda data: bytes((i * 37 + 11) % 256 for i in range(len(data)))),
    "utf-16": _edit(lambda data: "\ufeffq1 d1 text".encode("utf-16-le")),
    "invalid-utf-8": _edit(lambda data: b"q1\xff\xfe\xfa d1\n" * 3),
    "html": _edit(lambda data: b"<!DOCTYPE html><html><body>404</body></html>\n"),
    "lfs-pointer": _edit(lambda data: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    "gzip-without-suffix": _edit(lambda data: gzip.compress(data, mtime=0)),
    "folder": _swap_for(lambda path: path.mkdir()),
    "symlink-loop": _swap_for(_loop),
    "symlink-to-nothing": _swap_for(lambda path: path.symlink_to("nowhere")),
    "not-permitted": lambda path: path.chmod(0),
}
PARQUET_DAMAGE: dict[str, Break] = {
    "first-half": _edit(lambda data: data[: len(data) // 2]),
    "last-half": _edit(lambda data: data[len(data) // 2 :]),
    "no-last-byte": _edit(lambda data: data[:-1]),
    "only-magic": _edit(lambda data: b"PAR1PAR1"),
    "footer-of-zeros": _edit(lambda data: data[: _footer(data)] + bytes(64) + data[_footer(data) + 64 :]),
    "huge-footer-length": _edit(lambda data: data[:-8] + b"\xff\xff\xff\x7fPAR1"),
    "csv": _edit(lambda data: b"_id,text\nd1,hello\n"),
    "jsonl": _edit(lambda data: b'{"_id": "d1", "text": "hello"}\n'),
    "no-rows": lambda path: write_parquet(path, {"nothing": ("VARCHAR", [])}),
    "other-columns": lambda path: write_parquet(path, {"a": ("INTEGER", [1]), "b": ("VARCHAR", ["x"])}),
}
GZIP_DAMAGE: dict[str, Break] = {
    "gz-cut-short": lambda path: _gzipped(path, lambda data: data[: len(data) // 2]),
    "gz-not-compressed": lambda path: _gzipped(path, gzip.decompress),
    "gz-empty-text": lambda path: _gzipped(path, lambda data: gzip.compress(b"", mtime=0)),
    "gz-wrong-checksum": lambda path: _gzipped(path, lambda data: data[:-8] + bytes(8)),
}


def _gzipped(path: Path, change: Callable[[bytes], bytes]) -> None:
    data = gzip.compress(path.read_bytes(), mtime=0)
    path.unlink()
    path.with_name(path.name + ".gz").write_bytes(change(data))


# Contents that are well-formed files and no task, run or judgements.


def _lines(path: str, *lines: str) -> Break:
    return lambda folder: (folder / path).write_bytes("".join(f"{line}\n" for line in lines).encode())


def _append(path: str, *lines: str) -> Break:
    text = "".join(f"{line}\n" for line in lines)
    return lambda folder: (folder / path).write_bytes((folder / path).read_bytes() + text.encode())


def _texts(part: str, good: dict[str, str], *extra: tuple, **kinds: str) -> Break:
    return lambda folder: write_texts(folder / part / "Task.parquet", [*good.items(), *extra], **kinds)


def _judged(*extra: tuple, score_kind: str | None = "INTEGER") -> Break:
    rows = [*JUDGEMENTS, *extra]
    return lambda folder: write_judgements(folder / "qrels" / "Task.parquet", rows, score_kind)


def _columns(path: str, **columns: tuple[str, list]) -> Break:
    named = {name.replace("__", "-"): value for name, value in columns.items()}
    return lambda folder: write_parquet(folder / path, named)


def _metadata(text: str) -> Break:
    return lambda folder: (folder / "metadata" / "Task.json").write_text(text)


Q, C = dict(QUERIES), dict(CORPUS)
QP, CP, JP = "queries/Task.parquet", "corpus/Task.parquet", "qrels/Task.parquet"
ONE = ("VARCHAR", ["q1"])
DOC = ("VARCHAR", ["d1"])
CONTENT: dict[str, tuple[tuple[str, str, Break], ...]] = {
    "nano": (
        ("duplicate-document", CP, _texts("corpus", C, ("d1", "again"))),
        ("duplicate-query", QP, _texts("queries", Q, ("q1", "again"))),
        ("empty-document", CP, _texts("corpus", C, ("e", ""))),
        ("blank-document", CP, _texts("corpus", C, ("e", " \n\t"))),
        ("empty-query", QP, _texts("queries", {**Q, "q1": ""})),
        ("blank-query", QP, _texts("queries", {**Q, "q1": "   "})),
        ("null-document-id", CP, _texts("corpus", C, (None, "text"))),
        ("null-query-id", QP, _texts("queries", Q, (None, "text"))),
        ("null-document-text", CP, _texts("corpus", C, ("n", None))),
        ("null-query-text", QP, _texts("queries", {**Q, "q1": None})),
        ("empty-document-id", CP, _texts("corpus", C, ("", "text"))),
        ("empty-query-id", QP, _texts("queries", Q, ("", "text"))),
        ("nul-in-document", CP, _texts("corpus", C, ("n", "a\0b"))),
        ("nul-in-query", QP, _texts("queries", {**Q, "q1": "a\0b"})),
        ("nul-in-id", CP, _texts("corpus", C, ("n\0", "text"))),
        ("numbers-as-texts", CP, _texts("corpus", {"d1": 1}, text_kind="INTEGER")),
        ("lists-as-texts", QP, _texts("queries", {"q1": ["a"]}, text_kind="VARCHAR[]")),
        ("lists-as-ids", CP, _columns(CP, _id=("VARCHAR[]", [["d1"]]), text=DOC)),
        ("structs-as-ids", CP, _columns(CP, _id=("STRUCT(a INTEGER)", [{"a": 1}]), text=DOC)),
        ("fractions-as-ids", CP, _columns(CP, _id=("DOUBLE", [1.5]), text=DOC)),
        ("nan-as-id", CP, _columns(CP, _id=("DOUBLE", [float("nan")]), text=DOC)),
        ("inexact-float-id", CP, _columns(CP, _id=("DOUBLE", [2.0**60]), text=DOC)),
        ("blob-text", CP, _columns(CP, _id=DOC, text=("BLOB", [b"\xff\xfe"]))),
        ("id-not-_id", CP, _columns(CP, id=DOC, text=DOC)),
        ("doc_id-not-_id", CP, _columns(CP, doc_id=DOC, text=DOC)),
        ("contents-not-text", CP, _columns(CP, _id=DOC, contents=DOC)),
        ("Text-not-text", CP, _columns(CP, _id=DOC, Text=DOC)),
        ("query-not-text", QP, _columns(QP, _id=ONE, query=ONE)),
        ("only-ids", QP, _columns(QP, _id=ONE)),
        ("no-documents", CP, _texts("corpus", {})),
        ("no-queries", QP, _texts("queries", {})),
        ("no-judgements", JP, _columns(JP, query__id=("VARCHAR", []), corpus__id=("VARCHAR", []))),
        ("dangling-document", JP, _judged(("q1", "nowhere", 1))),
        ("dangling-query", JP, _judged(("nowhere", "d1", 1))),
        ("repeated-judgement", JP, _judged(("q1", "d1", 2))),
        ("conflicting-judgement", JP, _judged(("q1", "d1", 1))),
        ("unjudged-query", QP, _texts("queries", Q, ("q3", "nobody judged this"))),
        ("query-without-positive", QP, _columns(JP, query__id=ONE, corpus__id=DOC, score=("INTEGER", [0]))),
        ("null-judged-query", JP, _judged((None, "d1", 1))),
        ("null-judged-document", JP, _judged(("q1", None, 1))),
        ("null-grade", JP, _judged(("q1", "d2", None))),
        ("fraction-grade", JP, _judged(("q1", "d2", 0.5), score_kind="DOUBLE")),
        ("nan-grade", JP, _judged(("q1", "d2", float("nan")), score_kind="DOUBLE")),
        ("infinite-grade", JP, _judged(("q1", "d2", float("inf")), score_kind="DOUBLE")),
        ("huge-grade", JP, _judged(("q1", "d2", 2**40), score_kind="BIGINT")),
        ("word-grade", JP, _judged(("q1", "d2", "high"), score_kind="VARCHAR")),
        ("boolean-grade", JP, _columns(JP, query__id=ONE, corpus__id=DOC, score=("BOOLEAN", [True]))),
        ("date-grade", JP, _columns(JP, query__id=ONE, corpus__id=DOC, score=("DATE", ["2020-01-01"]))),
        ("relevance-not-score", JP, _columns(JP, query__id=ONE, corpus__id=DOC, relevance=("INTEGER", [1]))),
        ("query_id", JP, _columns(JP, query_id=ONE, corpus__id=DOC)),
        ("docid", JP, _columns(JP, query__id=ONE, docid=DOC)),
        ("qid-docid", JP, _columns(JP, qid=ONE, docid=DOC)),
        ("only-queries", JP, _columns(JP, query__id=ONE)),
        ("no-corpus-folder", "corpus", lambda f: shutil.rmtree(f / "corpus")),
        ("no-queries-folder", "queries", lambda f: shutil.rmtree(f / "queries")),
        ("no-qrels-folder", "qrels", lambda f: shutil.rmtree(f / "qrels")),
        ("no-tasks", "NanoX", lambda f: [p.unlink() for p in f.rglob("*.parquet")]),
        ("other-split", "queries/Other.parquet", lambda f: (f / CP).rename(f / "corpus/Other.parquet")),
        ("corpus-is-a-file", "corpus", lambda f: [shutil.rmtree(f / "corpus"), (f / "corpus").touch()]),
        ("both-forms", CP, lambda f: shutil.copy(f / CP, f / "corpus/Task-00000-of-00001.parquet")),
        (
            "missing-shard",
            "Task-00000-of-00002",
            lambda f: (f / CP).rename(f / "corpus/Task-00000-of-00002.parquet"),
        ),
        (
            "first-shard-missing",
            "00001-of-00002",
            lambda f: (f / CP).rename(f / "corpus/Task-00001-of-00002.parquet"),
        ),
        ("metadata-cut", "Task.json", _metadata('{"language": "en"')),
        ("metadata-list", "Task.json", _metadata('["en"]')),
        ("metadata-text", "Task.json", _metadata('"en"')),
        ("metadata-null", "Task.json", _metadata("null")),
        ("metadata-number", "Task.json", _metadata("1")),
        ("metadata-two-objects", "Task.json", _metadata("{}\n{}")),
        ("metadata-single-quotes", "Task.json", _metadata("{'language': 'en'}")),
        ("metadata-deep", "Task.json", _metadata("[" * 100_000)),
        ("language-number", "Task.json", _metadata('{"language": 1}')),
        ("language-list", "Task.json", _metadata('{"language": ["en"]}')),
        ("language-empty", "Task.json", _metadata('{"language": ""}')),
        ("language-sentence", "Task.json", _metadata('{"language": "the English one"}')),
        ("category-unknown", "Task.json", _metadata('{"category": "prose"}')),
        ("category-list", "Task.json", _metadata('{"category": ["code"]}')),
        ("category-number", "Task.json", _metadata('{"category": 3}')),
        ("shape-number", "Task.json", _metadata('{"shape": 7}')),
        ("shape-spaces", "Task.json", _metadata('{"shape": "text to code"}')),
        ("exclude-self-text", "Task.json", _metadata('{"exclude_self": "yes"}')),
        ("exclude-self-number", "Task.json", _metadata('{"exclude_self": 1}')),
        (
            "metadata-is-a-file",
            "metadata",
            lambda f: [shutil.rmtree(f / "metadata"), (f / "metadata").touch()],
        ),
    ),
    "candidates": tuple(
        (name, "bm25/Task.parquet", change)
        for name, change in (
            ("unknown-query", lambda f: write_candidates_file(f / "bm25/Task.parquet", {"zz": ["d1"]})),
            ("unknown-document", lambda f: write_candidates_file(f / "bm25/Task.parquet", {"q1": ["zz"]})),
            (
                "document-twice",
                lambda f: write_candidates_file(f / "bm25/Task.parquet", {"q1": ["d1", "d1"]}),
            ),
            ("null-document", lambda f: write_candidates_file(f / "bm25/Task.parquet", {"q1": [None]})),
            ("no-query", lambda f: write_candidates_file(f / "bm25/Task.parquet", {})),
            (
                "query-twice",
                _columns(
                    "bm25/Task.parquet",
                    query__id=("VARCHAR", ["q1", "q1"]),
                    corpus__ids=("VARCHAR[]", [["d1"], ["d2"]]),
                ),
            ),
            (
                "null-query",
                _columns(
                    "bm25/Task.parquet", query__id=("VARCHAR", [None]), corpus__ids=("VARCHAR[]", [["d1"]])
                ),
            ),
            ("null-ranking", _columns("bm25/Task.parquet", query__id=ONE, corpus__ids=("VARCHAR[]", [None]))),
            ("flat-documents", _columns("bm25/Task.parquet", query__id=ONE, corpus__ids=DOC)),
            (
                "nested-documents",
                _columns("bm25/Task.parquet", query__id=ONE, corpus__ids=("VARCHAR[][]", [[["d1"]]])),
            ),
            (
                "float-documents",
                _columns("bm25/Task.parquet", query__id=ONE, corpus__ids=("DOUBLE[]", [[1.5]])),
            ),
            ("corpus_ids", _columns("bm25/Task.parquet", query__id=ONE, corpus_ids=("VARCHAR[]", [["d1"]]))),
            ("query_id", _columns("bm25/Task.parquet", query_id=ONE, corpus__ids=("VARCHAR[]", [["d1"]]))),
            (
                "fewer-scores",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1", "d2"]]),
                    scores=("DOUBLE[]", [[1.0]]),
                ),
            ),
            (
                "more-scores",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1"]]),
                    scores=("DOUBLE[]", [[2.0, 1.0]]),
                ),
            ),
            (
                "null-scores",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1"]]),
                    scores=("DOUBLE[]", [None]),
                ),
            ),
            (
                "null-score",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1"]]),
                    scores=("DOUBLE[]", [[None]]),
                ),
            ),
            (
                "nan-score",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1"]]),
                    scores=("DOUBLE[]", [[float("nan")]]),
                ),
            ),
            (
                "word-scores",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1"]]),
                    scores=("VARCHAR[]", [["high"]]),
                ),
            ),
            (
                "flat-scores",
                _columns(
                    "bm25/Task.parquet",
                    query__id=ONE,
                    corpus__ids=("VARCHAR[]", [["d1"]]),
                    scores=("DOUBLE", [1.0]),
                ),
            ),
        )
    ),
    "beir": (
        *(
            (f"{name}-{stem}", f"{stem}.jsonl", _append(f"{stem}.jsonl", line))
            for stem in ("corpus", "queries")
            for name, line in (
                ("cut-line", '{"_id": "x", "text": "cu'),
                ("two-objects", '{"_id": "x", "text": "a"}{"_id": "y", "text": "b"}'),
                ("list", '["x", "text"]'),
                ("number", "7"),
                ("nan", "NaN"),
                ("python", "{'_id': 'x', 'text': 'a'}"),
                ("no-id", '{"text": "a"}'),
                ("id-not-_id", '{"id": "x", "text": "a"}'),
                ("null-id", '{"_id": null, "text": "a"}'),
                ("list-id", '{"_id": ["x"], "text": "a"}'),
                ("fraction-id", '{"_id": 1.5, "text": "a"}'),
                ("boolean-id", '{"_id": true, "text": "a"}'),
                ("deep", "[" * 100_000),
            )
        ),
        ("no-text", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x"}')),
        ("contents", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "contents": "a"}')),
        ("null-text", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "text": null}')),
        ("list-text", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "text": ["a"]}')),
        ("number-title", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "title": 1, "text": "a"}')),
        ("empty-text", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "title": "", "text": ""}')),
        ("surrogate", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "text": "\\ud800"}')),
        ("nul-escape", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "text": "a\\u0000b"}')),
        ("nul-byte", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "x", "text": "a\0b"}')),
        ("duplicate-document", "corpus.jsonl:5", _append("corpus.jsonl", '{"_id": "d1", "text": "a"}')),
        ("duplicate-query", "queries.jsonl:4", _append("queries.jsonl", '{"_id": "q1", "text": "a"}')),
        (
            "empty-query",
            "queries.jsonl",
            lambda f: write_jsonl(f / "queries.jsonl", [{"_id": q, "text": ""} for q in Q]),
        ),
        (
            "one-array",
            "corpus.jsonl",
            lambda f: (f / "corpus.jsonl").write_text(json.dumps([{"_id": "d1", "text": "a"}])),
        ),
        (
            "indented",
            "corpus.jsonl",
            lambda f: (f / "corpus.jsonl").write_text(json.dumps({"_id": "d1"}, indent=1)),
        ),
        ("two-columns", "test.tsv:6", _append("qrels/test.tsv", "q1\td2")),
        ("four-columns", "test.tsv:6", _append("qrels/test.tsv", "q1\t0\td2\t1")),
        ("spaces", "test.tsv:6", _append("qrels/test.tsv", "q1 d2 1")),
        ("word-grade", "test.tsv:6", _append("qrels/test.tsv", "q1\td2\thigh")),
        ("fraction-grade", "test.tsv:6", _append("qrels/test.tsv", "q1\td2\t0.5")),
        ("empty-grade", "test.tsv:6", _append("qrels/test.tsv", "q1\td2\t")),
        ("huge-grade", "test.tsv:6", _append("qrels/test.tsv", "q1\td2\t99999999999")),
        ("underscore-grade", "test.tsv:6", _append("qrels/test.tsv", "q1\td2\t1_0")),
        ("dangling-document", "test.tsv:6", _append("qrels/test.tsv", "q1\tnowhere\t1")),
        ("dangling-query", "test.tsv:6", _append("qrels/test.tsv", "nowhere\td1\t1")),
        ("repeated-judgement", "test.tsv:6", _append("qrels/test.tsv", "q1\td1\t2")),
        ("conflicting-judgement", "test.tsv:6", _append("qrels/test.tsv", "q1\td1\t1")),
        ("open-quote", "test.tsv", _append("qrels/test.tsv", '"q1\td2\t1')),
        ("no-header", "test.tsv:1", _lines("qrels/test.tsv", "q1\td1\t1", "q2\td2\t1")),
        ("other-header", "test.tsv:1", _lines("qrels/test.tsv", "qid\tdocid\trel", "q1\td1\t1")),
        ("comma-header", "test.tsv:1", _lines("qrels/test.tsv", "query-id,corpus-id,score", "q1,d1,1")),
        ("trec-qrels", "test.tsv:1", _lines("qrels/test.tsv", "q1 0 d1 1", "q2 0 d2 1")),
        ("only-header", "test.tsv", _lines("qrels/test.tsv", "query-id\tcorpus-id\tscore")),
        ("no-positive", "queries.jsonl", _lines("qrels/test.tsv", "query-id\tcorpus-id\tscore", "q1\td1\t0")),
        ("blank-lines", "test.tsv", _lines("qrels/test.tsv", "", "", "")),
        ("no-qrels", "qrels", lambda f: shutil.rmtree(f / "qrels")),
        ("no-splits", "qrels", lambda f: (f / "qrels/test.tsv").rename(f / "qrels/test.txt")),
        ("no-corpus", "corpus.jsonl", lambda f: (f / "corpus.jsonl").unlink()),
        ("no-queries", "queries.jsonl", lambda f: (f / "queries.jsonl").unlink()),
        ("both-forms", "corpus.jsonl", lambda f: (f / "corpus.jsonl.gz").write_bytes(gzip.compress(b"{}"))),
    ),
    "run": tuple(
        (name, f"a.run:{row}" if row else "a.run", change)
        for name, row, change in (
            ("five-columns", 8, _append("a.run", "q1 Q0 d9 3 7")),
            ("seven-columns", 8, _append("a.run", "q1 Q0 d9 3 7 tiny more")),
            ("qrels-line", 8, _append("a.run", "q1 0 d9 1")),
            ("one-word", 8, _append("a.run", "q1")),
            ("commas", 8, _append("a.run", "q1,Q0,d9,3,7,tiny")),
            ("document-twice", 8, _append("a.run", "q1 Q0 d1 3 7 tiny")),
            ("document-twice-same-line", 8, _append("a.run", "q1 Q0 d1 1 9 tiny")),
            ("nan", 8, _append("a.run", "q1 Q0 d9 3 nan tiny")),
            ("negative-nan", 8, _append("a.run", "q1 Q0 d9 3 -NaN tiny")),
            ("word", 8, _append("a.run", "q1 Q0 d9 3 high tiny")),
            ("comma-decimal", 8, _append("a.run", "q1 Q0 d9 3 0,5 tiny")),
            ("underscore", 8, _append("a.run", "q1 Q0 d9 3 1_0 tiny")),
            ("hexadecimal", 8, _append("a.run", "q1 Q0 d9 3 0x1p3 tiny")),
            ("nul", 8, _append("a.run", "q1 Q0 d\x009 3 7 tiny")),
            (
                "header",
                1,
                lambda f: (f / "a.run").write_text("query Q0 doc rank score tag\nq1 Q0 d1 1 9 t\n"),
            ),
            ("space-in-id", 8, _append("a.run", "q1 Q0 d 9 3 7 tiny")),
            (
                "latin-1",
                8,
                lambda f: (f / "a.run").write_bytes((f / "a.run").read_bytes() + b"q1 Q0 d\xe9 3 7 t\n"),
            ),
            ("blank-lines", 0, _lines("a.run", "", "   ", "\t")),
            ("json", 1, _lines("a.run", '{"q1": {"d1": 0.5}}')),
        )
    ),
    "qrels": tuple(
        (name, f"a.qrels:{row}" if row else "a.qrels", change)
        for name, row, change in (
            ("three-columns", 5, _append("a.qrels", "q1 d2 1")),
            ("five-columns", 5, _append("a.qrels", "q1 0 d2 1 1")),
            ("run-line", 5, _append("a.qrels", "q1 Q0 d2 1 0.5 tiny")),
            ("word-grade", 5, _append("a.qrels", "q1 0 d2 high")),
            ("fraction-grade", 5, _append("a.qrels", "q1 0 d2 0.5")),
            ("nan-grade", 5, _append("a.qrels", "q1 0 d2 nan")),
            ("infinite-grade", 5, _append("a.qrels", "q1 0 d2 inf")),
            ("huge-grade", 5, _append("a.qrels", "q1 0 d2 4294967296")),
            ("repeated", 5, _append("a.qrels", "q1 0 d1 2")),
            ("conflicting", 5, _append("a.qrels", "q1 0 d1 1")),
            ("nul", 5, _append("a.qrels", "q1 0 d\x002 1")),
            ("header", 1, lambda f: (f / "a.qrels").write_text("query-id 0 corpus-id score\nq1 0 d1 1\n")),
            ("beir", 1, _lines("a.qrels", "query-id\tcorpus-id\tscore", "q1\td1\t1")),
            ("blank-lines", 0, _lines("a.qrels", "", "  ")),
        )
    ),
}


def _cases() -> Iterator[tuple[str, str, str, Break]]:
    for kind, files in FILES.items():
        for file in files:
            damages = dict(DAMAGE)
            if file.endswith(".parquet"):
                damages |= PARQUET_DAMAGE
            elif not file.endswith(".json"):
                damages |= GZIP_DAMAGE
            for name, damage in damages.items():
                yield kind, f"{file}-{name}", file, lambda folder, d=damage, f=file: d(folder / f)
    for kind, contents in CONTENT.items():
        for name, named, change in contents:
            yield kind, name, named, change


CASES = list(_cases())


def test_there_are_enough_cases_and_none_twice():
    assert len(CASES) >= 200
    assert len({case[:2] for case in CASES}) == len(CASES)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One sound input of every kind, to be copied and broken."""
    root = tmp_path_factory.mktemp("sound")
    for kind in KINDS:
        KINDS[kind].build(root / kind)
    return {kind: root / kind for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_sound_input_loads(kind: str, tmp_path: Path):
    KINDS[kind].build(tmp_path / "NanoX")
    assert KINDS[kind].read(tmp_path / "NanoX")


@pytest.mark.parametrize(("kind", "name", "named", "change"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_malformed_input_ends_in_one_error(
    kind: str, name: str, named: str, change: Break, tmp_path: Path, sound: dict
):
    folder = tmp_path / "NanoX"
    shutil.copytree(sound[kind], folder)
    change(folder)
    if name.endswith(("gz-cut-short", "gz-not-compressed", "gz-empty-text", "gz-wrong-checksum")):
        _read_gz_instead(kind, folder)
    before = _tree(tmp_path)
    with pytest.raises(HakariError) as caught, _as_somebody_else(name.endswith("not-permitted"), tmp_path):
        _read(kind, folder)
    assert isinstance(caught.value, InvalidInput)
    assert named in caught.value.message
    assert caught.value.hint
    assert all(fault.hint for fault in caught.value.faults)
    assert _tree(tmp_path) == before


def _read_gz_instead(kind: str, folder: Path) -> None:
    """Runs and judgements are read by their exact name, so the compressed file is the one asked for."""
    if kind in ("run", "qrels"):
        (folder / "asked-for").touch()


def _read(kind: str, folder: Path) -> object:
    if (folder / "asked-for").exists():
        return (read_run if kind == "run" else read_qrels)(folder / f"a.{kind}.gz")
    return KINDS[kind].read(folder)


def _tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything below a folder, so that anything left behind is noticed."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            status = os.lstat(os.path.join(root, name))
            kind = stat.S_IFMT(status.st_mode)
            found[os.path.join(root, name)] = (kind, 0 if name in folders else status.st_size)
    return found


@contextmanager
def _as_somebody_else(wanted: bool, folder: Path) -> Iterator[None]:
    """Root may read everything, so the tests give that up for the time of reading."""
    if not wanted or os.geteuid() != 0:
        yield
        return
    for part in folder.parents:
        if "pytest" in part.name:
            part.chmod(0o755)
    for part in (folder, *folder.rglob("*")):
        if part.is_dir():
            part.chmod(0o777)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
