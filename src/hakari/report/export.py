"""Finished results in the forms that other tools read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.io.trec import write_qrels, write_run
from hakari.measures import parse_many
from hakari.report.finished import Scope, named, no_results_of
from hakari.report.results import Results
from hakari.report.summary import per_query_rows
from hakari.store import files, keys
from hakari.types import Task


def chosen(root: Path, retrievers: Sequence[str] = (), tasks: Sequence[str] = ()) -> list[files.Stored]:
    """The finished results of the retrievers and tasks named; all where none is."""
    found = files.scan(root)
    if not found:
        raise UsageError(
            f"no results in `{root}`", f"make some: `hakari run bm25 --on TASKS --results {root}`"
        )
    names = sorted({s.retriever for s in found})
    for name in retrievers:
        if name not in names:
            raise no_results_of(name, names, root)
    kept = [s for s in found if (not retrievers or s.retriever in retrievers) and named(s.task, tasks)]
    if not kept:
        raise UsageError(
            f"no results in `{root}` for these tasks", f'list them: hakari sql "FROM means" --results {root}'
        )
    return kept


def write_runs(root: Path, retrievers: Sequence[str], tasks: Sequence[str], out: Path) -> list[Path]:
    """A TREC run file a result and variant, in a folder a data set."""
    written = []
    for stored in chosen(root, retrievers, tasks):
        for variant, kept in files.read_variants(stored).items():
            tag = stored.retriever if variant == "float" else f"{stored.retriever}+{variant}"
            dataset, _, split = stored.task.rpartition("/")
            path = (
                out
                / keys.safe(dataset)
                / f"{keys.safe(split)}.{stored.path.parent.parent.name}.{keys.safe(variant)}.run"
            )
            files.make_folder(path.parent)
            run = kept.run
            write_run(
                type(run)(
                    run.query_ids, run.document_ids, run.offsets, run.documents, run.scores, keys.slug(tag)
                ),
                path,
            )
            written.append(path)
    return written


def write_judgements(tasks: Iterable[Task], out: Path) -> list[Path]:
    """A TREC qrels file a task, in a folder a data set."""
    written = []
    for task in tasks:
        path = out / keys.safe(task.dataset) / f"{keys.safe(task.split)}.qrels"
        files.make_folder(path.parent)
        write_qrels(task.qrels, path)
        written.append(path)
    return written


def scores(
    root: Path, retrievers: Sequence[str], scope: Scope, measures: str, per_query: bool
) -> list[dict[str, Any]]:
    """Rows of scores: means with intervals, or one a query."""
    wanted = parse_many(measures)
    weighed = [w for stored in chosen(root, retrievers, scope.names) for w in scope.weighed(stored, wanted)]
    results = Results(weighed, wanted)
    return per_query_rows(results) if per_query else results.rows()


def write_rows(rows: Sequence[dict[str, Any]], path: Path, form: str) -> list[Path]:
    """Rows as one CSV or JSON file."""
    files.write_text(path, as_text(rows, form))
    return [path]


def as_text(rows: Sequence[dict[str, Any]], form: str) -> str:
    """Rows as CSV or JSON."""
    if form == "json":
        return json.dumps(rows, indent=1, allow_nan=False) + "\n"
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _inert(v) for k, v in row.items()} for row in rows)
    return text.getvalue()


def _inert(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets a quote in front."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
