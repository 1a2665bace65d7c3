"""Representative failure modes, found in the data: what outranks positives, and where one profile beats another."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hakari.display import one_line
from hakari.site.blocks import Block, Code, Details, Excerpt, Group, Inline, Para, Run, Section, Table
from hakari.site.profiles import ROLES
from hakari.site.task import causes
from hakari.site.task.causes import Case
from hakari.site.task.tendencies import wrong_firsts
from hakari.site.task.view import View
from hakari.site.task.words import number, several, share
from hakari.text.lookalikes import LookAlikes

QUERY_SHOWN, DOCUMENT_SHOWN = 500, 700
EVIDENCE_SHOWN = 60
EXAMPLES = 3
"""Causes of each profile that are shown with a case."""
PAIRS_SHOWN = 3


def section(view: View) -> Section | None:
    """Causes by how often they are found, cases of the most frequent, and where BM25 and dense differ."""
    roles = [role for role in ("bm25", "dense") if role in view.profiles]
    if view.task is None or not roles:
        return None
    looks = causes.look_alikes(view.task)
    named = {role: _cases(view, looks, role) for role in roles}
    blocks: list[Block] = [_table(view, named)]
    for role, cases in named.items():
        blocks += _examples(view, role, cases)
    if {"bm25", "dense"} <= view.profiles.keys():
        blocks += [_contrast(view, "bm25", "dense"), _contrast(view, "dense", "bm25")]
    return Section("failures", "Representative failure modes", blocks)


def _cases(view: View, looks: LookAlikes, role: str) -> list[Case]:
    """Every query whose first document is wrong, with its best placed positive."""
    queries, documents = view.positives
    ranks = view.ranks[role]
    best: dict[int, int] = {}
    order = np.lexsort((documents, np.where(ranks == 0, np.iinfo(np.int64).max, ranks), queries))
    for row in order.tolist():
        best.setdefault(int(queries[row]), int(documents[row]))
    return [
        Case(
            query,
            best[query],
            wrong,
            view.query(query),
            view.document(best[query]),
            view.document(wrong),
            looks,
        )
        for query, wrong in wrong_firsts(view, role)
    ]


def _table(view: View, named: dict[str, list[Case]]) -> Table:
    first = {role: Counter(case.cause for case in cases) for role, cases in named.items()}
    at_all = {
        role: Counter(one.kind for case in cases for one in case.likenesses) for role, cases in named.items()
    }
    rows: list[tuple[Run, ...]] = []
    for name, meaning in causes.MEANINGS.items():
        if any(at_all[role][name] for role in named):
            cells = []
            for role, cases in named.items():
                cells += [
                    f"{first[role][name]} ({share(first[role][name], len(cases))})",
                    str(at_all[role][name]),
                ]
            rows.append((name.replace("-", " "), meaning, *cells))
    counted = [cell for cases in named.values() for cell in (str(len(cases)), "")]
    rows.append(("all", "queries whose first document is wrong", *counted))
    columns = ["Cause", "The document put first"]
    for role in named:
        columns += [ROLES[role], f"{ROLES[role]}, at all"]
    note = (
        "A failing query counts once, under the first cause that holds; “at all” counts it under every one. "
        "Rules see texts, not what led a model."
    )
    return Table(
        "What is put above the positives", columns, rows, texts=(0, 1), note=note, marked=(len(rows) - 1,)
    )


def _examples(view: View, role: str, cases: list[Case]) -> list[Block]:
    """A case of each of the most frequent causes: the one whose positive is furthest down, by id where equal."""
    counts = Counter(case.cause for case in cases)
    blocks: list[Block] = []
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]:
        case = max(
            (c for c in cases if c.cause == name), key=lambda c: (_rank(view, role, c), -c.query_number)
        )
        rank = _rank(view, role, case)
        where = f"its positive is at rank {rank:,}" if rank <= 10**6 else "its positive is not found"
        title = f"{ROLES[role]}, {name.replace('-', ' ')} ({several(count, 'query', 'queries')}): {where}"
        blocks.append(Group(title, [*_seen(case), _texts(view, case)]))
    return blocks


def _seen(case: Case) -> list[Block]:
    """What the rules saw in this case, with their evidence."""
    told: list[Inline] = []
    for one in case.likenesses:
        if one.kind == causes.NOT_SEEN:
            return []
        told += ["; " if told else "Seen: ", causes.told(one)]
        for i, evidence in enumerate(one.evidence):
            told += [", " if i else " ", Code(one_line(evidence, EVIDENCE_SHOWN))]
    return [Para((*told, "."))]


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
