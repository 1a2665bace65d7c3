"""What is wrong with the texts and judgements of a task: duplicates, answers nobody judged, telling lengths."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from hakari.nano.findings import ERROR, NOTE, WARNING, Finding, finding, numbered
from hakari.nano.near import MAX_PAIRS, NearTexts
from hakari.text.shingles import NEAR
from hakari.types import Task

LONG = 20_000
"""Characters of which no common encoder reads the half."""
CLEAR_Z = 5.0
"""Deviations that are no accident, not even among hundreds of tasks."""
TELLING = 0.2
"""How far from one half the chance that a positive is longer than another document may lie."""
FEW_TEXTS, SURE = 20, 0.9
"""Of fewer texts, or with a smaller share of them, nothing is said against what is stated."""

_MERGE = "merge them under one id and move the judgements to it"


def check_texts(task: Task) -> list[Finding]:
    """Every finding in the texts and judgements of a task."""
    near = NearTexts([*task.queries.texts, *task.corpus.texts])
    found = [*_duplicates(task), *_near_duplicates(task, near), *_self_retrieval(task, near)]
    found += [*_unjudged_twins(task, near), *_lengths(task), *_traits(task)]
    found += [Finding(NOTE, "files", task.name, note, "write ids as strings") for note in task.notes]
    return found


def _same(texts: Iterable[str]) -> list[list[int]]:
    """Groups of equal texts, by their places; blanks at the ends do not count."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        places[text.strip()].append(place)
    return [group for group in places.values() if len(group) > 1]


def _positives(task: Task) -> list[set[int]]:
    """The rows of the relevant documents of every query."""
    qrels = task.qrels
    bounds = zip(qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True)
    return [set(qrels.documents[a:b][qrels.grades[a:b] > 0].tolist()) for a, b in bounds]


def _judged(task: Task) -> list[set[int]]:
    """The rows of the judged documents of every query."""
    qrels = task.qrels
    bounds = zip(qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True)
    return [set(qrels.documents[a:b].tolist()) for a, b in bounds]


def _duplicates(task: Task) -> Iterator[Finding]:
    ids = task.corpus.ids
    pairs = [[ids[g[0]], ids[other]] for g in _same(task.corpus.texts) for other in g[1:]]
    if pairs:
        what = f"{numbered(len(pairs), 'document')} with the text of another"
        yield finding(WARNING, "duplicate-documents", task.name, what, _MERGE, pairs)
    positives, asked = _positives(task), task.queries.ids
    apart: list[list[str]] = []
    alike: list[list[str]] = []
    for group in _same(task.queries.texts):
        for other in group[1:]:
            same = positives[group[0]] == positives[other]
            (alike if same else apart).append([asked[group[0]], asked[other]])
    if apart:
        what = f"{numbered(len(apart), 'query', 'queries')} with the text of another but other positives"
        hint = "merge them, with the positives of both"
        yield finding(ERROR, "duplicate-queries", task.name, what, hint, apart)
    if alike:
        what = f"{numbered(len(alike), 'query', 'queries')} with the text and the positives of another"
        yield finding(
            WARNING, "duplicate-queries", task.name, what, "keep one; it counts twice in every mean", alike
        )


def _near_duplicates(task: Task, near: NearTexts) -> Iterator[Finding]:
    queries = len(task.queries)
    of_queries: list[tuple[str, str, float]] = []
    of_documents: list[tuple[str, str, float]] = []
    for one, other, share in near.text_pairs():
        if other < queries:
            texts, ids, into, shift = task.queries.texts, task.queries.ids, of_queries, 0
        elif one >= queries:
            texts, ids, into, shift = task.corpus.texts, task.corpus.ids, of_documents, queries
        else:
            continue
        if texts[one - shift].strip() != texts[other - shift].strip():
            into.append((ids[one - shift], ids[other - shift], round(share, 4)))
    for kind, many, pairs in (("query", "queries", of_queries), ("document", "documents", of_documents)):
        if pairs:
            pairs.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
            limit = "" if near.complete else f"; only the first {MAX_PAIRS:,} were looked at"
            what = f"{numbered(len(pairs), 'pair')} of {many} with {NEAR:.0%} or more of their text in common{limit}"
            hint = f"keep one {kind} of each pair, or judge both alike"
            yield finding(WARNING, f"near-duplicate-{many}", task.name, what, hint, [list(p) for p in pairs])


def _self_retrieval(task: Task, near: NearTexts) -> Iterator[Finding]:
    queries, positives = len(task.queries), _positives(task)
    easy: list[list[str]] = []
    traps: list[list[str]] = []
    for query, query_id in enumerate(task.queries.ids):
        documents = sorted(place - queries for place in near.of(query) if place >= queries)
        for document in documents:
            document_id = task.corpus.ids[document]
            if task.exclude_self and document_id == query_id:
                continue
            (easy if document in positives[query] else traps).append([query_id, document_id])
    if traps:
        what = f"{numbered(len(traps), 'document')} nearly the same as a query, and no answer to it"
        hint = "leave them out, or state `exclude_self` in the metadata and give them the id of the query"
        yield finding(WARNING, "self-retrieval", task.name, what, hint, traps)
    if easy:
        what = f"{numbered(len(easy), 'positive')} nearly the same as the query"
        yield finding(
            WARNING, "self-retrieval", task.name, what, "ask for them in other words, or leave them out", easy
        )


