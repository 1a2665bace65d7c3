"""TREC runs and judgements, read and written; `.gz` too.

Runs have six columns (query, `Q0`, document, rank, score, tag), judgements four (query, iteration, document,
grade), separated by any white space. As in trec_eval the rank column decides nothing: rankings are by score.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, UsageError
from hakari.io.files import raise_faults, read_lines, shown
from hakari.io.parts import parse_grade
from hakari.io.settle import strictly_falling
from hakari.io.trec_scan import RunColumns, scan_run
from hakari.rankings import order_keys
from hakari.types import Ids, Qrels, Run

RUN_COLUMNS, QRELS_COLUMNS = 6, 4
SPACE = " \t\r\v\f"
"""White space as trec_eval and C have it: other spaces of Unicode may be part of an id."""
RUN_LINE = "`query Q0 document rank score tag`"
QRELS_LINE = "`query 0 document grade`"


def read_run(path: Path) -> Run:
    """A run in TREC format, its rankings by score and id, its tag the smallest of its tag column."""
    columns = scan_run(path)
    if columns is None:
        columns = _parse_run(path)
    return Run(
        columns.query_ids,
        columns.document_ids,
        np.searchsorted(columns.queries, np.arange(len(columns.query_ids) + 1)).astype(np.int64),
        columns.documents,
        columns.scores,
        columns.tag,
    )


def _parse_run(path: Path) -> RunColumns:
    """A run read line by line: slower, says everything that is wrong and where."""
    faults: list[Fault] = []
    queries, documents, scores, tags = [], [], [], set()
    places: dict[tuple[str, str], int] = {}
    for row, fields in _rows(path, RUN_COLUMNS, RUN_LINE, faults):
        query, _, document, _, text, tag = fields
        first = places.setdefault((query, document), row)
        if first != row:
            what = f"query {shown(query)} ranks document {shown(document)} twice (first at row {first})"
            faults.append(Fault(what, str(path), row, "keep one line for every query and document"))
        queries.append(query)
        documents.append(document)
        scores.append(_score(text, path, row, faults))
        tags.add(tag)
    if not queries and not faults:
        faults.append(Fault("holds no rankings", str(path), hint=f"write lines of {RUN_LINE}"))
    raise_faults(f"the run `{path}`", faults)
    query_ids, query_rows = _coded(queries)
    document_ids, document_rows = _coded(documents)
    with np.errstate(over="ignore"):
        values = np.array(scores, np.float64).astype(np.float32) + np.float32(0)  # + 0 turns -0.0 into 0.0
    order = np.lexsort((-order_keys(values, document_rows), query_rows))
    return RunColumns(
        query_ids, document_ids, query_rows[order], document_rows[order], values[order], min(tags)
    )


def _score(text: str, path: Path, row: int, faults: list[Fault]) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value == value and "_" not in text:
        return value
    is_nan = text.lower().lstrip("+-").startswith("nan")
    what = "the score is NaN" if is_nan else f"score {shown(text)} is not a number"
    faults.append(Fault(what, str(path), row, "write a number in the fifth column"))
    return 0.0


def read_qrels(path: Path) -> Qrels:
    """Judgements in TREC format, grades as they are, negative ones too."""
    faults: list[Fault] = []
    queries, documents, grades = [], [], []
    first: dict[tuple[str, str], tuple[int, int]] = {}
    for row, (query, _, document, text) in _rows(path, QRELS_COLUMNS, QRELS_LINE, faults):
        grade = parse_grade(text)
        if grade is None:
            what = f"grade {shown(text)} is not an integer of 32 bits"
            faults.append(Fault(what, str(path), row, "write an integer in the fourth column"))
            continue
        at, known = first.setdefault((query, document), (row, grade))
        if at != row:
            grades_seen = f"both times {grade}" if known == grade else f"{known} and {grade}"
            what = f"query {shown(query)} and document {shown(document)} are judged twice (first at row {at})"
            hint = "remove the repeated judgement" if known == grade else "keep the judgement that is right"
            faults.append(Fault(f"{what}, {grades_seen}", str(path), row, hint))
            continue
        queries.append(query)
        documents.append(document)
        grades.append(grade)
    if not queries and not faults:
        faults.append(Fault("holds no judgements", str(path), hint=f"write lines of {QRELS_LINE}"))
    raise_faults(f"the judgements `{path}`", faults)
    query_ids, query_rows = _coded(queries)
    document_ids, document_rows = _coded(documents)
    order = np.lexsort((document_rows, query_rows))
    offsets = np.searchsorted(query_rows[order], np.arange(len(query_ids) + 1)).astype(np.int64)
    return Qrels(query_ids, document_ids, offsets, document_rows[order], np.array(grades, np.int32)[order])


def _rows(path: Path, width: int, line: str, faults: list[Fault]) -> Iterator[tuple[int, Sequence[str]]]:
    """Row numbers and fields of the lines that are not blank; other widths are faults."""
    table = str.maketrans(dict.fromkeys(SPACE, " "))
    for row, text in enumerate(read_lines(path, faults), 1):
        fields = [field for field in text.translate(table).split(" ") if field]
        if len(fields) == width:
            yield row, fields
        elif fields:
            what = f"has {len(fields)} column{'s' if len(fields) != 1 else ''}, {width} are expected"
            hint = f"write lines of {line}"
            if len(fields) == RUN_COLUMNS + QRELS_COLUMNS - width:
                hint += f"; this looks like a {'run' if width == QRELS_COLUMNS else 'judgement'} line"
            faults.append(Fault(what, str(path), row, hint))


def _coded(names: Sequence[str]) -> tuple[Ids, npt.NDArray[np.int32]]:
    """The distinct names, sorted, and the row of each name among them."""
    distinct = sorted(set(names))
    row = {name: i for i, name in enumerate(distinct)}
    ids = np.empty(len(distinct), dtype=object)
    ids[:] = distinct
    return ids, np.fromiter(map(row.__getitem__, names), np.int32, len(names))


def write_run(run: Run, path: Path) -> None:
    """A run in TREC format: true ranks from 1, and scores that every tool sorts into the same order.

    Where scores tie they are lowered by as little as float32 allows; all others are written as they are.
    """
    faults = [*_unwritable("query", run.query_ids), *_unwritable("document", run.document_ids)]
    faults += _unwritable("tag", [run.tag])
    raise_faults(f"the run `{run.tag}`", faults)
    scores = strictly_falling(run.scores, run.offsets)
    with _whole_file(path) as write:
        for q, query in enumerate(run.query_ids):
            rows = slice(int(run.offsets[q]), int(run.offsets[q + 1]))
            names = run.document_ids[run.documents[rows]].tolist()
            ranked = zip(names, scores[rows].astype("U").tolist(), strict=True)
            write(
                "".join(
                    f"{query} Q0 {name} {i} {score} {run.tag}\n" for i, (name, score) in enumerate(ranked, 1)
                )
            )


def write_qrels(qrels: Qrels, path: Path) -> None:
    """Judgements in TREC format."""
    faults = [*_unwritable("query", qrels.query_ids), *_unwritable("document", qrels.document_ids)]
    raise_faults("the judgements", faults)
    with _whole_file(path) as write:
        for q, query in enumerate(qrels.query_ids):
            rows = slice(int(qrels.offsets[q]), int(qrels.offsets[q + 1]))
            names = qrels.document_ids[qrels.documents[rows]].tolist()
            judged = zip(names, qrels.grades[rows].tolist(), strict=True)
            write("".join(f"{query} 0 {name} {grade}\n" for name, grade in judged))


def _unwritable(kind: str, names: Iterable[str]) -> list[Fault]:
    """The names that the columns of TREC files cannot hold."""
    forbidden = frozenset(SPACE + "\n\0")
    hint = "TREC files separate columns by white space: replace it in the ids, or keep the nano layout"
    return [
        Fault(f"{kind} {shown(name)} is empty or has white space", hint=hint)
        for name in names
        if not name or not forbidden.isdisjoint(name) or name.startswith("\ufeff")
    ]


@contextmanager
def _whole_file(path: Path) -> Iterator:
    """A function that appends text to a file which takes its name only when all is written."""
    import gzip

    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as plain:
            if path.name.endswith(".gz"):
                # No name and no time inside, so the same run gives the same bytes.
                with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) as zipped:
                    yield lambda text: zipped.write(text.encode())
            else:
                yield lambda text: plain.write(text.encode())
        os.replace(temporary, path)
    except OSError as error:
        hint = f"check space and permissions with `df -h {path.parent}` and `ls -ld {path.parent}`"
        raise UsageError(f"`{path}` cannot be written: {error.strerror}", hint) from error
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)
