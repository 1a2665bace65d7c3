"""Whether a run keeps the rules that every other part of hakari takes for granted."""

from __future__ import annotations

import itertools

import numpy as np

from hakari.errors import Fault, InvalidInput
from hakari.measures.found import repeated
from hakari.measures.pool import Counts
from hakari.types import Ids, Run

BLOCK = 1 << 20
"""Rows sorted at a time."""
MOST = 1000
"""Faults of one kind that are listed one by one."""


def check_run(run: Run) -> None:
    """Raise `InvalidInput` where a document is ranked twice, a score not finite or the order not the rule."""
    _check_shape(run)
    query = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    faults = [*_not_finite(run, query), *_repeats(run, query), *_out_of_order(run, query)]
    if faults:
        raise InvalidInput(f"run `{run.tag}`", faults)


def _check_shape(run: Run) -> None:
    arrays = (run.query_ids, run.document_ids, run.offsets, run.documents, run.scores)
    if not all(isinstance(array, np.ndarray) for array in arrays):
        hint = "make it with `hakari.run_from_mapping` or `hakari.run_from_matrix`"
        raise InvalidInput(f"run `{run.tag}`", [Fault("its columns are not numpy arrays", hint=hint)])
    lengths = np.diff(run.offsets)
    sound = (
        len(run.offsets) == len(run.query_ids) + 1
        and run.offsets[0] == 0
        and run.offsets[-1] == len(run.documents) == len(run.scores)
        and (lengths >= 0).all()
        and (
            not len(run.documents) or 0 <= run.documents.min() <= run.documents.max() < len(run.document_ids)
        )
    )
    if not sound:
        raise InvalidInput(f"run `{run.tag}`", [Fault("offsets, documents and scores do not fit together")])
    faults = [*_ids_in_disorder("query", run.query_ids), *_ids_in_disorder("document", run.document_ids)]
    if faults:
        raise InvalidInput(f"run `{run.tag}`", faults)


def _ids_in_disorder(kind: str, ids: Ids) -> list[Fault]:
    """Rows stand for ids, so ids out of order would be looked up in the wrong places."""
    hint = f"sort the {kind} ids and number the rows anew, or use `hakari.run_from_mapping`"
    if not all(isinstance(name, str) for name in ids):
        return [Fault(f"{kind} ids are not all strings", hint=hint)]
    wrong = np.flatnonzero(ids[1:] <= ids[:-1])
    if not len(wrong):
        return []
    before, after = ids[wrong[0]], ids[wrong[0] + 1]
    what = "stands twice" if before == after else f"stands after `{before}`: ids must ascend"
    return [Fault(f"{kind} id `{after}` {what}", hint=hint)]


def _not_finite(run: Run, query: Counts) -> list[Fault]:
    return _at(run, query, np.flatnonzero(~np.isfinite(run.scores)), "the score is not finite")


def _repeats(run: Run, query: Counts) -> list[Fault]:
    faults: list[Fault] = []
    firsts = [0]
    while firsts[-1] < len(run.query_ids):
        within = int(np.searchsorted(run.offsets, run.offsets[firsts[-1]] + BLOCK, side="right")) - 1
        firsts.append(max(within, firsts[-1] + 1))
    for first, last in itertools.pairwise(firsts):
        rows = slice(run.offsets[first], run.offsets[min(last, len(run.query_ids))])
        keys = np.sort((query[rows] - first) * len(run.document_ids) + run.documents[rows])
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        again, times = np.unique(keys[twice], return_counts=True)
        for key, more in zip(again, times, strict=True):
            q, d = divmod(int(key), len(run.document_ids))
            faults.append(repeated(run.query_ids[first + q], run.document_ids[d], int(more) + 1))
    return faults


def _out_of_order(run: Run, query: Counts) -> list[Fault]:
    before, after = run.scores[:-1], run.scores[1:]
    same_query = query[:-1] == query[1:]
    rises = same_query & (after > before)
    wrong_tie = same_query & (after == before) & (run.documents[1:] > run.documents[:-1])
    higher = "scored higher than the document ranked above it"
    larger = "ties with the document above it, but its id is larger"
    hint = "sort each ranking by (score, document id), both descending"
    return [
        *_at(run, query, np.flatnonzero(rises) + 1, higher, hint),
        *_at(run, query, np.flatnonzero(wrong_tie) + 1, larger, hint),
    ]


def _at(run: Run, query: Counts, rows: Counts, what: str, hint: str | None = None) -> list[Fault]:
    """One fault a row, and one for all those beyond what anybody would read."""
    queries, documents = run.query_ids[query[rows[:MOST]]], run.document_ids[run.documents[rows[:MOST]]]
    faults = [
        Fault(f"query `{q}`, document `{d}`: {what}", hint=hint)
        for q, d in zip(queries, documents, strict=True)
    ]
    if len(rows) > MOST:
        faults.append(Fault(f"{len(rows) - MOST} more like this: {what}", hint=hint))
    return faults