def _unjudged_twins(task: Task, near: NearTexts) -> Iterator[Finding]:
    """Documents that are as good as a positive and count as wrong."""
    queries = len(task.queries)
    texts, ids = task.corpus.texts, task.corpus.ids
    same: list[list[str]] = []
    similar: list[list[str]] = []
    for query, (positives, judged) in enumerate(zip(_positives(task), _judged(task), strict=True)):
        twins: dict[int, int] = {}
        for positive in sorted(positives):
            for place in near.of(queries + positive):
                if place >= queries and place - queries not in judged | twins.keys():
                    twins[place - queries] = positive
        for twin, positive in sorted(twins.items()):
            equal = texts[twin].split() == texts[positive].split()
            (same if equal else similar).append([task.queries.ids[query], ids[positive], ids[twin]])
    for severity, found, how in ((ERROR, same, "the text"), (WARNING, similar, "nearly the text")):
        if found:
            asked = len({row[0] for row in found})
            what = f"{numbered(len(found), 'document')} with {how} of a positive, counted as wrong for "
            what += numbered(asked, "query", "queries")
            hint = "judge them as well, or leave them out of the corpus"
            yield finding(severity, "false-negatives", task.name, what, hint, found)


def _lengths(task: Task) -> Iterator[Finding]:
    lengths = np.fromiter(map(len, task.corpus.texts), np.int64, len(task.corpus))
    long = np.flatnonzero(lengths > LONG)
    if len(long):
        what = f"{numbered(len(long), 'document')} of more than {LONG:,} characters, the longest {lengths.max():,}"
        hint = "encoders cut them: split them, or say so on the card"
        yield finding(NOTE, "lengths", task.name, what, hint, list(task.corpus.ids[long]))
    for kind, texts in (("query", task.queries), ("document", task.corpus)):
        bare = [i for i, text in zip(texts.ids, texts.texts, strict=True) if not any(map(str.isalnum, text))]
        if bare:
            many = "queries" if kind == "query" else "documents"
            what = f"{numbered(len(bare), kind, many)} without a letter or a digit"
            yield finding(WARNING, "lengths", task.name, what, f"remove the {many} or give them a text", bare)
    relevant = np.zeros(len(lengths), bool)
    relevant[task.qrels.documents[task.qrels.grades > 0]] = True
    share, z = longer(lengths, relevant)
    if abs(z) > CLEAR_Z:
        severity = WARNING if abs(share - 0.5) > TELLING else NOTE
        than = "longer" if share > 0.5 else "shorter"
        what = f"lengths tell positives: they are {than} than other documents "
        what += f"{max(share, 1 - share):.0%} of the time (z {z:+.1f})"
        hint = "draw the other documents from the same source as the positives"
        yield finding(severity, "lengths", task.name, what, hint)


def longer(lengths: np.ndarray, relevant: np.ndarray) -> tuple[float, float]:
    """How often a relevant document is longer than another one, ties counting half, and how sure that is.

    The second number is the normal deviate of the Mann-Whitney test, with its correction for ties.
    """
    ones, others = int(relevant.sum()), int((~relevant).sum())
    if not ones or not others:
        return 0.5, 0.0
    _, place, times = np.unique(lengths, return_inverse=True, return_counts=True)
    ranks = np.cumsum(times) - (times - 1) / 2
    above = float(ranks[place][relevant].sum()) - ones * (ones + 1) / 2
    total = ones + others
    ties = float((times.astype(np.float64) ** 3 - times).sum()) / (total * (total - 1))
    deviation = float(np.sqrt(ones * others / 12 * (total + 1 - ties)))
    return above / (ones * others), (above - ones * others / 2) / deviation if deviation else 0.0


def _traits(task: Task) -> Iterator[Finding]:
    missing = [key for key in ("language", "category") if task.origins.get(key) in (None, "detected")]
    if missing:
        what = f"the metadata do not state {' and '.join(f'`{key}`' for key in missing)}"
        hint = "write them into the metadata: tokenizers and tables follow from them"
        yield finding(WARNING, "traits", task.name, what, hint)
    if importlib.util.find_spec("py3langid") is None:
        what = "language and category were not held against the texts"
        yield finding(NOTE, "traits", task.name, what, "install it with `pip install py3langid`")
        return
    from hakari.text.detect import detect

    for key, guess in zip(
        ("language", "category"), detect(task.queries.texts.tolist(), task.corpus.texts.tolist()), strict=True
    ):
        stated = getattr(task, key)
        same = stated is None or stated.replace("_", "-").split("-")[0] == guess.value
        if key == "category":
            same = stated in (None, guess.value)
        if not same and guess.texts >= FEW_TEXTS:
            severity = WARNING if guess.share >= SURE else NOTE
            what = f"{key} is stated as `{stated}`, and the texts look like `{guess.value}` ({guess.share:.0%} of them)"
            yield finding(
                severity, "traits", task.name, what, f"look at the texts, and correct `{key}` if it is wrong"
            )
