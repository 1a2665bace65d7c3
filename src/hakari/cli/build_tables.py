"""`hakari build beir|parquet|jsonl|trec|pairs`: collections and tables of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli.build_shared import (
    FILE,
    build_and_tell,
    column_option,
    columns_of,
    recipe_options,
    target_options,
)

if TYPE_CHECKING:
    from hakari.nano.sources_parts import Source


@click.command("beir")
@click.argument("folder", metavar="SOURCE", type=FILE)
@click.option("--split", metavar="NAME", help="Split of the judgements; default: test where there is one.")
@column_option
@recipe_options
@target_options
def beir(folder: Path, split: str | None, columns: tuple[str, ...], **rest: Any) -> None:
    """A folder with corpus.jsonl, queries.jsonl and qrels/<split>.tsv."""
    from hakari.nano.sources_parts import from_beir

    build_and_tell(lambda: from_beir(folder, split, columns_of(columns)), rest)


def _tables(kind: str) -> click.Command:
    """The subcommand of tables of one kind; they differ in name and help alone."""

    @click.command(
        kind,
        help=f"""{kind.upper() if kind == "jsonl" else "Parquet"} tables of documents, queries and judgements.

    SOURCE is a folder with tables named corpus*, queries* and qrels*; without it, name each table. Roles of
    columns are guessed from their names and printed. Tables of other kinds (TSV, CSV) may be among them.
    """,
    )
    @click.argument("folder", metavar="[SOURCE]", type=FILE, required=False)
    @click.option("--corpus", multiple=True, type=FILE, metavar="FILE", help="Table of documents.")
    @click.option(
        "--queries-file", "queries_files", multiple=True, type=FILE, metavar="FILE", help="Table of queries."
    )
    @click.option("--qrels", multiple=True, type=FILE, metavar="FILE", help="Table of judgements.")
    @column_option
    @recipe_options
    @target_options
    def tables(folder: Path | None, columns: tuple[str, ...], **rest: Any) -> None:
        from hakari.errors import UsageError
        from hakari.nano.sources_parts import Files, from_tables, in_folder

        given = [rest.pop(name) for name in ("corpus", "queries_files", "qrels")]

        def source() -> Source:
            named = columns_of(columns)
            if folder is not None and any(given):
                raise UsageError("a SOURCE and single tables at once", "give the folder or the three tables")
            if folder is not None:
                return from_tables(in_folder(folder, named))
            lacking = [
                o for o, g in zip(("--corpus", "--queries-file", "--qrels"), given, strict=True) if not g
            ]
            if lacking:
                raise UsageError(
                    f"nothing says where the {' and '.join(lacking)} is", f"add `{lacking[0]} FILE`"
                )
            return from_tables(Files(given[0], given[1], given[2], named))

        build_and_tell(source, rest)

    return tables


@click.command("trec")
@click.option(
    "--topics", required=True, multiple=True, type=FILE, metavar="FILE", help="TSV or <top> blocks."
)
@click.option("--qrels", required=True, multiple=True, type=FILE, metavar="FILE", help="Four columns.")
@click.option("--corpus", required=True, multiple=True, type=FILE, metavar="FILE", help="Table of documents.")
@click.option(
    "--topic-field",
    type=click.Choice(["title", "desc", "narr"]),
    default="title",
    show_default=True,
    help="Part of a <top> block that is the query.",
)
@column_option
@recipe_options
@target_options
def trec(
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    corpus: tuple[Path, ...],
    topic_field: str,
    columns: tuple[str, ...],
    **rest: Any,
) -> None:
    """TREC topics and judgements, with a table of documents."""
    from hakari.nano.sources_parts import Files, from_trec

    build_and_tell(lambda: from_trec(Files(corpus, topics, qrels, columns_of(columns), topic_field)), rest)


@click.command("pairs")
@click.argument("files", metavar="SOURCE...", nargs=-1, required=True, type=FILE)
@click.option("--query", metavar="COL", help="Column of queries.")
@click.option("--positive", metavar="COL", help="Column of what answers them: a text or a list.")
@click.option("--negative", "negatives", multiple=True, metavar="COL", help="Column of hard negatives.")
@recipe_options
@target_options
def pairs(
    files: tuple[Path, ...], query: str | None, positive: str | None, negatives: tuple[str, ...], **rest: Any
) -> None:
    """Tables with a query and its positive in each row.

    With `sampled`, the same query in several rows is one query; with `published`, each row is a query.
    """
    from hakari.nano.sources_pairs import from_pairs

    given = {"pairs.query": query, "pairs.positive": positive}
    named = {role: column for role, column in given.items() if column is not None}
    per_row = rest["recipe"] == "published"
    build_and_tell(lambda: from_pairs(files, named, negatives, per_row), rest)


COMMANDS = (beir, _tables("parquet"), _tables("jsonl"), trec, pairs)
"""In the order that `hakari build --help` tells them in."""
