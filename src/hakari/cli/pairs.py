"""`hakari pairs`: training pairs from a source that is not evaluation data; one subcommand a kind of source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.mining.audited import Audited
    from hakari.mining.make import Made, Story
    from hakari.mining.rows import Row

FILE = click.Path(path_type=Path)
Rows = Callable[["Story"], "Iterable[Row]"]

target_options = options.together(
    click.option(
        "--out",
        type=FILE,
        required=True,
        metavar="FILE",
        help="Training file, .parquet or .jsonl; provenance and manifest are written beside it.",
    ),
    click.option(
        "--limit", type=click.IntRange(1), metavar="N", help="At most so many rows, chosen by a hash."
    ),
    click.option(
        "--audit",
        metavar="TASKS",
        multiple=True,
        help="Leave out rows that hold something of these evaluation tasks; repeatable.",
    ),
    click.option("--replace", is_flag=True, help="Write over what is there."),
    options.as_json,
)
pairs_options = options.together(options.tasks_dir, target_options)
table_argument = click.argument("files", metavar="SOURCE...", nargs=-1, required=True, type=FILE)


@click.group("pairs")
def command() -> None:
    """Training pairs from code, documentation, dialogues, questions, SQL, fixes or translations.

    The file loads into sentence-transformers as it is: columns `anchor` and `positive` and nothing else. Where
    each row comes from stands in a second file beside it.
    """


@command.command("code")
@click.argument("place", metavar="[PATH|PACKAGE]", required=False)
@click.option("--stdlib", is_flag=True, help="The standard library of this Python.")
@pairs_options
def code(place: str | None, stdlib: bool, **rest: Any) -> None:
    """Functions: docstring to function, back, and beginning to rest. Nothing is imported or run."""
    from hakari.mining.from_code import code_rows

    _check_place(place, stdlib)
    _make("code", place, lambda story: code_rows(place, story.stages), rest)


@command.command("docs")
@click.argument("place", metavar="[PATH|PACKAGE]", required=False)
@click.option("--stdlib", is_flag=True, help="The standard library of this Python.")
@pairs_options
def docs(place: str | None, stdlib: bool, **rest: Any) -> None:
    """Documentation: API name and summary to reference entry; headings to sections of pages."""
    from hakari.mining.from_code import reference_rows

    _check_place(place, stdlib)
    _make("docs", place, lambda story: reference_rows(place, story.stages), rest)


@command.command("chat")
@table_argument
@click.option("--messages", metavar="COLUMN", help="Column of the turns; default: guessed.")
@click.option(
    "--turn",
    type=click.Choice(["final", "each"]),
    default="final",
    show_default=True,
    help="Which turns of the assistant are to be found.",
)
@pairs_options
def chat(files: tuple[Path, ...], messages: str | None, turn: str, **rest: Any) -> None:
    """Dialogues: what was said so far to the assistant's next turn."""
    from hakari.mining.from_tables import chat_rows

    given = {"messages": messages}

    def rows(story: Story) -> Iterable[Row]:
        return chat_rows(files, given, story.told, story.stages, turn == "each")

    _make("chat", files, rows, rest, {**given, "turn": turn})


def _query_and_positive(function: Callable[..., Any]) -> Callable[..., Any]:
    return options.together(
        click.option("--query", metavar="COLUMN", help="Column of anchors; default: guessed."),
        click.option("--positive", metavar="COLUMN", help="Column of what answers them; default: guessed."),
    )(function)


@command.command("qa")
@table_argument
@_query_and_positive
@click.option("--body", metavar="COLUMN", help="Column with the rest of the question; default: guessed.")
@pairs_options
def qa(
    files: tuple[Path, ...], query: str | None, positive: str | None, body: str | None, **rest: Any
) -> None:
    """Questions and answers: a post to its answer, the accepted one where that is told."""
    from hakari.mining.from_tables import qa_rows

    given = {"query": query, "positive": positive, "body": body}
    _make("qa", files, lambda story: qa_rows(files, given, story.told, story.stages), rest, given)


