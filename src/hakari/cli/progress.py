"""Progress on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click

from hakari.display import short_paths, visible

if TYPE_CHECKING:
    from hakari.bench import Step
    from hakari.retrievers.base import Retriever

QUIET_SECONDS = 10.0
"""How long a step may go on in a log before its progress is told."""


class Teller(Protocol):
    """Is told of every step, and of texts encoded within one."""

    def step(self, step: Step) -> None:
        """A step begins or has ended."""

    def texts(self, done: int, total: int) -> None:
        """So many texts of the present step are encoded."""


@contextmanager
def telling(retrievers: Sequence[Retriever] = ()) -> Iterator[Teller]:
    """Somebody to tell of progress; retrievers that encode texts tell of those."""
    if sys.stderr.isatty():
        with _bar() as teller:
            yield _listening(teller, retrievers)
    else:
        yield _listening(_Lines(), retrievers)


def _listening(teller: Any, retrievers: Sequence[Retriever]) -> Any:
    for retriever in retrievers:
        if hasattr(retriever, "progress"):
            retriever.progress = teller.texts
        _listening(teller, retriever.parts)
    return teller


def _named(step: Step) -> str:
    return short_paths([step.retriever])(step.retriever)


class _Lines:
    def __init__(self) -> None:
        self.begun = self.told = time.monotonic()
        self.doing = ""

    def step(self, step: Step) -> None:
        now = time.monotonic()
        if step.state == "running":
            self.begun = self.told = now
            self.doing = f"[{step.number}/{step.total}] {step.task}  {_named(step)}"
        elif step.state == "stored":
            click.echo(visible(f"{self.doing}  {now - self.begun:.1f} s"), err=True)

    def texts(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.told >= QUIET_SECONDS:
            self.told = now
            click.echo(visible(f"{self.doing}  {done:,} of {total:,} texts encoded"), err=True)


@contextmanager
def _bar() -> Iterator[Any]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from hakari.cli.output import console

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        yield _Bar(progress)


class _Bar:
    def __init__(self, progress: Any) -> None:
        self.progress = progress
        self.whole = progress.add_task("", total=None)
        self.done = 0
        self.place = self.doing = ""

    def step(self, step: Step) -> None:
        self.done = step.number - (step.state == "running")
        self.place, self.doing = f"{step.number}/{step.total}", visible(f"{step.task}  {_named(step)}")
        told = f"{self.place}  {self.doing}"
        self.progress.update(self.whole, total=step.total, completed=self.done, description=told)

    def texts(self, done: int, total: int) -> None:
        # What changes comes first, for a narrow terminal cuts the end.
        told = f"{self.place}  {done:,} of {total:,} texts  {self.doing}"
        self.progress.update(self.whole, completed=self.done + done / max(total, 1), description=told)
