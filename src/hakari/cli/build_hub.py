"""`hakari build hub`: a data set on a hub."""

from __future__ import annotations

from typing import Any

import click

from hakari.cli import output
from hakari.cli.build_shared import build_and_tell, column_option, columns_of, recipe_options, target_options
from hakari.cli.build_talk import query_and_positive

SHAPES = {"chat": "dialogue", "sql": "text-to-sql", "qa": "qa"}


@click.command("hub")
@click.argument("repo", metavar="ORG/NAME")
@click.option(
    "--config", metavar="NAME", help="Configuration, or the beginning of its name: `en` of `en-corpus`."
)
@click.option("--split", metavar="NAME", help="Split; default: test where there is one.")
@click.option("--revision", default="main", show_default=True, metavar="REV", help="Branch, tag or commit.")
@click.option("--qrels", metavar="ORG/NAME", help="Another data set, which holds the judgements.")
@click.option(
    "--kind",
    type=click.Choice(["collection", "pairs", "chat", "sql", "qa"]),
    help="What it is; default: a collection where it has corpus, queries and qrels, else pairs.",
)
@query_and_positive
@click.option(
    "--negative", "negatives", multiple=True, metavar="COL", help="Column of hard negatives, for pairs."
)
@click.option(
    "--turn",
    type=click.Choice(["final", "each"]),
    default="final",
    show_default=True,
    help="Turns, for chat.",
)
@column_option
@recipe_options
@target_options
def hub(
    repo: str,
    query: str | None,
    positive: str | None,
    columns: tuple[str, ...],
    turn: str,
    **rest: Any,
) -> None:
    """A data set on a hub, with its configurations and splits.

    Its card says which files these are; Parquet, JSONL, CSV and TSV files are fetched once into the cache, and no
    program of it is run. The commit goes into the account of the build.
    """
    from hakari.nano.sources_hub import Wanted, from_hub

    kind, named = rest.pop("kind"), {"query": query, "positive": positive}
    given = {part: column for part, column in named.items() if column is not None}
    if given and kind is None:
        kind = "pairs"
    wanted = Wanted(
        repo,
        columns=given or columns_of(columns),
        kind=kind,
        each_turn=turn == "each",
        query_per_row=rest["recipe"] == "published",
        **{name: rest.pop(name) for name in ("revision", "config", "split", "qrels", "negatives")},
    )
    rest["shape"] = rest["shape"] or SHAPES.get(kind or "")
    if kind == "sql":
        rest["category"] = rest["category"] or "code"
    build_and_tell(lambda: from_hub(wanted, output.note), rest)


COMMANDS = (hub,)
"""In the order that `hakari build --help` tells them in."""
