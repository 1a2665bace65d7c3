"""What is on record of a task: example rows, sources, information, candidate subsets."""

from __future__ import annotations

from hakari.errors import InvalidInput
from hakari.io.candidates import load_candidates
from hakari.site.blocks import Aside, Block, Code, Details, Excerpt, Facts, Link, Para, Run, Section, Table
from hakari.site.profiles import ROLES
from hakari.site.task.view import View
from hakari.site.task.words import PUBLISHED, count, number
from hakari.tasks.statistics import EXAMPLE_SEED, examples
from hakari.tasks.statistics import Excerpt as Drawn


def example_rows(view: View) -> Section | None:
    """The three queries that published pages draw, each with its best positive."""
    if view.task is None or not len(view.task.queries):
        return None
    blocks: list[Block] = []
    for example in examples(view.task):
        blocks.append(_excerpt("Query", example.query, "query"))
        blocks.append(_excerpt("Positive document", example.positive, "positive"))
    drawn = Para(
        (
            "Drawn as published pages draw them: ",
            Code(f"random.Random({EXAMPLE_SEED}).sample(sorted(query ids), 3)"),
            ".",
        )
    )
    return Section("examples", "Example data", [drawn, *blocks])


def _excerpt(name: str, drawn: Drawn, tone: str) -> Excerpt:
    shown = f"{len(drawn.text):,} / " if drawn.cut else ""
    text = drawn.text + ("..." if drawn.cut else "")
    return Excerpt((f"{name} ", Code(drawn.id)), text, f"[{shown}{drawn.characters:,} chars]", tone)


def sources(view: View) -> Section | None:
    """Where the data comes from, as published."""
    listed = view.row.get("sources", ())
    if not listed:
        return None
    rows: list[tuple[Run, ...]] = [
        (Link(s["title"], s["url"]), str(s.get("year") or "–"), s.get("type") or "–", s["url"])
        for s in listed
    ]
    if view.row.get("hub_id"):
        address = f"https://huggingface.co/datasets/{view.row['hub_id']}"
        rows.append((Link(view.row["hub_id"], address), "–", "data set that holds this task", address))
    return Section("sources", "Source reference table",
                   [Table("Sources", ["Title", "Year", "Type", "Address"], rows, texts=(0, 1, 2, 3))])  # fmt: skip


def information(view: View) -> Section:
    """Names, sizes and identity."""
    traits, counts, row = view.digest.traits, view.digest.counts, view.row
    listed = view.opened.listed
    rows: list[tuple[str, Run]] = [
        ("Suite", listed.suite),
        ("Data set", listed.dataset),
        ("Task / split", listed.split),
        ("Data set on the hub", row.get("hub_id", "none known")),
    ]
    rows += [
        (trait.capitalize(), _trait(view, trait, traits.get(trait)))
        for trait in ("language", "category", "shape")
    ]
    rows += [
        (name.capitalize(), count(counts[name]))
        for name in ("queries", "documents", "positives")
        if name in counts
    ]
    facts = view.opened.facts
    if facts is not None:
        per = facts.positives_per_query
        rows += [
            ("Positives a query: mean", f"{per.mean:.2f}"),
            ("Positives a query: min", str(per.min)),
            ("Positives a query: median", f"{per.median:.2f}"),
            ("Positives a query: max", str(per.max)),
            ("Queries with several positives", f"{round(per.multiple * facts.queries)} ({per.multiple:.2%})"),
            ("Grades", ", ".join(map(str, facts.grades))),
        ]
    elif "positives_per_query" in row:
        per_published = row["positives_per_query"]
        rows += [
            ("Positives a query: mean", f"{per_published['average']:.2f}"),
            ("Positives a query: min", str(per_published["min"])),
            ("Positives a query: median", f"{per_published['median']:.2f}"),
            ("Positives a query: max", str(per_published["max"])),
            ("Queries with several positives",
             f"{per_published['multi_positive_queries']} ({per_published['multi_positive_query_percent']:.2f} %)"),
        ]  # fmt: skip
    if view.digest.lengths is not None:
        rows += [
            ("Query length, mean characters", f"{view.digest.lengths[0]:,.2f}"),
            ("Document length, mean characters", f"{view.digest.lengths[1]:,.2f}"),
        ]
    if view.task is not None:
        rows.append(("Content", Code(view.task.content)))
        if view.task.exclude_self:
            rows.append(("A document with the id of the query", "is left out of its ranking"))
    if listed.entry is not None:
        rows += [
            ("In the standard run", _yes(listed.entry.in_all)),
            ("In the Overall view", _yes(listed.entry.in_overall)),
        ]
    blocks: list[Block] = [Facts("Dataset information", rows)]
    if view.task is not None and view.task.notes:
        blocks += [Aside(note, "warn") for note in view.task.notes]
    return Section("information", "Dataset information", blocks)


