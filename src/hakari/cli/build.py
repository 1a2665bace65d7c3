"""`hakari build`: a nano set from a collection, from pairs or from code; one subcommand a kind of source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.nano.build import Built, Target
    from hakari.nano.recipes import Recipe
    from hakari.nano.sources_parts import Source

FILE = click.Path(path_type=Path)
SEED = 20260524
SHARED = ("files", "definitions")
"""Steps that all tasks of code have in common, told once."""

target_options = options.together(
    click.option("--name", required=True, metavar="NanoX", help="What the set is called."),
    click.option("--task", metavar="T", help="What its task is called; default: as the set."),
    click.option("--out", type=FILE, metavar="DIR", help="Folder of the set; default: its name, here."),
    options.language,
    options.category,
    click.option("--shape", metavar="WORD", help="Shape of the task, such as `text-to-code`."),
    options.as_json,
)
seed_option = click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of the choice.")
recipe_options = options.together(
    click.option(
        "--recipe",
        type=click.Choice(["published", "sampled"]),
        default="sampled",
        show_default=True,
        help="In source order as published sets are made, or a stratified sample.",
    ),
    click.option("--queries", type=click.IntRange(1), default=200, show_default=True, metavar="N"),
    click.option("--documents", type=click.IntRange(1), default=10_000, show_default=True, metavar="N"),
    seed_option,
    click.option(
        "--relevant-from", type=float, metavar="GRADE", help="Lowest relevant grade; default: above 0."
    ),
    click.option("--drop-dangling", is_flag=True, help="Leave out judgements of what is not there."),
)
column_option = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Column that plays a role, such as `corpus.text=body`, `query.id=idx` or `qrels.score=label`.",
)


@click.group("build")
def command() -> None:
    """Build a nano set from a collection of any size, from pairs or from code.

    Start with `hakari build code . --name NanoMine`, or
    `hakari build beir path/to/scifact --name NanoSciFact --recipe published`.
    """


@command.command("beir")
@click.argument("folder", metavar="SOURCE", type=FILE)
@click.option("--split", metavar="NAME", help="Split of the judgements; default: test where there is one.")
@column_option
@recipe_options
@target_options
def beir(folder: Path, split: str | None, columns: tuple[str, ...], **rest: Any) -> None:
    """A folder with corpus.jsonl, queries.jsonl and qrels/<split>.tsv."""
    from hakari.nano.sources_parts import from_beir

    _build(lambda: from_beir(folder, split, _columns(columns)), rest)


def _tables(kind: str) -> None:
    """Register the subcommand of tables of one kind; they differ in name and help alone."""

    @command.command(
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
            named = _columns(columns)
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

        _build(source, rest)


_tables("parquet")
_tables("jsonl")


@command.command("trec")
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

    _build(lambda: from_trec(Files(corpus, topics, qrels, _columns(columns), topic_field)), rest)


@command.command("pairs")
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
    _build(lambda: from_pairs(files, named, negatives, per_row), rest)


@command.command("code")
@click.argument("place", metavar="[PATH|PACKAGE]", required=False)
@click.option("--stdlib", is_flag=True, help="The standard library of this Python.")
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, metavar="N")
@click.option("--documents", type=click.IntRange(1), default=2_000, show_default=True, metavar="N")
@seed_option
@click.option("--name", required=True, metavar="NanoX", help="What the set is called.")
@click.option("--out", type=FILE, metavar="DIR", help="Folder of the set; default: its name, here.")
@options.as_json
def code(
    place: str | None, stdlib: bool, queries: int, documents: int, seed: int, as_json: bool, **named: Any
) -> None:
    """Python code in four shapes: docstring to function, back, completion, reference.

    PATH is a folder or a file, PACKAGE an installed package; nothing of it is imported or run.
    """
    from hakari.errors import UsageError
    from hakari.nano.build import Target, build_from_code

    if stdlib == (place is not None):
        raise UsageError("name one source of code", "give a PATH, an installed PACKAGE, or `--stdlib`")
    _told(build_from_code(place, Target(**named), queries, documents, seed), as_json)


def _columns(pairs: tuple[str, ...]) -> dict[str, str]:
    from hakari.errors import UsageError

    for pair in pairs:
        if not all(pair.partition("=")[:2]):
            raise UsageError(f"`--column {pair}` is not ROLE=NAME", "write it as `--column corpus.text=body`")
    return {role: name for role, _, name in (pair.partition("=") for pair in pairs)}


def _build(source: Callable[[], Source], given: dict[str, Any]) -> None:
    """Build from a source, which is opened only when the rest of the request is known to be sound."""
    from hakari.nano.build import build_from

    target, recipe = _target(given), _recipe(given)
    target.check_free()
    opened = source()
    for line in opened.roles:
        output.note(line)
    _told(build_from(opened, recipe, target), given["as_json"])


def _target(given: dict[str, Any]) -> Target:
    from hakari.nano.build import Target
    from hakari.tasks.assemble import Traits

    traits = Traits(given["language"], given["category"], given["shape"])
    return Target(given["name"], given["task"], given["out"], traits)


def _recipe(given: dict[str, Any]) -> Recipe:
    from hakari.nano.recipes import Recipe

    return Recipe(
        given["recipe"],
        given["queries"],
        given["documents"],
        given["seed"],
        given["relevant_from"],
        given["drop_dangling"],
    )


def _told(built: Built, as_json: bool) -> None:
    """Print the account of a build."""
    if as_json:
        output.print_json({"folder": str(built.folder), **built.report})
        return
    tasks = built.report["tasks"]
    for step in next(iter(tasks.values()))["stages"]:
        if step["name"] in SHARED:
            click.echo(_line(step))
    for name, told in tasks.items():
        counts = ", ".join(f"{told[part]:,} {part}" for part in ("queries", "documents", "judgements"))
        click.echo(f"{built.folder}/{name}: {counts}")
        for step in told["stages"]:
            if step["name"] not in SHARED:
                click.echo("  " + _line(step))
        for change in told.get("changes", ()):
            click.echo(f"  {change}")
    output.note(
        f"see it with `hakari show {built.folder}`, weigh on it with `hakari run bm25 --on {built.folder}`"
    )


def _line(step: dict[str, Any]) -> str:
    from hakari.nano.draft import Stage

    return str(Stage(step["name"], step["seen"], step["kept"], step["left_out"]))
