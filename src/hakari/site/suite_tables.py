"""The tables of suite pages: profiles by task, audits, sources, metadata."""

from __future__ import annotations

from collections.abc import Sequence

from hakari.site import places
from hakari.site.blocks import Bar, Block, Facts, Link, Para, Points, Prose, Run, Section, Table
from hakari.site.digest import COVERAGE, HEADLINE, Digest
from hakari.site.profiles import PUBLISHED, ROLES
from hakari.site.task.leakage import HELPFUL
from hakari.site.task.words import PUBLISHED as PUBLISHED_TAG
from hakari.site.task.words import count, listing, number

KEYS = {HEADLINE: "ndcg_at_10", COVERAGE: "recall_at_100"}


def figure(digest: Digest, role: str, measure: str) -> tuple[float | None, float | None]:
    """The measured and the published value of a role."""
    measured = digest.profiles.get(role, {}).get(measure)
    published = None
    if digest.entry is not None:
        figures = digest.entry.row.get("published", {}).get(PUBLISHED[role])
        published = None if figures is None else float(figures[KEYS[measure]])
    return measured, published


def best_role(digest: Digest, place: int, measure: str = HEADLINE) -> str | None:
    """The role with the highest value: measured for place 0, published for 1."""
    values = {role: v for role in ROLES if (v := figure(digest, role, measure)[place]) is not None}
    return max(values, key=lambda role: values[role]) if len(values) > 1 else None


def best_told(digest: Digest, measure: str = HEADLINE) -> Run:
    """The best profile in a cell: measured where it was, said to be not distinguished where it is not."""
    found = digest.best.get(measure)
    if found is not None:
        others = f", not distinguished from {listing([ROLES[r] for r in found.also])}" if found.also else ""
        return f"{ROLES[found.role]}{others}"
    role = best_role(digest, 1, measure)
    return "–" if role is None else (ROLES[role], " ", PUBLISHED_TAG)


def cells(digest: Digest, measure: str = HEADLINE) -> list[Run]:
    """A cell a role: the measured value, else the published one in its own colour."""
    made: list[Run] = []
    for role in ROLES:
        measured, published = figure(digest, role, measure)
        value = published if measured is None else measured
        made.append(
            "–"
            if value is None
            else Bar(number(value), value, tone="published" if measured is None else "measured")
        )
    return made


def summary(tasks: Sequence[Digest]) -> Section:
    """Every task with its profiles and which is best."""
    rows: list[tuple[Run, ...]] = []
    for digest in tasks:
        rows.append(
            (
                Link(digest.listed.split, places.task_page(digest.name)),
                str(digest.traits.get("shape") or "–"),
                count(digest.counts.get("queries")),
                count(digest.counts.get("documents")),
                *cells(digest),
                best_told(digest),
                best_told(digest, COVERAGE),
            )
        )
    columns = [
        "Task",
        "Shape",
        "Queries",
        "Docs",
        *(f"{name} {HEADLINE}" for name in ROLES.values()),
        f"Best by {HEADLINE}",
        f"Best by {COVERAGE}",
    ]
    note = "Green bars were measured here, violet ones are published and were not."
    return Section(
        "summary",
        "Task summary",
        [Table("Tasks and their profiles", columns, rows, texts=(0, 1, 7, 8), note=note)],
    )


