"""Query and relevance tendencies: how queries begin, how long they are, and what ties them to their positives."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hakari.site.blocks import Block, Para, Run, Section, Table
from hakari.site.task.lexicon import Lexicon
from hakari.site.task.view import View
from hakari.site.task.words import listing, number, several, share

SHORT = 3
"""Queries with fewer words that are not generic may be too short to decide."""
FREQUENT = 0.03


def section(view: View, lexicon: Lexicon) -> Section:
    """What queries look like, and by what their positives can be told."""
    blocks: list[Block] = [Para(_queries(view, lexicon)), Para(_positives(view))]
    return Section("tendencies", "Query and relevance type tendencies", [*blocks, *_overlap(view, lexicon)])


def _queries(view: View, lexicon: Lexicon) -> str:
    assert view.task is not None
    texts = [str(text) for text in view.task.queries.texts]
    lengths = np.diff(lexicon.queries.offsets)
    short = sum(
        len(words - lexicon.generic(words)) < SHORT for words in map(lexicon.query, range(len(texts)))
    )
    told = (
        f"Queries have {lengths.min()} to {lengths.max():,} words, median {np.median(lengths):g}. "
        f"{share(short, len(texts))} have fewer than {SHORT} words that are not generic in this corpus."
    )
    questions = sum(text.rstrip().endswith(("?", "？", "؟")) for text in texts)
    if questions >= FREQUENT * len(texts):
        told += f" {share(questions, len(texts))} end with a question mark."
    openings = Counter(" ".join(text[:200].lower().split()[:2])[:40] for text in texts if text[:200].split())
    usual = [
        (o, n) for o, n in sorted(openings.items(), key=lambda i: (-i[1], i[0])) if n >= FREQUENT * len(texts)
    ]
    if usual:
        told += (
            f" They often begin with {listing([f'“{o}” ({share(n, len(texts))})' for o, n in usual[:4]])}."
        )
    else:
        told += " No two words begin more than a few of them."
    return told


def _positives(view: View) -> str:
    _, documents = view.positives
    distinct, most = len(np.unique(documents)), int(np.bincount(documents).max(initial=0))
    lengths = np.array([len(view.document(int(d))) for d in np.unique(documents)])
    facts = view.opened.facts
    assert facts is not None
    ratio = float(np.median(lengths)) / max(facts.document_lengths.median, 1.0)
    told = f"{several(distinct, 'document')} {'is' if distinct == 1 else 'are'} relevant to some query"
    told += f", one of them to {most} queries" if most > 1 else ", each to one only"
    if ratio > 1.25 or ratio < 0.8:
        told += f"; with a median of {np.median(lengths):,.0f} characters they are "
        told += f"{'longer' if ratio > 1 else 'shorter'} than the corpus (median {facts.document_lengths.median:,.0f})"
    return told + "."


def _overlap(view: View, lexicon: Lexicon) -> list[Block]:
    """Shares of the query's words in positives, in what BM25 puts first wrongly, and in documents at random."""
    queries, documents = view.positives
    corpus = len(view.task.corpus) if view.task is not None else 0
    own = [lexicon.overlap(int(q), int(d)) for q, d in zip(queries, documents, strict=True)]
    # The document half a corpus further in order of id: as good as random, and the same in every build.
    other = [
        lexicon.overlap(int(q), int((d + corpus // 2) % corpus))
        for q, d in zip(queries, documents, strict=True)
    ]
    rows: list[tuple[Run, ...]] = [
        ("its positives", *_shares(own)),
        ("a document at random", *_shares(other)),
    ]
    for role, name in (
        ("bm25", "what BM25 puts first wrongly"),
        ("dense", "what the dense model puts first wrongly"),
    ):
        if role in view.profiles:
            wrong = [lexicon.overlap(q, d) for q, d in wrong_firsts(view, role)]
            if wrong:
                rows.insert(-1, (name, *_shares(wrong)))
    columns = ["Words of the query found in", "mean", "median", "all of them"]
    mean = float(np.mean(own)) if own else 0.0
    kind = (
        "words tie queries to their positives" if mean >= 0.6
        else "queries and positives share some words, and wording alone does not decide" if mean >= 0.3
        else "queries and positives hardly share words, so meaning has to be bridged"
    )  # fmt: skip
    told = f"On average a positive has {mean:.0%} of its query's words, stop words aside: {kind}."
    return [Table("Shared words", columns, rows), Para(told)]


def _shares(values: list[float]) -> tuple[str, str, str]:
    whole = sum(value == 1.0 for value in values)
    return number(float(np.mean(values)), 3), number(float(np.median(values)), 3), share(whole, len(values))


def wrong_firsts(view: View, role: str) -> list[tuple[int, int]]:
    """Query and document, by number, wherever a profile puts a document first that is not relevant."""
    run = view.profiles[role].run
    queries, documents = view.positives
    relevant = set(zip(queries.tolist(), documents.tolist(), strict=True))
    firsts = [
        (query, int(run.documents[run.offsets[query]]))
        for query in range(len(run.query_ids))
        if run.offsets[query + 1] > run.offsets[query]
    ]
    asked = set(queries.tolist())
    return [pair for pair in firsts if pair not in relevant and pair[0] in asked]
