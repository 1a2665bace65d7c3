"""`hakari import`: keep figures that others measured beside our results."""

from __future__ import annotations

from pathlib import Path

import click

from hakari.cli import export, options, output


@click.group("import")
def command() -> None:
    """Keep figures that others measured beside the results, marked as theirs.

    They come as means, without values by query, so no interval or test goes with them. They lie in the folder
    `imported` of --results and are never mixed with what was measured; `hakari sql "FROM imported"` shows them.
    """


@command.command("mteb")
@click.argument("path", type=click.Path(path_type=Path))
@options.results
@click.option("--system", metavar="NAME", help="Which model it is, where neither files nor folders say.")
@click.option(
    "--task-name",
    "names",
    metavar="THEIRS=OURS",
    multiple=True,
    help="What a task of mteb is called here: `NanoArguAnaRetrieval=NanoBEIR-en/NanoArguAna`.",
)
def mteb(path: Path, results: Path, system: str | None, names: tuple[str, ...]) -> None:
    """Read a result file of mteb, or every one in a folder.

    Example:

      hakari import mteb path/to/mteb/results
    """
    from hakari.io.figures import read_mteb

    ours = export.pairs("--task-name", names, "SciFact=NanoX/SciFact")
    figures, empty = read_mteb(_there(path), system, ours)
    _keep("mteb", path, results, figures)
    if empty:
        output.note(
            f"left out, for they hold no measure of retrieval: {', '.join(empty[:5])}"
            + (" ..." if empty[5:] else "")
        )


@command.command("published")
@click.argument("path", type=click.Path(path_type=Path))
@options.results
@click.option("--percent", is_flag=True, help="The figures are in percent.")
def published(path: Path, results: Path, percent: bool) -> None:
    """Read a table of published figures: JSONL, JSON or CSV.

    A row has `system` and `task`, and columns named like measures (`nDCG@10` or `ndcg_at_10`), or `measure`
    and `value`. Rows of published task profiles are read as they are.

    Example:

      hakari import published path/to/figures.csv --percent
    """
    from hakari.io.figures import read_published

    _keep("published", path, results, read_published(_there(path), percent))


def _there(path: Path) -> Path:
    from hakari.errors import UsageError

    if not path.exists():
        raise UsageError(f"there is no file or folder `{path}`", "check the path")
    return path


def _keep(kind: str, path: Path, results: Path, figures: list) -> None:
    from hakari.errors import InvalidInput, UsageError
    from hakari.io.figures import doubles
    from hakari.store.imported import KINDS, Imported, write_imported

    if not figures:
        raise UsageError(f"`{path}` holds no figures", "hakari import --help")
    if faults := doubles(figures):
        raise InvalidInput(f"`{path}`", faults)
    kept = write_imported(results, Imported(kind, path.resolve().name, tuple(figures)))
    systems, tasks = ({getattr(f, name) for f in figures} for name in ("system", "task"))
    counted = {"figure": len(figures), "system": len(systems), "task": len(tasks)}
    figures_of, systems_on, on_tasks = (f"{n:,} {what}{'s' * (n != 1)}" for what, n in counted.items())
    told = f"{figures_of} of {systems_on} on {on_tasks}"
    output.note(f"{told}, marked as {KINDS[kind]}, are in `{kept}`")
