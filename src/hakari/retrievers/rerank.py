"""Reranking: the candidates of a first stage, put into a new order by a model that looks closer.

Only candidates are ranked, so nothing below `depth` can rise and what the first stage missed stays missed:
the result says what a perfect reranker would score on the same candidates.

Candidates are shuffled, for each query anew, by a hash of the ids before a reranker sees them, and equal
scores are settled by that shuffle. A reranker that gives every document the same score therefore lands on
what chance gives among its candidates, and none is paid for the order of the first stage or for ids. As
everything else that reads a run settles ties by id, scores that tie are set apart by single steps of
float32; how many were is recorded.
"""

from __future__ import annotations

import hashlib
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io.settle import strictly_falling
from hakari.measures import score
from hakari.measures.found import rows_of
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.cuts import cut
from hakari.retrievers.encode import Progress
from hakari.retrievers.spelling import spell
from hakari.types import Run, Task

DEPTH = 100
"""Candidates a query by default; the safeguard of published candidates stands at rank 101 and is left out."""
EXAMPLE = "rerank(bm25,reranker_en,depth=100)"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Queries and documents to score together, as rows of a task: by query, shuffled within each."""

    queries: npt.NDArray[np.int32]
    documents: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    """The pairs of query `q` are `offsets[q]:offsets[q + 1]`."""

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True, eq=False)
class Rescored:
    """A score for each pair, and what it cost."""

    scores: npt.NDArray[np.floating]
    facts: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Any] = field(default_factory=dict)


class Reranker(Retriever):
    """Scores pairs of a query and a document. Subclass it, give it `name`, and write `settings` and `rescore`."""

    family: ClassVar[str] = "rerank"
    progress: Progress | None = None
    """Called with pairs or texts done and to do."""

    @abstractmethod
    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """Score every pair; higher is better, and a score should depend on its pair alone."""

    def ready(self) -> None:
        """Raise where something that scoring needs is missing."""

    def require(self) -> None:
        """A reranker cannot run on its own."""
        raise self._needs_candidates()

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Raise: candidates have to come from a first stage."""
        raise self._needs_candidates()

    def _needs_candidates(self) -> UsageError:
        return UsageError(
            f"`{self.name}` puts candidates into order and finds none itself",
            f"add `--candidates bm25`, or write `rerank(bm25,{self.name})`",
        )


