"""Overview, and what the original data measures."""

from __future__ import annotations

from hakari.site.blocks import Aside, Block, Inline, Link, Para, Prose, Section
from hakari.site.digest import COVERAGE, HEADLINE
from hakari.site.profiles import ROLES, Best
from hakari.site.task.view import View
from hakari.site.task.words import PUBLISHED, SHAPES, count, listing, number, several


def lead(view: View) -> str:
    """One sentence that says what the task is."""
    traits, counts = view.digest.traits, view.digest.counts
    kind = {"code": "code", "natural_language": "text"}.get(traits.get("category") or "", "text")
    shape = traits.get("shape")
    what = f"{kind} retrieval" if shape is None else f"{kind} retrieval of the shape {shape}"
    language = f" ({traits['language']})" if traits.get("language") else ""
    sizes = [several(counts["queries"], "query", "queries")] if "queries" in counts else []
    sizes += [several(counts["documents"], "document")] if "documents" in counts else []
    told = f", with {listing(sizes)}" if sizes else ""
    return f"{view.opened.listed.split} is a task of {what}{language} in {view.opened.listed.suite}{told}."


def section(view: View) -> Section:
    """What the task is, how it goes, and where the numbers on the page come from."""
    blocks: list[Block] = [Prose(view.words["Overview"])] if "Overview" in view.words else []
    shape = SHAPES.get(view.digest.traits.get("shape") or "")
    if shape:
        query, document, relevant = shape
        blocks.append(Para(f"A query is {query}, a document is {document}. Relevant is {relevant}."))
    judged = _judgements(view)
    if judged:
        blocks.append(Para(judged))
    for measure in (HEADLINE, COVERAGE):
        if measure in view.digest.best:
            blocks.append(Para(best_sentence(view, view.digest.best[measure])))
    blocks.append(_origin(view))
    return Section("overview", "Overview", blocks)


def best_sentence(view: View, found: Best) -> tuple[Inline, ...]:
    """Which profile is best by a measure, or that the best two are not distinguished."""
    name = f"{ROLES[found.role]} ({view.digest.labels[found.role]})"
    value = number(found.value)
    if not found.also:
        return (
            f"By {found.measure} the best of the three profiles is {name} with {value}; ",
            _behind(found),
            ".",
        )
    others = listing([ROLES[role] for role in found.also])
    return (
        f"By {found.measure} {name} is highest with {value}, but not distinguished from {others}: "
        f"the paired interval of the difference includes zero ({_range(found, found.also[0])}).",
    )


def _behind(found: Best) -> str:
    nearest = min(found.differences, key=lambda role: found.differences[role][0])
    return f"the next, {ROLES[nearest]}, is behind by {_range(found, nearest)}"


def _range(found: Best, role: str) -> str:
    diff, low, high = found.differences[role]
    return f"{diff:.4f}, 95 % interval {low:.4f} to {high:.4f}"


def _judgements(view: View) -> str:
    facts = view.opened.facts
    if facts is None:
        per = view.row.get("positives_per_query")
        if not per:
            return ""
        if per["max"] == 1:
            return "Every query has exactly one relevant document."
        return (
            f"Queries have {per['min']} to {per['max']} relevant documents, {per['average']:.2f} on average."
        )
    per_query = facts.positives_per_query
    if per_query.max == 1 == per_query.min:
        told = "Every query has exactly one relevant document."
    else:
        told = (
            f"Queries have {per_query.min} to {per_query.max} relevant documents, median {per_query.median:g}, "
            f"mean {per_query.mean:.2f}; {per_query.multiple:.1%} of the queries have several."
        )
    if facts.graded:
        told += f" Judgements are graded: {listing([str(g) for g in facts.grades])}."
    return told


def _origin(view: View) -> Block:
    systems = len(view.digest.systems)
    if view.task is None and not systems:
        return Aside(
            (
                "Nothing of this task was measured here: the texts are not on this machine and the store has no "
                "results for it. All figures below are ",
                PUBLISHED,
                " ones.",
            ),
            "published",
        )
    if view.task is None:
        return Aside(
            f"The store has results of {several(systems, 'system')} for this task. Its texts are not on this "
            "machine, so what needs them is left out or marked as published.",
            "warn",
        )
    told = f"Everything on this page was computed from the texts and from the results of {several(systems, 'system')}"
    left = len(view.opened.left_out)
    if left:
        are = "is" if left == 1 else "are"
        told += f"; {several(left, 'result')} made from other content under the same name {are} left out"
    return Aside((f"{told}. Figures that are not ours are marked ", PUBLISHED, "."))


def original(view: View) -> Section:
    """What the data was made to measure, as far as its sources and shape tell."""
    blocks: list[Block] = []
    if "What the original data measures" in view.words:
        blocks.append(Prose(view.words["What the original data measures"]))
    sources = view.row.get("sources", ())
    if sources:
        named: list[Inline] = ["It goes back to "]
        for i, source in enumerate(sources):
            named.append("" if i == 0 else " and " if i == len(sources) - 1 else ", ")
            year = f" ({source['year']})" if source.get("year") else ""
            named.append(Link(f"{source['title']}{year}", source["url"]))
        blocks.append(Para((*named, ".")))
    shape = SHAPES.get(view.digest.traits.get("shape") or "")
    if shape and not view.words:
        blocks.append(
            Para(
                f"The task asks for {shape[2]}; a document that only shares words with the query is not relevant."
            )
        )
    if not blocks:
        blocks.append(Para("Nothing is on record about where the data comes from."))
    repeats = view.opened.entry.copy_of if view.opened.entry is not None else ()
    if repeats:
        blocks.append(Aside(f"By its sizes and names it repeats {listing(list(repeats))}.", "warn"))
    if view.digest.counts.get("documents"):
        blocks.append(
            Para(
                f"Chance is small here: a random ranking of {count(view.digest.counts['documents'])} "
                f"documents finds a given one within ten with a probability of "
                f"{min(1.0, 10 / view.digest.counts['documents']):.2%}."
            )
        )
    return Section("original-data", "What the original data measures", blocks)
