"""Down to the single query: for each task the values and best documents of systems, and the texts, in two files.

`task-N` has numbers and ids and is read when a task is opened; `texts-N` has what was asked and found, cut short,
and is read when a query is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.display import visible
from hakari.site.board.facts import shown
from hakari.site.board.shards import shares, u32, write_shard
from hakari.site.model import BASE, MEASURES, Opened, System
from hakari.store.bulk import Tops
from hakari.types import Task

TOP = 10
SHORT_QUERY, SHORT_DOCUMENT = 800, 320
"""Characters of a text that are shown; how many there are stands beside them."""
MOST_SYSTEMS = 64
"""Beyond so many systems only the retrievers themselves can be opened, and not their variants."""
NONE = 0xFFFFFFFF


def write_queries(folder: Path, number: int, opened: Opened, place: Mapping[System, int]) -> bool:
    """Write the two files of a task; False where there is nothing to open."""
    every = len(opened.systems) <= MOST_SYSTEMS
    rows = [i for i, s in enumerate(opened.systems) if every or s.variant == BASE]
    if not rows:
        return False
    known: dict[str, int] = {}
    tops = np.full((len(rows), len(opened.query_ids), TOP), NONE, dtype=np.int64)
    found = opened.tops([opened.systems[row] for row in rows], TOP)
    for at, row in enumerate(rows):
        _take_tops(tops[at], found[opened.systems[row]], known)
    positives = _positives(opened.task, known)
    values = np.stack([opened.values[measure][rows] for measure in MEASURES])
    payload: dict[str, Any] = {
        "queries": [shown(q) for q in opened.query_ids],
        "systems": [place[opened.systems[row]] for row in rows],
        "values": shares(values),
        "documents": [shown(d) for d in known],
        "tops": u32(tops),
        "positives": positives,
        "texts": opened.task is not None,
    }
    write_shard(folder, f"task-{number}", payload)
    if opened.task is not None:
        write_shard(folder, f"texts-{number}", _texts(opened.task, list(known)))
    return True


def _take_tops(tops: npt.NDArray[np.int64], found: Tops, known: dict[str, int]) -> None:
    inside = np.arange(TOP) < np.diff(found.offsets)[:, None]
    names = found.documents.tolist()
    for name in dict.fromkeys(names):  # many queries find the same documents
        known.setdefault(name, len(known))
    tops[inside] = list(map(known.__getitem__, names))


def _positives(task: Task | None, known: dict[str, int]) -> list[list[int]] | None:
    """For each query its relevant documents and their grades, one after the other."""
    if task is None:
        return None
    qrels, found = task.qrels, []
    for start, end in zip(qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True):
        listed: list[int] = []
        for document, grade in zip(
            qrels.document_ids[qrels.documents[start:end]], qrels.grades[start:end].tolist(), strict=True
        ):
            if grade > 0:
                listed += [known.setdefault(str(document), len(known)), grade]
        found.append(listed)
    return found


def _texts(task: Task, documents: list[str]) -> dict[str, Any]:
    row = {str(d): i for i, d in enumerate(task.corpus.ids)}
    found = [str(task.corpus.texts[row[d]]) if d in row else None for d in documents]
    asked = [str(text) for text in task.queries.texts]
    return {
        "queries": [visible(text, SHORT_QUERY) for text in asked],
        "query_lengths": u32([len(text) for text in asked]),
        "documents": [None if text is None else visible(text, SHORT_DOCUMENT) for text in found],
        "document_lengths": u32([0 if text is None else len(text) for text in found]),
    }
