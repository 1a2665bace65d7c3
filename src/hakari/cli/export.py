"""`hakari export`: results in the forms that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hakari.cli import options, output

SCORES, RUNS, SUBMISSIONS = ("csv", "json"), ("trec", "qrels"), ("mteb", "model-index", "eval-results")
FORMATS = (*RUNS, *SCORES, *SUBMISSIONS)


@click.command("export")
@click.argument("format", type=click.Choice(FORMATS), metavar="|".join(FORMATS))
@click.argument("retrievers", nargs=-1, metavar="[RETRIEVER...]")
@options.on_optional
@options.places
@options.measures
@click.option("--per-query", is_flag=True, help="Scores: one row a query instead of means.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Folder; for scores a file, or `-` for standard output.",
)
@click.option("--model-name", metavar="ORG/NAME", help="What the one system exported is called elsewhere.")
@click.option("--task-name", metavar="OURS=THEIRS", multiple=True, help="mteb: what it calls a task.")
@click.option("--hub-id", metavar="SET=ORG/NAME", multiple=True, help="eval-results: a set's name on a hub.")
@click.pass_context
def command(
    context: click.Context,
    format: str,
    retrievers: tuple[str, ...],
    tasks: tuple[str, ...],
    measures: str,
    out: Path | None,
    **chosen: Any,
) -> None:
    """Write finished results for other tools; nothing is run.

    `trec` writes a run file a retriever, variant and task; `qrels` writes the judgements of tasks; `csv` and
    `json` write scores. `mteb` writes result files as mteb keeps them, `model-index` the front matter of
    model cards, `eval-results` the files of `.eval_results`; for these three the folder may also come last,
    without --out. Without RETRIEVER, everything in --results is written.

    Examples:

      hakari export trec bm25 --on NanoCoIR --out runs

      hakari export mteb submission
    """
    from hakari import api
    from hakari.errors import UsageError
    from hakari.report import export

    per_query = chosen.pop("per_query")
    named = {name: chosen.pop(name) for name in ("model_name", "task_name", "hub_id")}
    if out is None and format in SUBMISSIONS and retrievers:
        *rest, last = retrievers
        retrievers, out = tuple(rest), Path(last)
    if out is None:
        raise UsageError("nothing says where to write", f"hakari export {format} --out PATH")
    if str(out) == "-" and format not in SCORES:
        raise UsageError(f"`--out -` is for csv and json; {format} writes several files", "--out FOLDER")
    where = options.where(**chosen)
    scope = api.scope(tasks, where.tasks_dir)
    if format == "qrels":
        written = export.write_judgements(api.each(tasks, where), out)
    elif format == "trec":
        written = export.write_runs(where.results, retrievers, tasks, out)
    elif format in SUBMISSIONS:
        asked = context.get_parameter_source("measures") is not click.core.ParameterSource.DEFAULT
        kept = measures if asked else None
        written = _submit(format, (where.results, retrievers, scope, kept, named["model_name"]), out, named)
    else:
        rows = export.scores(where.results, retrievers, scope, measures, per_query)
        if str(out) == "-":
            click.echo(export.as_text(rows, format), nl=False)
            return
        written = export.write_rows(rows, out, format)
    output.note(
        f"wrote {len(written)} file{'s' * (len(written) != 1)}: {written[0]}"
        + (" ..." if written[1:] else "")
    )


def _submit(format: str, asked: tuple[Any, ...], out: Path, named: dict[str, Any]) -> list[Path]:
    from hakari.report import submit, submit_cards, submit_mteb

    found = submit.submissions(submit.Asked(*asked))
    if format == "mteb":
        return submit_mteb.write_mteb(
            found, out, pairs("--task-name", named["task_name"], "NanoX/Task=Theirs")
        )
    if format == "model-index":
        return submit_cards.write_model_index(found, out)
    return submit_cards.write_eval_results(found, out, pairs("--hub-id", named["hub_id"], "NanoX=org/NanoX"))


def pairs(option: str, given: tuple[str, ...], example: str) -> dict[str, str]:
    """What an option that is written `LEFT=RIGHT` and may be repeated says."""
    from hakari.errors import UsageError

    found = {}
    for pair in given:
        left, equals, right = pair.partition("=")
        if not (equals and left and right):
            raise UsageError(f"`{option} {pair}` is not NAME=NAME", f"{option} {example}")
        found[left] = right
    return found
