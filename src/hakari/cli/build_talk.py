"""`hakari build chat|sql|qa`: dialogues, questions of databases, questions of people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hakari.cli import options
from hakari.cli.build_shared import FILE, build_and_tell, recipe_options, target_options

files_argument = click.argument("files", metavar="SOURCE...", nargs=-1, required=True, type=FILE)


def _shaped(shape: str, category: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """What was asked for, with the shape that such a task has, and its category where there is only one."""
    given["shape"] = given["shape"] or shape
    given["category"] = given["category"] or category
    return given


def _named(kind: str, columns: Mapping[str, str | None]) -> dict[str, str]:
    """Columns that were named, by their roles."""
    return {f"{kind}.{part}": name for part, name in columns.items() if name is not None}


def _per_row(given: Mapping[str, Any]) -> bool:
    return bool(given["recipe"] == "published")


@click.command("chat")
@files_argument
@click.option("--messages", metavar="COL", help="Column of the turns; default: guessed.")
@click.option(
    "--turn",
    type=click.Choice(["final", "each"]),
    default="final",
    show_default=True,
    help="Which turns of the assistant are to be found.",
)
@recipe_options
@target_options
def chat(files: tuple[Path, ...], messages: str | None, turn: str, **rest: Any) -> None:
    """Dialogues: what was said so far to the assistant's next turn.

    Each row holds a list of turns: `role` and `content` (a text or a list of parts), or `from` and `value`. Earlier
    turns of the assistant in the same dialogue are hard negatives.
    """
    from hakari.nano.sources_chat import from_chat

    named = _named("chat", {"messages": messages})
    build_and_tell(
        lambda: from_chat(files, named, turn == "each", _per_row(rest)), _shaped("dialogue", None, rest)
    )


query_and_positive = options.together(
    click.option("--query", metavar="COL", help="Column of questions; default: guessed."),
    click.option("--positive", metavar="COL", help="Column of what answers them; default: guessed."),
)


@click.command("sql")
@files_argument
@query_and_positive
@click.option("--schema", metavar="COL", help="Column of schemas; default: guessed; '' for none.")
@recipe_options
@target_options
def sql(
    files: tuple[Path, ...], query: str | None, positive: str | None, schema: str | None, **rest: Any
) -> None:
    """Questions of databases: a question, with its schema where there is one, to the statement.

    Schemas are texts such as CREATE TABLE, lists of columns, or tables with their columns. SQL stays as it is.
    """
    from hakari.nano.sources_sql import from_sql

    named = _named("sql", {"query": query, "positive": positive, "schema": schema})
    build_and_tell(lambda: from_sql(files, named, _per_row(rest)), _shaped("text-to-sql", "code", rest))


@click.command("qa")
@files_argument
@query_and_positive
@click.option(
    "--body", metavar="COL", help="Column with the rest of the question; default: guessed; '' for none."
)
@recipe_options
@target_options
def qa(
    files: tuple[Path, ...], query: str | None, positive: str | None, body: str | None, **rest: Any
) -> None:
    """Questions of people: a post to its answers.

    A row holds a question and its answer or answers, or a post that may name its parent, as in the dumps of
    StackExchange. Accepted answers have grade 2, others that were voted up 1; those voted down are hard negatives.
    """
    from hakari.nano.sources_qa import from_qa

    named = _named("qa", {"query": query, "positive": positive, "body": body})
    build_and_tell(lambda: from_qa(files, named, _per_row(rest)), _shaped("qa", None, rest))


COMMANDS = (chat, sql, qa)
"""In the order that `hakari build --help` tells them in."""