@command.command("sql")
@table_argument
@_query_and_positive
@click.option("--schema", metavar="COLUMN", help="Column of schemas; default: guessed.")
@pairs_options
def sql(
    files: tuple[Path, ...], query: str | None, positive: str | None, schema: str | None, **rest: Any
) -> None:
    """Questions of a database, with its schema where there is one, to the statement that answers them."""
    from hakari.mining.from_tables import sql_rows

    given = {"query": query, "positive": positive, "schema": schema}
    _make("sql", files, lambda story: sql_rows(files, given, story.told, story.stages), rest, given)


@command.command("translation")
@table_argument
@_query_and_positive
@pairs_options
def translation(files: tuple[Path, ...], query: str | None, positive: str | None, **rest: Any) -> None:
    """Tables with the same text or program in two languages."""
    from hakari.mining.from_tables import translation_rows

    given = {"query": query, "positive": positive}
    _make(
        "translation",
        files,
        lambda story: translation_rows(files, given, story.told, story.stages),
        rest,
        given,
    )


@command.command("fixes")
@click.argument("repository", metavar="REPOSITORY", type=FILE)
@click.option("--commits", type=click.IntRange(1), metavar="N", help="Only the newest commits about fixes.")
@pairs_options
def fixes(repository: Path, commits: int | None, **rest: Any) -> None:
    """The history of a git repository: a commit's message and the broken function to the mended one."""
    from hakari.mining.from_git import fix_rows

    def rows(story: Story) -> Iterable[Row]:
        return fix_rows(repository, story.stages, commits)

    _make("fixes", repository.resolve(), rows, rest, {"commits": commits})


@command.command("synth")
@click.argument("place", metavar="[PATH|PACKAGE]", required=False)
@click.option("--stdlib", is_flag=True, help="The standard library of this Python.")
@click.option(
    "--run", "run_code", is_flag=True, help="Also run the source's own examples with mistakes put in."
)
@pairs_options
def synth(place: str | None, stdlib: bool, run_code: bool, **rest: Any) -> None:
    """Made-up pairs from real code: short queries to functions and, with --run, errors to their mending.

    With --run every function whose docstring has examples that hold gets small mistakes, one at a time; its examples
    are run, and what they say becomes the anchor. That executes the code of the source, in processes of their own.
    """
    from hakari.mining.from_code import search_rows
    from hakari.mining.from_mistakes import mistake_rows
    from hakari.nano.sources import find_sources, standard_library

    _check_place(place, stdlib)

    def rows(story: Story) -> Iterable[Row]:
        yield from search_rows(place, story.stages)
        if run_code:
            sources = standard_library() if place is None else find_sources(place)
            yield from mistake_rows(sources, story.stages)

    _make("synth", place, rows, rest, {"run": run_code})


def _check_place(place: str | None, stdlib: bool) -> None:
    from hakari.errors import UsageError

    if stdlib == (place is not None):
        raise UsageError("name one source", "give a PATH, an installed PACKAGE, or `--stdlib`")


def _make(
    kind: str,
    source: str | Path | tuple[Path, ...] | None,
    rows: Rows,
    rest: dict[str, Any],
    settings: dict[str, Any] | None = None,
) -> None:
    from hakari.mining.make import Story, make
    from hakari.mining.write import Target

    target = Target(rest["out"])
    target.check_free(rest["replace"])
    named = source if isinstance(source, tuple) else () if source is None else (source,)
    name = ", ".join(Path(one).name for one in named) or "the standard library"
    story = Story(name, {"kind": kind, **(settings or {})})
    made = make(rows(story), story, target, limit=rest["limit"], audit=audited(rest))
    tell_made(made, rest["as_json"])


def audited(rest: dict[str, Any]) -> Audited | None:
    """The filter that `--audit` asks for."""
    if not rest["audit"]:
        return None
    from hakari.mining.audited import Audited

    return Audited(rest["audit"], rest["tasks_dir"])


def tell_made(made: Made, as_json: bool) -> None:
    """Print the account of a training file."""
    if as_json:
        output.print_json({"file": str(made.target.path), **made.manifest})
        return
    for line in made.manifest["told"]:
        output.note(line)
    for stage in made.manifest["stages"]:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in stage["left_out"].items())
        tail = f"; left out: {reasons}" if reasons else ""
        click.echo(f"{stage['name']}: {stage['kept']:,} of {stage['seen']:,}{tail}")
    click.echo(f"{made.target.path}: {made.rows:,} rows")
