"""What a retriever gave back, held against the task before anything is scored or stored."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.measures import check_run
from hakari.retrievers.base import BASE_VARIANT, Retrieved
from hakari.types import Ids, Run, Task


def check_returned(retriever: str, returned: object) -> Retrieved:
    """What `retrieve` returned, if it is what it has to be: runs, one of them `float`, and facts as JSON."""
    example = f'return hakari.Retrieved({{"{BASE_VARIANT}": run}})'
    if not isinstance(returned, Retrieved):
        raise UsageError(
            f"retriever `{retriever}` returned {type(returned).__name__}, not Retrieved", example
        )
    if BASE_VARIANT not in returned.runs:
        raise UsageError(f"retriever `{retriever}` gave no run named `{BASE_VARIANT}`", example)
    for name, run in returned.runs.items():
        if not isinstance(run, Run):
            hint = "make one with `hakari.run_from_mapping` or `hakari.run_from_matrix`"
            raise UsageError(
                f"the run `{name}` of retriever `{retriever}` is {type(run).__name__}, not Run", hint
            )
    for what, told in (("facts", returned.facts), ("costs", returned.costs)):
        try:
            json.dumps(dict(told), allow_nan=False)
        except (TypeError, ValueError) as error:
            hint = "use plain strings and finite numbers"
            raise UsageError(f"the {what} of retriever `{retriever}` are not JSON: {error}", hint) from None
    return returned


def settled(task: Task, run: Run, depth: int) -> Run:
    """The run with one ranking for each query of the task, `depth` deep at most; unanswered ones are empty.

    Raises where it breaks the rules of runs, or names queries or documents that the task does not have.
    """
    check_run(run)
    faults = [*_strangers("query", run.query_ids, task.queries.ids)]
    if run.document_ids is not task.corpus.ids:
        faults += _strangers("document", run.document_ids[np.unique(run.documents)], task.corpus.ids)
    if faults:
        raise InvalidInput(f"the run for `{task.name}`", faults)
    lengths = np.zeros(len(task.queries), dtype=np.int64)
    # Both are in order of ids and every query is known, so rankings stay in the order they are in.
    lengths[np.searchsorted(task.queries.ids, run.query_ids)] = np.diff(run.offsets)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    documents, scores = run.documents, run.scores
    if lengths.max(initial=0) > depth:
        keep = np.arange(len(documents)) - np.repeat(offsets[:-1], lengths) < depth
        documents, scores = documents[keep], scores[keep]
        offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, depth))])
    return Run(task.queries.ids, run.document_ids, offsets, documents, scores, run.tag)


def _strangers(kind: str, given: Ids, known: Ids) -> Iterator[Fault]:
    if given is known or not len(given):
        return
    rows: npt.NDArray[np.int64] = np.minimum(np.searchsorted(known, given), len(known) - 1)
    for name in given[known[rows] != given]:
        yield Fault(f"{kind} `{name}` is not in the task", hint=f"rank for the {kind} ids of the task only")
