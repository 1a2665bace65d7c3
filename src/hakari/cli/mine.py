"""`hakari mine`: hard negatives for training pairs or for the pairs of tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options
from hakari.cli.pairs import audited, target_options, tell_made

if TYPE_CHECKING:
    from hakari.mining.hard import Found, Wanted
    from hakari.mining.make import Story
    from hakari.mining.rows import Row
    from hakari.retrievers.base import Retriever
    from hakari.types import Task

TABLES = (".parquet", ".jsonl", ".csv", ".tsv", ".json")


@click.command("mine")
@click.argument("sources", metavar="TASKS|TRAIN...", nargs=-1, required=True)
@click.option(
    "--negatives", type=click.IntRange(1), default=5, show_default=True, metavar="N", help="Of each row."
)
@click.option(
    "--with",
    "retrievers",
    metavar="RETRIEVER",
    multiple=True,
    required=True,
    help="Search that finds them; repeatable.",
)
@click.option(
    "--judge",
    "judges",
    metavar="RETRIEVER",
    multiple=True,
    help="Whose scores tell what might be right.  [default: those of --with that do not count words, else all]",
)
@click.option(
    "--margin",
    type=float,
    default=0.95,
    show_default=True,
    help="A negative scores below this share of its positive.",
)
@click.option("--kinds", metavar="LIST", help="Only these kinds of negatives, with commas between.")
@click.option(
    "--search-depth",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="How deep the searches look.",
)
@click.option("--query", metavar="COLUMN", help="Column of anchors in TRAIN; default: guessed.")
@click.option("--positive", metavar="COLUMN", help="Column of what answers them; default: guessed.")
@options.places
@target_options
def command(
    sources: tuple[str, ...], retrievers: tuple[str, ...], judges: tuple[str, ...], **rest: Any
) -> None:
    """Hard negatives: what searches find in place of the right text, by kind.

    TRAIN is tables of pairs (Parquet, JSONL, CSV); their positives are the corpus. TASKS are named as for `run`:
    their queries are evaluation data, so train on them only what you will not be measured by. Left
    out as possibly right is what is judged, nearly the positive, or scored like it by a judge. The file loads into
    sentence-transformers: `anchor`, `positive`, `negative_1` and so on; kinds and evidence stand beside it.

    Examples:

      hakari mine pairs.parquet --with bm25-code --out triplets.parquet

      hakari mine path/to/NanoX --with bm25 --kinds same-error --out x.jsonl
    """
    from hakari.mining.hard import KINDS, Wanted
    from hakari.mining.make import Story, make
    from hakari.mining.write import Target

    named = [kind.strip() for kind in (rest["kinds"] or "").split(",") if kind.strip()]
    wanted = Wanted(rest["negatives"], rest["margin"], frozenset(named) or frozenset(KINDS))
    target = Target(rest["out"])
    target.check_free(rest["replace"])
    recipe = {
        "kind": "mined",
        "with": list(retrievers),
        "judges": list(judges),
        "negatives": wanted.negatives,
        "margin": wanted.margin,
        "kinds": [kind for kind in KINDS if kind in wanted.kinds],
        "depth": rest["search_depth"],
    }
    story = Story(", ".join(Path(source).name for source in sources), recipe)
    rows = _mined(_tasks(sources, rest, story), (retrievers, judges), wanted, story, rest)
    made = make(rows, story, target, limit=rest["limit"], negatives=wanted.negatives, audit=audited(rest))
    tell_made(made, rest["as_json"])


def _tasks(sources: Sequence[str], rest: dict[str, Any], story: Story) -> Iterator[Task]:
    """The tasks that are named, and one of all tables of pairs together."""
    from hakari import api
    from hakari.mining.training_task import training_task

    tables = [Path(source) for source in sources if source.lower().endswith(TABLES)]
    named = [source for source in sources if Path(source) not in tables]
    if tables:
        given = {"query": rest["query"], "positive": rest["positive"]}
        yield training_task(tables, given, story.told, story.stages)
    if named:
        where = options.where(**{key: rest[key] for key in ("tasks_dir", "results", "language", "category")})
        for task in api.each(named, where):
            story.told.append(
                f"{task.name}: its queries are evaluation data; never be measured by what you train on"
            )
            yield task


def _mined(
    tasks: Iterable[Task],
    named: tuple[Sequence[str], Sequence[str]],
    wanted: Wanted,
    story: Story,
    rest: dict[str, Any],
) -> Iterator[Row]:
    from hakari import api
    from hakari.mining.hard import judges_among, mined
    from hakari.mining.rows import Account

    searches, judging = api.retrievers_of(named[0]), api.retrievers_of(named[1]) if named[1] else []
    account = Account("hard negatives")
    for task in tasks:
        every = _searched(task, api.retrievers_of([*searches, *judging]), rest)
        found = [every[one.name] for one in searches]
        judges = [every[one.name] for one in judging] or judges_among(found)
        line = "judges of what might be right: " + ", ".join(one.name for one in judges)
        if line not in story.told:
            story.told.append(line)
        yield from mined(task, found, judges, wanted, account)
    story.stages.append(account.stage())


def _searched(task: Task, retrievers: Sequence[Retriever], rest: dict[str, Any]) -> dict[str, Found]:
    """The rankings of every retriever, from the store where they are there already."""
    from hakari import bench
    from hakari.cli.progress import telling
    from hakari.mining.hard import Found
    from hakari.retrievers.base import BASE_VARIANT
    from hakari.store import files

    plan = bench.Plan(retrievers, depth=rest["search_depth"], results=rest["results"])
    with telling(retrievers) as teller:
        stored = [one for _, one in bench.weigh(plan, [task], 1, teller.step)]
    return {
        one.name: Found(one.name, one.family, files.read_variants(there, task.corpus.ids)[BASE_VARIANT].run)
        for one, there in zip(retrievers, stored, strict=True)
    }
