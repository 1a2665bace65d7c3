"""`hakari candidates`: make the candidate rankings of a nano set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hakari.cli import options, output


@click.command("candidates")
@click.argument("tasks", metavar="SET")
@click.option("--bm25", is_flag=True, help="Make `bm25`: BM25 as published, top 500.")
@click.option("--dense", metavar="MODEL", help="Make the top 500 of a dense model, under its own name.")
@click.option("--hybrid", is_flag=True, help="Make `reranking_hybrid`: top 100 of both, and the safeguard.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Copy the set there first, and leave SET as it is.",
)
@click.option("--replace", is_flag=True, help="Make again what is there and was made otherwise.")
@options.tasks_dir
@options.as_json
def command(tasks: str, out: Path | None, tasks_dir: Path | None, as_json: bool, **asked: Any) -> None:
    """Write candidate rankings into a nano set, by the published protocol.

    SET is the folder of a nano set, one task of it, or the name of a set. Repeating the command makes nothing
    twice; candidates that were made otherwise are never touched without --replace.

    Examples:

      hakari candidates path/to/NanoX --bm25 --dense bge_small_en --hybrid

      hakari candidates path/to/NanoX/Task --hybrid --out path/to/copy
    """
    from hakari import api
    from hakari.bench import Step
    from hakari.candidates.make import check_plan, make, planned
    from hakari.cli.progress import telling

    plan = planned(**asked)
    where = api.Where(tasks_dir=tasks_dir)
    loaded = list(api.each(tasks if out is None else _copied(tasks, out, where), where))
    check_plan(plan, loaded)
    made = []
    with telling(list(plan.sources.values())) as teller:
        for place, task in enumerate(loaded):

            def tell(config: str, state: str, place: int = place, name: str = task.name) -> None:
                number = place * len(plan.configs) + plan.configs.index(config) + 1
                state = "stored" if state == "written" else state
                teller.step(Step(name, config, number, len(loaded) * len(plan.configs), state))

            made += make(plan, task, tell)
    rows = [
        {"task": m.task, "config": m.config, "state": m.state, "path": str(m.path), **m.record} for m in made
    ]
    if as_json:
        output.print_json(rows)
    else:
        output.print_rows([_shown(row) for row in rows])


def _copied(tasks: str, out: Path, where: Any) -> list[str | Path]:
    """The tasks, copied into another folder."""
    from hakari import api
    from hakari.errors import UsageError
    from hakari.io.nano_write import copy_task
    from hakari.tasks.registry import TaskRef

    copies: list[str | Path] = []
    for ref in api.references(tasks, where):
        if not isinstance(ref, TaskRef) or ref.layout.name != "nano":
            raise UsageError(f"`{ref.name}` does not lie in a nano set", "make one of it with `hakari build`")
        copy_task(ref.here(), out, ref.split)
        copies.append(out.absolute() / ref.split)
    return copies


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "task": row["task"],
        "config": row["config"],
        "state": row["state"],
        "candidates": f"{row['candidate_count_min']}-{row['candidate_count_max']}",
        "safeguards": row.get("safeguard_positive_rows"),
        "nDCG@10": row["ndcg_at_10"],
        "hit@10": row["hit_at_10"],
        "R@100 pooled": row["recall_at_100"],
        "R@100 mean": row["recall_at_100_mean"],
    }
