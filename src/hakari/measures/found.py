"""Where a run put the judged documents: all that any measure needs to know of the run.

Only documents that are judged matter, so one pass over the rankings looks each document up among the few
judged ones of its query. That pass is compiled where the extension was built; everything after it works on
the finds and is shared, so both ways give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput
from hakari.measures.pool import Counts, Pool, Values
from hakari.native import compiled
from hakari.types import Ids, Qrels, Run

TABLE_CELLS = 1 << 22
"""Cells of the lookup table of the fallback: a few queries at a time, small enough for the cache."""


@dataclass(frozen=True, eq=False)
class Found:
    """The judged documents of a run at their ranks, query by query, best first."""

    pool: Pool
    query: Counts
    rank: Counts
    """From 1."""
    grade: npt.NDArray[np.int32]
    retrieved: Counts
    """The length of the ranking, per query of the judgements."""

    def relevant(self, cut: int) -> tuple[Counts, Counts]:
        """Query and rank of the relevant documents found down to the cut-off."""
        keep = (self.grade > 0) & (self.rank <= cut)
        return self.query[keep], self.rank[keep]

    def hits(self, cut: int) -> Values:
        """How many relevant documents are found down to the cut-off, per query."""
        return np.bincount(self.relevant(cut)[0], minlength=self.pool.queries).astype(np.float64)


def find(run: Run, qrels: Qrels) -> tuple[Found, Counts]:
    """The judged documents of a run, and for each judged query its row in the run, or -1."""
    rows = rows_of(qrels.query_ids, run.query_ids)
    answered = rows >= 0
    starts = np.where(answered, run.offsets[rows], 0)
    ends = np.where(answered, run.offsets[rows + 1], 0)
    judged = _in_rows_of(run.document_ids, qrels)
    known = np.flatnonzero(judged >= 0)
    offsets = np.searchsorted(known, qrels.offsets)
    judgement, rank = locate(run.documents, starts, ends, offsets, judged[known], len(run.document_ids))
    judgement = known[judgement]
    pool = Pool(qrels)
    query = pool.query[judgement]
    _refuse_repeats(query, judgement, qrels)
    return Found(pool, query, rank, qrels.grades[judgement], ends - starts), rows


def locate(
    ranked: npt.NDArray[np.int32],
    starts: Counts,
    ends: Counts,
    offsets: Counts,
    judged: npt.NDArray[np.int32],
    documents: int,
) -> tuple[Counts, Counts]:
    """Judgement and rank of every judged document that is ranked, in the order of the rankings.

    The ranking of query `q` is `ranked[starts[q]:ends[q]]`, its judged documents, ascending, are
    `judged[offsets[q]:offsets[q + 1]]`, and both are numbers below `documents`.
    """
    if compiled is None:
        return _locate_with_tables(ranked, starts, ends, offsets, judged, documents)
    rankings = np.ascontiguousarray(ranked, np.int32), *_int64(starts, ends)
    judgements = np.ascontiguousarray(judged, np.int32), *_int64(offsets)
    room = int(np.minimum(np.diff(offsets), ends - starts).sum())
    judgement, rank = np.empty(room, np.int64), np.empty(room, np.int64)
    count = compiled.locate_judged(*rankings, *judgements, judgement, rank)
    if count > room:  # only where rankings repeat documents
        judgement, rank = np.empty(count, np.int64), np.empty(count, np.int64)
        compiled.locate_judged(*rankings, *judgements, judgement, rank)
    return judgement[:count], rank[:count]


def _int64(*arrays: Counts) -> list[Counts]:
    return [np.ascontiguousarray(a, np.int64) for a in arrays]


def _locate_with_tables(
    ranked: npt.NDArray[np.int32],
    starts: Counts,
    ends: Counts,
    offsets: Counts,
    judged: npt.NDArray[np.int32],
    documents: int,
) -> tuple[Counts, Counts]:
    """As `locate`, by gathering from a table of queries by documents, a block of queries at a time."""
    queries = len(starts)
    width = max(documents, 1)
    step = max(1, TABLE_CELLS // width)
    table = np.zeros(step * width, dtype=bool)
    judgements: list[Counts] = []
    ranks: list[Counts] = []
    for first in range(0, queries, step):
        last = min(first + step, queries)
        mine = np.arange(offsets[first], offsets[last])
        of_query = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]))
        cells = of_query * width + judged[mine]
        table[cells] = True
        lengths = ends[first:last] - starts[first:last]
        base = np.repeat(starts[first:last] - np.cumsum(lengths) + lengths, lengths)
        rows = base + np.arange(len(base))
        looked_up = np.repeat(np.arange(last - first) * width, lengths) + ranked[rows]
        hits = np.flatnonzero(table[looked_up])
        judgements.append(mine[np.searchsorted(cells, looked_up[hits])])
        ranks.append(rows[hits] - starts[first:last][looked_up[hits] // width] + 1)
        table[cells] = False
    if not judgements:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(judgements), np.concatenate(ranks)


def rows_of(wanted: Ids, ids: Ids) -> Counts:
    """The row of each wanted id among ids in order, or -1."""
    if wanted is ids:
        return np.arange(len(ids))
    if not len(ids):
        return np.full(len(wanted), -1)
    rows = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[rows] == wanted, rows, -1)


def _in_rows_of(ids: Ids, qrels: Qrels) -> npt.NDArray[np.int32]:
    """The judged documents as rows of other ids, -1 where they are not among them."""
    if qrels.document_ids is ids:
        return qrels.documents
    used, inverse = np.unique(qrels.documents, return_inverse=True)
    return rows_of(qrels.document_ids[used], ids).astype(np.int32)[inverse]


def _refuse_repeats(query: Counts, judgement: Counts, qrels: Qrels) -> None:
    """A judged document that is ranked twice would count twice."""
    times = np.bincount(judgement, minlength=1)
    if times.max() <= 1:
        return
    faults = []
    for row in np.flatnonzero(times > 1):
        q = qrels.query_ids[query[np.flatnonzero(judgement == row)[0]]]
        faults.append(repeated(q, qrels.document_ids[qrels.documents[row]], int(times[row])))
    raise InvalidInput("the run", faults)


def repeated(query_id: str, document_id: str, times: int) -> Fault:
    """The fault of a document that is ranked more than once for a query."""
    return Fault(
        f"query `{query_id}`, document `{document_id}`: ranked {times} times",
        hint="keep one line for each query and document",
    )
