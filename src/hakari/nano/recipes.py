"""Which queries and documents of a large source make a small task.

`published` follows the protocol of the published nano sets: the first queries that have a positive, their
positives, hard negatives in turn, and the head of the corpus. `sampled` draws by a hash of each text, so it
depends on neither the order of rows nor that of files, and keeps the shares of the strata of the source:
queries by their number of positives, documents by their length.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hakari.errors import UsageError
from hakari.io.files import shown
from hakari.io.parts import MAX_GRADE
from hakari.nano.code import DEFAULT_SEED
from hakari.nano.draft import Stage
from hakari.nano.sources_index import Index, Rows, check_ids, fetch, index
from hakari.nano.sources_parts import Source
from hakari.nano.sources_tables import FaultLog

RECIPES = ("published", "sampled")


@dataclass(frozen=True)
class Recipe:
    """How many of what to choose, and how."""

    name: str = "sampled"
    queries: int = 200
    documents: int = 10_000
    seed: int = DEFAULT_SEED
    relevant_from: float | None = None
    """The lowest grade that counts as relevant; without it, whatever is above 0."""
    drop_dangling: bool = False
    """Whether judgements of queries or documents that are not there are left out, not faults."""

    def __post_init__(self) -> None:
        if self.name not in RECIPES:
            raise UsageError(
                f"unknown recipe {shown(self.name)}", "the recipes are `published` and `sampled`"
            )
        if self.queries < 1 or self.documents < 1:
            what = f"a task needs queries and documents, not {self.queries} and {self.documents}"
            raise UsageError(what, "for example `--queries 200 --documents 10000`")

    @property
    def in_order(self) -> bool:
        """Whether the order of the source decides."""
        return self.name == "published"


@dataclass
class Selection:
    """The chosen texts and judgements, in order of their ids, and the account of all others."""

    queries: dict[str, str]
    corpus: dict[str, str]
    judgements: list[tuple[str, str, int]]
    stages: tuple[Stage, ...]
    changes: tuple[str, ...]
    """What was changed of what was kept."""


@dataclass
class _Judgements:
    """Relevant and other documents by query, as far as they are there."""

    good: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    other: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    documents: set[str] = field(default_factory=set)
    seen: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    same_queries: int = 0
    changes: list[str] = field(default_factory=list)


def select(source: Source, recipe: Recipe) -> Selection:
    """Choose a small task from a source; the source is read twice and never held in memory."""
    faults = source.faults
    judged = _read_judgements(source, recipe)
    documents = index(source.corpus(), "document", judged.documents, recipe.seed, faults)
    queries = index(source.queries(), "query", judged.good.keys() | judged.other.keys(), recipe.seed, faults)
    if not faults:
        check_ids(documents, source.corpus(), "document", faults)
        check_ids(queries, source.queries(), "query", faults)
        _check_counts(source, documents, queries, judged, faults)
        _leave_out_dangling(judged, queries, documents, recipe, source)
    faults.raise_found()
    asked = _choose_queries(judged, queries, recipe)
    chosen = _choose_documents(judged, asked, documents, recipe)
    query_texts = fetch(source.queries(), np.array([queries.row_of[name] for name in asked], np.int64))
    texts = fetch(source.corpus(), chosen.rows)
    faults.raise_found()
    return _put_together(judged, asked, queries, documents, (query_texts, texts, chosen))


def _read_judgements(source: Source, recipe: Recipe) -> _Judgements:
    read = _Judgements()
    grades: dict[tuple[str, str], float] = {}
    for place, query, document, grade in source.judgements():
        read.seen += 1
        before = grades.setdefault((query, document), grade)
        read.documents.add(document)
        if len(grades) + read.left_out["repeated"] < read.seen:
            read.left_out["repeated"] += 1
            if source.relevant_wins:
                grades[query, document] = max(before, grade)
            elif before != grade:
                what = f"query {shown(query)} and document {shown(document)} are judged twice, {before:g} and {grade:g}"
                source.faults.add(what, place, "keep the judgement that is right and remove the other")
    whole = all(grade == int(grade) and abs(grade) <= MAX_GRADE for grade in grades.values())
    if not whole:
        read.changes.append("scores are no whole numbers: every relevant document has grade 1")
    least = recipe.relevant_from
    for (query, document), grade in grades.items():
        if grade > 0 if least is None else grade >= least:
            read.good[query][document] = max(1, int(grade)) if whole else 1
        else:
            read.other[query].append(document)
            read.left_out["not relevant"] += 1
    return read


def _check_counts(
    source: Source, documents: Index, queries: Index, judged: _Judgements, faults: FaultLog
) -> None:
    for count, plural in (
        (len(documents), "documents"),
        (len(queries), "queries"),
        (judged.seen, "judgements"),
    ):
        if not count:
            faults.add(f"there are no {plural}", (source.name, None), f"check the file of the {plural}")
    if judged.seen and not judged.good:
        hint = "a relevant document needs a score above 0; lower the bar with `--relevant-from`"
        faults.add("no judgement is relevant", (source.name, None), hint)


def _leave_out_dangling(
    judged: _Judgements, queries: Index, documents: Index, recipe: Recipe, source: Source
) -> None:
    """Drop judgements of what is not there or blank; unless that was asked for, what is not there is a fault."""
    faults = source.faults
    if faults:
        return
    lost: dict[str, list[str]] = {"query": [], "document": []}
    for query in list(judged.good):
        if query not in queries.row_of:
            lost["query"] += [query] * len(judged.good.pop(query))
            continue
        for document in list(judged.good[query]):
            row = documents.row_of.get(document)
            if row is None:
                lost["document"].append(document)
            elif documents.sizes[row] and queries.sizes[queries.row_of[query]]:
                continue
            else:
                judged.left_out["of a blank text"] += 1
            del judged.good[query][document]
    for kind, names in lost.items():
        if names and not recipe.drop_dangling:
            count = f"{len(names):,} judgement{'s name' if len(names) > 1 else ' names'}"
            plural = {"query": "queries", "document": "documents"}[kind]
            what = f"{count} {plural} that are not there, such as {shown(names[0])}"
            hint = f"add the {plural}, or leave such judgements out with `--drop-dangling`"
            faults.add(what, (source.judged_in, None), hint)
    if any(lost.values()):
        judged.left_out["dangling"] += sum(map(len, lost.values()))
    judged.good = {query: answers for query, answers in judged.good.items() if answers}
    if not judged.good and not faults:
        hint = "check that ids in the judgements are spelt as in queries and corpus"
        faults.add("no query has a relevant document that is there", (source.judged_in, None), hint)


def _choose_queries(judged: _Judgements, queries: Index, recipe: Recipe) -> list[str]:
    """The names of the chosen queries, in order of choice."""
    if recipe.in_order:
        return sorted(judged.good, key=queries.row_of.__getitem__)[: recipe.queries]
    by_text: dict[int, str] = {}
    for name in sorted(judged.good):
        kept = by_text.setdefault(int(queries.texts[queries.row_of[name]]), name)
        if kept != name:
            judged.same_queries += 1
            # One question asked twice: whatever answers one of them answers both.
            for document, grade in judged.good.pop(name).items():
                judged.good[kept][document] = max(grade, judged.good[kept].get(document, 0))
            judged.other[kept] += judged.other.pop(name, [])
    strata: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for key, name in by_text.items():
        strata[len(judged.good[name]).bit_length()].append((key, name))
    share = apportion({stratum: len(members) for stratum, members in strata.items()}, recipe.queries)
    return sorted(
        name for stratum, members in strata.items() for _, name in sorted(members)[: share[stratum]]
    )


def apportion(counts: Mapping[int, int], total: int) -> dict[int, int]:
    """Shares of a total in proportion to counts, whole, by largest remainder; never more than there are."""
    whole = sum(counts.values())
    if total >= whole:
        return dict(counts)
    shares = {name: total * count // whole for name, count in counts.items()}
    by_remainder = sorted(counts, key=lambda name: (-(total * counts[name] % whole), name))
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares


@dataclass
class _Chosen:
    """Rows of the chosen documents, and the chosen row that has the same text as a given one."""

    row_of_text: dict[int, int]
    negatives: int
    distinct: int

    @property
    def rows(self) -> Rows:
        return np.array(list(self.row_of_text.values()), np.int64)


def _choose_documents(judged: _Judgements, asked: list[str], documents: Index, recipe: Recipe) -> _Chosen:
    row_of_text: dict[int, int] = {}

    def take(names: Iterable[str]) -> None:
        for name in names:
            row = documents.row_of.get(name)
            if row is not None and documents.sizes[row] and len(row_of_text) < recipe.documents:
                row_of_text.setdefault(int(documents.texts[row]), row)

    order = (lambda names: list(names)) if recipe.in_order else sorted
    positives = [name for query in asked for name in order(judged.good[query])]
    needed = len({int(documents.texts[documents.row_of[name]]) for name in positives})
    if needed > recipe.documents:
        what = (
            f"the {len(asked):,} queries have {needed:,} positives, more than {recipe.documents:,} documents"
        )
        raise UsageError(
            what, f"ask for fewer queries with `--queries`, or for `--documents {needed}` or more"
        )
    take(positives)
    rounds = itertools.zip_longest(*(order(judged.other.get(query, [])) for query in asked))
    take(name for names in rounds for name in names if name is not None)
    negatives = len(row_of_text) - needed
    distinct = documents.distinct(recipe.in_order)
    chosen = np.fromiter(row_of_text, np.uint64, len(row_of_text))
    fillers = distinct[~np.isin(documents.texts[distinct], chosen)]
    room = recipe.documents - len(row_of_text)
    fill = np.sort(fillers)[:room] if recipe.in_order else _stratified(documents, fillers, room)
    row_of_text |= {int(documents.texts[row]): int(row) for row in fill}
    return _Chosen(row_of_text, negatives, len(distinct))


def _stratified(documents: Index, rows: Rows, room: int) -> Rows:
    """Rows drawn so that every stratum of length has its share; within one, the smallest hashes."""
    sizes = documents.sizes[rows]
    share = apportion({int(size): int((sizes == size).sum()) for size in np.unique(sizes)}, room)
    # `distinct` gives rows in order of the hashes of their texts.
    parts = [rows[sizes == size][:count] for size, count in share.items()]
    return np.concatenate(parts) if parts else rows[:0]


def _put_together(
    judged: _Judgements,
    asked: list[str],
    queries: Index,
    documents: Index,
    fetched: tuple[dict[int, tuple[str, str, bool]], dict[int, tuple[str, str, bool]], _Chosen],
) -> Selection:
    query_texts, texts, chosen = fetched
    id_of = {key: texts[row][0] for key, row in chosen.row_of_text.items()}
    kept: dict[tuple[str, str], int] = {}
    of_chosen = 0
    for query in asked:
        for name, grade in judged.good[query].items():
            pair = (query, id_of[int(documents.texts[documents.row_of[name]])])
            kept[pair] = max(grade, kept.get(pair, 0))
            of_chosen += 1
    judged.left_out["of queries not chosen"] = sum(map(len, judged.good.values())) - of_chosen
    judged.left_out["merged with their document"] = of_chosen - len(kept)
    blank = int((documents.sizes == 0).sum())
    same_queries = judged.same_queries + int(queries.repeated.sum())
    same = len(documents) - blank - chosen.distinct
    stages = (
        _stage(
            "queries",
            len(queries),
            len(asked),
            {
                "the same as another": same_queries,
                "without a positive": len(queries) - same_queries - len(judged.good),
            },
        ),
        _stage(
            "documents",
            len(documents),
            len(texts),
            {"blank": blank, "the same as another": same},
        ),
        _stage("judgements", judged.seen, len(kept), judged.left_out),
    )
    stripped = sum(text[2] for text in (*query_texts.values(), *texts.values()))
    changes = [*judged.changes]
    if stripped:
        changes.append(f"white space around {stripped:,} texts was removed")
    if chosen.negatives:
        many = (
            "1 document is a hard negative"
            if chosen.negatives == 1
            else f"{chosen.negatives:,} documents are hard negatives"
        )
        changes.append(f"{many} of the source")
    return Selection(
        dict(sorted((queries_id, text) for queries_id, text, _ in query_texts.values())),
        dict(sorted((name, text) for name, text, _ in texts.values())),
        sorted((query, document, grade) for (query, document), grade in kept.items()),
        stages,
        tuple(changes),
    )


def _stage(name: str, seen: int, kept: int, left_out: Mapping[str, int]) -> Stage:
    rest = seen - kept - sum(left_out.values())
    return Stage(name, seen, kept, {reason: n for reason, n in {**left_out, "not needed": rest}.items() if n})
