"""`hakari tasks`: list tasks."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from hakari.cli import options, output


@click.command("tasks")
@click.argument("filter", required=False)
@options.tasks_dir
@click.option("--sizes", is_flag=True, help="Load every task and tell its sizes as well.")
@options.as_json
def command(filter: str | None, tasks_dir: Path | None, sizes: bool, as_json: bool) -> None:
    """List the tasks of the folder of tasks and those that hakari builds itself.

    FILTER is a part of a name or a glob, such as `NanoCoIR/*SQL`.
    """
    from hakari import api
    from hakari.report.tables import Table

    rows = [row for row in api.listed(tasks_dir) if _matches(row["task"], filter)]
    if sizes:
        rows = [{**row, **api.sizes(row["task"], tasks_dir)} for row in rows]
    if as_json:
        output.print_json(rows)
        return
    notes = (
        [] if rows else ["No task is known here: name a folder of suites with --tasks-dir or HAKARI_TASKS."]
    )
    columns = list(rows[0]) if rows else ["task", "where"]
    cells = [[_cell(row[c]) for c in columns] for row in rows]
    numbers = {"queries", "documents", "judgements"}
    texts = [i for i, c in enumerate(columns) if c not in numbers]
    output.print_tables(Table("", columns, cells, texts=texts, notes=notes))


def _matches(name: str, wanted: str | None) -> bool:
    return not wanted or wanted.lower() in name.lower() or fnmatchcase(name, wanted)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
