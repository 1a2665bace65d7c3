"""Observed data profile: sizes, lengths, kinds of text, languages, libraries, turns, positives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hakari.site import charts, texts
from hakari.site.blocks import Block, Figure, Para, Run, Section, Table
from hakari.site.task.view import View
from hakari.site.task.words import count, listing, share
from hakari.tasks.statistics import Lengths
from hakari.types import Task

MOST_TEXTS = 2_000
"""Texts whose kind is looked at; of more, every second, third and so on."""
FIRST_BIN, BINS = 4, 13
"""Lengths fall into bins from 16 characters on, each twice as wide as the one before."""
TOLD = 0.02


def section(view: View) -> Section:
    """What is in the texts, or what is published of them."""
    if view.task is None:
        return Section("data", "Observed data profile", _published(view))
    blocks: list[Block] = [_sizes(view), _lengths(view.task), *_content(view.task)]
    return Section("data", "Observed data profile", blocks)


def _published(view: View) -> list[Block]:
    row = view.row
    if "chars" not in row:
        return [Para("The texts are not on this machine, and no profile of them is published.")]
    chars, per = row["chars"], row["positives_per_query"]
    rows: list[tuple[Run, ...]] = [
        ("Queries", count(row["queries"])),
        ("Documents", count(row["documents"])),
        ("Positives", count(row["positives"])),
        ("Positives a query: min, median, mean, max",
         f"{per['min']}, {per['median']:g}, {per['average']:.2f}, {per['max']}"),
        ("Queries with several positives",
         f"{per['multi_positive_queries']} ({per['multi_positive_query_percent']:.2f} %)"),
        ("Mean characters of a query", f"{chars['query_mean']:,.2f}"),
        ("Mean characters of a document", f"{chars['document_mean']:,.2f}"),
    ]  # fmt: skip
    return [
        Table("Sizes and lengths, as published", ["Figure", "Published"], rows),
        Para("Shares of code, stack traces and the like need the texts, which are not on this machine."),
    ]


def _sizes(view: View) -> Table:
    facts = view.opened.facts
    assert facts is not None
    per, row = facts.positives_per_query, view.row
    published = row.get("positives_per_query", {})
    chars = row.get("chars", {})
    rows: list[tuple[Run, ...]] = [
        ("Queries", count(facts.queries), count(row.get("queries"))),
        ("Documents", count(facts.documents), count(row.get("documents"))),
        ("Judgements", count(facts.judgements), "–"),
        ("Positives", count(facts.positives), count(row.get("positives"))),
        ("Positives a query: min", count(per.min), count(published.get("min"))),
        ("Positives a query: median", f"{per.median:g}", _plain(published.get("median"))),
        ("Positives a query: mean", f"{per.mean:.2f}", _two(published.get("average"))),
        ("Positives a query: max", count(per.max), count(published.get("max"))),
        ("Queries with several positives", f"{per.multiple:.2%}",
         _percent(published.get("multi_positive_query_percent"))),
        ("Mean characters of a query", f"{facts.query_lengths.mean:,.2f}", _two(chars.get("query_mean"))),
        ("Mean characters of a document", f"{facts.document_lengths.mean:,.2f}", _two(chars.get("document_mean"))),
    ]  # fmt: skip
    if not row:
        return Table("Sizes and positives", ["Figure", "Measured"], [r[:2] for r in rows])
    return Table(
        "Sizes and positives, measured here and as published", ["Figure", "Measured", "Published"], rows
    )


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value / 100:.2%}"


def _lengths(task: Task) -> Block:
    rows = []
    for name, tone, given in (("Queries", "dense", task.queries), ("Documents", "hybrid", task.corpus)):
        lengths = np.fromiter(map(len, given.texts), np.int64, len(given))
        rows.append((name, tone, _binned(lengths)))
    used = [i for i in range(BINS) if any(counts[i] for _, _, counts in rows)]
    first, last = used[0], used[-1] + 1
    labels = [_bin_label(i) for i in range(first, last)]
    drawn = charts.histogram(
        [(n, t, c[first:last]) for n, t, c in rows], labels, "Lengths of queries and documents"
    )
    from hakari.tasks.statistics import statistics

    facts = statistics(task)
    told = f"{_told_lengths('Queries', facts.query_lengths)} {_told_lengths('Documents', facts.document_lengths)}"
    return Figure(drawn, f"Lengths in characters, each bin twice as wide as the one before. {told}")


def _told_lengths(name: str, lengths: Lengths) -> str:
    return (
        f"{name}: mean {lengths.mean:,.1f}, median {lengths.median:,g}, 95 % up to {lengths.p95:,.0f}, "
        f"longest {lengths.max:,}."
    )


def _binned(lengths: np.ndarray) -> list[int]:
    exponents = np.floor(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    places = np.clip(exponents - FIRST_BIN + 1, 0, BINS - 1)
    return [int(n) for n in np.bincount(places, minlength=BINS)]


def _bin_label(place: int) -> str:
    low = 0 if place == 0 else 1 << (place + FIRST_BIN - 1)
    shown = f"{low // 1024}k" if low >= 1024 else str(low)
    return f"{shown}+"


def _content(task: Task) -> list[Block]:
    queries, _ = texts.every_so_many(list(task.queries.texts), MOST_TEXTS)
    documents, step = texts.every_so_many(list(task.corpus.texts), MOST_TEXTS)
    asked, held = texts.kinds(queries), texts.kinds(documents)
    rows: list[tuple[Run, ...]] = [
        ("Prose only", share(asked.prose, asked.texts), share(held.prose, held.texts)),
        ("Prose with fenced code blocks", share(asked.mixed, asked.texts), share(held.mixed, held.texts)),
        ("Code", share(asked.code, asked.texts), share(held.code, held.texts)),
        ("With a stack trace", share(asked.traces, asked.texts), share(held.traces, held.texts)),
        ("With a dotted path", share(asked.dotted, asked.texts), share(held.dotted, held.texts)),
        ("With a docstring", share(asked.docstrings, asked.texts), share(held.docstrings, held.texts)),
    ]
    note = "Code and prose are told apart by a classifier, the rest by patterns over 20,000 characters."
    if step > 1:
        note += f" Documents: every {step}. by id, {held.texts:,} of {len(task.corpus):,}."
    blocks: list[Block] = [Table("Kinds of text", ["Kind", "Queries", "Documents"], rows, note=note)]
    blocks += _languages(task, asked, held)
    blocks += _libraries(queries, documents)
    return blocks + _turns(queries)


def _languages(task: Task, asked: texts.Kinds, held: texts.Kinds) -> list[Block]:
    origin = task.origins.get("language", "stated")
    told = f"Language of the task: {task.language or 'not known'} ({origin})."
    for name, found in (("queries", asked), ("documents", held)):
        usual = sorted(found.languages.items(), key=lambda item: (-item[1], item[0]))
        with_code = found.code + found.mixed
        if with_code >= TOLD * found.texts and usual:
            named = listing([f"{language} {share(n, with_code)}" for language, n in usual[:4]])
            told += f" Programming languages of {name} with code, by their own signs: {named}."
    return [Para(told)]


def _libraries(queries: Sequence[str], documents: Sequence[str]) -> list[Block]:
    asked = texts.frequent_libraries(queries, 10)
    held = texts.frequent_libraries(documents, 10)
    if not asked and not held:
        return []
    rows: list[tuple[Run, ...]] = []
    for i in range(max(len(asked), len(held))):
        one = asked[i] if i < len(asked) else ("", 0)
        other = held[i] if i < len(held) else ("", 0)
        rows.append((one[0], share(one[1], len(queries)) if one[1] else "",
                     other[0], share(other[1], len(documents)) if other[1] else ""))  # fmt: skip
    columns = ["In queries", "Share of queries", "In documents", "Share of documents"]
    return [
        Table(
            "Most frequent libraries: what is imported, and the first part of dotted paths",
            columns,
            rows,
            texts=(0, 2),
        )
    ]


def _turns(queries: Sequence[str]) -> list[Block]:
    counts = np.array([texts.turns(text) for text in queries])
    dialogues = counts[counts > 1]
    if len(dialogues) < TOLD * len(queries):
        return []
    return [
        Para(
            f"{share(len(dialogues), len(queries))} of the queries are dialogues with named speakers: "
            f"{int(dialogues.min())} to {int(dialogues.max())} turns, median {np.median(dialogues):g}."
        )
    ]
