"""Improvement notes: each a rule with a condition on measured figures; what was not measured is not advised."""

from __future__ import annotations

from hakari import stats
from hakari.site.blocks import Block, Para, Points, Prose, Run, Section
from hakari.site.digest import HEADLINE
from hakari.site.model import BASE, System
from hakari.site.profiles import POOL, ROLES
from hakari.site.task.view import View
from hakari.site.task.words import number, several, signed

WORTH = 0.02
CUT_TOKENS = 0.01


def section(view: View) -> Section:
    """What the figures suggest to try."""
    blocks: list[Block] = (
        [Prose(view.words["Improvement notes"])] if "Improvement notes" in view.words else []
    )
    points = [
        *_union(view),
        *_order(view),
        *_tokenizer(view),
        *_variants(view),
        *_truncation(view),
        *_published(view),
    ]
    if points:
        blocks.append(Points(points))
    return Section(
        "notes", "Model improvement notes", blocks or [Para("Nothing was measured that suggests anything.")]
    )


def _union(view: View) -> list[Run]:
    if not {"bm25", "dense"} <= view.profiles.keys():
        return []
    found = {role: (r > 0) & (r <= POOL) for role, r in view.ranks.items()}
    union = float((found["bm25"] | found["dense"]).mean())
    best = max(float(found["bm25"].mean()), float(found["dense"].mean()))
    if union - best < WORTH:
        return [
            f"Within {POOL}, BM25 and the dense model find the same positives: {union:.1%} together, "
            f"{best:.1%} the better one. Fusing them for coverage gains little here."
        ]
    told = (
        f"Within {POOL}, BM25 and the dense model differ in what they find: {union:.1%} together, "
        f"{best:.1%} the better."
    )
    if "hybrid" in found:
        told += f" Their fusion keeps {float(found['hybrid'].mean()):.1%} in {POOL} places; a deeper pool keeps more."
    return [told]


def _order(view: View) -> list[Run]:
    told: list[Run] = []
    for role in ("dense", "hybrid"):
        profile = view.profiles.get(role)
        if profile is None or "R@100" not in profile.values:
            continue
        gap = profile.mean("R@100") - profile.mean(HEADLINE)
        if gap >= 0.2:
            told.append(
                f"{ROLES[role]} has {profile.mean('R@100'):.1%} of the positives within {POOL} and {HEADLINE} "
                f"{number(profile.mean(HEADLINE))}: order is what is missing, which a reranker could give."
            )
    return told


def _pair(view: View, a: System, b: System) -> tuple[float, float, float]:
    values = view.opened.values[HEADLINE]
    pair = values[[view.opened.row(a), view.opened.row(b)]]
    found = stats.compare_pairs({"task": pair}, [(0, 1)]).macro
    return float(found.diff[0]), float(found.low[0]), float(found.high[0])


def _named(view: View, retriever: str, variant: str = BASE) -> System | None:
    return next((s for s in view.digest.systems if (s.retriever, s.variant) == (retriever, variant)), None)


def _tokenizer(view: View) -> list[Run]:
    plain, split = _named(view, "bm25"), _named(view, "bm25-code")
    if plain is None or split is None:
        return []
    diff, low, high = _pair(view, split, plain)
    if low <= 0 <= high:
        return []
    verb = "gains" if diff > 0 else "costs"
    return [
        f"Splitting identifiers (bm25-code) {verb} {abs(diff):.4f} {HEADLINE} over plain BM25, "
        f"95 % interval {signed(low)} to {signed(high)}."
    ]


def _variants(view: View) -> list[Run]:
    """Variants of the dense profile whose whole interval of loss is small, the smallest index first."""
    whole = next((s for s in view.digest.systems if s.label == view.digest.labels.get("dense")), None)
    if whole is None:
        return []
    cheaper = [
        s
        for s in view.digest.systems
        if (s.retriever, s.key) == (whole.retriever, whole.key) and s != whole and view.digest.size_of(s)
    ]
    if not cheaper:
        return []
    rows = [view.opened.row(s) for s in (whole, *cheaper)]
    pairs = [(i + 1, 0) for i in range(len(cheaper))]
    found = stats.compare_pairs({"task": view.opened.values[HEADLINE][rows]}, pairs).macro
    told: list[tuple[float, str]] = []
    for i, system in enumerate(cheaper):
        low, high = float(found.low[i]), float(found.high[i])
        if low > -WORTH:
            size = view.digest.size_of(system) or 0.0
            change = f"{signed(float(found.diff[i]))} ({signed(low)} to {signed(high)})"
            told.append((size, f"{system.label} at {size:,.0f} bytes a document, {change}"))
    if not told:
        return []
    names = "; ".join(text for _, text in sorted(told)[:4])
    return [f"Cheaper forms that lose less than {WORTH} {HEADLINE}, their interval included: {names}."]


def _truncation(view: View) -> list[Run]:
    told: list[Run] = []
    for system in view.digest.systems:
        facts = view.digest.facts_of(system)
        cut = facts.get("documents_tokens_cut_share")
        if system.variant == BASE and isinstance(cut, float) and cut >= CUT_TOKENS:
            documents = int(str(facts.get("documents_truncated", 0)))
            told.append(
                f"{system.label} never sees {cut:.1%} of the tokens of the documents: {several(documents, 'text')} "
                "cut at its longest input. A longer context, or passages, would show them to it."
            )
    return told


def _published(view: View) -> list[Run]:
    figures, mine = view.published.get("dense"), view.profiles.get("dense")
    if figures is None or mine is None:
        return []
    gap = figures["ndcg_at_10"] - mine.mean(HEADLINE)
    if gap < WORTH:
        return []
    return [
        f"The published dense model ({figures['config']}) reaches {number(figures['ndcg_at_10'])} {HEADLINE}, "
        f"{gap:.4f} more than {mine.label} here: there is room for a better encoder."
    ]