class Rerank(Retriever):
    """Takes the best `depth` documents of a first stage and orders them by a reranker's scores."""

    family: ClassVar[str] = "rerank"

    def __init__(self, first: Retriever, reranker: Reranker, *, depth: int = DEPTH) -> None:
        if not isinstance(reranker, Reranker):
            raise UsageError(f"`{reranker.name}` scores no pairs, so it cannot rerank", EXAMPLE)
        if depth < 1:
            raise UsageError(f"depth must be at least 1, not {depth}", "depth=100")
        self.first, self.reranker = first, reranker
        self.parts = (first,)
        self.depth = self.source_depth = depth
        self.packages = tuple(dict.fromkeys((*first.packages, *reranker.packages)))
        self.progress: Progress | None = None
        changed = {} if depth == DEPTH else {"depth": depth}
        self.name = spell("rerank", [first.name, reranker.name], changed)

    def settings(self) -> dict[str, Any]:
        """The depth, and the settings of both stages."""
        stages = {"first": self.first, "reranker": self.reranker}
        told = {key: {"name": stage.name, "settings": stage.settings()} for key, stage in stages.items()}
        return {"depth": self.depth, **told}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """What both stages take from the task."""
        return {"first": self.first.settings_for(task), "reranker": self.reranker.settings_for(task)}

    def require(self) -> None:
        """Raise where a stage lacks something."""
        self.first.require()
        self.reranker.ready()

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rerank the run of the first stage, which is made here where it is not given."""
        if len(parts) > 1:
            raise UsageError(f"`{self.name}` reranks one run, and was given {len(parts)}")
        source = parts[0] if parts else self.first.retrieve(task, self.depth).runs[BASE_VARIANT]
        start = time.perf_counter()
        pairs = shuffled_pairs(task, source, self.depth)
        self.reranker.progress = self.progress
        rescored = self.reranker.rescore(task, pairs)
        run, tied = ranked(task, pairs, rescored.scores, self.name)
        facts = {
            "pairs": len(pairs),
            "tied_scores_share": round(tied / len(pairs), 6) if len(pairs) else 0.0,
            "ceiling": ceiling(task, pairs, self.depth),
            **rescored.facts,
        }
        costs = {**rescored.costs, "rerank_s": time.perf_counter() - start}
        return Retrieved({BASE_VARIANT: cut(run, depth)}, facts, costs)


class ConstantReranker(Reranker):
    """Gives every document the same score: a control, which must land on chance among the candidates."""

    name = "constant-reranker"

    def settings(self) -> dict[str, Any]:
        """None."""
        return {}

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """One for every pair."""
        return Rescored(np.ones(len(pairs), np.float32))


def shuffled_pairs(task: Task, run: Run, depth: int) -> Pairs:
    """The best `depth` documents of each query, in an order that hashes of the ids decide.

    The content of the task is part of the hash, or tasks that share their ids (translations of each other)
    would be shuffled alike and their mean would be less certain than it looks.
    """
    query_rows, document_rows = (
        rows_of(run.query_ids, task.queries.ids),
        rows_of(run.document_ids, task.corpus.ids),
    )
    rank = np.arange(len(run.documents)) - np.repeat(run.offsets[:-1], np.diff(run.offsets))
    kept = np.flatnonzero(rank < depth)
    queries = np.repeat(query_rows, np.diff(run.offsets))[kept]
    documents = document_rows[run.documents[kept]]
    strangers = np.flatnonzero((queries < 0) | (documents < 0))
    if len(strangers):
        names = run.document_ids[run.documents[kept[strangers]]]
        faults = [Fault(f"document `{name}` or its query is not in the task") for name in names]
        raise InvalidInput(f"the candidates of `{task.name}`", faults)
    keys = [
        hashlib.blake2b(
            "\0".join((task.content, task.queries.ids[q], task.corpus.ids[d])).encode(
                "utf-8", "surrogatepass"
            ),
            digest_size=8,
        ).digest()
        for q, d in zip(queries.tolist(), documents.tolist(), strict=True)
    ]
    order = np.lexsort((np.frombuffer(b"".join(keys), ">u8"), queries))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(queries, minlength=len(task.queries)))])
    return Pairs(queries[order].astype(np.int32), documents[order].astype(np.int32), offsets.astype(np.int64))


def ranked(task: Task, pairs: Pairs, scores: npt.NDArray[np.floating], tag: str) -> tuple[Run, int]:
    """The run of scored pairs, ties in the order of the pairs, and how many scores were tied."""
    values = np.asarray(scores, np.float32) + np.float32(0)  # + 0 turns -0.0 into 0.0
    if values.shape != (len(pairs),):
        raise UsageError(f"`{tag}`: there are {len(pairs)} pairs, and scores of shape {values.shape}")
    _check(task, pairs, values)
    order = np.lexsort((np.arange(len(pairs)), -values, pairs.queries))
    values, queries = values[order], pairs.queries[order]
    same = (values[1:] == values[:-1]) & (queries[1:] == queries[:-1])
    tied = int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
    falling = strictly_falling(values, pairs.offsets)
    run = Run(task.queries.ids, task.corpus.ids, pairs.offsets, pairs.documents[order], falling, tag)
    return run, tied


def ceiling(task: Task, pairs: Pairs, depth: int) -> dict[str, float]:
    """What no reranker of these candidates can pass: their recall, and nDCG@10 in their best order."""
    grades = np.zeros(len(pairs), np.float64)
    judged = np.repeat(np.arange(len(task.queries), dtype=np.int64), np.diff(task.qrels.offsets))
    cells = judged * len(task.corpus) + task.qrels.documents
    wanted = pairs.queries.astype(np.int64) * len(task.corpus) + pairs.documents
    if len(cells):
        at = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
        grades = np.where(cells[at] == wanted, task.qrels.grades[at], 0)
    best, _ = ranked(task, pairs, grades, "ceiling")
    measures = (f"R@{depth}", "nDCG@10")
    scores = score(best, task.qrels, measures)
    return {name: round(scores.mean(name), 6) for name in measures}


def _check(task: Task, pairs: Pairs, values: npt.NDArray[np.float32]) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        places = (
            (task.queries.ids[pairs.queries[i]], task.corpus.ids[pairs.documents[i]], values[i]) for i in bad
        )
        faults = [Fault(f"query `{q}`, document `{d}`: the score is {value}") for q, d, value in places]
        raise InvalidInput("the scores", faults)
