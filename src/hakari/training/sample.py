"""Smaller tasks, so that an evaluation fits between two steps of training."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from hakari.tasks.assemble import Traits, assemble
from hakari.types import Ids, Task


def sampled(task: Task, queries: int | None, documents: int | None, seed: int = 0) -> Task:
    """A task with so many of its queries, and their relevant documents among so many of its documents.

    Which ones follows from their ids and the seed. What a query is judged with stays, so more documents than
    asked for may be kept; with fewer others among them the task is easier, so compare only with itself.
    """
    few_queries = queries is not None and queries < len(task.queries)
    if not few_queries and (documents is None or documents >= len(task.corpus)):
        return task
    kept = first_by_hash(task.queries.ids, queries if few_queries else None, seed)
    rows = np.repeat(np.arange(len(task.queries)), np.diff(task.qrels.offsets))
    of_kept = np.isin(rows, kept)
    judged = np.unique(task.qrels.documents[of_kept])
    others = np.setdiff1d(np.arange(len(task.corpus)), judged)
    room = None if documents is None else max(0, documents - len(judged))
    fill = others[first_by_hash(task.corpus.ids[others], room, seed)]
    chosen = np.union1d(judged, fill)
    qrels = task.qrels
    return assemble(
        task.dataset,
        task.split,
        {task.queries.ids[q]: task.queries.texts[q] for q in kept},
        {task.corpus.ids[d]: task.corpus.texts[d] for d in chosen},
        [
            (task.queries.ids[q], task.corpus.ids[d], int(grade))
            for q, d, grade in zip(
                rows[of_kept], qrels.documents[of_kept], qrels.grades[of_kept], strict=True
            )
        ],
        traits=Traits(task.language, task.category, task.shape, task.exclude_self, task.origins),
    )


def first_by_hash(ids: Ids, count: int | None, seed: int) -> npt.NDArray[np.int64]:
    """Rows of so many ids, ascending: those that come first by a hash; all where no number is given."""
    if count is None or count >= len(ids):
        return np.arange(len(ids))
    keys = [
        hashlib.blake2b(f"{seed}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for name in ids
    ]
    return np.sort(np.array(sorted(range(len(ids)), key=lambda row: (keys[row], row))[:count], np.int64))
