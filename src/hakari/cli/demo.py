"""`hakari demo`: the main job on data that every machine has."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from hakari.cli import options, output

RETRIEVERS = ("bm25", "bm25-code", "bge_small_en", "rrf(bm25-code,bge_small_en)")
TASKS = "NanoStdlib"


@click.command("demo")
@options.results
@options.measures
@options.as_json
def command(results: Path, measures: str, as_json: bool) -> None:
    """Weigh four retrievers on NanoStdlib: code retrieval tasks made of this Python's standard library.

    BM25 as published, BM25 that knows code, a small dense model with real weights, and the hybrid of the last
    two. The first time takes a minute or two, nearly all of it encoding; the second reads the results.
    """
    from hakari import api, bench
    from hakari.cli.progress import telling
    from hakari.report.comparison import differences_table
    from hakari.report.summary import results_tables

    plan = bench.Plan(api.retrievers_of(RETRIEVERS), results=results)
    output.note(f"{TASKS}: real code of the running Python; building it takes some seconds at the first time")
    with telling(plan.retrievers) as teller:
        weighed = api.weigh(plan, TASKS, api.Where(results), measures, teller.step)
    if as_json:
        output.print_json(weighed.rows())
        return
    output.print_tables(*results_tables(weighed), differences_table(weighed))
    click.echo(_next_steps())


def _next_steps() -> str:
    called = "python -m hakari" if sys.argv[0].endswith("__main__.py") else sys.argv[0]
    hakari = "hakari" if shutil.which("hakari") else called
    steps = [
        (
            f'{hakari} compare bm25-code "{RETRIEVERS[-1]}" --on {TASKS} --queries',
            "which queries changed, and why",
        ),
        (f"{hakari} show {TASKS}/ApiReference", "what a task looks like"),
        (f"{hakari} run bm25 bm25-code --on path/to/your/set", "your own: a folder in nano or BEIR layout"),
        (f"{hakari} --help", "everything else: gate, score, sql, export"),
    ]
    return "\nWhat to do next:\n" + "\n".join(f"\n  # {why}\n  {step}" for step, why in steps)
