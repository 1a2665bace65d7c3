"""What the subcommands of `hakari build` share: options, and telling what was built."""

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


def columns_of(pairs: tuple[str, ...]) -> dict[str, str]:
    """Columns by their roles, from what `--column` was given."""
    from hakari.errors import UsageError

    for pair in pairs:
        if not all(pair.partition("=")[:2]):
            raise UsageError(f"`--column {pair}` is not ROLE=NAME", "write it as `--column corpus.text=body`")
    return {role: name for role, _, name in (pair.partition("=") for pair in pairs)}


def build_and_tell(source: Callable[[], Source], given: dict[str, Any]) -> None:
    """Build from a source, which is opened only when the rest of the request is known to be sound."""
    from hakari.nano.build import build_from

    target, recipe = _target(given), _recipe(given)
    target.check_free()
    opened = source()
    for line in opened.roles:
        output.note(line)
    tell(build_from(opened, recipe, target), given["as_json"])


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


def tell(built: Built, as_json: bool) -> None:
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
