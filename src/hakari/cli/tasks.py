"""`hakari tasks`: list tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.tasks.listing import Wanted

COLUMNS = ("task", "language", "category", "shape", "queries", "documents", "judgements", "repeats", "where")
NUMBERS = ("tasks", "queries", "documents", "judgements", "positives")


@click.command("tasks")
@click.argument("filter", required=False)
@options.tasks_dir
@click.option("--suite", metavar="NAME", help="Only tasks of this published suite, such as MNanoBEIR.")
@click.option("--view", metavar="NAME", help="Only tasks of this view: `all`, `Overall`, `code`, `lang:ja`.")
@click.option("--language", metavar="CODE", help="Only tasks of this language.")
@click.option(
    "--category", type=click.Choice(["code", "natural_language"]), help="Only tasks of this category."
)
@click.option("--shape", metavar="SHAPE", help="Only tasks of this shape, such as text-to-code.")
@click.option("--sizes", is_flag=True, help="Load every task that is here and tell its sizes as well.")
@options.as_json
def command(tasks_dir: Path | None, sizes: bool, as_json: bool, **criteria: str | None) -> None:
    """List the tasks of the folder of tasks, those that hakari builds itself, and the published ones.

    FILTER is a part of a name, a glob such as `NanoCoIR/*SQL`, a view, or `hub:org/name`. Without a criterion
    the published tasks are told by suite. A published task is fetched when it is asked for by `--on`.
    """
    from hakari import api
    from hakari.tasks.listing import Wanted

    wanted = Wanted(text=criteria.pop("filter"), **criteria)
    rows = api.listed(tasks_dir, wanted)
    if sizes:
        rows = [row if "queries" in row else {**row, **api.sizes(row["task"], tasks_dir)} for row in rows]
    if as_json:
        output.print_json(rows)
    elif wanted.everything:
        _overview([row for row in rows if "suite" not in row])
    else:
        notes = [] if rows else ["No task is like that: `hakari tasks` lists the suites and what is here."]
        _print(rows, [*notes, *_left_out(wanted)])


def _left_out(wanted: Wanted) -> list[str]:
    """Which tasks the Overall view leaves out, where it was asked for."""
    from hakari.tasks.listing import left_out

    if "Overall" not in (wanted.view, wanted.text):
        return []
    return [f"Left out of `Overall`, with what each repeats: {'; '.join(left_out())}."]


def _overview(local: list[dict[str, Any]]) -> None:
    """Tasks that are here one by one, published ones by suite."""
    from hakari.report.tables import Table
    from hakari.tasks import catalog, listing

    _print(
        local, [] if local else ["No task is here: name a folder of suites with --tasks-dir or HAKARI_TASKS."]
    )
    rows = listing.suites()
    cells = [[_cell(value) for value in row.values()] for row in rows]
    texts = [i for i, column in enumerate(rows[0]) if column not in NUMBERS]
    counted = sum(entry.in_all for entry in catalog.entries()), sum(e.in_overall for e in catalog.entries())
    notes = [
        f"{len(catalog.entries())} published tasks; `all` is the standard run of {counted[0]}, `Overall` its "
        f"{counted[1]} that repeat no other.",
        "List the tasks of one with `hakari tasks NanoCoIR`, run them with `hakari run bm25 --on NanoCoIR`.",
    ]
    output.print_tables(Table("Published suites", list(rows[0]), cells, texts=texts, notes=notes))


def _print(rows: list[dict[str, Any]], notes: list[str]) -> None:
    from hakari.report.tables import Table

    rows = [{**row, "repeats": ", ".join(row.get("copy_of", {}).get("tasks", ())) or None} for row in rows]
    columns = [c for c in COLUMNS if any(row.get(c) is not None for row in rows)] or ["task", "where"]
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    texts = [i for i, column in enumerate(columns) if column not in NUMBERS]
    output.print_tables(Table("", columns, cells, texts=texts, notes=notes))


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
