"""`hakari run`: weigh retrievers on tasks."""

from __future__ import annotations

from typing import Any

import click

from hakari.cli import options, output

RERANKED = 100
"""Candidates a query that a reranker sees where `--depth` says nothing."""


@click.command("run")
@click.argument("retrievers", nargs=-1, required=True, metavar="RETRIEVER...")
@options.on
@options.measures
@options.depth
@options.variants
@options.candidates
@options.model_args
@options.truncate
@options.long_texts
@options.places
@options.no_cache
@click.option(
    "--costs", is_flag=True, help="Costs of each task in full; with `--json`, in each row as `cost`."
)
@click.option("--fresh", is_flag=True, help="Run again what has a result already.")
@options.as_json
def command(
    retrievers: tuple[str, ...],
    tasks: tuple[str, ...],
    measures: str,
    model_args: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Weigh retrievers on tasks and keep the results.

    Repeating the command does no work twice; a changed setting is a new result.

    Examples:

      hakari run bm25 bm25-code --on path/to/NanoX

      hakari run "bm25(k1=0.9,b=0.4)" --on "NanoCoIR/*SQL" --measures AP

      hakari run bge_small_en --variants dim=256,128+int8 --on path/to/NanoX

      hakari run reranker_en --candidates bm25 --on path/to/NanoX
    """
    from dataclasses import replace

    from hakari import api, bench
    from hakari.cli.progress import telling
    from hakari.report.costs import with_costs
    from hakari.report.summary import results_tables

    depth, fresh, variants, costs = (chosen.pop(name) for name in ("depth", "fresh", "variants", "costs"))
    candidates = chosen.pop("candidates")
    if candidates is not None:
        from hakari.retrievers.over_candidates import over_candidates

        source = click.get_current_context().get_parameter_source("depth")
        asked = source is not click.core.ParameterSource.DEFAULT
        retrievers = tuple(over_candidates(retrievers, candidates, depth if asked else RERANKED))
    long = {name: chosen.pop(name) for name in ("truncate", "long")}
    where = options.where(**chosen)
    plan, _ = api.planned(retrievers, variants, options.settings(model_args, **long))
    plan = replace(plan, depth=depth, results=where.results, fresh=fresh)
    states: set[str] = set()

    with telling(plan.retrievers) as teller:

        def tell(step: bench.Step) -> None:
            states.add(step.state)
            teller.step(step)

        results = api.weigh(plan, tasks, where, measures, tell)
    if as_json:
        output.print_json(with_costs(results) if costs else results.rows())
    else:
        output.print_tables(*results_tables(results, costs_by_task=costs))
        again = "the same command again reads them and runs nothing"
        output.note(
            f"results are in `{where.results}`; " + (again if "stored" in states else "nothing was run")
        )
