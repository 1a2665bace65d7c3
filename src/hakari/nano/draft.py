"""What a builder hands on: a task still in plain Python, with an account of what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """One step of a build: what it saw, what it kept, and how many it left out for each reason."""

    name: str
    seen: int
    kept: int
    left_out: Mapping[str, int]

    def __str__(self) -> str:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items())
        return f"{self.name}: {self.kept:,} of {self.seen:,}" + (f"; left out: {reasons}" if reasons else "")


@dataclass(frozen=True)
class Draft:
    """A task before it is checked, made columnar and written.

    Ids are ASCII without white space. Queries, corpus and judgements are in ascending order of their ids.
    """

    dataset: str
    split: str
    queries: dict[str, str]
    corpus: dict[str, str]
    judgements: list[tuple[str, str, int]]
    language: str = "en"
    category: str = "code"
    shape: str | None = None
    stages: tuple[Stage, ...] = ()
    """How the source became this task: files, definitions, pairs, selection."""

    @property
    def name(self) -> str:
        """`dataset/split`."""
        return f"{self.dataset}/{self.split}"