def leakage(tasks: Sequence[Digest], words: object) -> Section:
    """What helps in training, and the audits on record."""
    blocks: list[Block] = [Prose(words)] if words else []  # type: ignore[arg-type]
    shapes = sorted({str(d.traits["shape"]) for d in tasks if d.traits.get("shape") in HELPFUL})
    if shapes:
        blocks.append(Points([f"{shape}: {HELPFUL[shape]}." for shape in shapes]))
    audited = [d for d in tasks if d.entry is not None and d.entry.row.get("leakage_audit")]
    blocks.append(
        Para(
            f"{len(audited)} of {len(tasks)} tasks have an audit of training data on record; of the others nothing "
            "is known. Queries, positives and their pairs have to be kept out of training data."
        )
    )
    if audited:
        rows: list[tuple[Run, ...]] = []
        for digest in audited:
            audit = digest.entry.row["leakage_audit"]  # type: ignore[union-attr]
            rows.append(
                (
                    Link(digest.listed.split, places.task_page(digest.name)),
                    audit["source_dataset"],
                    count(audit["source_train_rows_scanned"]),
                    count(audit["normalized_exact_query_matches"]),
                    count(audit["normalized_exact_positive_matches"]),
                    count(audit["nano_query_rows"]),
                )
            )
        columns = ["Task", "Training data", "Rows", "Queries found", "Positives found", "of"]
        blocks.append(Table("Audits on record, as published", columns, rows, texts=(0, 1)))
    return Section("leakage", "Training and leakage notes", blocks)


def sources(tasks: Sequence[Digest]) -> Section | None:
    """The sources of all tasks, each once."""
    found: dict[str, dict[str, object]] = {}
    uses: dict[str, int] = {}
    for digest in tasks:
        for source in digest.entry.row.get("sources", ()) if digest.entry is not None else ():
            found.setdefault(source["url"], source)
            uses[source["url"]] = uses.get(source["url"], 0) + 1
    rows: list[tuple[Run, ...]] = [
        (
            Link(str(found[url]["title"]), url),
            str(found[url].get("year") or "–"),
            str(found[url].get("type") or "–"),
            str(uses[url]),
            url,
        )
        for url in sorted(found, key=lambda url: (-uses[url], url))
    ]
    columns = ["Title", "Year", "Type", "Tasks", "Address"]
    return (
        Section("sources", "Source reference table", [Table("Sources", columns, rows, texts=(0, 1, 2, 4))])
        if rows
        else None
    )


def metadata(tasks: Sequence[Digest]) -> Section:
    """Sizes of the suite."""
    total = {
        name: sum(d.counts.get(name, 0) for d in tasks) for name in ("queries", "documents", "positives")
    }
    per = total["positives"] / total["queries"] if total["queries"] else 0.0
    rows: list[tuple[str, Run]] = [
        ("Task pages", str(len(tasks))),
        ("Queries", count(total["queries"])),
        ("Documents, each task's own", count(total["documents"])),
        ("Positives", count(total["positives"])),
        (
            "Languages",
            ", ".join(sorted({str(d.traits["language"]) for d in tasks if d.traits.get("language")})) or "–",
        ),
        (
            "Categories",
            ", ".join(sorted({str(d.traits["category"]) for d in tasks if d.traits.get("category")})) or "–",
        ),
        ("Positives a query, mean", f"{per:.2f}"),
    ]
    return Section("metadata", "Metadata summary", [Facts("Metadata summary", rows)])


def task_metadata(tasks: Sequence[Digest]) -> Section:
    """Measured and published figures of every task."""
    rows: list[tuple[Run, ...]] = []
    for digest in tasks:
        published = [number(figure(digest, role, HEADLINE)[1]) for role in ROLES]
        measured = [number(figure(digest, role, HEADLINE)[0]) for role in ROLES]
        rows.append(
            (
                Link(digest.listed.split, places.task_page(digest.name)),
                digest.listed.dataset,
                str(digest.traits.get("language") or "–"),
                str(digest.traits.get("category") or "–"),
                count(digest.counts.get("positives")),
                *measured,
                *published,
            )
        )
    columns = [
        "Task",
        "Data set",
        "Lang",
        "Category",
        "Positives",
        *(f"{name}, measured" for name in ROLES.values()),
        *(f"{name}, published" for name in ROLES.values()),
    ]
    caption = f"Metadata and {HEADLINE}, measured and published"
    return Section(
        "task-metadata", "Task metadata summary", [Table(caption, columns, rows, texts=(0, 1, 2, 3))]
    )
