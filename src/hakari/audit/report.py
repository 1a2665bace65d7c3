"""What a scan found, counted by task, side and kind, with the rows that hold it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.audit.index import SIDES, Audited, Index
from hakari.audit.kinds import (
    BY_NAME,
    DIRECT,
    KINDS,
    NEAR,
    NONE,
    NOT_AUDITED,
    OF_ONE_ROW,
    Thresholds,
    classify,
    judged,
    strongest,
    worst,
)
from hakari.audit.scan import Scanned
from hakari.audit.similar import SIMILAR
from hakari.audit.similar_scan import Similars
from hakari.tasks.origins import declared_names

Rows = npt.NDArray[np.int64]
PAIR = "pair"
STRENGTH = {kind.name: place for place, kind in enumerate(KINDS)}
"""The place of each kind among all, the strongest first."""
WEAKER = ("partial", "fragment")
"""Kinds that do not count where a row is similar to the text."""


@dataclass(frozen=True)
class Count:
    """How much of one side of a task matches in one kind."""

    task: str
    side: str
    kind: str
    matched: int
    """Evaluation texts, or pairs of them, that some row holds."""
    total: int
    rows: int
    """Rows of training data that hold one."""
    risk: str

    def to_json(self) -> dict[str, Any]:
        """The count as JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Reason:
    """Why a row is flagged: the strongest kind of match with one text of one task."""

    task: str
    side: str
    id: str
    kind: str
    containment: float | None = None
    """Share of the text's shingles that the row has; None where the text has none."""
    longest: int | None = None
    """Words of the longest common run."""
    cosine: float | None = None
    """Of what is similar, how near the row is."""

    def told(self) -> dict[str, Any]:
        """The reason as JSON; what only some kinds have is left out of others."""
        return {key: value for key, value in vars(self).items() if key != "cosine" or value is not None}


