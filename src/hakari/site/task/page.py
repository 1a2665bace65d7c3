"""A task page: its sections in the order in which they are read."""

from __future__ import annotations

from hakari.site import places
from hakari.site.blocks import Link, Page, Section, Tag, Tiles
from hakari.site.digest import COVERAGE, HEADLINE
from hakari.site.profiles import ROLES
from hakari.site.task import (
    behaviour,
    complementarity,
    data_profile,
    failures,
    leakage,
    notes,
    overview,
    reading_metrics,
    records,
    systems,
    tendencies,
)
from hakari.site.task.lexicon import lexicon
from hakari.site.task.view import View
from hakari.site.task.words import count, number


def page(view: View) -> Page:
    """Everything there is to tell of a task."""
    listed = view.opened.listed
    words = None if view.task is None or not len(view.task.queries) else lexicon(view.task)
    made: list[Section | None] = [
        overview.section(view),
        overview.original(view),
        data_profile.section(view),
        *behaviour.sections(view),
        complementarity.section(view),
        reading_metrics.section(view),
        None if words is None else tendencies.section(view, words),
        failures.section(view),
        leakage.section(view),
        notes.section(view),
        records.example_rows(view),
        systems.section(view),
        records.sources(view),
        records.information(view),
        records.subsets(view),
    ]
    return Page(
        path=places.task_page(view.name),
        title=listed.split,
        kicker="Task",
        lead=overview.lead(view),
        sections=[section for section in made if section is not None],
        crumbs=[Link("Tasks", "tasks/index.html"), Link(listed.suite, places.suite_page(listed.suite))],
        tags=_tags(view),
        tiles=_tiles(view),
    )


def _tags(view: View) -> list[Tag]:
    traits = [value for value in view.digest.traits.values() if value]
    tags = [Tag(value.replace("_", " ")) for value in traits]
    if view.task is not None and view.digest.systems:
        tags.append(Tag("measured here", "good"))
    elif view.digest.systems:
        tags.append(Tag("results without texts", "warn"))
    if view.row:
        tags.append(Tag("published figures", "published"))
    tags.append(Tag("audited", "good") if leakage.is_audited(view.row) else Tag("not audited", "warn"))
    return tags


def _tiles(view: View) -> Tiles:
    counts = view.digest.counts
    tiles = [
        (count(counts[name]), name, "") for name in ("queries", "documents", "positives") if name in counts
    ]
    for measure, key in ((HEADLINE, "ndcg_at_10"), (COVERAGE, "recall_at_100")):
        if measure in view.digest.best:
            found = view.digest.best[measure]
            who = ROLES[found.role] + (", not distinguished" if found.also else "")
            tiles.append((number(found.value), f"best {measure}", who))
        elif view.published:
            role = max(view.published, key=lambda r: view.published[r][key])
            tiles.append((number(view.published[role][key]), f"best {measure}", f"{ROLES[role]}, published"))
    return Tiles(tiles)
