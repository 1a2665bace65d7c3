"""What `hakari site` and `hakari board` share: building with progress told."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hakari.display import visible

if TYPE_CHECKING:
    from hakari.api import Where


def built(tasks: tuple[str, ...], out: Path, published: bool, where: Where) -> dict[str, int]:
    """Build a site of the tasks named and of all results; how many files and bytes it has."""
    from hakari.api import site

    return site(tasks, out, where, published=published, tell=_tell)


def published_to(repo: str, out: Path, private: bool) -> dict[str, object]:
    """Push a built site to a static space; its commit and whether it is private."""
    from hakari.io import hub_space

    files = {path.relative_to(out).as_posix(): path for path in sorted(out.rglob("*")) if path.is_file()}
    pushed = hub_space.push(repo, files, "hakari: retrievers on the scales", private)
    return {"space": repo, "commit": pushed.commit, "private": pushed.private, "changed": pushed.changed}


def _tell(text: str) -> None:
    """One line that is written over, on a terminal; nothing in a log."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns - 1
        click.echo(f"\r{visible(text)[:width]:<{width}}", err=True, nl=False)
