"""Representative failure modes, found in the data: what outranks positives, and where one profile beats another."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hakari.site import texts
from hakari.site.blocks import Block, Code, Details, Excerpt, Group, Para, Run, Section, Table
from hakari.site.profiles import ROLES
from hakari.site.task import causes
from hakari.site.task.causes import Case
from hakari.site.task.lexicon import Lexicon
from hakari.site.task.tendencies import wrong_firsts
from hakari.site.task.view import View
from hakari.site.task.words import number, several, share

QUERY_SHOWN, DOCUMENT_SHOWN = 500, 700
EXAMPLES = 3
"""Causes of each profile that are shown with a case."""
PAIRS_SHOWN = 3


def section(view: View, lexicon: Lexicon) -> Section | None:
    """Causes by how often they are found, cases of the most frequent, and where BM25 and dense differ."""
    found = {role: _cases(view, lexicon, role) for role in ("bm25", "dense") if role in view.profiles}
    if not found:
        return None
    named = {role: [(causes.cause(case), case) for case in cases] for role, cases in found.items()}
    blocks: list[Block] = [_table(view, named)]
    for role, cases in named.items():
        blocks += _examples(view, role, cases)
    if {"bm25", "dense"} <= view.profiles.keys():
        blocks += [_contrast(view, "bm25", "dense"), _contrast(view, "dense", "bm25")]
    return Section("failures", "Representative failure modes", blocks)


def _cases(view: View, lexicon: Lexicon, role: str) -> list[Case]:
    """Every query whose first document is wrong, with its best placed positive."""
    task = view.task
    assert task is not None
    looked_at, _ = texts.every_so_many(list(task.corpus.texts), 2_000)
    repeated = causes.boilerplate([str(text) for text in looked_at])
    queries, documents = view.positives
    ranks = view.ranks[role]
    best: dict[int, int] = {}
    order = np.lexsort((documents, np.where(ranks == 0, np.iinfo(np.int64).max, ranks), queries))
    for row in order.tolist():
        best.setdefault(int(queries[row]), int(documents[row]))
    return [
        Case(query, best[query], wrong, view.query(query), view.document(best[query]), view.document(wrong),
             lexicon, repeated, task.category == "code")
        for query, wrong in wrong_firsts(view, role)
    ]  # fmt: skip


def _table(view: View, named: dict[str, list[tuple[str, Case]]]) -> Table:
    counts = {role: Counter(cause for cause, _ in cases) for role, cases in named.items()}
    rows: list[tuple[Run, ...]] = []
    for name, meaning, _ in causes.RULES:
        if any(counts[role][name] for role in named):
            cells = [
                f"{counts[role][name]} ({share(counts[role][name], len(named[role]))})" for role in named
            ]
            rows.append((name, meaning, *cells))
    rows.append(
        ("all", "queries whose first document is wrong", *(f"{len(cases)}" for cases in named.values()))
    )
    columns = ["Cause", "What the rule saw in the document put first", *(ROLES[role] for role in named)]
    note = (
        "A failing query counts once, under the first rule that holds. Rules see texts, not what led a model."
    )
    return Table(
        "What is put above the positives", columns, rows, texts=(0, 1), note=note, marked=(len(rows) - 1,)
    )


def _examples(view: View, role: str, cases: list[tuple[str, Case]]) -> list[Block]:
    """A case of each of the most frequent causes: the one whose positive is furthest down, by id where equal."""
    counts = Counter(cause for cause, _ in cases)
    blocks: list[Block] = []
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]:
        case = max((c for n, c in cases if n == name), key=lambda c: (_rank(view, role, c), -c.query_number))
        rank = _rank(view, role, case)
        where = f"its positive is at rank {rank:,}" if rank <= 10**6 else "its positive is not found"
        title = f"{ROLES[role]}, {name} ({several(count, 'query', 'queries')}): {where}"
        blocks.append(Group(title, [_texts(view, case)]))
    return blocks


def _rank(view: View, role: str, case: Case) -> int:
    queries, documents = view.positives
    at = np.flatnonzero((queries == case.query_number) & (documents == case.positive_number))
    rank = int(view.ranks[role][at[0]])
    return rank if rank else 10**9


def _texts(view: View, case: Case) -> Block:
    return Details(
        f"Query {view.task.queries.ids[case.query_number]}, what was put first, and its positive"
        if view.task
        else "",
        [
            _excerpt(view, "Query", case.query, case.query_number, "query"),
            _excerpt(view, "Put first", case.wrong, case.wrong_number, "wrong"),
            _excerpt(view, "Positive", case.positive, case.positive_number, "positive"),
        ],
    )


def _excerpt(view: View, name: str, text: str, place: int, tone: str) -> Excerpt:
    assert view.task is not None
    limit = QUERY_SHOWN if tone == "query" else DOCUMENT_SHOWN
    ids = view.task.queries.ids if tone == "query" else view.task.corpus.ids
    cut = len(text) > limit
    counted = f"[{limit:,} / {len(text):,} chars]" if cut else f"[{len(text):,} chars]"
    return Excerpt((f"{name} ", Code(str(ids[place]))), text[:limit] + ("..." if cut else ""), counted, tone)


def _contrast(view: View, better: str, worse: str) -> Block:
    """Queries on which one profile beats the other most, by the difference in nDCG@10 and then by id."""
    assert view.task is not None
    mine, theirs = view.profiles[better].values["nDCG@10"], view.profiles[worse].values["nDCG@10"]
    difference = mine - theirs
    ahead = np.flatnonzero(difference > 0)
    order = ahead[np.lexsort((ahead, -difference[ahead]))]
    title = f"Where {ROLES[better]} beats {ROLES[worse]}: {several(len(order), 'query', 'queries')} of {len(mine)}"
    if not len(order):
        return Group(title, [Para("There is none.")])
    blocks: list[Block] = []
    queries, documents = view.positives
    for query in order[:PAIRS_SHOWN].tolist():
        of_query = np.flatnonzero(queries == query)
        best = of_query[np.lexsort((of_query, _deep(view.ranks[better][of_query])))][0]
        document = int(documents[best])
        ranks = [f"{ROLES[role]} {_told(int(view.ranks[role][best]))}" for role in view.ranks]
        scores = f"nDCG@10 {number(float(mine[query]))} against {number(float(theirs[query]))}; ranks of the positive: "
        blocks.append(
            Details(
                f"Query {view.task.queries.ids[query]}: {scores}{', '.join(ranks)}",
                [
                    _excerpt(view, "Query", view.query(query), query, "query"),
                    _excerpt(view, "Positive", view.document(document), document, "positive"),
                ],
            )
        )
    return Group(title, blocks)


def _deep(ranks: np.ndarray) -> np.ndarray:
    return np.where(ranks == 0, np.iinfo(np.int64).max, ranks)


def _told(rank: int) -> str:
    return f"{rank:,}" if rank else "none"
