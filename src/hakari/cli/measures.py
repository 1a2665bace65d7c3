"""`hakari measures`: list measures."""

from __future__ import annotations

from typing import Any

import click

from hakari.cli import options, output


@click.command("measures")
@click.argument("filter", required=False)
@options.as_json
def command(filter: str | None, as_json: bool) -> None:
    """List the measures, or those whose name or description contains FILTER."""
    from hakari.measures import known
    from hakari.report.tables import Table

    kinds = {measure.kind: None for measure in known()}
    rows: list[dict[str, Any]] = [
        {
            "name": kind.name,
            "usual": list(kind.usual),
            "description": kind.summary,
            "low": kind.low,
            "high": kind.high,
        }
        for kind in kinds
    ]
    if filter:
        rows = [r for r in rows if filter.lower() in f"{r['name']} {r['description']}".lower()]
    if as_json:
        output.print_json(rows)
    else:
        cells = [[r["name"], ", ".join(r["usual"]), r["description"]] for r in rows]
        notes = [] if rows else [f"No measure matches `{filter}`."]
        output.print_tables(Table("", ["name", "such as", "what it is"], cells, texts=(0, 1, 2), notes=notes))
