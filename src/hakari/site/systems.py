"""Model pages: a retriever with all its tasks, its variants, what it costs, what it cuts, and how it was settled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hakari.site import places
from hakari.site.blocks import (
    Aside,
    Bar,
    Block,
    Code,
    Facts,
    Inline,
    Link,
    Page,
    Para,
    Run,
    Section,
    Table,
    Tag,
)
from hakari.site.digest import HEADLINE, Digest
from hakari.site.model import BASE, MEASURES, System
from hakari.site.render import safe_address
from hakari.site.task.words import number, several, signed
from hakari.tasks.training_audits import AUDITED, SAME_SOURCE, UNKNOWN, UNTRAINED, TrainingAudit

if TYPE_CHECKING:
    from hakari.site.build import Site

MOST_NAMED = 12
"""Training sets of a system that are named."""


def pages(site: Site) -> Iterator[Page]:
    """One page a retriever, and the list of them."""
    families: dict[tuple[str, str], list[System]] = {}
    for system in site.reading.systems:
        families.setdefault((system.retriever, system.key), []).append(system)
    for systems in families.values():
        yield _page(site, systems)
    yield _index(site, list(families.values()))


def whole(systems: Sequence[System]) -> System:
    """The system that the others are variants of."""
    return next((s for s in systems if s.variant == BASE), systems[0])


def mean_over(site: Site, system: System, measure: str = HEADLINE) -> tuple[float | None, int]:
    """The mean over the tasks of a system, each weighing the same, and how many there are."""
    values = site.means[MEASURES.index(measure), :, site.place[system]]
    known = values[~np.isnan(values)]
    return (float(known.mean()), len(known)) if len(known) else (None, 0)


def _index(site: Site, families: Sequence[Sequence[System]]) -> Page:
    weighed = sum(bool(d.systems) for d in site.digests.values())
    rows: list[tuple[float, tuple[Run, ...]]] = []
    for systems in families:
        system = whole(systems)
        value, tasks = mean_over(site, system)
        state: Run = (
            Tag("complete", "good") if tasks == weighed else Tag(f"{tasks} of {weighed} tasks", "warn")
        )
        cell: Run = "–" if value is None else Bar(number(value), value)
        rows.append(
            (
                -(value or 0.0),
                (
                    Link(system.label, places.system_page(system)),
                    system.family,
                    str(len(systems)),
                    state,
                    cell,
                ),
            )
        )
    ordered = [row for _, row in sorted(rows, key=lambda r: (r[0], str(r[1][0])))]
    columns = ["System", "Family", "Variants", "Tasks", f"Mean {HEADLINE} of its tasks"]
    note = (
        "Means of systems with different tasks cannot be compared; the board compares on shared tasks, "
        "with intervals."
    )
    table = Table("Systems with results", columns, ordered, texts=(0, 1, 3), note=note)
    return Page(
        "systems/index.html",
        "Systems",
        "Retrievers that were weighed here, each with its variants.",
        [Section("systems", "All systems", [table])],
        kicker="Systems",
    )


def _page(site: Site, systems: Sequence[System]) -> Page:
    system = whole(systems)
    digests = [d for d in site.digests.values() if system in d.places]
    sections: list[Section | None] = [
        _overview(site, system, digests),
        _variants(site, systems),
        _tasks(system, digests),
        _costs(system, systems, digests),
        _truncation(system, digests),
        _audit(site, system, digests),
        _settings(site, system),
    ]
    return Page(
        places.system_page(system),
        system.label,
        _lead(systems, digests),
        [s for s in sections if s is not None],
        [Link("Systems", "systems/index.html")],
        [Tag(system.family)],
        kicker="System",
    )


def _lead(systems: Sequence[System], digests: Sequence[Digest]) -> str:
    forms = len(systems) - 1
    told = f"Weighed on {several(len(digests), 'task')}"
    return f"{told}, with {several(forms, 'cheaper form')} of the same encoding." if forms else f"{told}."


def _overview(site: Site, system: System, digests: Sequence[Digest]) -> Section:
    rows: list[tuple[Run, ...]] = []
    for measure in MEASURES:
        value, tasks = mean_over(site, system, measure)
        if value is not None:
            rows.append((measure, Bar(number(value), value), str(tasks)))
    blocks: list[Block] = [
        Table("Means over tasks, each weighing the same", ["Measure", "Mean", "Tasks"], rows)
    ]
    weighed = sum(bool(d.systems) for d in site.digests.values())
    if len(digests) < weighed:
        blocks.append(
            Aside(
                f"Incomplete: {weighed - len(digests)} of {weighed} tasks with results have none of this system, "
                "so its means stand beside those of others only on shared tasks.",
                "warn",
            )
        )
    return Section("overview", "Overview", blocks)


def _variants(site: Site, systems: Sequence[System]) -> Section | None:
    if len(systems) < 2:
        return None
    base = whole(systems)
    rows: list[tuple[Run, ...]] = []
    means = site.means[MEASURES.index(HEADLINE)]
    whole_means = means[:, site.place[base]]
    for system in sorted(systems, key=lambda s: (s != base, s)):
        own, size = means[:, site.place[system]], site.sizes[:, site.place[system]]
        shared = np.flatnonzero(~np.isnan(own) & ~np.isnan(whole_means))
        value = float(own[shared].mean()) if len(shared) else None
        loss = None if value is None else value - float(whole_means[shared].mean())
        sizes = size[shared][size[shared] > 0]
        cell: Run = "–" if value is None else Bar(number(value), value)
        rows.append(
            (
                system.variant,
                cell,
                "–" if loss is None else signed(loss),
                f"{np.mean(sizes):,.0f}" if len(sizes) else "–",
                str(len(shared)),
            )
        )
    columns = ["Variant", f"Mean {HEADLINE}", f"Against {base.variant}", "Bytes a document", "Tasks"]
    note = (
        "All variants come from one encoding. Differences are over the tasks that both have; the board has "
        "intervals."
    )
    return Section("variants", "Variants", [Table("What cheaper forms lose", columns, rows, note=note)])


def _tasks(system: System, digests: Sequence[Digest]) -> Section:
    rows: list[tuple[Run, ...]] = []
    for digest in digests:
        value, around = digest.mean(system), digest.interval(system)
        low, high = around or (None, None)
        cell: Run = "–" if value is None else Bar(number(value), value, low, high)
        place = digest.places[system]
        ranks = "–"
        if digest.ranks is not None and value is not None:
            first, last = int(digest.ranks[0, place]), int(digest.ranks[1, place])
            ranks = f"{first if first == last else f'{first}–{last}'} of {len(digest.systems)}"
        rows.append(
            (
                Link(digest.name, places.task_page(digest.name)),
                cell,
                "–" if around is None else f"{low:.4f} – {high:.4f}",
                ranks,
                *(number(digest.mean(system, m)) for m in MEASURES[1:]),
            )
        )
    columns = ["Task", HEADLINE, "95 % interval", "Ranks", *MEASURES[1:]]
    return Section("tasks", "All tasks", [Table("Values by task", columns, rows)])


def _costs(system: System, systems: Sequence[System], digests: Sequence[Digest]) -> Section | None:
    rows: list[tuple[Run, ...]] = []
    for digest in digests:
        costs: Mapping[str, Any] = digest.costs_of(system)
        if not costs:
            continue
        queries = digest.counts.get("queries", 0)
        search = costs.get("search_s")
        latency = "–" if search is None or not queries else f"{1000 * float(search) / queries:,.3f}"
        rows.append(
            (
                Link(digest.name, places.task_page(digest.name)),
                _figure(costs.get("seconds"), 1, 2),
                latency,
                _figure(costs.get("index_bytes"), 1e6, 2),
                _figure(costs.get("peak_bytes"), 1e6, 0),
            )
        )
    if not rows:
        return None
    columns = ["Task", "Seconds", "ms a query to search", "Index MB", "Peak MB"]
    note = "As told by the machine that ran it: time and memory differ from run to run and between machines."
    return Section("cost", "Cost", [Table("What it took", columns, rows, note=note)])


def _figure(value: object, unit: float, digits: int) -> str:
    return "–" if not isinstance(value, int | float) else f"{value / unit:,.{digits}f}"


def _truncation(system: System, digests: Sequence[Digest]) -> Section | None:
    rows: list[tuple[Run, ...]] = []
    for digest in digests:
        facts = digest.facts_of(system)
        if "documents_tokens_cut_share" in facts:
            rows.append(
                (
                    Link(digest.name, places.task_page(digest.name)),
                    _whole(facts.get("documents_truncated")),
                    _percent(facts.get("documents_tokens_cut_share")),
                    _whole(facts.get("queries_truncated")),
                    _percent(facts.get("queries_tokens_cut_share")),
                )
            )
    if not rows:
        return None
    columns = ["Task", "Documents cut", "of their tokens", "Queries cut", "of their tokens"]
    return Section("truncation", "Truncation", [Table("Texts longer than its input", columns, rows)])


def _whole(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "–"


def _percent(value: object) -> str:
    return f"{value:.2%}" if isinstance(value, float) else "–"


STATES = {
    AUDITED: "a training set that it names was compared with the task",
    SAME_SOURCE: "it names what the task was made from; the texts were not compared",
    UNTRAINED: "nothing of it is trained",
    UNKNOWN: "nothing is on record, which is not the same as no overlap",
}


def _audit(site: Site, system: System, digests: Sequence[Digest]) -> Section:
    """What is on record of its training data, task by task."""
    trained = site.reading.trained_on.get(system.retriever)
    if trained is None:
        told = (
            "What it was trained on is not known, and no audit of it is on record. That says nothing about "
            "overlap, least of all that there is none."
        )
        return Section("audit", "Training audit", [Aside(told, "warn")])
    if not trained.data:
        return Section(
            "audit", "Training audit", [Para("Nothing of it is trained, so nothing can have leaked.")]
        )
    found = {d.name: site.audits[d.name][system.retriever] for d in digests}
    counts = Counter(audit.state for audit in found.values())
    states = [(state, meaning, str(counts[state])) for state, meaning in STATES.items() if counts[state]]
    rows: list[tuple[Run, ...]] = [
        (
            Link(name, places.task_page(name)),
            Tag(a.state, _tone(a)),
            Tag(a.risk, _tone(a)) if a.risk else "–",
            a.why,
        )
        for name, a in found.items()
        if a.state in (AUDITED, SAME_SOURCE)
    ]
    named: list[Inline] = []
    for name in trained.data[:MOST_NAMED]:
        named += [" " if named else "", Code(name)]
    if len(trained.data) > MOST_NAMED:
        named.append(f" and {len(trained.data) - MOST_NAMED} more")
    blocks: list[Block] = [
        Facts(
            "Training data",
            [
                ("Data that it names", tuple(named)),
                (
                    "Who says so",
                    Link(trained.source, trained.source) if safe_address(trained.source) else trained.source,
                ),
            ],
        ),
        Table("Training data and tasks", ["State", "What it means", "Tasks"], states, texts=(0, 1)),
    ]
    if rows:
        columns = ["Task", "State", "Worst risk on record", "Why"]
        blocks.append(Table("Tasks with something on record", columns, rows, texts=(0, 1, 2, 3)))
    return Section("audit", "Training audit", blocks)


def _tone(audit: TrainingAudit) -> str:
    return "good" if audit.risk == "none found" else "warn"


def _settings(site: Site, system: System) -> Section:
    manifest = site.reading.manifests.get((system.retriever, system.key), {})
    rows: list[tuple[str, Run]] = [
        ("Spelling", Code(system.retriever)),
        ("Depth", str(manifest.get("depth", "–"))),
    ]
    for name, value in sorted((manifest.get("settings") or {}).items()):
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        rows.append((str(name), Code(shown[:500] or " ")))
    versions = manifest.get("versions") or {}
    rows += [(f"version of {name}", str(version)) for name, version in sorted(versions.items())]
    return Section(
        "settings",
        "Settings",
        [
            Para("With the same settings on the same task the result has the same bytes."),
            Facts("Settings and versions", rows),
        ],
    )