def _trait(view: View, trait: str, value: str | None) -> str:
    if value is None:
        return "not known"
    origin = view.task.origins.get(trait) if view.task is not None else None
    return f"{value} ({origin})" if origin else value


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def subsets(view: View) -> Section:
    """Candidate rankings: measured here, provided with the task, and published."""
    rows: list[tuple[Run, ...]] = []
    for role, profile in view.profiles.items():
        values = [
            number(profile.mean(m)) if m in profile.values else "–" for m in ("nDCG@10", "hit@10", "R@100")
        ]
        rows.append((ROLES[role], Code(profile.label), *values, f"top-{profile.depth}", "measured here"))
    rows += _provided(view)
    for role, figures in view.published.items():
        values = [number(figures[key]) for key in ("ndcg_at_10", "hit_at_10", "recall_at_100")]
        rows.append((ROLES[role], Code(figures["config"]), *values, f"top-{figures['top_k']}", PUBLISHED))
    columns = ["Profile", "Config", "nDCG@10", "hit@10", "Recall@100", "Candidates", "Origin"]
    blocks: list[Block] = [Table("Candidate rankings", columns, rows, texts=(0, 1, 5, 6))] if rows else []
    blocks += _counts(view)
    return Section("candidates", "Candidate subsets", blocks or [Para("The task comes with no candidates.")])


def _provided(view: View) -> list[tuple[Run, ...]]:
    """Candidates that the task comes with and that no profile stands for."""
    from hakari import measures

    if view.task is None:
        return []
    rows: list[tuple[Run, ...]] = []
    used = {p.label for p in view.profiles.values() if p.provided}
    for name in sorted(set(view.task.candidates) - used):
        try:
            run = load_candidates(view.task.candidates[name], view.task)
        except InvalidInput as error:
            rows.append(
                ("provided", Code(name), "–", "–", "–", f"cannot be read: {error.faults[0].what}", "provided")
            )
            continue
        scores = measures.score(run, view.task.qrels, "nDCG@10,hit@10,R@100")
        values = [number(scores.mean(m)) for m in ("nDCG@10", "hit@10", "R@100")]
        deepest = int((run.offsets[1:] - run.offsets[:-1]).max(initial=0))
        rows.append(("provided", Code(name), *values, f"top-{deepest}", "provided"))
    return rows


def _counts(view: View) -> list[Block]:
    rows: list[tuple[Run, ...]] = []
    for role, figures in view.published.items():
        fewest, most = figures["candidate_count_min"], figures["candidate_count_max"]
        rows_of_101 = str(figures.get("rows_with_101_candidates", "–"))
        safeguards = str(figures.get("safeguard_positive_rows", "–"))
        mean = f"{figures['candidate_count_mean']:,.2f}"
        rows.append((ROLES[role], count(fewest), mean, count(most), rows_of_101, safeguards))
    if not rows:
        return []
    columns = ["Profile", "Fewest", "Mean", "Most", "Rows with 101", "Safeguards"]
    return [Details("Published candidate counts", [Table("Candidates a query, as published", columns, rows)])]
