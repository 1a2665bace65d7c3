"""Named selections of tasks: all, each suite, language, domain and shape that was weighed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

KINDS = ("suite", "language", "domain", "shape")
"""The traits of a task that selections go by, in the order in which they are offered."""

_DOMAINS = {
    "NanoMedical": "medicine",
    "NanoR2MED": "medicine",
    "NanoLaw": "law",
    "NanoChemTEB": "chemistry",
    "NanoDAPFAM": "patents",
    "NanoBuiltBench": "construction",
    "NanoLongEmbed": "long documents",
    "NanoMLDR": "long documents",
    "NanoBRIGHT": "reasoning",
    "NanoRARb": "reasoning",
}


@dataclass(frozen=True)
class View:
    """A named selection of tasks."""

    kind: str
    """`all`, or one of `KINDS`."""
    label: str
    tasks: tuple[int, ...]
    """Numbers of tasks, ascending."""


def domain_of(suite: str, category: str | None) -> str:
    """What a task is about, as far as its suite or its category tells."""
    return _DOMAINS.get(suite) or ("code" if category == "code" else "general")


def views_of(traits: Sequence[Mapping[str, str | None]], measured: Sequence[int]) -> list[View]:
    """The selections of the tasks with results; one that holds all of them is left out, being `all`."""
    views = [View("all", "all tasks", tuple(measured))]
    for kind in KINDS:
        groups: dict[str, list[int]] = {}
        for task in measured:
            value = traits[task].get(kind)
            if value:
                groups.setdefault(value, []).append(task)
        views += [View(kind, value, tuple(groups[value])) for value in sorted(groups)]
    return views
