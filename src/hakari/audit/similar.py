"""Paraphrases: evaluation texts to which a cell of training data is as near as its own rewording would be.

A model decides what is near, so the threshold is the model's: it is found on planted paraphrases and their neighbours
(`data/paraphrases.jsonl`), which stand in no task. Whatever a product of matrices proposes is computed again, pair by
pair in double precision, so that neither the shape of a block nor the number of threads leaves a trace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hakari.audit.index import SIDES, Index
from hakari.errors import Fault, InvalidInput
from hakari.text.detect import is_code

Vectors = npt.NDArray[np.float32]
Told = Callable[[int, int], None]

SIMILAR = np.dtype([("row", "<i8"), ("text", "<i4"), ("cosine", "<f4")])
"""A row, a text and how near the nearest cell of the row is to it."""
VERSION = 1
WORDS = 4
"""Evaluation texts with fewer say too little to be reworded."""
NEIGHBOURS = 0.05
"""Share of the planted neighbours that may pass for a paraphrase."""
OWN_SHARE = 0.8
"""A row has to be nearer than so many of the texts of a task's side are to another one of it."""
FEWEST = 20
"""Texts of a side from which it says how near its own texts are to each other."""
SORTS = ("prose", "code")
PROPOSED = 1e-3
"""Pairs so far below the threshold are still computed exactly."""
TEXTS, PARTS = 4096, 256
"""The shape of the blocks of a product."""
_KIT = Path(__file__).parent / "data" / "paraphrases.jsonl"


class Model(Protocol):
    """What turns texts into vectors of length one."""

    name: str

    @property
    def identity(self) -> str:
        """A hash of everything that decides the vectors."""

    def require(self) -> None:
        """Raise where something it needs is missing."""

    def encode(
        self, texts: Sequence[str], keep: bool = True, progress: Told | None = None
    ) -> tuple[Vectors, float]:
        """The vectors, and the seconds that they cost; with `keep` they may come from where they are kept."""


@dataclass(frozen=True)
class Limit:
    """From which cosine on texts of one sort are taken for paraphrases, and what that does to planted ones."""

    cosine: float
    free: int
    """Planted texts that are found rewritten in other words, or as other code for the same."""
    light: int | None
    """Planted texts that are found lightly reworded; None for code, where other kinds find that."""
    neighbours: int
    """Planted neighbours, of another meaning, that pass for a paraphrase."""
    planted: int

    def told(self, sort: str) -> str:
        """The limit with what it does."""
        light = "" if self.light is None else f"{self.light} lightly reworded, "
        did = f"of {self.planted} planted, {light}{self.free} rewritten and {self.neighbours} of another meaning pass"
        return f"{self.cosine:.3f} for {sort} ({did})"


@dataclass(frozen=True)
class Similarity:
    """A model and its limits: what `similar` means in one audit."""

    model: str
    identity: str
    prose: Limit
    code: Limit
    own: bool = True
    """Whether a row also has to be nearer than the texts of a task's side are to each other."""

    def of(self, sort: str) -> Limit:
        """The limit for `prose` or `code`."""
        return self.prose if sort == "prose" else self.code

    def __str__(self) -> str:
        own = f", and nearer than {OWN_SHARE:g} of the texts of the task's side are to another"
        return (
            f"by `{self.model}` the cosine of the text ({WORDS} words or more) and a cell or turn of the row, both "
            f"prose or both code, is at least {self.prose.told('prose')}, {self.code.told('code')}"
            f"{own if self.own else ''}; no kind above applies"
        )

    def told(self) -> dict[str, Any]:
        """What goes on record."""
        return {"model": self.model, "identity": self.identity, **{s: vars(self.of(s)) for s in SORTS}}


@lru_cache(maxsize=1)
def planted() -> tuple[dict[str, str], ...]:
    """Texts, each rewritten (`same`), of prose also lightly (`light`), and with a neighbour of another meaning."""
    return tuple(json.loads(line) for line in _KIT.read_text(encoding="utf-8").splitlines())


def calibrated(model: Model, cosine: float | None = None) -> Similarity:
    """The limits of a model: the least cosine at which few enough planted neighbours pass, or the one given."""
    triples = planted()
    forms = [(t["text"], t.get("light", t["text"]), t["same"], t["other"]) for t in triples]
    vectors, _ = model.encode([text for form in forms for text in form])
    texts, *others = (_checked(vectors, model)[place::4] for place in range(4))
    limits = {}
    for sort in SORTS:
        chosen = np.array([triple["kind"] == sort for triple in triples])
        light, free, neighbours = (_cosines(texts[chosen], other[chosen]) for other in others)
        allowed = int(NEIGHBOURS * len(neighbours))
        # Just above the first neighbour that is not allowed, in steps that a reader can repeat.
        least = np.floor(float(np.sort(neighbours)[-1 - allowed]) * 1000 + 1) / 1000
        at = min(1.0, float(least)) if cosine is None else cosine
        found, lightly, passed = (int((one >= at).sum()) for one in (free, light, neighbours))
        limits[sort] = Limit(at, found, lightly if sort == "prose" else None, passed, len(neighbours))
    return Similarity(model.name, model.identity, limits["prose"], limits["code"], cosine is None)


