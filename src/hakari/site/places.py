"""Where pages lie: one address a task, suite and system, safe on every file system and the same in every build."""

from __future__ import annotations

from collections.abc import Iterable

from hakari.site.model import BASE, System
from hakari.store.keys import digest, safe


def task_page(name: str) -> str:
    """The page of a task."""
    dataset, _, split = name.partition("/")
    return f"tasks/{_component(dataset)}/{_component(split)}.html"


def suite_page(suite: str) -> str:
    """The page of a suite."""
    return f"suites/{_component(suite)}.html"


def system_page(system: System) -> str:
    """The page of a retriever with all its variants."""
    return f"systems/{_component(f'{system.retriever}-{system.key}')}.html"


def comparison_page(a: System, b: System) -> str:
    """The page that holds two systems against each other."""
    names = [f"{s.retriever} {s.variant} {s.key}".replace(f" {BASE} ", " ") for s in (a, b)]
    return f"compare/{_component(' vs '.join(names))}.html"


def anchors(names: Iterable[str]) -> dict[str, str]:
    """An id within a page for each name."""
    return {name: f"n{digest(name)[:10]}" for name in names}


def _component(name: str) -> str:
    """A name as part of a path and of an address: what either gives a meaning to is left out.

    A digest keeps apart the names that are the same without it.
    """
    kept = (
        safe(name.replace(" ", "-"))
        .replace("%", "_")
        .replace("~", "_")
        .replace(",", "_")
        .replace("=", "_")
        .rstrip(".")
    )
    plain = kept.strip("._-") != "" and kept == name and kept != "index"
    return kept if plain else f"{kept[:100]}-{digest(name)[:8]}"
