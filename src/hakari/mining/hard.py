"""Hard negatives: what searches find in place of a positive, told apart by kind, without what might be right.

A document is no negative of a query where it is judged relevant to it, where it is nearly the same text as a
positive, or where a judge scores it about as high as the positive. Of the rest each kind of look-alike gets its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hakari.errors import UsageError, nearest
from hakari.mining.rows import Account, Negative, Row
from hakari.text.lookalikes import KINDS as LOOK_ALIKES
from hakari.text.lookalikes import LookAlikes
from hakari.types import Run, Task

FOUND_BESIDE = "found-beside"
KINDS: Mapping[str, str] = {
    **{kind: told for kind, told in LOOK_ALIKES.items() if kind != "near-duplicate"},
    FOUND_BESIDE: "found for the query, and resembles the right one by no rule",
}
"""Kinds of hard negatives, the most telling first."""
LEXICAL = frozenset({"bm25", "lexical", "control"})
"""Families whose scores say how many words agree, not how well a text answers."""


@dataclass(frozen=True)
class Found:
    """The rankings of one retriever for the queries of a task, over the rows of its corpus."""

    name: str
    family: str
    run: Run


@dataclass(frozen=True)
class Wanted:
    """Which negatives, and how sure they must be."""

    negatives: int = 5
    margin: float = 0.95
    """A negative's score is below this share of the positive's, by every judge."""
    kinds: frozenset[str] = frozenset(KINDS)
    looked_at: int = 40
    """Documents of each query that are told apart by kind, best ranks first."""

    def __post_init__(self) -> None:
        if not 0 < self.margin <= 1:
            raise UsageError(
                f"the margin is {self.margin:g}, and must lie above 0 and not above 1", "--margin 0.95"
            )
        for kind in sorted(self.kinds - KINDS.keys()):
            near = nearest(kind, KINDS, 1)
            told = f"did you mean `{near[0]}`?" if near else f"there is {', '.join(KINDS)}"
            raise UsageError(f"unknown kind of negative `{kind}`", told)


@dataclass
class _Scores:
    """What one retriever said for one query: ranks and scores by document, and the lowest score."""

    ranks: dict[int, int]
    scores: dict[int, float]
    floor: float = field(default=float("inf"))


def judges_among(found: Sequence[Found]) -> list[Found]:
    """Those whose scores say how well a text answers; all, where there is no such one."""
    return [one for one in found if one.family not in LEXICAL] or list(found)


def mined(
    task: Task, found: Sequence[Found], judges: Sequence[Found], wanted: Wanted, account: Account
) -> Iterator[Row]:
    """A row for each judged pair that has as many negatives as wanted, in the order of the queries."""
    looks = LookAlikes(task.corpus.texts)
    for q, query in enumerate(task.queries.texts):
        span = slice(task.qrels.offsets[q], task.qrels.offsets[q + 1])
        judged = dict(zip(task.qrels.documents[span].tolist(), task.qrels.grades[span].tolist(), strict=True))
        heard = {one.name: _scores_of(one.run, q) for one in (*found, *judges)}
        for positive in sorted(row for row, grade in judged.items() if grade > 0):
            account.seen += 1
            case = _Case(task, query, positive, judged, heard)
            taken = _negatives(case, [one.name for one in found], judges, looks, wanted, account)
            if len(taken) < wanted.negatives:
                account.leave_out(f"pairs with fewer than {wanted.negatives} negatives")
                continue
            account.kept += 1
            name = f"{task.name}#{task.queries.ids[q]}"
            yield Row(query, task.corpus.texts[positive], "mined", name, tuple(taken))


@dataclass(frozen=True)
class _Case:
    task: Task
    query: str
    positive: int
    judged: Mapping[int, int]
    heard: Mapping[str, _Scores]


def _scores_of(run: Run, q: int) -> _Scores:
    span = slice(run.offsets[q], run.offsets[q + 1])
    rows = run.documents[span].tolist()
    scores = run.scores[span].tolist()
    ranks = {row: rank for rank, row in enumerate(rows, 1)}
    return _Scores(ranks, dict(zip(rows, scores, strict=True)), scores[-1] if scores else float("-inf"))


def _negatives(
    case: _Case,
    names: Sequence[str],
    judges: Sequence[Found],
    looks: LookAlikes,
    wanted: Wanted,
    account: Account,
) -> list[Negative]:
    """Negatives for one pair: kinds take turns, best ranks first within a kind."""
    by_kind: dict[str, list[Negative]] = {}
    right = case.task.corpus.texts[case.positive]
    looked_at = 0
    for row in _best_first(case, names):
        if case.judged.get(row, 0) > 0 or looked_at >= wanted.looked_at:
            continue
        if not _below_the_positive(case, row, judges, wanted.margin):
            account.leave_out("documents that a judge scores like the positive")
            continue
        looked_at += 1
        text = case.task.corpus.texts[row]
        likenesses = looks.between(case.query, right, text)
        if any(one.kind == "near-duplicate" for one in likenesses):
            account.leave_out("documents that are nearly the positive")
            continue
        kind, evidence = (likenesses[0].kind, likenesses[0].evidence) if likenesses else (FOUND_BESIDE, ())
        if kind in wanted.kinds:
            facts: dict[str, Any] = {
                "id": case.task.corpus.ids[row],
                "ranks": {
                    name: case.heard[name].ranks[row] for name in names if row in case.heard[name].ranks
                },
                "evidence": list(evidence),
            }
            by_kind.setdefault(kind, []).append(Negative(text, kind, facts))
    return _in_turn(by_kind, wanted.negatives)


def _best_first(case: _Case, names: Sequence[str]) -> list[int]:
    """Rows of the documents found, by their best rank, then by how many found them, then by id."""
    ranks: dict[int, list[int]] = {}
    for name in names:
        for row, rank in case.heard[name].ranks.items():
            ranks.setdefault(row, []).append(rank)
    return sorted(ranks, key=lambda row: (min(ranks[row]), -len(ranks[row]), row))


def _below_the_positive(case: _Case, row: int, judges: Sequence[Found], margin: float) -> bool:
    """Whether every judge scores a document clearly below the positive.

    What a judge did not rank scores at most what it ranked last. A judge of words that did not find the positive
    has nothing to say; of another one, nothing that it ranks is then safe.
    """
    for judge in judges:
        heard = case.heard[judge.name]
        positive = heard.scores.get(case.positive)
        if positive is None:
            if judge.family in LEXICAL:
                continue
            return False
        if heard.scores.get(row, heard.floor) >= positive - (1 - margin) * abs(positive):
            return False
    return True


def _in_turn(by_kind: Mapping[str, list[Negative]], count: int) -> list[Negative]:
    taken: list[Negative] = []
    turn = 0
    while len(taken) < count and any(len(found) > turn for found in by_kind.values()):
        taken += [by_kind[kind][turn] for kind in KINDS if len(by_kind.get(kind, ())) > turn]
        turn += 1
    return taken[:count]
