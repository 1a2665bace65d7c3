"""What a recipe draws from: streams of documents, queries and judgements, whatever files they lie in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakari.errors import UsageError
from hakari.io.files import names_in, shown
from hakari.io.parts import join_title
from hakari.nano import sources_trec as trec
from hakari.nano.draft import Stage
from hakari.nano.sources_cells import Item, Judged, as_grade, as_id, as_text
from hakari.nano.sources_roles import HEADER_NAMES, Roles
from hakari.nano.sources_tables import FaultLog, Table, open_table

SPLITS = ("test", "dev", "validation", "train")
"""Of several splits of judgements, the first of these is taken."""


@dataclass
class Source:
    """A collection of any size; each stream can be read as often as needed."""

    name: str
    corpus: Callable[[], Iterator[Item]]
    queries: Callable[[], Iterator[Item]]
    judgements: Callable[[], Iterator[Judged]]
    faults: FaultLog
    judged_in: str
    """The file of the judgements."""
    roles: list[str] = field(default_factory=list)
    """Which columns were taken for what."""
    relevant_wins: bool = False
    """Whether a document that is both relevant and not for one query is relevant; else that is a fault."""
    stages: Callable[[], Sequence[Stage]] = tuple
    """What became of the rows of the source before there were documents and queries; known when it was read."""
    origin: str | None = None
    """What accounts call it; without it, the name of its file."""


@dataclass(frozen=True)
class Files:
    """The files of a source and what is known better than their names say."""

    corpus: Sequence[Path]
    queries: Sequence[Path]
    qrels: Sequence[Path]
    columns: Mapping[str, str] = field(default_factory=dict)
    topic_field: str = "title"


def from_beir(folder: Path, split: str | None = None, columns: Mapping[str, str] | None = None) -> Source:
    """A BEIR folder: `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`, each also as `.gz`."""
    faults = FaultLog(f"the BEIR folder `{folder}`")
    names = names_in(folder / "qrels", faults)
    faults.raise_found()
    by_split = {name.removesuffix(".gz").removesuffix(".tsv"): name for name in names if ".tsv" in name}
    if not by_split:
        hint = f"add {folder / 'qrels' / 'test.tsv'} with the header `query-id<TAB>corpus-id<TAB>score`"
        faults.add("holds no judgements", (str(folder / "qrels"), None), hint)
        faults.raise_found()
    known = ", ".join(f"`{name}`" for name in by_split)
    if split is not None and split not in by_split:
        raise UsageError(f"`{folder}` has no split {shown(split)}", f"it has {known}")
    chosen = split or next((name for name in SPLITS if name in by_split), min(by_split))
    texts = [
        path if os.path.lexists(path) else path.with_name(path.name + ".gz")
        for path in (folder / "corpus.jsonl", folder / "queries.jsonl")
    ]
    for i, path in enumerate(texts):
        if not os.path.lexists(path):
            texts[i] = path.with_name(path.name.removesuffix(".gz"))
    files = Files([texts[0]], [texts[1]], [folder / "qrels" / by_split[chosen]], columns or {})
    source = from_tables(files, faults)
    if split is None and len(by_split) > 1:
        source.roles.append(f"split `{chosen}` of {known}")
    return source


def in_folder(folder: Path, columns: Mapping[str, str] | None = None) -> Files:
    """The tables of a folder by their names: those that begin with `corpus`, `queries` and `qrels`."""
    faults = FaultLog(f"the folder `{folder}`")
    names = names_in(folder, faults)
    found: list[list[Path]] = []
    for part, starts in (
        ("corpus", ("corpus", "documents", "docs", "passages", "collection")),
        ("queries", ("quer", "topics", "questions")),
        ("qrels", ("qrels", "judgements", "judgments", "relevance")),
    ):
        paths = [folder / name for name in names if name.lower().startswith(starts)]
        if not paths and not faults:
            option = {"corpus": "--corpus", "queries": "--queries-file", "qrels": "--qrels"}[part]
            what = f"has no file or folder whose name begins with `{part}`"
            faults.add(what, (str(folder), None), f"say where it is with `{option} FILE`")
        found.append(paths)
    faults.raise_found()
    return Files(found[0], found[1], found[2], columns or {})


def from_tables(files: Files, faults: FaultLog | None = None) -> Source:
    """Tables of documents, queries and judgements: Parquet, JSONL, TSV or CSV in any mixture."""
    faults = faults if faults is not None else FaultLog("the source")
    roles = Roles(files.columns)
    corpus, queries, qrels = (
        open_table(paths, faults, HEADER_NAMES) for paths in (files.corpus, files.queries, files.qrels)
    )
    corpus_columns = roles.of(corpus, "corpus.id", "corpus.text", "corpus.title")
    query_columns = roles.of(queries, "query.id", "query.text")
    if qrels.files and qrels.files == queries.files and "qrels.query" not in roles.given:
        # Rows of one table that hold queries and judgements at once: the id of a query is one column.
        roles.given = {**roles.given, "qrels.query": query_columns[0] or ""}
    qrels_columns = roles.of(qrels, "qrels.query", "qrels.corpus", "qrels.score")
    faults.raise_found()
    return Source(
        str(files.corpus[0]),
        lambda: _items(corpus, corpus_columns),
        lambda: _items(queries, query_columns),
        lambda: _judged(qrels, qrels_columns),
        faults,
        qrels.name,
        roles.taken,
    )


def from_trec(files: Files) -> Source:
    """TREC topics and judgements with a table of documents."""
    faults = FaultLog("the TREC collection")
    roles = Roles(files.columns)
    corpus = open_table(files.corpus, faults, HEADER_NAMES)
    columns = roles.of(corpus, "corpus.id", "corpus.text", "corpus.title")
    for path in (*files.queries, *files.qrels):
        if os.path.lexists(path) and not os.path.isdir(path) and not os.path.isfile(path):
            if os.path.islink(path):
                faults.add("is a link that leads nowhere", (str(path), None), f"check `ls -l {path}`")
            else:
                faults.add("is not a regular file", (str(path), None), "save it to a file")
    faults.raise_found()
    return Source(
        str(files.corpus[0]),
        lambda: _items(corpus, columns),
        lambda: trec.topics(files.queries, files.topic_field, faults),
        lambda: trec.judgements(files.qrels, faults),
        faults,
        str(files.qrels[0]),
        roles.taken,
    )


def _items(table: Table, columns: Sequence[str | None]) -> Iterator[Item]:
    faults = table.faults
    id_column, text_column, *rest = columns
    titled = bool(rest) and rest[0] is not None
    for place, values in table.rows(columns):
        name = as_id(values[0], id_column, place, faults)
        text = as_text(values[1], text_column, place, faults)
        if titled:
            text = join_title(as_text(values[2], rest[0], place, faults), text)
        yield Item(place, name, text)


def _judged(table: Table, columns: Sequence[str | None]) -> Iterator[Judged]:
    for place, values in table.rows(columns):
        query = as_id(values[0], columns[0], place, table.faults)
        document = as_id(values[1], columns[1], place, table.faults)
        grade = 1.0 if columns[2] is None else as_grade(values[2], columns[2], place, table.faults)
        yield Judged(place, query, document, grade)
