"""What commands print: data on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from hakari.display import visible

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: Any) -> None:
    """Print JSON to standard output; plain ASCII, so that nothing in it can steer a terminal."""
    click.echo(json.dumps(value, indent=1, allow_nan=False))


def note(text: str) -> None:
    """Tell something beside the data."""
    click.echo(visible(text), err=True)


def console(stderr: bool = False) -> Console:
    """A console that respects `NO_COLOR`, pipes and the width of the terminal."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else 120
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


def print_table(
    title: str | None, columns: Sequence[str], rows: Iterable[Sequence[Any]], left: Sequence[int] = (0,)
) -> None:
    """Print a table; columns named in `left` are texts, the others numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else Text(visible(title)), box=box.SIMPLE_HEAD, title_justify="left")
    for index, name in enumerate(columns):
        table.add_column(
            Text(visible(name)),
            justify="left" if index in left else "right",
            no_wrap=index not in left,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(visible(str(cell))) for cell in row))
    console().print(table)