@dataclass
class Report:
    """The counts of all tasks, and the rows behind them. A row is the number of its shard and its own."""

    index: Index
    scanned: Sequence[Scanned]
    thresholds: Thresholds
    similars: Similars | None = None
    """What a model takes for paraphrases, where it was asked."""
    found: npt.NDArray[Any] = field(init=False)
    rows: Rows = field(init=False)
    """Of each count in `found`: shard and row in one number, ascending as they are read."""
    masks: dict[str, npt.NDArray[np.bool_]] = field(init=False)
    best: npt.NDArray[np.int8] = field(init=False)
    similar: npt.NDArray[Any] = field(init=False)
    """Rows, as in `rows`, and texts that are similar where no stronger kind applies."""

    SHARD = 1 << 40

    def __post_init__(self) -> None:
        self.found = np.concatenate([one.found for one in self.scanned])
        self.rows = np.concatenate([one.found["row"] + n * self.SHARD for n, one in enumerate(self.scanned)])
        self.masks = classify(self.found, self.thresholds)
        self.best = strongest(self.masks)
        if self.similars is not None:
            self.thresholds = replace(self.thresholds, similar=self.similars.similarity)
        self.similar = self._settled()

    def _settled(self) -> npt.NDArray[Any]:
        """What is similar and nothing stronger; weaker kinds do not count beside it."""
        settled = []
        strong = [BY_NAME[name].risk in (DIRECT, NEAR) for name in OF_ONE_ROW] + [False]
        held = np.array(strong, bool)[self.best]
        for number, found in enumerate(self.similars.found if self.similars else ()):
            first = number * self.SHARD
            of_shard = np.flatnonzero((self.rows >= first) & (self.rows < first + self.SHARD))
            keys = (self.rows[of_shard] - first) * len(self.index.texts) + self.found["text"][of_shard]
            mine = found["row"] * len(self.index.texts) + found["text"]
            kept = found[~np.isin(mine, keys[held[of_shard]])]
            beside = of_shard[np.isin(keys, mine) & ~held[of_shard]]
            for kind in WEAKER:
                self.masks[kind][beside] = False
            self.best[beside] = strongest({name: mask[beside] for name, mask in self.masks.items()})
            kept["row"] += first
            settled.append(kept)
        return np.concatenate([np.empty(0, SIMILAR), *settled])

    @cached_property
    def rows_scanned(self) -> int:
        """Rows of training data that were compared."""
        return sum(one.rows for one in self.scanned)

    @cached_property
    def counts(self) -> list[Count]:
        """One for each task, side and kind."""
        return [count for task in self.index.tasks for count in self._of_task(task)]

    def risks(self) -> dict[str, str]:
        """The worst risk of each task."""
        found: dict[str, list[str]] = {}
        for count in self.counts:
            found.setdefault(count.task, []).append(count.risk)
        return {task: worst(risks) for task, risks in found.items()}

    @property
    def risk(self) -> str:
        """The worst risk of all tasks."""
        return worst(list(self.risks().values()))

    def _of_task(self, task: Audited) -> Iterator[Count]:
        code = task.category == "code"
        for side in SIDES:
            numbers = task.numbers(side)
            there = np.zeros(len(self.index.texts), bool)
            there[numbers] = True
            for kind in KINDS:
                if kind.name == "origin":
                    yield Count(task.name, side, kind.name, 0, len(numbers), 0, NOT_AUDITED)
                    continue
                able = judged(self.index.counts[numbers], kind.name, code, self.thresholds)
                texts, rows = self._matched(kind.name, there, code)
                matched = int((np.isin(numbers, texts) & able).sum())
                yield self._count(task, side, kind.name, matched, len(numbers), rows, bool(able.any()))
        pairs = self._pairs(task)
        for kind in KINDS:
            matched_pairs, held = pairs.get(kind.name, (set(), set()))
            if kind.name == "origin":
                yield self._of_origin(task)
                continue
            possible = kind.name != "split" and (code or kind.name != "identifier")
            possible = possible and (kind.name != "similar" or self.similars is not None)
            possible = possible and len(task.pairs) > 0
            total = len(task.pairs)
            yield self._count(task, PAIR, kind.name, len(matched_pairs), total, len(held), possible)

    def declared(self, task: Audited) -> dict[int, str]:
        """The rows that declare an origin of a task, and which."""
        return {
            n * self.SHARD + row: value
            for n, one in enumerate(self.scanned)
            for value, rows in one.declared.items()
            if declared_names(value) & task.upstream
            for row in rows.tolist()
        }

    def _of_origin(self, task: Audited) -> Count:
        """Of an origin no text matches, but rows are told, and the risk that they stand for."""
        rows = len(self.declared(task))
        risk = (
            BY_NAME["origin"].risk if rows else NONE if task.upstream and self.rows_scanned else NOT_AUDITED
        )
        return Count(task.name, PAIR, "origin", 0, len(task.pairs), rows, risk)

    def _count(
        self, task: Audited, side: str, kind: str, matched: int, total: int, rows: int, able: bool
    ) -> Count:
        risk = BY_NAME[kind].risk if matched else NONE if able and self.rows_scanned else NOT_AUDITED
        return Count(task.name, side, kind, matched, total, rows if matched else 0, risk)

    def _matched(self, kind: str, there: npt.NDArray[np.bool_], code: bool) -> tuple[Any, int]:
        """The texts among these that match in a kind, and how many rows hold one of them."""
        if kind == "origin" or (kind == "identifier" and not code) or not len(there):
            return (), 0
        if kind == "similar":
            found = self.similar[there[self.similar["text"]]]
            return np.unique(found["text"]), len(np.unique(found["row"]))
        of_side = there[self.found["text"]]
        if kind == "split":
            texts = np.array(sorted(self.split), np.int64)
            chosen = of_side & np.isin(self.found["text"], texts)
            rows = {row for text in set(self.found["text"][chosen].tolist()) for row in self.split[text]}
            return texts, len(rows)
        chosen = of_side & self.masks[kind]
        return np.unique(self.found["text"][chosen]), len(np.unique(self.rows[chosen]))

    @cached_property
    def split(self) -> dict[int, list[int]]:
        """Texts that no row holds and several rows hold together, with those rows."""
        t = self.thresholds
        held = np.isin(
            self.best, [OF_ONE_ROW.index(k) for k in OF_ONE_ROW if BY_NAME[k].risk not in ("partial",)]
        )
        whole = np.unique(self.found["text"][held])
        parts = (self.found["longest"] >= 12) & (self.found["words"] >= t.split_words)
        parts &= ~np.isin(self.found["text"], whole)
        found: dict[int, list[int]] = {}
        order = np.flatnonzero(parts)
        order = order[np.argsort(self.found["text"][order], kind="stable")]
        bounds = np.flatnonzero(np.diff(self.found["text"][order], prepend=-1))
        for group in np.split(order, bounds[1:]) if len(order) else ():
            rows = self._cover(group)
            if len(rows) > 1:
                found[int(self.found["text"][group[0]])] = rows
        return found

    def _cover(self, group: npt.NDArray[np.int64]) -> list[int]:
        """The rows that together hold enough of a text, each with words that those before it lack."""
        words = int(self.found["words"][group[0]])
        covered, rows = np.zeros(words, bool), []
        order = group[np.lexsort((self.rows[group], -self.found["longest"][group]))]
        for at in order:
            start, length = int(self.found["start"][at]), int(self.found["longest"][at])
            if not covered[start : start + length].all():
                covered[start : start + length] = True
                rows.append(int(self.rows[at]))
        return rows if covered.sum() >= self.thresholds.split * words else []

    def _pairs(self, task: Audited) -> dict[str, tuple[set[tuple[int, int]], set[int]]]:
        """By kind, the judged pairs whose texts one row holds, and such rows; the weaker of both kinds counts."""
        code = task.category == "code"
        numbers = np.zeros(len(self.index.texts), bool)
        numbers[task.queries] = True
        numbers[task.positives] = True
        weakest = len(OF_ONE_ROW) - (1 if code else 2)
        chosen = np.flatnonzero(numbers[self.found["text"]] & (self.best <= weakest))
        kinds = np.array([STRENGTH[name] for name in OF_ONE_ROW])[self.best[chosen]]
        similar = self.similar[numbers[self.similar["text"]]]
        of_similar = np.full(len(similar), STRENGTH["similar"])
        held: dict[int, dict[int, int]] = {}
        for text, row, kind in zip(
            [*self.found["text"][chosen].tolist(), *similar["text"].tolist()],
            [*self.rows[chosen].tolist(), *similar["row"].tolist()],
            [*kinds.tolist(), *of_similar.tolist()],
            strict=True,
        ):
            row_kinds = held.setdefault(text, {})
            row_kinds[row] = min(kind, row_kinds.get(row, kind))
        found: dict[str, tuple[set[tuple[int, int]], set[int]]] = {}
        there = np.zeros(len(self.index.texts), bool)
        there[self.found["text"][chosen]] = True
        there[similar["text"]] = True
        both = there[task.queries[task.pairs[:, 0]]] & there[task.positives[task.pairs[:, 1]]]
        for query, positive in task.pairs[both].tolist():
            one, other = (
                held.get(int(texts[at]), {})
                for texts, at in ((task.queries, query), (task.positives, positive))
            )
            for row in one.keys() & other.keys():
                kind = max(one[row], other[row])
                pairs, rows = found.setdefault(KINDS[kind].name, (set(), set()))
                pairs.add((query, positive))
                rows.add(row)
        return found

    def flagged(self) -> dict[int, list[Reason]]:
        """Every row that holds something of the tasks, in order, and why."""
        occurrences: dict[int, list[tuple[str, str, str, bool]]] = {}
        for task in self.index.tasks:
            for side, numbers, ids in (
                ("query", task.queries, task.query_ids),
                ("positive", task.positives, task.positive_ids),
            ):
                for number, name in zip(numbers.tolist(), ids, strict=True):
                    occurrences.setdefault(number, []).append(
                        (task.name, side, name, task.category == "code")
                    )
        found: dict[int, list[Reason]] = {}
        for at in np.flatnonzero(self.best < len(OF_ONE_ROW)).tolist():
            kind, one = OF_ONE_ROW[self.best[at]], self.found[at]
            share = round(int(one["shared"]) / int(one["shingles"]), 4) if one["shingles"] else None
            for task_name, side, name, code in occurrences.get(int(one["text"]), ()):
                if code or kind != "identifier":
                    reason = Reason(task_name, side, name, kind, share, int(one["longest"]))
                    found.setdefault(int(self.rows[at]), []).append(reason)
        for row, text, cosine in self.similar.tolist():
            for task_name, side, name, _ in occurrences.get(text, ()):
                near = round(cosine, 4)
                found.setdefault(row, []).append(Reason(task_name, side, name, "similar", cosine=near))
        for text, rows in self.split.items():
            for row in rows:
                for task_name, side, name, _ in occurrences.get(text, ()):
                    found.setdefault(row, []).append(Reason(task_name, side, name, "split"))
        for task in self.index.tasks:
            for row, value in self.declared(task).items():
                found.setdefault(row, []).append(Reason(task.name, PAIR, value, "origin"))
        return dict(sorted(found.items()))

    def place(self, row: int) -> tuple[Scanned, int]:
        """The shard and the number of a row."""
        return self.scanned[row // self.SHARD], row % self.SHARD
