"""`hakari show`: what a task looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.report.tables import Table
    from hakari.tasks.statistics import Lengths


@click.command("show")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@options.tasks_dir
@options.language
@options.category
@options.measures
@options.results
@options.as_json
def command(tasks: tuple[str, ...], measures: str, as_json: bool, results: Path, **places: Any) -> None:
    """Show tasks: statistics, three examples, and the candidate rankings shipped with the set.

    Candidates are scored as they were provided, and what models cut of the texts is read from finished results;
    nothing is run.
    """
    from hakari import api

    where = options.where(**places)
    shown = [api.describe(task, measures, results) for task in api.each(tasks, where)]
    if as_json:
        output.print_json(shown)
        return
    for one in shown:
        _print(one)


def _print(shown: dict[str, Any]) -> None:
    from hakari.display import one_line, visible
    from hakari.report.tables import Table, number
    from hakari.report.truncation import Cut

    facts = shown["statistics"]
    origins = shown["origins"]
    rows = [["content", shown["content"]]]
    rows += [
        [trait, f"{shown[trait]} ({origins.get(trait, 'not stated')})"]
        for trait in ("language", "category", "shape")
        if shown[trait] is not None
    ]
    per = facts["positives_per_query"]
    rows += [
        ["queries", f"{facts['queries']:,}"],
        ["documents", f"{facts['documents']:,}"],
        ["judgements", f"{facts['judgements']:,}" + (", graded" if shown["graded"] else "")],
        [
            "positives a query",
            f"{per['min']} to {per['max']}, median {per['median']:g}, mean {per['mean']:.2f}; "
            f"{per['multiple']:.1%} of the queries have several",
        ],
        ["query characters", _lengths(facts["query_lengths"])],
        ["document characters", _lengths(facts["document_lengths"])],
    ]
    output.print_tables(Table(shown["task"], ["", ""], rows, texts=(0, 1), notes=shown["notes"]))
    for example in shown["examples"]:
        click.echo(f"  query {visible(example['query']['id'])}: {one_line(example['query']['shown'], 500)}")
        click.echo(
            f"  positive {visible(example['positive']['id'])}: {one_line(example['positive']['shown'], 600)}\n"
        )
    if shown["candidates"]:
        names = list(shown["candidates"][0]["measures"])
        cells = [
            [c["name"], c["origin"], f"{c['deepest']}", *(number(c["measures"][n], 4) for n in names)]
            for c in shown["candidates"]
        ]
        note = "Provided with the set, scored as they are; a rank-101 safeguard never counts within 100."
        output.print_tables(
            Table("candidates", ["name", "", "deepest", *names], cells, texts=(0, 1), notes=[note])
        )
    for cut in shown["truncation"]:
        click.echo(f"truncated by {visible(cut['retriever'])}: {Cut(**cut)}")
    if shown["audits"]:
        output.print_tables(_audits(shown["audits"], facts))
    for fault in shown["candidate_faults"]:
        output.note(f"note: candidates left out: {fault}")


def _audits(audits: list[dict[str, Any]], facts: dict[str, Any]) -> Table:
    from hakari.display import one_line
    from hakari.report.tables import Table

    sides = ("query", "positive", "query_positive")
    cells = [
        [
            one_line(audit["source_dataset"], 80),
            f"{audit['source_train_rows_scanned']:,}",
            *(f"{audit[f'normalized_exact_{side}_matches']:,}" for side in sides),
            f"{audit['high_shingle_query_matches']:,}",
            f"{audit['high_shingle_positive_matches']:,}",
            one_line(audit["risk"], 40),
            one_line(str(audit.get("date", "")), 20),
        ]
        for audit in audits
    ]
    columns = ["training data", "rows", "queries exact", "positives exact", "pairs exact"]
    columns += ["queries shingle", "positives shingle", "risk", "date"]
    note = (
        f"Of {facts['queries']:,} queries and {facts['judgements']:,} judgements; by `hakari audit --record`."
    )
    return Table("leakage audits on record", columns, cells, texts=(0, 7, 8), notes=[note])


def _lengths(lengths: Lengths | dict[str, Any]) -> str:
    told = lengths if isinstance(lengths, dict) else vars(lengths)
    usual = f"mean {told['mean']:,.2f}, median {told['median']:,g}"
    return f"{usual}, 95 % up to {told['p95']:,.0f}, longest {told['max']:,}"
