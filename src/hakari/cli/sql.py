"""`hakari sql`: ask the results."""

from __future__ import annotations

import math
from pathlib import Path

import click

from hakari.cli import options, output


@click.command("sql")
@click.argument("statement", required=False)
@options.results
@options.as_json
def command(statement: str | None, results: Path, as_json: bool) -> None:
    """Run one SQL statement over the results; without one, list the tables.

    Tables: results, scores (per query), means (per task), costs, rankings (document ids and scores), imported
    (figures of others), audits (of training data), files.

    Example:

      hakari sql "FROM means WHERE measure = 'nDCG@10' ORDER BY value DESC"
    """
    from hakari.report.tables import Table
    from hakari.store import index

    if statement is None:
        statement = (
            "SELECT table_name AS name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) "
            "AS columns FROM information_schema.columns "
            "WHERE table_name IN ('results', 'scores', 'means', 'costs', 'rankings', 'imported', 'audits', 'files') "
            "GROUP BY 1 ORDER BY 1"
        )
    names, rows = index.query(results, statement)
    if as_json:
        output.print_json([dict(zip(names, map(_plain, row), strict=True)) for row in rows])
    else:
        cells = [[_cell(cell) for cell in row] for row in rows]
        texts = [i for i in range(len(names)) if not all(isinstance(row[i], int | float) for row in rows)]
        output.print_tables(Table("", names, cells, texts=texts or [0]))


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(value: object) -> object:
    """A value of DuckDB as JSON has it, which knows no NaN and no infinity."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | None) else str(value)
