"""Whether a run keeps the rules that every other part of hakari takes for granted."""

from __future__ import annotations

import itertools

import numpy as np

from hakari.errors import Fault, InvalidInput
from hakari.measures.found import repeated
from hakari.measures.pool import Counts
from hakari.types import Run

BLOCK = 1 << 20
"""Rows sorted at a time."""


def check_run(run: Run) -> None:
    """Raise `InvalidInput` where a document is ranked twice, a score not finite or the order not the rule."""
    _check_shape(run)
    query = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    faults = [*_not_finite(run, query), *_repeats(run, query), *_out_of_order(run, query)]
    if faults:
        raise InvalidInput(f"run `{run.tag}`", faults)


def _check_shape(run: Run) -> None:
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


def _not_finite(run: Run, query: Counts) -> list[Fault]:
    rows = np.flatnonzero(~np.isfinite(run.scores))
    return [Fault(f"{_place(run, query, row)}: the score is {run.scores[row]}") for row in rows]


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
    faults = [
        Fault(f"{_place(run, query, row + 1)}: scored higher than the document ranked above it")
        for row in np.flatnonzero(rises)
    ]
    faults += [
        Fault(f"{_place(run, query, row + 1)}: ties with the document above it, but its id is larger")
        for row in np.flatnonzero(wrong_tie)
    ]
    if faults:
        hint = "sort each ranking by (score, document id), both descending"
        faults[0] = Fault(faults[0].what, hint=hint)
    return faults


def _place(run: Run, query: Counts, row: np.integer) -> str:
    return f"query `{run.query_ids[query[row]]}`, document `{run.document_ids[run.documents[row]]}`"
