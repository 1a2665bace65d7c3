"""`hakari retrievers`: list retrievers."""

from __future__ import annotations

from dataclasses import asdict

import click

from hakari.cli import options, output
from hakari.errors import install_hint


@click.command("retrievers")
@click.argument("filter", required=False)
@options.as_json
def command(filter: str | None, as_json: bool) -> None:
    """List the retrievers, or those whose name, family or description contains FILTER.

    Settings go in brackets, `bm25(k1=0.9,b=0.4)`, or to all that take them with `-M k1=0.9`. A retriever of
    your own is `module:Name`.
    """
    from hakari.report.tables import Table
    from hakari.retrievers.registry import known

    rows = [asdict(entry) for entry in known()]
    if filter:
        rows = [r for r in rows if filter.lower() in f"{r['name']} {r['family']} {r['description']}".lower()]
    if as_json:
        from hakari.retrievers.trained_on import trained_on

        told = {row["name"]: trained_on(row["name"]) for row in rows}
        data = {name: None if found is None else found.data for name, found in told.items()}
        output.print_json([{**row, "trained_on": data[row["name"]]} for row in rows])
        return
    cells = [
        [r["name"], r["family"], _size(r["parameters"]), r["licence"] or "", r["description"], _state(r)]
        for r in rows
    ]
    notes = [] if rows else [f"No retriever matches `{filter}`."]
    output.print_tables(
        Table(
            "",
            ["name", "family", "parameters", "licence", "what it is", ""],
            cells,
            texts=(0, 1, 3, 4, 5),
            notes=notes,
        )
    )


def _size(parameters: int | None) -> str:
    if parameters is None:
        return ""
    return f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.0f} M"


def _state(row: dict[str, object]) -> str:
    return "" if row["installed"] else f"needs: {install_hint(str(row['extra']))}"
