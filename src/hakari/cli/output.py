"""What commands print: data on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hakari.display import visible

if TYPE_CHECKING:
    from rich.console import Console

    from hakari.report.tables import Table


UNFOLDED = 100_000


def print_json(value: Any) -> None:
    """Print JSON to standard output; plain ASCII, so that nothing in it can steer a terminal."""
    click.echo(json.dumps(value, indent=1, allow_nan=False))


def note(text: str) -> None:
    """Tell something beside the data."""
    click.echo(visible(text), err=True)


def console(stderr: bool = False) -> Console:
    """A console that respects `NO_COLOR` and the width of the terminal; a pipe has no width, so nothing is folded."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else UNFOLDED
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


def print_tables(*tables: Table) -> None:
    """Print tables and their notes."""
    from hakari.report.tables import draw

    draw(console(), tables)


def print_rows(rows: Sequence[dict[str, Any]], title: str = "") -> None:
    """Print rows as a table, one column a key; numbers to four digits."""
    from hakari.report.tables import Table

    columns = list(rows[0]) if rows else []
    numbers = {c for c in columns if all(isinstance(row[c], int | float) for row in rows)}
    cells = [
        [f"{row[c]:.4f}" if isinstance(row[c], float) else _cell(row[c]) for c in columns] for row in rows
    ]
    print_tables(Table(title, columns, cells, texts=[i for i, c in enumerate(columns) if c not in numbers]))


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,}" if type(value) is int else str(value)
