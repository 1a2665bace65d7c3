"""`hakari gate`: pass or fail a candidate against a baseline."""

from __future__ import annotations

from typing import Any

import click

from hakari.cli import options, output
from hakari.errors import EXIT_GATE_FAILED, EXIT_OK


@click.command("gate")
@click.option("--baseline", required=True, metavar="RESULT", help="What is shipped now.")
@click.option("--candidate", required=True, metavar="RESULT", help="What is proposed.")
@click.option("--measure", metavar="MEASURE", default="nDCG@10", show_default=True, help="What to judge by.")
@click.option(
    "--max-drop",
    metavar="X",
    type=click.FloatRange(0),
    default=0.01,
    show_default=True,
    help="The largest loss that is allowed.",
)
@click.option(
    "--inconclusive-exit",
    type=click.IntRange(0, 125),
    default=0,
    show_default=True,
    metavar="CODE",
    help="Exit code when the data decide neither way.",
)
@click.option("--on", "tasks", metavar="TASKS", multiple=True, help="Judge on these tasks or globs only.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown table, for a pull request.")
@options.tasks_dir
@options.results
@options.seed
@options.as_json
def command(
    baseline: str,
    candidate: str,
    tasks: tuple[str, ...],
    inconclusive_exit: int,
    as_markdown: bool,
    as_json: bool,
    **judged: Any,
) -> int:
    """Pass or fail a candidate against a baseline, from finished results; nothing is run.

    RESULT is a retriever in --results (`bm25`), in another folder of results (`bm25@path/to/results`), or a
    folder that holds one retriever only. The decision rests on the paired 95 % interval of the mean over tasks:
    it fails (exit 1) where all of it lies below the allowed drop, passes (exit 0) where none does, and is
    inconclusive otherwise.

    Example:

      hakari gate --baseline bm25@main --candidate bm25@candidate
    """
    from hakari import api
    from hakari.errors import UsageError
    from hakari.report.gate import judge

    if as_json and as_markdown:
        raise UsageError("`--json` and `--markdown` exclude each other", "choose one of them")
    scope = api.scope(tasks, judged.pop("tasks_dir"))
    verdict = judge(baseline, candidate, scope=scope, **judged)
    if as_json:
        output.print_json(verdict.to_json())
    elif as_markdown:
        click.echo(verdict.markdown(), nl=False)
    else:
        output.print_tables(verdict.table())
    return {"pass": EXIT_OK, "fail": EXIT_GATE_FAILED, "inconclusive": inconclusive_exit}[verdict.decision]
