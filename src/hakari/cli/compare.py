"""`hakari compare`: which of two or more systems is better, and how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.api import Where
    from hakari.report.comparison import Comparison
    from hakari.report.results import Weighed
    from hakari.types import Task


@click.command("compare")
@click.argument("retrievers", nargs=-1, required=True, metavar="A [B...]")
@options.on
@click.option(
    "--measures", metavar="LIST", default="nDCG@10", show_default=True, help="Measures, with commas between."
)
@options.depth
@options.variants
@options.model_args
@options.places
@options.no_cache
@options.seed
@click.option(
    "--queries",
    "changed",
    is_flag=True,
    help="List the queries on which the first two differ most, with both top results.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="How many queries `--queries` lists.",
)
@options.as_json
def command(
    retrievers: tuple[str, ...],
    tasks: tuple[str, ...],
    measures: str,
    model_args: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compare systems pairwise, query by query, on each task and over all of them.

    A system is a retriever (`bge_small_en`) or one of its variants (`"bge_small_en int8"`); with --variants, each
    retriever stands for `float` and those variants.

    Differences are A less B. What has no result yet is run first. p-values come from a paired randomisation
    test, and `p Holm` is corrected over all rows shown.

    Example:

      hakari compare bm25 bm25-code --on path/to/NanoX --queries
    """
    from dataclasses import replace

    from hakari import api
    from hakari.cli.progress import telling
    from hakari.errors import UsageError
    from hakari.report.results import Results

    depth, seed, changed, top = (chosen.pop(name) for name in ("depth", "seed", "changed", "top"))
    variants = chosen.pop("variants")
    where = options.where(**chosen)
    plan, systems = api.planned(retrievers, variants, options.settings(model_args))
    if len(systems) < 2:
        raise UsageError(
            "a comparison needs two different retrievers or variants",
            "hakari compare bm25 bm25-code --on TASKS",
        )
    plan = replace(plan, depth=depth, results=where.results)
    with telling(plan.retrievers) as teller:
        results = api.weigh(plan, tasks, where, measures, teller.step)
    comparison = Results(results.weighed, results.measures, seed).compare(*systems)
    if as_json and not changed:
        output.print_json(comparison.rows())
    elif as_json:
        output.print_json(list(_changed(comparison, tasks, where, top)))
    else:
        output.print_tables(*comparison.tables())
        if changed:
            for entry in _changed(comparison, tasks, where, top):
                _print_change(entry, comparison)


def _changed(comparison: Comparison, tasks: tuple[str, ...], where: Where, top: int) -> list[dict[str, Any]]:
    """The queries on which the first two systems differ most, with texts."""
    from hakari import api

    changes = comparison.changes(top)
    needed = {change.task for change in changes}
    refs = [ref for ref in api.references(tasks, where) if ref.name in needed]
    loaded = {task.name: task for task in api.loading(refs, where)}
    told = []
    for change in changes:
        task = loaded[change.task]
        a, b = (comparison.results.at(change.task, system) for system in comparison.systems[:2])
        told.append(
            {
                "task": change.task,
                "query_id": change.query_id,
                "query": _text(task, "queries", change.query_id),
                "measure": str(comparison.results.measures[0]),
                "value_a": change.a,
                "value_b": change.b,
                "positives": _positives(task, change.query_id),
                "top_a": _top(task, a, change.query_id),
                "top_b": _top(task, b, change.query_id),
            }
        )
    return told


def _positives(task: Task, query_id: str) -> list[dict[str, Any]]:
    row = int((task.queries.ids == query_id).nonzero()[0][0])
    span = slice(task.qrels.offsets[row], task.qrels.offsets[row + 1])
    judged = zip(task.qrels.documents[span], task.qrels.grades[span], strict=True)
    return [
        {"document_id": str(task.corpus.ids[d]), "grade": int(grade), "text": task.corpus.texts[d]}
        for d, grade in judged
        if grade > 0
    ]


def _top(task: Task, weighed: Weighed, query_id: str) -> dict[str, Any] | None:
    """The first document of a ranking, and the rank of the best placed positive."""
    run = weighed.run()
    row = int((run.query_ids == query_id).nonzero()[0][0])
    ranked = run.document_ids[run.documents[run.offsets[row] : run.offsets[row + 1]]]
    positives = {p["document_id"] for p in _positives(task, query_id)}
    rank = next((i + 1 for i, d in enumerate(ranked) if d in positives), None)
    if not len(ranked):
        return None
    return {
        "document_id": str(ranked[0]),
        "text": _text(task, "corpus", ranked[0]),
        "relevant": ranked[0] in positives,
        "rank_of_positive": rank,
    }


def _text(task: Task, side: str, wanted: str) -> str:
    texts = getattr(task, side)
    return str(texts.texts[int((texts.ids == wanted).nonzero()[0][0])])


def _print_change(entry: dict[str, Any], comparison: Comparison) -> None:
    from hakari.display import one_line, visible

    a, b = (str(system) for system in comparison.systems[:2])
    values = f"{entry['measure']} {a} {entry['value_a']:.3f}, {b} {entry['value_b']:.3f}"
    click.echo(f"\n{visible(entry['task'])}  query {visible(entry['query_id'])}  {visible(values)}")
    room = min(output.console().width, 180)
    click.echo(f"  query     {one_line(entry['query'], room - 13)}")
    for positive in entry["positives"][:1]:
        more = f"  (and {len(entry['positives']) - 1} more)" if len(entry["positives"]) > 1 else ""
        lead = f"  positive  {visible(positive['document_id'])}: "
        click.echo(f"{lead}{one_line(positive['text'], max(room - len(lead + more) - 1, 20))}{more}")
    width = max(len(a), len(b), 8)
    for name, side in ((a, "top_a"), (b, "top_b")):
        top = entry[side]
        if top is None:
            click.echo(f"  {visible(name):<{width}}  found nothing")
            continue
        if top["relevant"]:
            told = f"puts the positive first: {visible(top['document_id'])}"
        else:
            where = f"rank {top['rank_of_positive']}" if top["rank_of_positive"] else "not found"
            told = f"positive: {where}; first: {visible(top['document_id'])}: "
            told += one_line(top["text"], max(room - width - len(told) - 5, 20))
        click.echo(f"  {visible(name):<{width}}  {told}")
