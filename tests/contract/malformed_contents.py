"""Well-formed files that are no task, run or judgements: a name, what the error has to name, the change."""

from __future__ import annotations

import gzip
import json
import shutil

from data_builders import (
    CORPUS,
    JUDGEMENTS,
    QUERIES,
    write_jsonl,
    write_judgements,
    write_parquet,
    write_texts,
)
from malformed_files import Break


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


def _ranked(*rankings: object, queries: list | None = None, kind: str = "VARCHAR[]") -> dict[str, tuple]:
    return {"query__id": ("VARCHAR", queries or ["q1"]), "corpus__ids": (kind, list(rankings))}


def _scored(*scores: object, kind: str = "DOUBLE[]") -> dict[str, tuple]:
    return {"scores": (kind, list(scores))}


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
        (name, "bm25/Task.parquet", _columns("bm25/Task.parquet", **columns))
        for name, columns in (
            ("unknown-query", _ranked(["d1"], queries=["zz"])),
            ("unknown-document", _ranked(["zz"])),
            ("document-twice", _ranked(["d1", "d1"])),
            ("null-document", _ranked([None])),
            ("no-query", {"query__id": ("VARCHAR", []), "corpus__ids": ("VARCHAR[]", [])}),
            ("query-twice", _ranked(["d1"], ["d2"], queries=["q1", "q1"])),
            ("null-query", _ranked(["d1"], queries=[None])),
            ("null-ranking", _ranked(None)),
            ("flat-documents", _ranked("d1", kind="VARCHAR")),
            ("nested-documents", _ranked([["d1"]], kind="VARCHAR[][]")),
            ("float-documents", _ranked([1.5], kind="DOUBLE[]")),
            ("corpus_ids", {"query__id": ONE, "corpus_ids": ("VARCHAR[]", [["d1"]])}),
            ("query_id", {"query_id": ONE, "corpus__ids": ("VARCHAR[]", [["d1"]])}),
            ("fewer-scores", _ranked(["d1", "d2"]) | _scored([1.0])),
            ("more-scores", _ranked(["d1"]) | _scored([2.0, 1.0])),
            ("null-scores", _ranked(["d1"]) | _scored(None)),
            ("null-score", _ranked(["d1"]) | _scored([None])),
            ("nan-score", _ranked(["d1"]) | _scored([float("nan")])),
            ("word-scores", _ranked(["d1"]) | _scored(["high"], kind="VARCHAR[]")),
            ("flat-scores", _ranked(["d1"]) | _scored(1.0, kind="DOUBLE")),
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
