"""Progress of an audit on standard error: rows, MB/s and the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from hakari.audit.run import Progress
from hakari.cli.progress import QUIET_SECONDS
from hakari.display import visible

LONG_SECONDS = 10.0
"""From which a look for paraphrases is announced."""


class Lines(Progress):
    """A line now and then, for a log."""

    def __init__(self) -> None:
        self.begun = self.told = time.monotonic()
        self.rows = self.size = self.files = 0
        self.total: int | None = None

    def indexing(self, task: str, number: int, total: int) -> None:
        """Tell which task is indexed, if it takes long."""
        self._tell(f"[{number}/{total}] indexing {task}")

    def begin(self, rows: int | None, size: int) -> None:
        """The scan begins now."""
        self.total, self.files, self.begun = rows, size, time.monotonic()

    def scanned(self, rows: int, size: int) -> None:
        """Count rows and bytes, and tell them now and then."""
        self.rows, self.size = self.rows + rows, self.size + size
        self._tell(self.state())

    def encoding(self, done: int, total: int) -> None:
        """Tell how many of the tasks' texts are encoded, if it takes long."""
        self._tell(f"{done:,} of {total:,} texts of the tasks encoded")

    def begin_similar(self, model: str, rows: int, seconds: float) -> None:
        """The look for paraphrases begins now; one that takes long is announced."""
        self.begin(rows, 0)
        self.rows = self.size = 0
        if seconds >= LONG_SECONDS:
            told = f"{seconds:,.0f} s" if seconds < 120 else f"{seconds / 60:,.0f} min"
            if seconds >= 7200:
                told = f"{seconds / 3600:,.1f} h"
            note = f"paraphrases by {model}: {rows:,} rows take about {told}; it goes on where it is stopped"
            self._note(note)

    def compared(self, rows: int) -> None:
        """Count rows, and tell them now and then."""
        self.rows += rows
        seconds = max(time.monotonic() - self.begun, 1e-6)
        left = seconds * max((self.total or 0) - self.rows, 0) / self.rows
        told = f"paraphrases: {self.rows:,} of {self.total or 0:,} rows, {self.rows / seconds:,.0f} rows/s"
        self._tell(f"{told}, {left:,.0f} s left")

    def state(self) -> str:
        """Rows, MB/s and the time left in one line."""
        seconds = max(time.monotonic() - self.begun, 1e-6)
        told = f"{self.rows:,} rows" if self.total is None else f"{self.rows:,} of {self.total:,} rows"
        told += f", {self.size / seconds / 1e6:,.0f} MB/s"
        if self.total and self.rows:
            left = seconds * max(self.total - self.rows, 0) / self.rows
            told += f", {left:,.0f} s left"
        elif self.total is None and 0 < self.size < self.files:
            # Files that do not tell their rows: they hold less text than bytes, unless they are packed.
            told += f", at most {seconds * (self.files - self.size) / self.size:,.0f} s left"
        return told

    def _note(self, line: str) -> None:
        click.echo(visible(line), err=True)

    def _tell(self, line: str) -> None:
        now = time.monotonic()
        if now - self.told >= QUIET_SECONDS:
            self.told = now
            click.echo(visible(line), err=True)


class Bar(Lines):
    """A bar on a terminal."""

    def __init__(self, progress: Any) -> None:
        super().__init__()
        self.progress = progress
        self.bar = progress.add_task("", total=None)

    def begin(self, rows: int | None, size: int) -> None:
        """The scan begins now."""
        super().begin(rows, size)
        self.progress.update(self.bar, total=rows, completed=0)

    def _note(self, line: str) -> None:
        self.progress.console.print(visible(line), markup=False, highlight=False)

    def _tell(self, line: str) -> None:
        self.progress.update(self.bar, description=visible(line), completed=self.rows)


@contextmanager
def telling() -> Iterator[Lines]:
    """Somebody to tell of progress."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    from hakari.cli.output import console

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False))
    with RichProgress(*columns, console=console(stderr=True), transient=True) as progress:
        yield Bar(progress)
