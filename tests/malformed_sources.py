"""Sources to build nano sets from, sound ones and those with something wrong."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

from data_builders import write_parquet

Break = Callable[[Path], object]
SMALL = ("--queries", 5, "--documents", 10)
DOCUMENTS = [{"_id": f"d{i}", "title": "", "text": f"document number {i}"} for i in range(12)]
QUERIES = [{"_id": f"q{i}", "text": f"query number {i}"} for i in range(4)]
QRELS = "query-id\tcorpus-id\tscore\n" + "".join(f"q{i}\td{i}\t1\n" for i in range(4))
TOPICS = "".join(
    f"<top>\n<num> Number: {i}\n<title> topic {i}\n<desc> Description:\nmore of {i}\n</top>\n"
    for i in range(4)
)


def write_lines(path: Path, items: list) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")


def write_sound(folder: Path) -> None:
    """A sound source of every kind, side by side."""
    write_lines(folder / "beir" / "corpus.jsonl", DOCUMENTS)
    write_lines(folder / "beir" / "queries.jsonl", QUERIES)
    (folder / "beir" / "qrels").mkdir()
    (folder / "beir" / "qrels" / "test.tsv").write_text(QRELS)
    write_parquet(
        folder / "tables" / "corpus.parquet",
        {
            "docid": ("VARCHAR", [f"d{i}" for i in range(12)]),
            "body": ("VARCHAR", [f"body {i}" for i in range(12)]),
        },
    )
    write_parquet(
        folder / "tables" / "queries.parquet",
        {"qid": ("INTEGER", range(4)), "query": ("VARCHAR", [f"what {i}" for i in range(4)])},
    )
    write_parquet(
        folder / "tables" / "qrels.parquet",
        {
            "qid": ("INTEGER", range(4)),
            "docid": ("VARCHAR", [f"d{i}" for i in range(4)]),
            "rel": ("DOUBLE", [1.0] * 4),
        },
    )
    write_lines(
        folder / "trec" / "corpus.jsonl", [{"docno": f"d{i}", "contents": f"text {i}"} for i in range(9)]
    )
    (folder / "trec" / "topics.txt").write_text(TOPICS)
    (folder / "trec" / "qrels.txt").write_text("".join(f"{i} 0 d{i} 1\n" for i in range(4)))
    write_lines(
        folder / "pairs" / "pairs.jsonl", [{"query": f"q {i}", "positive": f"p {i}"} for i in range(6)]
    )
    (folder / "code").mkdir()
    (folder / "code" / "empty.py").write_text("x = 1\n")


ARGUMENTS: dict[str, tuple[object, ...]] = {
    "beir": ("beir", "beir", *SMALL),
    "tables": ("parquet", "tables", *SMALL),
    "trec": (
        "trec", "--topics", "trec/topics.txt", "--qrels", "trec/qrels.txt", "--corpus", "trec/corpus.jsonl", *SMALL,
    ),
    "pairs": ("pairs", "pairs/pairs.jsonl", *SMALL),
    "code": ("code", "code"),
}  # fmt: skip


def write(name: str, data: bytes | str) -> Break:
    def damage(folder: Path) -> None:
        path = folder / name
        if isinstance(data, bytes):
            path.write_bytes(data)
        else:
            path.write_text(data, encoding="utf-8")

    return damage


def append(name: str, data: bytes | str) -> Break:
    def damage(folder: Path) -> None:
        with open(folder / name, "ab") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    return damage


def edit(name: str, change: Callable[[bytes], bytes]) -> Break:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def replace_by(name: str, make: Break) -> Break:
    def damage(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return damage


def remove(name: str) -> Break:
    return lambda folder: (folder / name).unlink()


def gzipped(name: str, change: Callable[[bytes], bytes]) -> Break:
    def damage(folder: Path) -> None:
        data = gzip.compress((folder / name).read_bytes(), mtime=0)
        (folder / name).unlink()
        (folder / (name + ".gz")).write_bytes(change(data))

    return damage


def _parquet(name: str, **columns: tuple[str, list]) -> Break:
    return lambda folder: write_parquet(folder / name, columns)


def _swap(name: str, old: str, new: str) -> Break:
    return edit(name, lambda data: data.replace(old.encode(), new.encode()))


CORPUS, ASKED, TSV = "beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/test.tsv"
PARQUET, ROWS, TABLE = "tables/corpus.parquet", "tables/qrels.parquet", "tables/queries.parquet"
TOPICS_FILE, TREC, PAIRS = "trec/topics.txt", "trec/qrels.txt", "pairs/pairs.jsonl"

# Name: kind of source, what is done to it, and what the error has to say.
CASES: dict[str, tuple[str, Break, str]] = {
    "no-folder": ("beir", lambda f: (f / "beir").rename(f / "away"), "no such folder"),
    "a-file-for-a-folder": (
        "beir",
        lambda f: ((f / "beir").rename(f / "away"), (f / "beir").touch()),
        "not a folder",
    ),
    "no-corpus": ("beir", remove(CORPUS), "corpus.jsonl: no such file"),
    "no-queries": ("beir", remove(ASKED), "queries.jsonl: no such file"),
    "no-qrels": ("beir", remove(TSV), "holds no judgements"),
    "empty-corpus": ("beir", write(CORPUS, ""), "corpus.jsonl: is empty"),
    "empty-queries": ("beir", write(ASKED, ""), "queries.jsonl: is empty"),
    "empty-qrels": ("beir", write(TSV, ""), "test.tsv: is empty"),
    "blank-lines-alone": ("beir", write(CORPUS, "\n\n \n"), "is empty"),
    "header-alone": ("beir", write(TSV, "query-id\tcorpus-id\tscore\n"), "there are no judgements"),
    "broken-json": ("beir", append(CORPUS, '{"_id": "d99", "text": \n'), "corpus.jsonl:13: is not JSON"),
    "json-in-json": ("beir", append(CORPUS, "[" * 100_000 + "\n"), "corpus.jsonl:13: is not JSON"),
    "an-array": ("beir", write(CORPUS, json.dumps(DOCUMENTS)), "is a JSON list"),
    "a-number": ("beir", append(CORPUS, "7\n"), ":13: is a JSON int"),
    "invalid-utf-8": ("beir", append(CORPUS, b'{"_id": "d99", "text": "caf\xe9"}\n'), ":13: byte 0xe9"),
    "utf-16": ("beir", edit(CORPUS, lambda d: d.decode().encode("utf-16")), "is UTF-16"),
    "nul-byte": ("beir", append(CORPUS, b'{"_id": "d99", "text": "a\0b"}\n'), ":13: NUL byte"),
    "escaped-nul": (
        "beir",
        append(CORPUS, '{"_id": "d99", "text": "a\\u0000b"}\n'),
        ":13: the text of a document",
    ),
    "nul-in-id": (
        "beir",
        append(CORPUS, '{"_id": "d\\u0000", "text": "ab"}\n'),
        ":13: the id of a document",
    ),
    "half-a-surrogate": ("beir", append(CORPUS, '{"_id": "d99", "text": "\\ud800"}\n'), "lone surrogate"),
    "gzip-without-suffix": ("beir", edit(CORPUS, gzip.compress), "is not UTF-8"),
    "zeros": ("beir", edit(CORPUS, lambda d: bytes(len(d))), "NUL byte"),
    "html": ("beir", write(CORPUS, "<html>\n<body>404</body>\n"), "corpus.jsonl:1: is not JSON"),
    "gz-cut-short": (
        "beir",
        gzipped(CORPUS, lambda d: d[: len(d) // 2]),
        "corpus.jsonl.gz: cannot be decompressed",
    ),
    "gz-not-compressed": ("beir", gzipped(CORPUS, gzip.decompress), "cannot be decompressed"),
    "gz-wrong-checksum": ("beir", gzipped(CORPUS, lambda d: d[:-8] + bytes(8)), "cannot be decompressed"),
    "other-columns": ("beir", write(CORPUS, '{"a": 1, "b": 2}\n'), "looks like corpus.id"),
    "no-text-column": ("beir", write(CORPUS, '{"_id": "d1", "b": 2}\n'), "looks like corpus.text"),
    "text-is-a-list": ("beir", append(CORPUS, '{"_id": "d99", "text": ["a"]}\n'), ":13: `text` is"),
    "text-is-a-number": ("beir", append(CORPUS, '{"_id": "d99", "text": 5}\n'), ":13: `text` is"),
    "title-is-a-number": (
        "beir",
        append(CORPUS, '{"_id": "d99", "text": "a", "title": 5}\n'),
        ":13: `title` is",
    ),
    "id-missing": ("beir", append(CORPUS, '{"text": "hello"}\n'), ":13: the id in `_id` is missing"),
    "id-empty": ("beir", append(CORPUS, '{"_id": "", "text": "hello"}\n'), ":13: the id in `_id` is empty"),
    "id-fraction": (
        "beir",
        append(CORPUS, '{"_id": 1.5, "text": "hello"}\n'),
        ":13: the id in `_id` is `1.5`",
    ),
    "id-true": (
        "beir",
        append(CORPUS, '{"_id": true, "text": "hello"}\n'),
        ":13: the id in `_id` is `True`",
    ),
    "id-infinite": (
        "beir",
        append(CORPUS, '{"_id": 1e999, "text": "hello"}\n'),
        ":13: the id in `_id` is `inf`",
    ),
    "id-twice": (
        "beir",
        append(CORPUS, '{"_id": "d1", "text": "other"}\n'),
        ":13: duplicate document id `d1`",
    ),
    "query-id-twice": (
        "beir",
        append(ASKED, '{"_id": "q1", "text": "other"}\n'),
        ":5: duplicate query id `q1`",
    ),
    "dangling-document": (
        "beir",
        append(TSV, "q1\tnowhere\t1\n"),
        "documents that are not there, such as `nowhere`",
    ),
    "dangling-query": (
        "beir",
        append(TSV, "nobody\td1\t1\n"),
        "queries that are not there, such as `nobody`",
    ),
    "no-positive": ("beir", _swap(TSV, "\t1\n", "\t0\n"), "no judgement is relevant"),
    "blank-positives": ("beir", edit(CORPUS, lambda d: _blank(d, 4)), "no query has a relevant document"),
    "judged-twice": (
        "beir",
        append(TSV, "q1\td1\t2\n"),
        "test.tsv:6: query `q1` and document `d1` are judged twice",
    ),
    "score-a-word": ("beir", append(TSV, "q1\td2\tyes\n"), "test.tsv:6: the score in `score` `yes`"),
    "score-nan": ("beir", append(TSV, "q1\td2\tnan\n"), "test.tsv:6: the score in `score` `nan`"),
    "score-empty": ("beir", append(TSV, "q1\td2\t\n"), "test.tsv:6: the score in `score`"),
    "too-few-columns": ("beir", append(TSV, "q1\td2\n"), "test.tsv:6: has 2 columns"),
    "spaces-for-tabs": ("beir", write(TSV, "query-id corpus-id score\nq1 d1 1\n"), "looks like qrels"),
    "corpus-a-folder": ("beir", replace_by(CORPUS, Path.mkdir), "is a folder without tables"),
    "link-to-itself": ("beir", replace_by(CORPUS, lambda p: p.symlink_to(p.name)), "corpus.jsonl: "),
    "link-to-nothing": (
        "beir",
        replace_by(CORPUS, lambda p: p.symlink_to("nowhere")),
        "corpus.jsonl: no such file",
    ),
    "loop-of-links": (
        "beir",
        replace_by(CORPUS, lambda p: (p.symlink_to("other"), p.with_name("other").symlink_to(p.name))),
        "corpus.jsonl: cannot be read",
    ),
    "a-pipe": ("beir", replace_by(CORPUS, os.mkfifo), "is not a regular file"),
    "not-permitted": ("beir", lambda f: (f / CORPUS).chmod(0), "may not be read"),
    "folder-not-permitted": ("beir", lambda f: (f / "beir/qrels").chmod(0), "may not be listed"),
    "parquet-empty": ("tables", write(PARQUET, b""), "corpus.parquet: cannot be read as Parquet"),
    "parquet-first-half": ("tables", edit(PARQUET, lambda d: d[: len(d) // 2]), "cannot be read as Parquet"),
    "parquet-no-last-byte": ("tables", edit(PARQUET, lambda d: d[:-1]), "cannot be read as Parquet"),
    "parquet-only-magic": ("tables", write(PARQUET, b"PAR1PAR1"), "cannot be read as Parquet"),
    "parquet-damaged-page": (
        "tables",
        edit(PARQUET, lambda d: d[:8] + b"\xff" * 40 + d[48:]),
        "corpus.parquet",
    ),
    "parquet-is-csv": ("tables", write(PARQUET, "_id,text\nd1,a\n"), "cannot be read as Parquet"),
    "parquet-no-rows": (
        "tables",
        _parquet(PARQUET, docid=("VARCHAR", []), body=("VARCHAR", [])),
        "there are no documents",
    ),
    "parquet-other-columns": ("tables", _parquet(PARQUET, a=("INTEGER", [1])), "corpus.parquet: no column"),
    "parquet-null-id": (
        "tables",
        _parquet(PARQUET, docid=("VARCHAR", [None]), body=("VARCHAR", ["a"])),
        ":1: the id",
    ),
    "parquet-text-numbers": (
        "tables",
        _parquet(PARQUET, docid=("VARCHAR", ["d1"]), body=("INTEGER", [1])),
        "not a text",
    ),
    "parquet-score-words": (
        "tables",
        _parquet(ROWS, qid=("INTEGER", [1]), docid=("VARCHAR", ["d1"]), rel=("VARCHAR", ["good"])),
        "qrels.parquet:1: the score in `rel` `good`",
    ),
    "ids-of-two-kinds": (
        "tables",
        _parquet(TABLE, qid=("VARCHAR", ["q1"]), query=("VARCHAR", ["a"])),
        "queries that are not there",
    ),
    "no-table-of-queries": ("tables", remove(TABLE), "begins with `queries`"),
    "trec-no-topics": ("trec", remove(TOPICS_FILE), "topics.txt: no such file"),
    "trec-empty-topics": ("trec", write(TOPICS_FILE, ""), "topics.txt: is empty"),
    "trec-topic-not-closed": (
        "trec",
        append(TOPICS_FILE, "<top>\n<num> 9\n<title> x\n"),
        ":25: `<top>` is never closed",
    ),
    "trec-topic-in-topic": ("trec", append(TOPICS_FILE, "<top>\n<top>\n"), ":26: `<top>` within"),
    "trec-topic-without-number": (
        "trec",
        append(TOPICS_FILE, "<top>\n<title> x\n</top>\n"),
        ":25: the topic has no `<num>`",
    ),
    "trec-topic-without-title": (
        "trec",
        append(TOPICS_FILE, "<top>\n<num> 9\n</top>\n"),
        ":25: the topic has no `<title>`",
    ),
    "trec-topics-without-tab": ("trec", write(TOPICS_FILE, "1 sort a list\n"), "has no tab"),
    "trec-run-for-qrels": ("trec", write(TREC, "1 Q0 d1 1 0.5 tag\n"), "qrels.txt:1: has 6 columns"),
    "trec-qrels-empty": ("trec", write(TREC, ""), "qrels.txt: is empty"),
    "trec-grade-a-word": ("trec", append(TREC, "1 0 d5 high\n"), "qrels.txt:5: the score"),
    "pairs-other-columns": ("pairs", write(PAIRS, '{"a": "b", "c": "d"}\n'), "with `--query NAME`"),
    "pairs-all-blank": ("pairs", write(PAIRS, '{"query": "", "positive": ""}\n'), "there are no documents"),
    "pairs-positive-an-object": (
        "pairs",
        append(PAIRS, '{"query": "a", "positive": {"b": 1}}\n'),
        ":7: `positive` is",
    ),
    "pairs-unknown-kind": ("pairs", remove(PAIRS), "no such file"),
    "code-without-functions": ("code", lambda f: None, "makes a task"),
    "code-no-python": ("code", remove("code/empty.py"), "no source files"),
    "code-broken": ("code", write("code/empty.py", b"def f(:\n\xff"), "makes a task"),
    "code-link-to-itself": (
        "code",
        lambda f: ((f / "code").rename(f / "away"), (f / "code").symlink_to("code")),
        "`code`",
    ),
}  # fmt: skip


def _blank(data: bytes, count: int) -> bytes:
    items = [json.loads(line) for line in data.splitlines()]
    for item in items[:count]:
        item["text"] = "  "
    return "".join(json.dumps(item) + "\n" for item in items).encode()
