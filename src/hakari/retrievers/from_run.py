"""A run of another engine as a first stage: `run:PATH` reads a TREC file and finds nothing itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io.trec import read_run
from hakari.measures.found import rows_of
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.models import sha256_of
from hakari.retrievers.spelling import spell
from hakari.types import Run, Task


class FromRun(Retriever):
    """The rankings of a TREC run; queries of other tasks in it are passed over."""

    family: ClassVar[str] = "candidates"

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        self.name = spell(f"run:{Path(path).as_posix()}")
        if not self.path.is_file():
            raise UsageError(
                f"there is no run `{path}`", "name a TREC file: query, Q0, document, rank, score, tag"
            )

    def settings(self) -> dict[str, Any]:
        """What is in the file."""
        return {"sha256": sha256_of(self.path)}

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """The rankings for the queries of the task, `depth` deep."""
        start = time.perf_counter()
        run = read_run(self.path)
        query_rows = rows_of(run.query_ids, task.queries.ids)
        if len(task.queries) and not (query_rows >= 0).any():
            raise UsageError(
                f"`{self.name}` ranks for no query of `{task.name}`", "name the run of this task"
            )
        here = np.repeat(query_rows >= 0, np.diff(run.offsets))
        strangers = here & (rows_of(run.document_ids, task.corpus.ids)[run.documents] < 0)
        if strangers.any():
            names = run.document_ids[np.unique(run.documents[strangers])]
            faults = [Fault(f"document `{name}` is not in `{task.name}`", str(self.path)) for name in names]
            raise InvalidInput(f"the run `{self.name}`", faults)
        lengths = np.diff(run.offsets)[query_rows >= 0]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        kept = Run(
            run.query_ids[query_rows >= 0],
            run.document_ids,
            offsets,
            run.documents[here],
            run.scores[here],
            self.name,
        )
        kept = cut(kept, depth, own_entries(task, kept))
        return Retrieved({BASE_VARIANT: kept}, {}, {"load_s": time.perf_counter() - start})


def over_candidates(spellings: Sequence[str], candidates: str, depth: int) -> list[str]:
    """Spellings with each reranker among them put behind candidates: a run, a retriever, or what tasks come with."""
    from hakari.retrievers.registry import known, parse
    from hakari.retrievers.rerank import Reranker

    names = {entry.name for entry in known()}
    if Path(candidates).is_file():
        first = spell(f"run:{candidates}")
    elif candidates in names or any(mark in candidates for mark in "(:"):
        first = candidates
    else:
        first = f"candidates:{candidates}"
    parse(first)
    found = [isinstance(parse(spelling), Reranker) for spelling in spellings]
    if not any(found):
        raise UsageError(
            f"`--candidates {candidates}` is for rerankers, and none is named",
            "such as `hakari run reranker_en`",
        )
    return [
        spell("rerank", [first, spelling], {"depth": depth}) if reranks else spelling
        for spelling, reranks in zip(spellings, found, strict=True)
    ]
