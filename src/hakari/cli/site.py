"""`hakari site`: pages of tasks, suites and systems, and the board, as one folder of files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from hakari.cli import options, output


@click.command("site")
@options.on_optional
@options.places
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder of the site."
)
@click.option("--publish", metavar="ORG/NAME", help="Push the site to this static space on the hub, private.")
@click.option("--public", is_flag=True, help="With --publish: let everybody see it.")
@click.option("--no-published", is_flag=True, help="Leave out published tasks that were not measured here.")
@options.as_json
def command(
    tasks: tuple[str, ...],
    out: Path,
    no_published: bool,
    publish: str | None,
    public: bool,
    as_json: bool,
    **places: Any,
) -> None:
    """Build the site: a folder that works from disk, from any host of files, offline and without JavaScript.

    Tasks named by --on get full pages where their texts are on this machine; nothing is fetched. Every task with
    results gets a page, and so does every published one. The site that is there stands until the new one is
    complete; built twice from the same results it has the same bytes.

    Example:

      hakari run bm25 bm25-code --on path/to/NanoX

      hakari site --on path/to/NanoX --out site
    """
    from hakari.cli.site_shared import built, published_to
    from hakari.errors import UsageError

    if public and publish is None:
        raise UsageError("`--public` says who may see what is published", "add `--publish ORG/NAME`")
    told: dict[str, Any] = built(tasks, out, not no_published, options.where(**places))
    if not as_json:
        output.note(f"{told['files']:,} files, {told['bytes'] / 1e6:,.1f} MB: open {out / 'index.html'}")
    if publish is not None:
        told |= published_to(publish, out, private=not public)
        if not as_json:
            seen = "for its members only" if told["private"] else "for everybody"
            output.note(f"{publish} holds it, {seen}, at commit {told['commit'][:12]}")
    if as_json:
        output.print_json({"out": os.fspath(out), **told})
