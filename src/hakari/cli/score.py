"""`hakari score`: score TREC runs made by any engine."""

from __future__ import annotations

from pathlib import Path

import click

from hakari.cli import options, output


@click.command("score")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option(
    "--qrels", required=True, type=click.Path(path_type=Path), help="TREC judgements: four columns."
)
@options.measures
@click.option("--compare", "compared", is_flag=True, help="Compare the runs pairwise as well.")
@click.option("--per-query", is_flag=True, help="One row a query instead of means.")
@options.seed
@options.as_json
def command(
    runs: tuple[Path, ...],
    qrels: Path,
    measures: str,
    compared: bool,
    per_query: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Score TREC runs with trec_eval's rules; files may be gzipped.

    Ranks are made from scores, ties broken as trec_eval does, and a query that a run does not answer scores 0.

    Example:

      hakari score my.run.gz other.run --qrels qrels.txt --measures AP
    """
    from hakari.errors import UsageError
    from hakari.measures import parse_many
    from hakari.report.foreign import score_files
    from hakari.report.results import Results
    from hakari.report.summary import per_query_rows, results_tables

    if compared and len(set(runs)) < 2:
        raise UsageError("a comparison needs two runs or more", "name another run, or leave out `--compare`")
    wanted = parse_many(measures)
    results = Results(score_files(runs, qrels, wanted), wanted, seed)
    if per_query:
        rows = per_query_rows(results)
        output.print_json(rows) if as_json else output.print_rows(rows)
    elif as_json:
        output.print_json(results.compare().rows() if compared else results.rows())
    else:
        output.print_tables(*results_tables(results))
        if compared:
            output.print_tables(*results.compare().tables())
