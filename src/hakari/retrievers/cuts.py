"""Leaving entries out of runs: below a depth, or the document that is the query itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hakari.measures.found import rows_of
from hakari.types import Run, Task


def cut(run: Run, depth: int, without: npt.NDArray[np.bool_] | None = None) -> Run:
    """A run `depth` deep, after the entries marked in `without` are left out."""
    kept = np.ones(len(run.documents), np.bool_) if without is None else ~without
    query = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    before = np.concatenate([[0], np.cumsum(kept)])
    kept &= before[:-1] - before[run.offsets[:-1]][query] < depth
    lengths = np.bincount(query[kept], minlength=len(run.query_ids))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Run(run.query_ids, run.document_ids, offsets, run.documents[kept], run.scores[kept], run.tag)


def own_entries(task: Task, run: Run) -> npt.NDArray[np.bool_]:
    """Where a query of the task finds the document that has its own id, if the task leaves that out."""
    if not task.exclude_self:
        return np.zeros(len(run.documents), np.bool_)
    own = rows_of(run.query_ids, run.document_ids)
    return run.documents == np.repeat(own, np.diff(run.offsets))
