"""The first page, the list of tasks, and the published figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hakari.site import places
from hakari.site.blocks import Aside, Bar, Block, Link, Page, Para, Points, Run, Section, Table, Tag, Tiles
from hakari.site.digest import COVERAGE, HEADLINE, Digest
from hakari.site.model import BASE
from hakari.site.profiles import PUBLISHED, ROLES
from hakari.site.suite_tables import best_told, cells
from hakari.site.systems import mean_over
from hakari.site.task.words import count, number, several

if TYPE_CHECKING:
    from hakari.site.build import Site

FIRST_SYSTEMS = 15


def pages(site: Site) -> Iterator[Page]:
    """The three of them."""
    yield _first(site)
    yield _tasks(site)
    yield _published(site)


def _first(site: Site) -> Page:
    digests = list(site.digests.values())
    measured = [d for d in digests if d.systems]
    sections = [_complete(site, measured), _suites(measured), READING]
    tiles = Tiles(
        [
            (count(len(measured)), "tasks measured here", ""),
            (count(len(site.reading.systems)), "systems", "variants included"),
            (count(sum(d.entry is not None for d in digests)), "published tasks", "figures of HAKARI-Bench"),
            (count(sum(d.counts.get("queries", 0) for d in measured)), "queries weighed", ""),
        ]
    )
    lead = "Which search finds what, how surely, and where it fails: every number here goes down to single queries."
    return Page("index.html", "Retrievers on the scales", lead, sections, tiles=tiles)


READING = Section(
    "read",
    "How to read this",
    [
        Points(
            [
                "A task page says what a task asks for, how BM25, a dense model and their fusion behave on it, which "
                "positives only one of them finds, and why wrong documents are put above right ones, down to "
                "the texts.",
                "Differences come with paired 95 % intervals; where one includes zero, the page says "
                "“not distinguished”.",
                (
                    "Figures of HAKARI-Bench that were not measured here are marked ",
                    Tag("published", "published"),
                    ".",
                ),
            ]
        )
    ],
)


def _complete(site: Site, measured: Sequence[Digest]) -> Section:
    """The systems that have every task, best first."""
    found = []
    for system in site.reading.systems:
        value, tasks = mean_over(site, system)
        if value is not None and tasks == len(measured) and system.variant == BASE:
            found.append((value, system))
    ordered = sorted(found, key=lambda pair: (-pair[0], pair[1]))[:FIRST_SYSTEMS]
    rows: list[tuple[Run, ...]] = [
        (Link(system.label, places.system_page(system)), system.family, Bar(number(value), value))
        for value, system in ordered
    ]
    caption = f"Mean {HEADLINE} over tasks, each weighing the same"
    note = "Means without intervals; the board has intervals, ranges of ranks and all that is incomplete."
    table = Table(caption, ["System", "Family", HEADLINE], rows, texts=(0, 1), note=note)
    blocks: list[Block] = [
        table if rows else Para("No system has results for all tasks; the board compares on shared ones.")
    ]
    return Section("complete", f"Systems with all {several(len(measured), 'task')}", blocks)


def _suites(measured: Sequence[Digest]) -> Section:
    names = sorted({d.listed.suite for d in measured})
    points: list[Run] = [
        (
            Link(name, places.suite_page(name)),
            f": {several(sum(d.listed.suite == name for d in measured), 'task')}",
        )
        for name in names
    ]
    return Section(
        "suites",
        "Suites measured here",
        [Points(points) if points else Aside("Nothing was measured here yet.", "warn")],
    )


def _tasks(site: Site) -> Page:
    rows: list[tuple[Run, ...]] = []
    for digest in site.digests.values():
        if not digest.systems and not digest.with_texts:
            continue
        rows.append(
            (
                Link(digest.name, places.task_page(digest.name)),
                str(digest.traits.get("language") or "–"),
                str(digest.traits.get("shape") or digest.traits.get("category") or "–").replace("_", " "),
                str(len(digest.systems)),
                count(digest.counts.get("queries")),
                count(digest.counts.get("documents")),
                *cells(digest),
                best_told(digest),
                best_told(digest, COVERAGE),
            )
        )
    columns = [
        "Task",
        "Lang",
        "Shape",
        "Systems",
        "Queries",
        "Docs",
        *(f"{name} {HEADLINE}" for name in ROLES.values()),
        f"Best by {HEADLINE}",
        f"Best by {COVERAGE}",
    ]
    rest = sum(not d.systems and not d.with_texts for d in site.digests.values())
    note = (
        f"{several(rest, 'published task')} without results here: see the page of published figures."
        if rest
        else ""
    )
    return Page(
        "tasks/index.html",
        "Tasks",
        "Tasks with results or texts on this machine.",
        [
            Section(
                "tasks",
                "All tasks",
                [Table(several(len(rows), "task"), columns, rows, texts=(0, 1, 2, 9, 10), note=note)],
            )
        ],
        kicker="Tasks",
    )


def _published(site: Site) -> Page:
    rows: list[tuple[Run, ...]] = []
    for digest in site.digests.values():
        if digest.entry is None:
            continue
        figures = digest.entry.row["published"]
        values: list[Run] = []
        for role in ROLES:
            value = float(figures[PUBLISHED[role]]["ndcg_at_10"])
            values.append(Bar(number(value), value, tone="published"))
            mine = digest.profiles.get(role, {}).get(HEADLINE)
            values.append(number(mine))
        recall = [number(float(figures[PUBLISHED[role]]["recall_at_100"])) for role in ROLES]
        audited: Run = Tag("audited", "good") if digest.entry.row.get("leakage_audit") else "–"
        rows.append(
            (
                Link(digest.name, places.task_page(digest.name)),
                digest.entry.language,
                *values,
                *recall,
                audited,
            )
        )
    columns = ["Task", "Lang"]
    for name in ROLES.values():
        columns += [f"{name} {HEADLINE}", "measured"]
    columns += [*(f"{name} recall@100" for name in ROLES.values()), "Audit"]
    lead = (
        "Figures of HAKARI-Bench for every published task, beside what was measured here. BM25 follows the "
        "same protocol; "
        "the dense model and so the fusion are other ones here."
    )
    table = Table(f"{len(rows)} published tasks", columns, rows, texts=(0, 1, 11))
    return Page(
        "published.html",
        "Published figures",
        lead,
        [Section("figures", "All published tasks", [table])],
        kicker="Published",
    )