def _cosines(one: Vectors, other: Vectors) -> npt.NDArray[np.float64]:
    """The cosines of vectors of length one, pair by pair, the same in any company."""
    return np.round((one.astype(np.float64) * other.astype(np.float64)).sum(axis=1), 6)


def _checked(vectors: Vectors, model: Model) -> Vectors:
    if np.isfinite(vectors).all():
        return vectors
    hint = "look at the model, or name another one with `--similar`"
    raise InvalidInput(
        "the vectors", [Fault(f"`{model.name}` gives a text NaN or infinite numbers", hint=hint)]
    )


class Judge:
    """The evaluation texts of an index as vectors, and which cosine is enough for each."""

    def __init__(
        self, index: Index, model: Model, cosine: float | None = None, progress: Told | None = None
    ) -> None:
        self.model, self.similarity = model, calibrated(model, cosine)
        able = np.flatnonzero(index.counts[:, 0] >= WORDS)
        texts = [index.texts[number] for number in able.tolist()]
        vectors, self.seconds = model.encode(texts, progress=progress)
        self.characters = sum(map(len, texts))
        """Of the texts that took `seconds` to encode."""
        code = np.array([is_code(text) for text in texts], bool)
        _checked(vectors, model)
        own = own_limits(index, able, vectors) if self.similarity.own else np.zeros(len(index.texts))
        self.sides: dict[str, _Side] = {}
        for sort in SORTS:
            chosen = np.flatnonzero(code == (sort == "code"))
            limits = np.maximum(self.similarity.of(sort).cosine, own[able[chosen]])
            self.sides[sort] = _Side(able[chosen], vectors[chosen], limits)
        self.index = index

    @cached_property
    def identity(self) -> str:
        """A hash of everything that decides what is found."""
        told = (VERSION, self.index.identity, self.similarity, WORDS, OWN_SHARE)
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def found(self, parts: Sequence[str], rows: Sequence[Sequence[int]], keep: bool) -> npt.NDArray[Any]:
        """The texts to which parts of rows are near enough; of the parts of one row the nearest counts."""
        vectors, _ = self.model.encode(parts, keep)
        _checked(vectors, self.model)
        code = np.array([is_code(part) for part in parts], bool)
        found = []
        for sort, side in self.sides.items():
            chosen = np.flatnonzero(code == (sort == "code"))
            for part, number, cosine in side.near(vectors[chosen]):
                found += [(row, number, cosine) for row in rows[chosen[part]]]
        return nearest(np.array(found, SIMILAR))


@dataclass(frozen=True, eq=False)
class _Side:
    numbers: npt.NDArray[np.int64]
    vectors: Vectors
    limits: npt.NDArray[np.float64]

    def near(self, parts: Vectors) -> list[tuple[int, int, float]]:
        """The place of a part, the number of a text, their cosine."""
        found: list[tuple[int, int, float]] = []
        if not len(parts) or not len(self.numbers):
            return found
        for first in range(0, len(self.numbers), TEXTS):
            texts, limits = self.vectors[first : first + TEXTS], self.limits[first : first + TEXTS]
            for start in range(0, len(parts), PARTS):
                product = parts[start : start + PARTS] @ texts.T
                part, text = np.nonzero(product >= limits - PROPOSED)
                exact = _cosines(parts[start + part], texts[text])
                sure = np.flatnonzero(exact >= limits[text])
                numbers = self.numbers[first + text[sure]]
                found += zip(
                    (start + part[sure]).tolist(), numbers.tolist(), exact[sure].tolist(), strict=True
                )
        return found


def nearest(found: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Each row and text once, with the largest cosine, in order."""
    ordered = found[np.lexsort((-found["cosine"], found["text"], found["row"]))]
    first = np.ones(len(ordered), bool)
    first[1:] = (ordered["row"][1:] != ordered["row"][:-1]) | (ordered["text"][1:] != ordered["text"][:-1])
    return ordered[first]


def own_limits(index: Index, able: npt.NDArray[np.int64], vectors: Vectors) -> npt.NDArray[np.float64]:
    """For each text of the index how near others of its task's side are to each other: the tightest side counts.

    Where the texts of a side follow one pattern, as statements over one schema do, being near is no sign of a leak.
    """
    limits = np.zeros(len(index.texts))
    place = np.full(len(index.texts), -1)
    place[able] = np.arange(len(able))
    for task in index.tasks:
        for side in SIDES:
            numbers = np.unique(task.numbers(side))
            numbers = numbers[place[numbers] >= 0]
            if len(numbers) >= FEWEST:
                to_next = _to_nearest_other(vectors[place[numbers]])
                limit = float(np.quantile(to_next, OWN_SHARE, method="higher"))
                limits[numbers] = np.maximum(limits[numbers], limit)
    return limits


def _to_nearest_other(vectors: Vectors) -> npt.NDArray[np.float64]:
    """The cosine of each vector and the nearest other one."""
    nearest_other = np.empty(len(vectors), np.int64)
    for start in range(0, len(vectors), PARTS):
        product = vectors[start : start + PARTS] @ vectors.T
        rows = np.arange(len(product))
        product[rows, start + rows] = -np.inf
        nearest_other[start : start + len(product)] = product.argmax(axis=1)
    return _cosines(vectors, vectors[nearest_other])
