"""Candidate rankings shipped with a nano set: `query-id`, `corpus-ids` and, where known, `scores`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault
from hakari.io.files import connect, raise_faults, shown
from hakari.io.nano import SHARD, part_files
from hakari.io.nano_write import written_parquet
from hakari.io.parquet import Table, family
from hakari.io.settle import keeps_order, ranks_as_scores, strictly_falling
from hakari.types import Run, Task


@dataclass
class _Rankings:
    """Rankings by the row number of their query, as documents and scores in the order given."""

    documents: dict[int, npt.NDArray[np.int32]] = field(default_factory=dict)
    scores: dict[int, npt.NDArray[np.float32]] = field(default_factory=dict)


def load_candidates(path: Path, task: Task) -> Run:
    """The candidates of a task as a run, in the order given, tagged with the name of their configuration.

    Where scores are missing or would sort into another order, ranks take their place.
    """
    faults: list[Fault] = []
    sharded = SHARD.fullmatch(path.stem)
    files = part_files(path.parent, sharded["split"], faults) if sharded else [path]
    rankings = _Rankings()
    with connect() as con:
        for file in files:
            _read(Table(con, file, faults), task, rankings)
    if not rankings.documents and not faults:
        faults.append(Fault("holds no rankings", str(path), hint=f"write {path} again, one row a query"))
    raise_faults(f"the candidates `{path.parent.name}` of `{task.name}`", faults)
    queries = range(len(task.queries))
    empty = np.empty(0, np.int32)
    documents = [rankings.documents.get(q, empty) for q in queries]
    scores = [_settled(rankings.scores.get(q), documents[q]) for q in queries]
    offsets = np.concatenate([[0], np.cumsum([len(ranking) for ranking in documents])]).astype(np.int64)
    return Run(
        task.queries.ids,
        task.corpus.ids,
        offsets,
        np.concatenate(documents).astype(np.int32),
        np.concatenate(scores).astype(np.float32),
        path.parent.name,
    )


def _settled(
    scores: npt.NDArray[np.float32] | None, documents: npt.NDArray[np.int32]
) -> npt.NDArray[np.float32]:
    offsets = np.array([0, len(documents)], dtype=np.int64)
    if scores is None or (scores[1:] > scores[:-1]).any():
        return ranks_as_scores(offsets)
    return scores if keeps_order(scores, documents) else strictly_falling(scores, offsets)


def _read(table: Table, task: Task, rankings: _Rankings) -> None:
    if not table.has("query-id", "corpus-ids", "scores") or not _typed(table):
        return
    scored = "scores" in table.types
    query_values = table.values("query-id")
    lists = table.select('CAST("corpus-ids" AS VARCHAR[])')
    score_lists = table.select('CAST("scores" AS DOUBLE[])') if scored else None
    if query_values is None or lists is None or (scored and score_lists is None):
        return
    query_row = {name: i for i, name in enumerate(task.queries.ids)}
    document_row = {name: i for i, name in enumerate(task.corpus.ids)}
    for row, name in enumerate(table.ids("query-id", query_values[0], []), 1):
        if name is None:
            continue
        query = query_row.get(name)
        if query is None or query in rankings.documents:
            what = "is not in the task" if query is None else "has a ranking already"
            table.fault(f"query {shown(name)} {what}", "keep one row for every query of the task", row)
            continue
        documents = _documents(lists[row - 1], document_row, table, row)
        rankings.documents[query] = documents
        if score_lists is not None:
            rankings.scores[query] = _scores(score_lists[row - 1], lists[row - 1], table, row)


def _typed(table: Table) -> bool:
    """Whether the lists are lists of ids and of numbers; where they are not, it is a fault."""
    before = len(table.faults)
    for column, families, wanted in (
        ("corpus-ids", ("string", "integer"), "a list of strings"),
        ("scores", ("integer", "float", "scalar"), "a list of numbers"),
    ):
        kind = table.types.get(column)
        if kind is not None and not (kind.endswith("[]") and family(kind[:-2]) in families):
            table.fault(f"column `{column}` is {kind}, {wanted} is expected", f"write `{column}` as {wanted}")
    return len(table.faults) == before


def _documents(
    names: Sequence[Any] | None, document_row: dict[str, int], table: Table, row: int
) -> npt.NDArray[np.int32]:
    if names is None or any(name is None for name in names):
        table.fault("`corpus-ids` is or holds null", "fill the ranking or remove the row", row)
        return np.empty(0, np.int32)
    seen: set[str] = set()
    for name in names:
        if name not in document_row:
            table.fault(f"document {shown(name)} is not in the corpus", "build the candidates again", row)
        elif name in seen:
            table.fault(f"document {shown(name)} is ranked twice", "keep the first place of a document", row)
        seen.add(name)
    return np.array([document_row.get(name, 0) for name in names], dtype=np.int32)


def _scores(
    values: Sequence[Any] | None, names: Sequence[Any] | None, table: Table, row: int
) -> npt.NDArray[np.float32]:
    listed = [] if values is None else list(values)
    if names is not None and len(listed) != len(names):
        what = f"there are {len(names)} documents and {len(listed)} scores"
        table.fault(what, "write one score for every document, or leave `scores` out", row)
    elif any(value is None or value != value for value in listed):
        table.fault("a score is null or NaN", "write numbers, or leave `scores` out", row)
    with np.errstate(over="ignore"):
        return np.array([0.0 if value is None else value for value in listed], np.float64).astype(np.float32)


def write_candidates(path: Path, run: Run) -> None:
    """A run as candidates with their scores, in one Parquet file with the same bytes for the same run."""
    bounds = list(zip(run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True))
    names = run.document_ids[run.documents].tolist()
    scores = run.scores.astype(np.float64).tolist()
    columns = {
        "query-id": ("VARCHAR[]", run.query_ids.tolist()),
        "corpus-ids": ("VARCHAR[][]", [names[start:end] for start, end in bounds]),
        "scores": ("DOUBLE[][]", [scores[start:end] for start, end in bounds]),
    }
    written_parquet(path, columns)
