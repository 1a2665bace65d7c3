"""`hakari export`: runs and judgements as TREC files, scores as CSV or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hakari.cli import options, output

FORMATS = ("trec", "qrels", "csv", "json")


@click.command("export")
@click.argument("format", type=click.Choice(FORMATS), metavar="|".join(FORMATS))
@click.argument("retrievers", nargs=-1, metavar="[RETRIEVER...]")
@options.on_optional
@options.places
@options.measures
@click.option("--per-query", is_flag=True, help="Scores: one row a query instead of means.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Folder; for scores a file, or `-` for standard output.",
)
def command(
    format: str,
    retrievers: tuple[str, ...],
    tasks: tuple[str, ...],
    measures: str,
    out: Path,
    per_query: bool,
    **places: Any,
) -> None:
    """Write finished results for other tools; nothing is run.

    `trec` writes a run file a retriever, variant and task; `qrels` writes the judgements of tasks; `csv` and
    `json` write scores. Without RETRIEVER, everything in --results is written.

    Example:

      hakari export trec bm25 --on NanoCoIR --out runs
    """
    from hakari import api
    from hakari.errors import UsageError
    from hakari.report import export

    if str(out) == "-" and format in ("trec", "qrels"):
        raise UsageError(f"`--out -` is for csv and json; {format} writes several files", "--out FOLDER")
    where = options.where(**places)
    if format == "qrels":
        written = export.write_judgements(api.each(tasks, where), out)
    elif format == "trec":
        written = export.write_runs(where.results, retrievers, tasks, out)
    else:
        rows = export.scores(
            where.results, retrievers, api.scope(tasks, where.tasks_dir), measures, per_query
        )
        if str(out) == "-":
            click.echo(export.as_text(rows, format), nl=False)
            return
        written = export.write_rows(rows, out, format)
    output.note(
        f"wrote {len(written)} file{'s' * (len(written) != 1)}: {written[0]}"
        + (" ..." if written[1:] else "")
    )
