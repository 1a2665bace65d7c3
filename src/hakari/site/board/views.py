"""Named selections of tasks: all, each suite, language, domain and shape that was weighed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KINDS = ("suite", "language", "domain", "shape")
"""The traits of a task that selections go by, in the order in which they are offered."""


@dataclass(frozen=True)
class View:
    """A named selection of tasks."""

    kind: str
    """`all`, or one of `KINDS`."""
    label: str
    tasks: tuple[int, ...]
    """Numbers of tasks, ascending."""


def domains_of(published: Sequence[str], category: str | None) -> list[str]:
    """What a task is about: its published domains, else what its category tells."""
    return list(published) or ["programming" if category == "code" else "general"]


def views_of(traits: Sequence[Mapping[str, Any]], measured: Sequence[int]) -> list[View]:
    """The selections of the tasks with results; one that holds all of them is left out, being `all`."""
    views = [View("all", "all tasks", tuple(measured))]
    for kind in KINDS:
        groups: dict[str, list[int]] = {}
        for task in measured:
            value = traits[task]["domains"] if kind == "domain" else [traits[task].get(kind)]
            for one in filter(None, value):
                groups.setdefault(one, []).append(task)
        views += [View(kind, value, tuple(groups[value])) for value in sorted(groups)]
    return views
