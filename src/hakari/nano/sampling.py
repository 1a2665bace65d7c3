"""From many pairs to a small task: duplicates merged, near-duplicates kept apart, chosen by a hash."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hakari.nano.draft import Stage
from hakari.nano.shapes import Pair, normalised
from hakari.text.shingles import NEAR, jaccard, shingles

MAX_POSITIVES = 3
"""A text that answers, or asks for, more than this many others is boilerplate."""


@dataclass(frozen=True)
class Sample:
    """Chosen texts by the name they come from, and which document answers which query, in order of name."""

    queries: dict[str, str]
    documents: dict[str, str]
    judgements: list[tuple[str, str]]
    stages: tuple[Stage, ...]


def sample(
    pairs: Sequence[Pair],
    max_queries: int,
    max_documents: int,
    seed: str,
    others: Mapping[str, str] | None = None,
) -> Sample:
    """Choose queries with their positives, then documents of other pairs until there are enough.

    Pairs whose documents, or whose queries, are the same up to case and white space share one, under the
    first of their names; a query then has several positives. The order of choice is a hash of seed and name,
    so it depends on neither the order of files nor the process. What is nearly the same as something chosen
    is passed over: it might be an answer that nobody judged. `others` are documents that no query asks for.
    """
    pool = _Pool(pairs, others or {})
    queries: dict[str, str] = {}
    documents: dict[str, str] = {}
    asked, stored = NearDuplicates(), NearDuplicates()
    near_queries = near_documents = 0

    for name in _shuffled(pool.askable, seed, "query"):
        answers = {answer: pool.documents[answer] for answer in sorted(pool.answers[name])}
        if len(queries) == max_queries or len(documents) + len(answers) > max_documents:
            break
        new = [text for answer, text in answers.items() if answer not in documents]
        alike = any(map(asked.near, [pool.queries[name], *new])) or stored.near(pool.queries[name])
        if alike or not stored.add_all(new):
            near_queries += 1
            continue
        asked.add_all([pool.queries[name]])
        queries[name] = pool.queries[name]
        documents |= answers

    for name in _shuffled(pool.storable - documents.keys(), seed, "document"):
        if len(documents) == max_documents:
            break
        texts = [pool.documents[name], *(pool.queries[asker] for asker in pool.askers[name])]
        if any(map(asked.near, texts)):
            near_documents += 1
        elif stored.add_all([pool.documents[name]]):
            documents[name] = pool.documents[name]
        else:
            near_documents += 1

    near = "nearly the same as one chosen"
    stages = (
        _stage("queries", len(pairs), len(queries), {**pool.merged_queries, near: near_queries}),
        _stage("documents", pool.seen, len(documents), {**pool.merged_documents, near: near_documents}),
    )
    judgements = sorted((query, document) for query in queries for document in pool.answers[query])
    return Sample(dict(sorted(queries.items())), dict(sorted(documents.items())), judgements, stages)


def _stage(name: str, seen: int, kept: int, left_out: Mapping[str, int]) -> Stage:
    rest = seen - kept - sum(left_out.values())
    return Stage(name, seen, kept, {reason: n for reason, n in {**left_out, "not needed": rest}.items() if n})


def _shuffled(names: Iterable[str], seed: str, role: str) -> list[str]:
    return sorted(names, key=lambda name: (stable_hash(seed, role, name), name))


def stable_hash(*parts: str) -> str:
    """Sixteen hexadecimal digits that depend on the parts alone."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()


def _merged(seen: int, texts: Mapping[str, str], usable: Collection[str]) -> dict[str, int]:
    return {"the same as another": seen - len(texts), "boilerplate": len(texts) - len(usable)}


class _Pool:
    """Pairs after merging: texts by name, what answers a query, and what asks for a document."""

    def __init__(self, pairs: Sequence[Pair], others: Mapping[str, str]) -> None:
        self.queries: dict[str, str] = {}
        self.documents: dict[str, str] = {}
        self.answers: defaultdict[str, set[str]] = defaultdict(set)
        self.askers: defaultdict[str, set[str]] = defaultdict(set)
        by_query: dict[str, str] = {}
        by_document: dict[str, str] = {}
        for pair in sorted(pairs, key=lambda pair: pair.name):
            query = by_query.setdefault(normalised(pair.query), pair.name)
            document = by_document.setdefault(normalised(pair.document), pair.answer or pair.name)
            self.queries.setdefault(query, pair.query)
            self.documents.setdefault(document, pair.document)
            self.answers[query].add(document)
            self.askers[document].add(query)
        for name in sorted(others):
            if by_document.setdefault(normalised(others[name]), name) == name:
                self.documents[name] = others[name]
                self.askers[name] = set()
        self.storable = {name for name, askers in self.askers.items() if len(askers) <= MAX_POSITIVES}
        self.askable = {
            name
            for name, answers in self.answers.items()
            if len(answers) <= MAX_POSITIVES and answers <= self.storable
        }
        self.seen = len(pairs) + len(others)
        self.merged_queries = _merged(len(pairs), self.queries, self.askable)
        self.merged_documents = _merged(self.seen, self.documents, self.storable)


class NearDuplicates:
    """Texts seen so far, and whether another is nearly one of them, by exact counts of common shingles."""

    def __init__(self) -> None:
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        self._seen: list[set[str]] = []

    def near(self, text: str) -> bool:
        """Whether a text shares at least `NEAR` of its shingles with a text seen before (Jaccard)."""
        return self._near(shingles(text))

    def add_all(self, texts: Iterable[str]) -> bool:
        """Take in texts, unless one of them is nearly the same as one seen before or as one another."""
        new = [shingles(text) for text in texts]
        fresh = NearDuplicates() if len(new) > 1 else None
        for shingled in new:
            if self._near(shingled) or (fresh is not None and fresh._near(shingled)):
                return False
            if fresh is not None:
                fresh._add(shingled)
        for shingled in new:
            self._add(shingled)
        return True

    def _add(self, shingled: set[str]) -> None:
        for shingle in shingled:
            self._holders[shingle].append(len(self._seen))
        self._seen.append(shingled)

    def _near(self, shingled: set[str]) -> bool:
        # What is near lacks only a few of these shingles, so it holds one of any few and one more: the rarest
        # are looked up, and only what they lead to is compared in full.
        few = len(shingled) - math.floor(NEAR * len(shingled))
        rarest = sorted(shingled, key=lambda shingle: len(self._holders.get(shingle, ())))[: few + 1]
        holders = {other for shingle in rarest for other in self._holders.get(shingle, ())}
        return any(jaccard(shingled, self._seen[other]) >= NEAR for other in holders)
