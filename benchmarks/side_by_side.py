"""What the timing scripts share: readings in alternating order, medians, ratios with their spread, a table.

    from side_by_side import Table, timings

    taken = timings({"hakari": ours, "peer": theirs}, rounds=7)
    print(Table("fusion", taken, unit="ms").markdown())

Absolute times say as much about the machine as about the code, so each table leads to ratios: they are formed
within a round, where both sides met the same conditions, and only then is their median taken.
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, TypeVar

Reading = TypeVar("Reading")

SCALES = {"s": 1.0, "ms": 1e3, "us": 1e6, "MB": 1e-6}


_clock: Callable[[], float] = time.perf_counter


def use_processor_time() -> None:
    """Take readings in processor seconds of all threads, which other work on the same cores disturbs less.

    Threads that wait by spinning count as working, so a contender that does that looks worse than alone.
    """
    global _clock
    _clock = time.process_time


def timed(work: Callable[[], Any]) -> Callable[[], float]:
    """The work as a reading of how many seconds it takes; earlier rubbish is collected beforehand."""

    def take() -> float:
        gc.collect()
        start = _clock()
        work()
        return _clock() - start

    return take


def readings(
    takers: Mapping[str, Callable[[], Reading]], rounds: int = 5, warm_ups: int = 1
) -> dict[str, list[Reading]]:
    """Readings of each contender, round by round; every second round goes through them in reverse."""
    names = list(takers)
    taken: dict[str, list[Reading]] = {name: [] for name in names}
    for name in names * warm_ups:
        takers[name]()
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            taken[name].append(takers[name]())
    return taken


def timings(
    works: Mapping[str, Callable[[], Any]], rounds: int = 5, warm_ups: int = 1
) -> dict[str, list[float]]:
    """The seconds that each piece of work takes, round by round."""
    return readings({name: timed(work) for name, work in works.items()}, rounds, warm_ups)


def medians(taken: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The median reading of each contender."""
    return {name: statistics.median(values) for name, values in taken.items()}


@dataclass(frozen=True)
class Spread:
    """A median and the quartiles around it, which a few disturbed readings do not move."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of some values; of one, the value itself."""
        if len(values) == 1:
            return cls(values[0], values[0], values[0])
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(median, low, high)

    def text(self, scale: float = 1.0) -> str:
        """`12.1 (11.9 to 14.0)`."""
        return "{} ({} to {})".format(
            *(figure(value * scale) for value in (self.median, self.low, self.high))
        )


def ratio(taken: Mapping[str, Sequence[float]], name: str, to: str) -> Spread:
    """How many times the reading of `to` that of `name` is, formed within each round."""
    return Spread.of([ours / theirs for ours, theirs in zip(taken[name], taken[to], strict=True)])


@dataclass(frozen=True)
class Table:
    """Readings as Markdown, each beside its ratio to the first contender."""

    title: str
    taken: Mapping[str, Sequence[float]]
    unit: str = "ms"

    def markdown(self) -> str:
        """The table, with a line on rounds before it."""
        first, rounds = next(iter(self.taken)), len(next(iter(self.taken.values())))
        rows = [
            [name, Spread.of(values).text(SCALES[self.unit]), ratio(self.taken, name, first).text()]
            for name, values in self.taken.items()
        ]
        header = [self.title, f"{self.unit}, median of {rounds} (quartiles)", f"times {first} (quartiles)"]
        return markdown_table(header, rows)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is set to the right."""
    line = "| " + " | ".join(["---", *["---:"] * (len(header) - 1)]) + " |"
    return "\n".join(
        ["| " + " | ".join(header) + " |", line, *("| " + " | ".join(row) + " |" for row in rows)]
    )


def figure(value: float) -> str:
    """A number with three meaningful digits and no exponent: `1,240`, `31.5`, `0.082`."""
    if value == 0:
        return "0"
    for limit, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3)):
        if abs(value) >= limit:
            return f"{value:,.{digits}f}"
    return f"{value:.4f}"


def machine(*packages: str) -> str:
    """One line on where the figures were taken, without anything that names the machine."""
    told = [f"{os.cpu_count()} shared cores", f"Python {platform.python_version()}"]
    told += [f"{package} {metadata.version(package)}" for package in packages]
    return f"{platform.system()} {platform.machine()}, " + ", ".join(told)
