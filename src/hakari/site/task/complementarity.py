"""Complementarity: which positives only BM25 finds, which only the dense model, and what their fusion loses."""

from __future__ import annotations

import numpy as np

from hakari.display import one_line
from hakari.site import charts
from hakari.site.blocks import Block, Code, Details, Figure, Para, Run, Section, Table
from hakari.site.profiles import ROLES
from hakari.site.task.view import Ints, View
from hakari.site.task.words import several, share

CUTS = (100, 500)
MOST_LISTED = 40
SHOWN = 160


def section(view: View) -> Section | None:
    """Counts at two depths, a drawing, and the queries behind the counts."""
    if not {"bm25", "dense"} <= view.profiles.keys():
        return None
    cuts = [cut for cut in CUTS if cut <= min(p.depth for p in view.profiles.values())]
    told = {cut: _sets(view, cut) for cut in cuts}
    if not told:
        return None
    columns = ["Positives found by", *(f"at {cut}" for cut in cuts), *(f"share at {cut}" for cut in cuts)]
    total = len(view.positives[0])
    rows: list[tuple[Run, ...]] = [
        (
            name,
            *(f"{len(told[cut][name]):,}" for cut in cuts),
            *(share(len(told[cut][name]), total) for cut in cuts),
        )
        for name in told[cuts[0]]
    ]
    blocks: list[Block] = [
        _drawing(told, cuts),
        Table("Who finds which positives", columns, rows),
        Para(_reading(view, told)),
    ]
    blocks += [part for cut in cuts for part in _queries(view, told[cut], cut)]
    return Section("complementarity", "Complementarity", blocks)


def _sets(view: View, cut: int) -> dict[str, Ints]:
    """Positives, by their number, in each class."""
    found = {role: (ranks > 0) & (ranks <= cut) for role, ranks in view.ranks.items()}
    lexical, dense = found["bm25"], found["dense"]
    told = {
        "BM25 only": np.flatnonzero(lexical & ~dense),
        "Dense only": np.flatnonzero(dense & ~lexical),
        "Both": np.flatnonzero(lexical & dense),
        "Neither": np.flatnonzero(~lexical & ~dense),
    }
    if "hybrid" in found:
        told["Lost in fusion"] = np.flatnonzero((lexical | dense) & ~found["hybrid"])
    return told


def _drawing(told: dict[int, dict[str, Ints]], cuts: list[int]) -> Figure:
    parts = (("BM25 only", "bm25"), ("Both", "both"), ("Dense only", "dense"), ("Neither", "none"))
    rows = [(f"top {cut}", [(name, tone, len(told[cut][name])) for name, tone in parts]) for cut in cuts]
    drawn = charts.stacked(rows, "Positives found by BM25, by the dense model, by both and by neither")
    return Figure(drawn, "Positives by who finds them: BM25 only, both, dense only, neither.")


def _reading(view: View, told: dict[int, dict[str, Ints]]) -> str:
    cut = min(told)
    sets, total = told[cut], len(view.positives[0])
    found = {role: int(((ranks > 0) & (ranks <= cut)).sum()) for role, ranks in view.ranks.items()}
    union = total - len(sets["Neither"])
    best = max(found["bm25"], found["dense"])
    text = (
        f"Within {cut}, BM25 finds {found['bm25']:,} and the dense model {found['dense']:,} of {total:,} positives; "
        f"together they have {union:,}, which is {several(union - best, 'positive')} more than the better one alone."
    )
    if "Lost in fusion" in sets:
        lost = len(sets["Lost in fusion"])
        text += (
            f" The fusion holds {found['hybrid']:,} in as many places, so {lost:,} that one of them had "
            f"{'is' if lost == 1 else 'are'} pushed out."
            if lost
            else f" The fusion holds {found['hybrid']:,} and loses none of them."
        )
    return text


def _queries(view: View, sets: dict[str, Ints], cut: int) -> list[Block]:
    assert view.task is not None
    queries, documents = view.positives
    made: list[Block] = []
    for name, members in sets.items():
        if name == "Both" or not len(members):
            continue
        rows: list[tuple[Run, ...]] = []
        for positive in members[:MOST_LISTED]:
            query, document = int(queries[positive]), int(documents[positive])
            ranks = [_rank(int(view.ranks[role][positive])) for role in ROLES if role in view.ranks]
            rows.append((Code(str(view.task.queries.ids[query])), one_line(view.query(query), SHOWN),
                         Code(str(view.task.corpus.ids[document])), *ranks))  # fmt: skip
        columns = [
            "Query",
            "Text",
            "Positive",
            *(f"{ROLES[role]} rank" for role in ROLES if role in view.ranks),
        ]
        note = f"The first {MOST_LISTED} by id of {len(members):,}." if len(members) > MOST_LISTED else ""
        table = Table(f"{name} within {cut}", columns, rows, texts=(0, 1, 2), note=note)
        made.append(Details(f"{name} within {cut}: {several(len(members), 'positive')}", [table]))
    return made


def _rank(rank: int) -> str:
    return f"{rank:,}" if rank else "not found"
