"""Retrievers that know nothing: whatever they score above chance, the task or the pipeline gives away.

`random` orders documents by chance, for each query anew: it must land on the expectation, or the pipeline
leaks (a positive put where it did not earn its place, such as a safeguard counted as found).

`constant` gives every document the same score, so the tie rule ranks: by id, descending, as trec_eval has it.
It is not shuffled first, on purpose: it shows what a tie is worth. If it leaves chance, the ids of the task
say which documents are relevant, and every retriever that ties is paid (or charged) for its ids.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hakari.measures import Measure, chance, parse_many, score
from hakari.measures.found import rows_of
from hakari.rankings import top_k
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.types import Ids, Run, Task

BLOCK_CELLS = 1 << 20
"""Scores held at a time."""


class Random(Retriever):
    """A random order for each query, from a hash of the ids: the same in any process and any row order.

    The content of the task is part of the hash, or tasks that share their ids (translations of each other)
    would draw the same orders, and their mean would be less certain than it looks.
    """

    family: ClassVar[str] = "control"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.name = "random" if seed == 0 else f"random(seed={seed})"

    def settings(self) -> dict[str, Any]:
        """Its seed."""
        return {"seed": self.seed}

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank by a number in [0, 1) that only seed, task, query id and document id decide."""
        start = time.perf_counter()
        of_queries = _hashes(task.queries.ids, f"{self.seed}\0{task.content}\0")
        of_documents = _hashes(task.corpus.ids, "")
        own = _own_rows(task)
        step = max(1, BLOCK_CELLS // max(len(of_documents), 1))
        blocks = []
        for first in range(0, max(len(of_queries), 1), step):
            mixed = _mix(of_queries[first : first + step, None] ^ of_documents)
            scores = (mixed >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)
            documents, kept = top_k(scores, depth + 1)
            blocks.append(_without_own(documents, kept, own[first : first + step], depth))
        run = _joined(task, blocks, self.name)
        return Retrieved({BASE_VARIANT: run}, costs={"search_s": time.perf_counter() - start})


class Constant(Retriever):
    """The same score for every document, so that nothing but the tie rule ranks."""

    family: ClassVar[str] = "control"
    name = "constant"

    def settings(self) -> dict[str, Any]:
        """None."""
        return {}

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """The documents by id, descending, for every query."""
        start = time.perf_counter()
        queries, corpus = len(task.queries.ids), len(task.corpus.ids)
        last_first = np.arange(corpus - 1, max(corpus - depth - 2, -1), -1, dtype=np.int32)
        documents = np.broadcast_to(last_first, (queries, len(last_first)))
        block = _without_own(documents, np.zeros(documents.shape, np.float32), _own_rows(task), depth)
        run = _joined(task, [block], self.name)
        return Retrieved({BASE_VARIANT: run}, costs={"search_s": time.perf_counter() - start})


@dataclass(frozen=True)
class ControlScore:
    """What a control scored on a task, and what chance would have."""

    task: str
    control: str
    measure: Measure
    value: float
    expected: float
    sd: float
    """Of the aggregate, over random orders: one a query for `random`, one for all for `constant`."""
    p: float | None = None
    """For `constant`, the share of random hand-outs of the ids that land at least as far from chance."""

    @property
    def z(self) -> float:
        """How many deviations above chance."""
        return (self.value - self.expected) / self.sd if self.sd else 0.0


@dataclass(frozen=True)
class ControlReport:
    """The controls of a task, and where its relevant documents lie by id."""

    scores: tuple[ControlScore, ...]
    id_order: chance.IdOrder

    SUSPECT: ClassVar[float] = 5.0
    """Deviations of the order of ids that are no accident, not even among hundreds of tasks."""

    @property
    def leaks(self) -> bool:
        """Whether ids alone say which documents are relevant."""
        return abs(self.id_order.z) > self.SUSPECT

    @property
    def finding(self) -> str | None:
        """What the maintainer of the task should know, in one line, or None."""
        if not self.leaks:
            return None
        where, effect = ("last", "charged") if self.id_order.z < 0 else ("first", "paid")
        of_constant = [s for s in self.scores if s.control == Constant.name]
        figures = ", ".join(
            f"{s.measure} {s.value:.4f} where chance gives {s.expected:.4f}" for s in of_constant
        )
        return (
            f"ids give relevance away: by id descending relevant documents come {where} "
            f"(mean position {self.id_order.position:.3f} of 0 to 1, z {self.id_order.z:+.1f}); "
            f"ids alone score {figures}, and a retriever that ties is {effect} for them. "
            "Give documents ids that are a hash of their text"
        )


def control_report(
    task: Task,
    measures: str | Iterable[str | Measure] = "nDCG@10,R@100",
    depth: int = 1000,
    draws: int = 1000,
) -> ControlReport:
    """Run both controls on a task and hold them against chance."""
    wanted, own = parse_many(measures), _own_rows(task)
    documents = len(task.corpus.ids) - (own >= 0)
    drawn = chance.shared_orders(task.qrels, wanted, depth, own, draws)
    scores: list[ControlScore] = []
    for control in (Random(), Constant()):
        got = score(control.retrieve(task, depth).runs[BASE_VARIANT], task.qrels, wanted)
        for column, measure in enumerate(wanted):
            mean, sd = chance.expected(task.qrels, documents, measure, depth)
            value, p = got.mean(measure), None
            if isinstance(control, Constant):
                sd = float(drawn[:, column].std())
                as_far = np.abs(drawn[:, column] - mean) >= abs(value - mean) - 1e-12
                p = (1 + int(np.count_nonzero(as_far))) / (1 + draws)
            scores.append(ControlScore(task.name, control.name, measure, value, mean, sd, p))
    return ControlReport(tuple(scores), chance.id_order(task.qrels))


def _own_rows(task: Task) -> npt.NDArray[np.int64]:
    """The document that each query leaves out of its ranking, or -1."""
    if not task.exclude_self:
        return np.full(len(task.queries.ids), -1)
    return rows_of(task.queries.ids, task.corpus.ids)


def _without_own(
    documents: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float32],
    own: npt.NDArray[np.int64],
    depth: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Lengths, documents and scores of rankings one deeper than asked, less the query's own document."""
    keep = documents != own[:, None]
    keep &= np.cumsum(keep, axis=1) <= depth
    return keep.sum(axis=1), documents[keep], scores[keep]


def _joined(task: Task, blocks: Sequence[tuple[Any, Any, Any]], tag: str) -> Run:
    lengths, documents, scores = (np.concatenate(part) for part in zip(*blocks, strict=True))
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    return Run(task.queries.ids, task.corpus.ids, offsets, documents, scores, tag)


def _hashes(ids: Ids, salt: str) -> npt.NDArray[np.uint64]:
    digests = (
        hashlib.blake2b((salt + i).encode("utf-8", "surrogatepass"), digest_size=8).digest() for i in ids
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _mix(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Spread every bit over all others (the finaliser of splitmix64); products wrap by intent."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
