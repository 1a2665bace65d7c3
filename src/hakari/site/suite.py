"""Suite pages: families of tasks by shape, how the profiles behave over them, and every task in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hakari.site import places, prose
from hakari.site.blocks import (
    Aside,
    Block,
    Link,
    Page,
    Para,
    Points,
    Prose,
    Run,
    Section,
    Table,
    Tag,
    Tiles,
)
from hakari.site.digest import COVERAGE, HEADLINE, Digest
from hakari.site.profiles import ROLES
from hakari.site.suite_tables import best_role, figure, leakage, metadata, sources, summary, task_metadata
from hakari.site.task.words import PUBLISHED as PUBLISHED_TAG
from hakari.site.task.words import SHAPES, count, listing, number, several

if TYPE_CHECKING:
    from hakari.site.build import Site


def pages(site: Site) -> Iterator[Page]:
    """One page a suite, and the list of them."""
    suites: dict[str, list[Digest]] = {}
    for name in sorted(site.digests):
        suites.setdefault(site.digests[name].listed.suite, []).append(site.digests[name])
    for suite in sorted(suites):
        yield _page(suite, suites[suite])
    yield _index(suites)


def _index(suites: dict[str, list[Digest]]) -> Page:
    rows: list[tuple[Run, ...]] = []
    for suite in sorted(suites, key=str.lower):
        tasks = suites[suite]
        measured = sum(bool(d.systems) for d in tasks)
        languages = sorted({d.traits["language"] for d in tasks if d.traits.get("language")}, key=str)
        rows.append(
            (
                Link(suite, places.suite_page(suite)),
                str(len(tasks)),
                str(measured),
                count(sum(d.counts.get("queries", 0) for d in tasks)),
                count(sum(d.counts.get("documents", 0) for d in tasks)),
                ", ".join(map(str, languages[:5]))
                + (f" and {len(languages) - 5} more" if len(languages) > 5 else ""),
            )
        )
    columns = ["Suite", "Tasks", "Measured here", "Queries", "Documents", "Languages"]
    table = Table(f"{len(rows)} suites", columns, rows, texts=(0, 5))
    return Page(
        "suites/index.html",
        "Suites",
        "Tasks under one name, measured here or published.",
        [Section("suites", "All suites", [table])],
        kicker="Suites",
    )


def _page(suite: str, tasks: Sequence[Digest]) -> Page:
    words = prose.of_suite(suite)
    measured = [d for d in tasks if d.systems]
    sections: list[Section | None] = [
        _overview(suite, tasks, measured, words.get("Overview") or words.get("")),
        _families(tasks),
        _shape(tasks),
        *(_behaviour(role, tasks) for role in ROLES),
        summary(tasks),
        _interpretation(tasks),
        leakage(tasks, words.get("Training and leakage notes")),
        sources(tasks),
        metadata(tasks),
        task_metadata(tasks),
    ]
    tags = [Tag(f"{len(measured)} of {len(tasks)} measured here", "good" if measured else "warn")]
    if any(d.entry is not None for d in tasks):
        tags.append(Tag("published figures", "published"))
    tiles = Tiles(
        [
            (str(len(tasks)), "tasks", ""),
            (count(sum(d.counts.get("queries", 0) for d in tasks)), "queries", ""),
            (count(sum(d.counts.get("documents", 0) for d in tasks)), "documents", "each task has its own"),
            (count(sum(d.counts.get("positives", 0) for d in tasks)), "positives", ""),
        ]
    )
    return Page(
        places.suite_page(suite),
        suite,
        _lead(suite, tasks),
        [s for s in sections if s is not None],
        [Link("Suites", "suites/index.html")],
        tags,
        tiles,
        kicker="Suite",
    )


def _lead(suite: str, tasks: Sequence[Digest]) -> str:
    categories = sorted(
        {str(d.traits["category"]).replace("_", " ") for d in tasks if d.traits.get("category")}
    )
    languages = sorted({str(d.traits["language"]) for d in tasks if d.traits.get("language")})
    told = f"{suite} has {several(len(tasks), 'task')}"
    if categories:
        told += f" of {listing(categories)}"
    if languages:
        told += f" in {listing(languages) if len(languages) <= 6 else f'{len(languages)} languages'}"
    return told + "."


def _overview(suite: str, tasks: Sequence[Digest], measured: Sequence[Digest], words: object) -> Section:
    blocks: list[Block] = [Prose(words)] if words else []  # type: ignore[arg-type]
    shapes = sorted({str(d.traits["shape"]) for d in tasks if d.traits.get("shape")})
    if len(shapes) > 1:
        blocks.append(
            Para(
                f"Its tasks are of {several(len(shapes), 'shape')}: {listing(shapes)}. They ask for different "
                "abilities, so their mean says less than each of them."
            )
        )
    if not measured:
        blocks.append(
            Aside(
                ("No task of this suite was measured here; all figures below are ", PUBLISHED_TAG, " ones."),
                "published",
            )
        )
    elif len(measured) < len(tasks):
        blocks.append(
            Aside(
                f"{len(measured)} of {len(tasks)} tasks were measured here. Columns say which figures are "
                "measured and which are published, and means never mix the two.",
                "warn",
            )
        )
    return Section("overview", "Overview and what this group measures", blocks or [Para(_lead(suite, tasks))])


def _families(tasks: Sequence[Digest]) -> Section | None:
    families: dict[str, list[Digest]] = {}
    for digest in tasks:
        families.setdefault(str(digest.traits.get("shape") or ""), []).append(digest)
    if set(families) == {""}:
        return None
    points: list[Run] = []
    for shape in sorted(families, key=lambda s: (s == "", s)):
        links: list[Run] = []
        for i, digest in enumerate(families[shape]):
            links += ["" if i == 0 else ", ", Link(digest.listed.split, places.task_page(digest.name))]
        meaning = f": {SHAPES[shape][0]} retrieves {SHAPES[shape][1]}. " if shape in SHAPES else ". "
        points.append((f"{shape or 'Of no named shape'}{meaning}", *links))  # type: ignore[arg-type]
    return Section("families", "Task families", [Points(points)])


def _shape(tasks: Sequence[Digest]) -> Section:
    sizes = [d.counts["documents"] for d in tasks if "documents" in d.counts]
    told = []
    if sizes:
        told.append(f"Corpora have {min(sizes):,} to {max(sizes):,} documents.")
    with_lengths = [d for d in tasks if d.lengths is not None]
    for place, name in ((0, "Queries"), (1, "Documents")):
        if with_lengths:
            ordered = sorted(with_lengths, key=lambda d: (d.lengths or (0, 0))[place])
            low, high = ordered[0], ordered[-1]
            told.append(
                f"{name} are shortest in {low.listed.split} ({(low.lengths or (0, 0))[place]:,.0f} characters "
                f"on average) "
                f"and longest in {high.listed.split} ({(high.lengths or (0, 0))[place]:,.0f})."
            )
    single = sum(d.counts.get("positives") == d.counts.get("queries") for d in tasks)
    told.append(f"{single} of {len(tasks)} tasks have as many positives as queries.")
    return Section("shape", "Dataset shape", [Para(" ".join(told))])


def _behaviour(role: str, tasks: Sequence[Digest]) -> Section | None:
    points: list[Run] = []
    for place, kind in ((0, "Measured"), (1, "Published")):
        values = [(v, d) for d in tasks if (v := figure(d, role, HEADLINE)[place]) is not None]
        if not values:
            continue
        values.sort(key=lambda pair: (pair[0], pair[1].name))
        (low, worst), (high, best) = values[0], values[-1]
        text = (
            f"{kind} on {several(len(values), 'task')}: mean {HEADLINE} {np.mean([v for v, _ in values]):.4f}"
        )
        if len(values) > 1:
            text += f", lowest on {worst.listed.split} ({number(low)}), highest on {best.listed.split} ({number(high)})"
        wins = sum(best_role(d, place) == role for d in tasks)
        points.append(f"{text}; the highest of the three profiles on {wins}.")
    return Section(f"profile-{role}", f"{ROLES[role]} profile", [Points(points)]) if points else None


def _interpretation(tasks: Sequence[Digest]) -> Section:
    points: list[Run] = []
    for measure in (HEADLINE, COVERAGE):
        clear = [d for d in tasks if measure in d.best and not d.best[measure].also]
        open_ = [d for d in tasks if measure in d.best and d.best[measure].also]
        if clear or open_:
            text = (
                f"By {measure} one profile is distinguished from the others on {len(clear)} of "
                f"{len(clear) + len(open_)} measured tasks"
            )
            if clear:
                names = [f"{ROLES[d.best[measure].role]} on {d.listed.split}" for d in clear[:6]]
                text += f" ({listing(names)}{' and others' if len(clear) > 6 else ''})"
            points.append(text + ".")
    gaps = [
        (p[1] - q[1], d)
        for d in tasks
        if (p := figure(d, "dense", HEADLINE))
        and (q := figure(d, "bm25", HEADLINE))
        and p[1] is not None
        and q[1] is not None
    ]
    if gaps:
        widest = max(gaps, key=lambda pair: (pair[0], pair[1].name))
        ahead = [d.listed.split for gap, d in gaps if gap < 0]
        text = (
            f"In the published figures Dense is furthest ahead of BM25 on {widest[1].listed.split} (by "
            f"{widest[0]:.4f})"
        )
        text += f"; BM25 is ahead on {listing(ahead[:8])}." if ahead else ", and BM25 is ahead nowhere."
        points.append(text)
    return Section(
        "interpretation",
        "Interpretation notes",
        [Points(points)] if points else [Para("Nothing to interpret yet.")],
    )
