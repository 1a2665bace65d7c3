"""Small nano sets, BEIR folders and TREC files on disk, for tests that read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

QUERIES: Mapping[str, str] = {"q1": "sort a list", "q2": "open a file", "q10": "join two strings"}
CORPUS: Mapping[str, str] = {
    "d1": "def sort(items): return sorted(items)",
    "d2": "def read(path): return open(path).read()",
    "d9": "def join(a, b): return a + b",
    "d10": "def nothing(): pass",
}
JUDGEMENTS: Sequence[tuple[str, str, int]] = (
    ("q1", "d1", 2),
    ("q2", "d2", 1),
    ("q10", "d9", 1),
    ("q10", "d10", -1),
)
RANKINGS: Mapping[str, Sequence[str]] = {"q1": ["d1", "d2"], "q2": ["d9", "d2", "d1"], "q10": ["d10", "d9"]}
METADATA: Mapping[str, Any] = {"language": "en", "category": "code", "shape": "text-to-code"}


def write_parquet(path: Path, columns: Mapping[str, tuple[str, Iterable[Any]]]) -> Path:
    """Columns by name, each a DuckDB type and its values; nothing about them is checked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    selected = ", ".join(f'unnest(CAST(? AS {kind}[])) AS "{name}"' for name, (kind, _) in columns.items())
    with duckdb.connect(":memory:", config={"threads": 1}) as con:
        target = str(path).replace("'", "''")
        con.execute(
            f"COPY (SELECT {selected}) TO '{target}' (FORMAT parquet)", [list(v) for _, v in columns.values()]
        )
    return path


def write_texts(path: Path, texts: Mapping[str, str] | Iterable[tuple[Any, Any]], **kinds: str) -> Path:
    """A corpus or queries file of the nano layout; `id_kind` and `text_kind` are DuckDB types."""
    rows = list(texts.items()) if isinstance(texts, Mapping) else list(texts)
    return write_parquet(
        path,
        {
            "_id": (kinds.get("id_kind", "VARCHAR"), [row[0] for row in rows]),
            "text": (kinds.get("text_kind", "VARCHAR"), [row[1] for row in rows]),
        },
    )


def write_judgements(
    path: Path, judgements: Iterable[Sequence[Any]], score_kind: str | None = "INTEGER"
) -> Path:
    """A judgement file of the nano layout, without scores where `score_kind` is None."""
    rows = list(judgements)
    columns: dict[str, tuple[str, Iterable[Any]]] = {
        "query-id": ("VARCHAR", [row[0] for row in rows]),
        "corpus-id": ("VARCHAR", [row[1] for row in rows]),
    }
    if score_kind is not None:
        columns["score"] = (score_kind, [row[2] for row in rows])
    return write_parquet(path, columns)


def write_candidates_file(path: Path, rankings: Mapping[str, Sequence[str]] = RANKINGS) -> Path:
    """A candidate file of the nano layout, without scores."""
    columns = {
        "query-id": ("VARCHAR", list(rankings)),
        "corpus-ids": ("VARCHAR[]", [list(r) for r in rankings.values()]),
    }
    return write_parquet(path, columns)


def write_nano(
    folder: Path,
    split: str = "Task",
    *,
    queries: Mapping[str, str] = QUERIES,
    corpus: Mapping[str, str] = CORPUS,
    judgements: Iterable[Sequence[Any]] = JUDGEMENTS,
    metadata: Mapping[str, Any] | None = METADATA,
    candidates: bool = False,
) -> Path:
    """One task in the flat nano layout; returns the folder of the set."""
    write_texts(folder / "corpus" / f"{split}.parquet", corpus)
    write_texts(folder / "queries" / f"{split}.parquet", queries)
    write_judgements(folder / "qrels" / f"{split}.parquet", judgements)
    if metadata is not None:
        (folder / "metadata").mkdir(exist_ok=True)
        (folder / "metadata" / f"{split}.json").write_text(json.dumps(metadata), encoding="utf-8")
    if candidates:
        write_candidates_file(folder / "bm25" / f"{split}.parquet")
    return folder


def write_jsonl(path: Path, items: Iterable[Mapping[str, Any]]) -> Path:
    """One JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
    return path


def write_beir(folder: Path, split: str = "test", judgements: Iterable[Sequence[Any]] = JUDGEMENTS) -> Path:
    """A BEIR folder with one split; returns it."""
    write_jsonl(
        folder / "corpus.jsonl", ({"_id": i, "title": "", "text": text} for i, text in CORPUS.items())
    )
    write_jsonl(folder / "queries.jsonl", ({"_id": i, "text": text} for i, text in QUERIES.items()))
    (folder / "qrels").mkdir(exist_ok=True)
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, judgement)) for judgement in judgements)]
    (folder / "qrels" / f"{split}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write_trec_run(path: Path, rankings: Mapping[str, Sequence[str]] = RANKINGS, tag: str = "tiny") -> Path:
    """A TREC run whose scores fall from 9."""
    lines = [
        f"{query} Q0 {document} {rank} {10 - rank} {tag}"
        for query, documents in rankings.items()
        for rank, document in enumerate(documents, 1)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_trec_qrels(path: Path, judgements: Iterable[Sequence[Any]] = JUDGEMENTS) -> Path:
    """TREC judgements."""
    path.write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in judgements), encoding="utf-8")
    return path
