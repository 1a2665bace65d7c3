"""`hakari push`: a nano set to a hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.publish.push import Published


@click.command("push")
@click.argument("tasks", metavar="SET")
@click.argument("destination", metavar="hub:ORG/NAME[@BRANCH]")
@click.option("--public", is_flag=True, help="For everybody to read, where the repository is new.")
@click.option("--license", "licence", metavar="ID", help="Licence for the card, such as `cc-by-4.0`.")
@click.option("--replace", is_flag=True, help="Remove tasks and candidates there that the set lacks.")
@options.tasks_dir
@options.as_json
def command(
    tasks: str,
    destination: str,
    public: bool,
    licence: str | None,
    replace: bool,
    tasks_dir: Path | None,
    as_json: bool,
) -> None:
    """Push a nano set to a hub, in the layout that sentence-transformers, datasets and mteb read.

    SET is the folder of a set or the name of one. Its repository is private unless --public makes it otherwise. It
    holds exactly the set afterwards, with a card of statistics and of what its candidates are worth; the commit is
    printed, to be named in papers and in CI. Log in once with `hf auth login`, or set HF_TOKEN.

    Examples:

      hakari push path/to/NanoX hub:org/NanoX

      hakari push path/to/NanoX hub:org/NanoX@next --license cc-by-4.0
    """
    from hakari import api
    from hakari.publish.push import Destination, push

    to = Destination.of(destination, private=not public, replace=replace, licence=licence)
    done = push(list(api.each(tasks, api.Where(tasks_dir=tasks_dir))), to)
    if as_json:
        output.print_json(_told(done))
        return
    click.echo(done.spelling)
    _tell(done, public)


def _told(done: Published) -> dict[str, object]:
    return {
        "repo": done.repo,
        "commit": done.pushed.commit,
        "on": done.spelling,
        "changed": done.pushed.changed,
        "private": done.pushed.private,
        "tasks": [task.split for task in done.staged.tasks],
        "configs": sorted(done.staged.configs),
        "files": done.files,
        "removed": list(done.removed),
        "judgements_left_out": done.staged.left_out,
    }


def _tell(done: Published, public: bool) -> None:
    """Say beside the commit what was done, and what was not."""
    state = f"{done.files} files pushed" if done.pushed.changed else "nothing was new"
    who = {True: "private", False: "public", None: "of unknown visibility"}[done.pushed.private]
    count = len(done.staged.tasks)
    output.note(f"{state}: {count} task{'' if count == 1 else 's'} in `{done.repo}`, which is {who}")
    if public and done.pushed.private:
        output.note("it was there before: make it public on its page, under Settings")
    if done.removed:
        output.note(f"{len(done.removed)} outdated files removed")
    if done.staged.left_out:
        output.note(f"{done.staged.left_out:,} judgements that are not relevant were left out")
    output.note(f"weigh on it with `hakari run bm25 --on {done.spelling}`; `hakari check` says what to mend")
