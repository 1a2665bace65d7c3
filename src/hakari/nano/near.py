"""All pairs of nearly equal texts, exactly: a join over shingles by their rarest, in seconds for 10,000 texts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from hakari.text.shingles import NEAR, shingles

MAX_PAIRS = 200_000
"""Where there are more, the texts come from a few templates, and the rest tells nothing new."""


class NearTexts:
    """Which of some texts, known by their places, share at least `NEAR` of their shingles (Jaccard)."""

    def __init__(self, texts: Sequence[str], limit: int = MAX_PAIRS) -> None:
        grouped: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        numbers: dict[str, int] = {}
        for place, text in enumerate(texts):
            found = sorted(numbers.setdefault(shingle, len(numbers)) for shingle in sorted(shingles(text)))
            grouped[tuple(found)].append(place)
        self.groups = list(grouped.values())
        """Texts with the same shingles; every text is in one group, alone or not."""
        pairs = list(islice(_near_pairs(list(grouped), len(numbers)), limit + 1))
        self.complete = len(pairs) <= limit
        """Whether all pairs are there, or only as many as asked for."""
        self.pairs = sorted(pairs[:limit])
        """Two groups by their places, and the share of shingles that they have in common."""
        self._group_of = {place: number for number, group in enumerate(self.groups) for place in group}
        self._neighbours: defaultdict[int, set[int]] = defaultdict(set)
        for one, other, _ in self.pairs:
            self._neighbours[one].add(other)
            self._neighbours[other].add(one)

    def of(self, place: int) -> dict[int, float]:
        """The texts that are nearly the same as one: their places, 1.0 for those with the same shingles."""
        group = self._group_of[place]
        near = {other: 1.0 for other in self.groups[group] if other != place}
        for neighbour in sorted(self._neighbours.get(group, ())):
            near |= dict.fromkeys(self.groups[neighbour], NEAR)
        return near

    def text_pairs(self) -> Iterator[tuple[int, int, float]]:
        """Pairs of texts: each of a group with the first of it, and the first of one group with that of another."""
        for group in self.groups:
            yield from ((group[0], other, 1.0) for other in group[1:])
        for one, other, share in self.pairs:
            first, second = sorted((self.groups[one][0], self.groups[other][0]))
            yield first, second, share


def _near_pairs(sets: Sequence[tuple[int, ...]], shingle_count: int) -> Iterator[tuple[int, int, float]]:
    """Pairs of sets with a Jaccard similarity of `NEAR` or more.

    Two such sets share one of the rarest few of each, if rarity is the same order for all: only what these few
    lead to is compared in full. Smaller sets come first, and what is much smaller is not looked at.
    """
    counts = Counter(shingle for one in sets for shingle in one)
    rarity = [0] * shingle_count
    for place, shingle in enumerate(sorted(counts, key=lambda shingle: (counts[shingle], shingle))):
        rarity[shingle] = place
    whole = [frozenset(one) for one in sets]
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for number in sorted(range(len(sets)), key=lambda number: (len(sets[number]), number)):
        size = len(sets[number])
        few = size - math.ceil(NEAR * size - 1e-9) + 1
        rarest = sorted(sets[number], key=rarity.__getitem__)[:few]
        seen: set[int] = set()
        for shingle in rarest:
            if counts[shingle] < 2:
                continue
            seen.update(holders[shingle])
            holders[shingle].append(number)
        for other in sorted(seen):
            if len(sets[other]) < NEAR * size - 1e-9:
                continue
            common = len(whole[number] & whole[other])
            share = common / (size + len(sets[other]) - common)
            if share >= NEAR - 1e-9:
                yield min(number, other), max(number, other), share
