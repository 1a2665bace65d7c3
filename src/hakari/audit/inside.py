"""Leaks inside a benchmark: its own queries and documents compared with each other, by the same kinds of match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hakari.audit.index import Index, build
from hakari.audit.kinds import OF_ONE_ROW, Thresholds, classify, strongest
from hakari.audit.scan import scanner
from hakari.types import Task, Texts

HELD = ("exact", "embedded", "shingle", "reordered", "edited")
"""Kinds in which one text holds most of another."""
SAME = ("exact", "shingle", "reordered", "edited", "fingerprint")
EXAMPLES = 5
BATCH = 512
CHECKS = {
    "query in positive": "queries that stand in a document which is relevant to them: found without understanding",
    "query in other document": "queries that stand in a document which is not relevant to them",
    "judged differently": "documents nearly the same as a relevant one, and not relevant to the same query",
    "shared query": "queries that another task, or another query of the task, has too",
    "shared positive": "relevant documents that are relevant documents of another task, too",
}


@dataclass
class Finding:
    """One sort of leak between two tasks, or within one."""

    check: str
    task: str
    other: str
    total: int
    found: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Ids of the task's texts, by kind of match."""
    examples: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, other: str, kind: str) -> None:
        """Note a text of the task and the text of the other that goes with it."""
        if name not in self.found[kind] and len(self.examples) < EXAMPLES:
            self.examples.append((name, other, kind))
        self.found[kind].add(name)

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "check": self.check,
            "task": self.task,
            "other": self.other,
            "count": len(set().union(*self.found.values())),
            "total": self.total,
            "kinds": {kind: len(self.found[kind]) for kind in OF_ONE_ROW if self.found.get(kind)},
            "examples": [list(example) for example in self.examples],
        }


@dataclass(frozen=True)
class _Occurrence:
    task: int
    side: str
    place: int


class _Inside:
    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.index: Index = build(tasks)
        self.scan = scanner(self.index)
        self.occurrences: defaultdict[int, list[_Occurrence]] = defaultdict(list)
        self.relevant: list[set[tuple[int, str]]] = []
        for number, audited in enumerate(self.index.tasks):
            for side in ("query", "positive"):
                for place, text in enumerate(audited.numbers(side).tolist()):
                    self.occurrences[text].append(_Occurrence(number, side, place))
            self.relevant.append({(q, audited.positive_ids[p]) for q, p in audited.pairs.tolist()})
        self.findings: dict[tuple[str, int, int], Finding] = {}

    def note(self, check: str, task: int, other: int, names: tuple[str, str], kind: str) -> None:
        audited = self.index.tasks[task]
        total = (
            len(audited.queries) if check.startswith(("query", "shared query")) else len(audited.positives)
        )
        key = check, task, other
        if key not in self.findings:
            self.findings[key] = Finding(check, audited.name, self.index.tasks[other].name, total)
        self.findings[key].add(*names, kind)

    def matches(self, texts: Texts) -> Iterator[tuple[str, _Occurrence, str]]:
        """Every text that one of these texts holds: its id, the text, the kind."""
        for start in range(0, len(texts), BATCH):
            rows: list[tuple[str | None, ...]] = [(text,) for text in texts.texts[start : start + BATCH]]
            found, _ = self.scan(rows, start)
            best = strongest(classify(found, Thresholds()))
            for at in np.flatnonzero(best < len(OF_ONE_ROW)).tolist():
                for occurrence in self.occurrences[int(found["text"][at])]:
                    yield texts.ids[int(found["row"][at])], occurrence, OF_ONE_ROW[best[at]]

    def documents(self, number: int) -> None:
        """What the documents of a task hold of all tasks."""
        positives = set(self.index.tasks[number].positive_ids)
        for document, seen, kind in self.matches(self.tasks[number].corpus):
            audited = self.index.tasks[seen.task]
            if seen.side == "query" and kind in HELD and seen.task == number:
                right = (seen.place, document) in self.relevant[number]
                check = "query in positive" if right else "query in other document"
                self.note(check, number, number, (audited.query_ids[seen.place], document), kind)
            elif seen.side == "positive" and kind in SAME:
                name = audited.positive_ids[seen.place]
                if seen.task == number and name != document:
                    self.differently(number, name, document, kind)
                elif seen.task != number and document in positives:
                    self.note("shared positive", seen.task, number, (name, document), kind)

    def differently(self, number: int, name: str, document: str, kind: str) -> None:
        queries = {query for query, positive in self.relevant[number] if positive == name}
        if any((query, document) not in self.relevant[number] for query in queries):
            self.note("judged differently", number, number, (name, document), kind)

    def queries(self, number: int) -> None:
        """What the queries of a task have in common with other queries."""
        for query, seen, kind in self.matches(self.tasks[number].queries):
            name = self.index.tasks[seen.task].query_ids[seen.place] if seen.side == "query" else ""
            if name and kind in SAME and (seen.task != number or name != query):
                self.note("shared query", seen.task, number, (name, query), kind)


def inside(tasks: Iterable[Task]) -> list[Finding]:
    """Every sort of leak inside and between some tasks."""
    compared = _Inside(list(tasks))
    for number in range(len(compared.tasks)):
        compared.documents(number)
        compared.queries(number)
    order = list(CHECKS)
    return [
        compared.findings[key]
        for key in sorted(compared.findings, key=lambda key: (key[1:], order.index(key[0])))
    ]
