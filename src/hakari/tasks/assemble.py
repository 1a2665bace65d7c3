"""Tasks made from their parts: checked, sorted by id, and named by a hash of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hakari.errors import Fault
from hakari.io.files import raise_faults
from hakari.io.parts import MAX_GRADE, JudgementRows, Parts, TextRows
from hakari.tasks.checks import faults_of
from hakari.types import Ids, Qrels, Task, Texts


@dataclass(frozen=True)
class Traits:
    """What a task is beside its texts and judgements."""

    language: str | None = None
    category: str | None = None
    """`code` or `natural_language`."""
    shape: str | None = None
    exclude_self: bool = False
    origins: Mapping[str, str] = field(default_factory=dict)
    """Where language, category and shape come from: flag, metadata, catalog or detected."""


def assemble(
    dataset: str,
    split: str,
    queries: Mapping[str, str],
    corpus: Mapping[str, str],
    judgements: Iterable[tuple[str, str, int]],
    *,
    traits: Traits | None = None,
) -> Task:
    """A task from texts by id and judgements as (query id, document id, grade)."""
    faults: list[Fault] = []
    parts = Parts(
        dataset,
        split,
        _text_rows("query", queries, faults),
        _text_rows("document", corpus, faults),
        _judgement_rows(judgements, faults),
    )
    return build(parts, traits or Traits(), faults)


def build(parts: Parts, traits: Traits, faults: Iterable[Fault] = ()) -> Task:
    """A task from the parts of a reader; raises what the reader found and what is found here at once."""
    found = [*faults]
    if not (parts.dataset and parts.split) or "/" in parts.split or "\0" in parts.dataset + parts.split:
        hint = "name it like `NanoX/Task`"
        found.append(Fault(f"`{parts.dataset}` and `{parts.split}` do not make a task name", hint=hint))
    found += faults_of(parts, unread=bool(found))
    raise_faults(f"task `{parts.dataset}/{parts.split}`", found)
    queries, corpus = _sorted(parts.queries), _sorted(parts.corpus)
    qrels = _qrels(queries.ids, corpus.ids, parts.judgements)
    return Task(
        parts.dataset,
        parts.split,
        queries,
        corpus,
        qrels,
        content_hash(queries, corpus, qrels),
        language=traits.language,
        category=traits.category,
        shape=traits.shape,
        exclude_self=traits.exclude_self,
        origins=dict(traits.origins),
        candidates=dict(parts.candidates),
        source=parts.source,
        notes=tuple(sorted(parts.notes)),
    )


def content_hash(queries: Texts, corpus: Texts, qrels: Qrels) -> str:
    """SHA-256 over ids, texts and judgements in the order of ids, so that file order leaves no trace.

    Every list of strings goes in as its count, the length of each string and then their characters, which no
    other list shares.
    """
    digest = hashlib.sha256(b"hakari task 1\n")
    for strings in (queries.ids, queries.texts, corpus.ids, corpus.texts):
        lengths = np.fromiter(map(len, strings), "<u8", len(strings))
        digest.update(len(strings).to_bytes(8, "little"))
        digest.update(lengths.tobytes())
        for string in strings:
            digest.update(string.encode())
    digest.update(len(qrels).to_bytes(8, "little"))
    for numbers in (qrels.offsets, qrels.documents, qrels.grades):
        digest.update(numbers.astype("<i8").tobytes())
    return digest.hexdigest()


def object_array(values: Iterable[str]) -> Ids:
    """Strings as an object array, whatever they hold."""
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _sorted(rows: TextRows) -> Texts:
    order = sorted(range(len(rows.ids)), key=rows.ids.__getitem__)
    return Texts(object_array(rows.ids[i] for i in order), object_array(rows.texts[i] for i in order))


def _qrels(query_ids: Ids, document_ids: Ids, judgements: JudgementRows) -> Qrels:
    query_row = {name: i for i, name in enumerate(query_ids)}
    document_row = {name: i for i, name in enumerate(document_ids)}
    count = len(judgements.grades)
    queries = np.fromiter(map(query_row.__getitem__, judgements.queries), np.int64, count)
    documents = np.fromiter(map(document_row.__getitem__, judgements.documents), np.int32, count)
    grades = np.array(judgements.grades, dtype=np.int32)
    order = np.lexsort((documents, queries))
    offsets = np.searchsorted(queries[order], np.arange(len(query_ids) + 1)).astype(np.int64)
    return Qrels(query_ids, document_ids, offsets, documents[order], grades[order])


def _text_rows(kind: str, texts: Mapping[str, str], faults: list[Fault]) -> TextRows:
    rows = TextRows()
    for name, text in texts.items():
        if isinstance(name, str) and isinstance(text, str):
            rows.ids.append(name)
            rows.texts.append(text)
        else:
            wrong = "id" if not isinstance(name, str) else "text"
            value = name if wrong == "id" else text
            what = f"the {wrong} of {kind} `{name}` is {type(value).__name__}, not a string"
            faults.append(Fault(what, hint="pass ids and texts as strings"))
    return rows


def _judgement_rows(judgements: Iterable[tuple[str, str, int]], faults: list[Fault]) -> JudgementRows:
    rows = JudgementRows()
    for judgement in judgements:
        query, document, grade = judgement
        if not (isinstance(query, str) and isinstance(document, str) and _is_grade(grade)):
            what = f"judgement {judgement!r} is not two strings and an integer"
            faults.append(Fault(what, hint="pass judgements as (query id, document id, grade)"))
            continue
        rows.queries.append(query)
        rows.documents.append(document)
        rows.grades.append(int(grade))
    return rows


def _is_grade(grade: Any) -> bool:
    return (
        isinstance(grade, (int, np.integer)) and not isinstance(grade, bool) and abs(int(grade)) <= MAX_GRADE
    )
