"""Progress on standard error: a bar on a terminal, a line a finished step elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from hakari.display import visible

if TYPE_CHECKING:
    from hakari.bench import Step


@contextmanager
def telling() -> Iterator[Callable[[Step], None]]:
    """A function to be told of every step."""
    if sys.stderr.isatty():
        with _bar() as tell:
            yield tell
    else:
        yield _lines()


def _lines() -> Callable[[Step], None]:
    begun: dict[str, float] = {}

    def tell(step: Step) -> None:
        if step.state == "running":
            begun["at"] = time.perf_counter()
        elif step.state == "stored":
            seconds = time.perf_counter() - begun.get("at", time.perf_counter())
            click.echo(visible(f"[{step.number}/{step.total}] {step.task}  {step.retriever}  {seconds:.1f} s"), err=True)

    return tell


@contextmanager
def _bar() -> Iterator[Callable[[Step], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from hakari.cli.output import console

    columns = (BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        whole = progress.add_task("", total=None)

        def tell(step: Step) -> None:
            done = step.number - (step.state == "running")
            progress.update(
                whole, total=step.total, completed=done, description=visible(f"{step.task}  {step.retriever}")
            )

        yield tell
