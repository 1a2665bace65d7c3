"""What has to hold between queries, corpus and judgements before they are a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hakari.errors import Fault
from hakari.io.files import shown
from hakari.io.parts import JudgementRows, Parts, Places, TextRows


def faults_of(parts: Parts, unread: bool) -> list[Fault]:
    """Everything wrong with the parts of a task, in the order of queries, corpus and judgements.

    `unread` says that a reader found faults, so that empty parts are nothing new.
    """
    faults: list[Fault] = []
    if not unread:
        faults += _faults_of_emptiness(parts)
    faults += [*_faults_of_texts("query", parts.queries), *_faults_of_texts("document", parts.corpus)]
    faults += _faults_of_judgements(parts.queries, parts.corpus, parts.judgements)
    return faults


def _faults_of_emptiness(parts: Parts) -> Iterator[Fault]:
    for plural, rows, values in (
        ("queries", parts.queries, parts.queries.ids),
        ("documents", parts.corpus, parts.corpus.ids),
        ("judgements", parts.judgements, parts.judgements.grades),
    ):
        if not values:
            file = rows.places.segments[0][0] if rows.places.segments else None
            yield Fault(f"there are no {plural}", file, hint=f"write the {plural} of the task again")


def _faults_of_texts(kind: str, rows: TextRows) -> Iterator[Fault]:
    yield from _faults_of_ids(kind, rows.ids, rows.places)
    for i, text in enumerate(rows.texts):
        if not text or text.isspace():
            what = f"the text of {kind} {shown(rows.ids[i])} is empty"
            yield rows.places.fault(i, what, f"give the {kind} a text or remove it and its judgements")
    yield from _faults_of_characters(f"the text of a {kind}", rows.texts, rows.places)


def _faults_of_ids(kind: str, ids: Sequence[str], places: Places) -> Iterator[Fault]:
    if len(set(ids)) != len(ids):
        first: dict[str, int] = {}
        for i, name in enumerate(ids):
            if first.setdefault(name, i) != i:
                row = places(first[name])[1]
                before = "" if row is None else f" (first at row {row})"
                yield places.fault(
                    i, f"duplicate {kind} id {shown(name)}{before}", "keep one row for every id"
                )
    if "" in ids:
        for i, name in enumerate(ids):
            if not name:
                yield places.fault(i, f"the id of a {kind} is empty", "give every row an id")
    yield from _faults_of_characters(f"the id of a {kind}", ids, places)


def _faults_of_characters(what: str, values: Sequence[str], places: Places) -> Iterator[Fault]:
    for i, value in enumerate(values):
        if not value.isascii() and _has_surrogate(value):
            hint = "half a surrogate pair is no character: write the text as UTF-8 again"
            yield places.fault(i, f"{what} has a lone surrogate", hint)
        if "\0" in value:
            yield places.fault(i, f"{what} has a NUL byte", "remove the NUL byte; the file may be damaged")


def _has_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def _faults_of_judgements(queries: TextRows, corpus: TextRows, judgements: JudgementRows) -> Iterator[Fault]:
    places = judgements.places
    known_queries, known_documents = set(queries.ids), set(corpus.ids)
    # Where a part could not be read at all, every judgement would dangle: that fault is already reported.
    for kind, names, known in (
        ("query", judgements.queries, known_queries),
        ("document", judgements.documents, known_documents),
    ):
        if known and not known.issuperset(names):
            for i, name in enumerate(names):
                if name not in known:
                    hint = f"add the {kind} or remove its judgements"
                    yield places.fault(i, f"judgement of {kind} {shown(name)}, which is not there", hint)
    yield from _faults_of_pairs(judgements)
    positive = {q for q, grade in zip(judgements.queries, judgements.grades, strict=True) if grade > 0}
    if judgements.grades and not known_queries <= positive:
        for i, name in enumerate(queries.ids):
            if name not in positive:
                hint = "judge a document of the query with a grade above 0, or remove the query"
                yield queries.places.fault(i, f"query {shown(name)} has no positive judgement", hint)


def _faults_of_pairs(judgements: JudgementRows) -> Iterator[Fault]:
    pairs = list(zip(judgements.queries, judgements.documents, strict=True))
    if len(set(pairs)) == len(pairs):
        return
    first: dict[tuple[str, str], int] = {}
    for i, pair in enumerate(pairs):
        at = first.setdefault(pair, i)
        if at == i:
            continue
        row, grades = judgements.places(at)[1], (judgements.grades[at], judgements.grades[i])
        what = f"query {shown(pair[0])} and document {shown(pair[1])} are judged twice"
        what += "" if row is None else f" (first at row {row})"
        if grades[0] == grades[1]:
            yield judgements.places.fault(
                i, f"{what}, both times {grades[0]}", "remove the repeated judgement"
            )
        else:
            hint = "keep the judgement that is right and remove the other"
            yield judgements.places.fault(i, f"{what}, {grades[0]} and {grades[1]}", hint)
