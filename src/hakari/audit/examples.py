"""Matches to look at: an evaluation text and the row that holds it, with what they share marked."""

from __future__ import annotations

from dataclasses import dataclass

from hakari.audit.compare import GRAM, best_runs
from hakari.audit.features import Features, Reader
from hakari.audit.kinds import KINDS, OF_ONE_ROW
from hakari.audit.normal import fold
from hakari.audit.report import Reason, Report

Span = tuple[int, int]


@dataclass(frozen=True)
class Example:
    """One match: where it is, both texts, and the characters of each that the other has too."""

    reason: Reason
    shard: str
    row: int
    text: str
    row_text: str
    text_marks: tuple[Span, ...]
    row_marks: tuple[Span, ...]
    facts: dict[str, float]


def examples(report: Report, count: int) -> list[Example]:
    """Some matches, the strongest first, each kind before any is repeated; always the same ones."""
    flagged = report.flagged()
    shown = [kind.name for kind in KINDS if kind.name in OF_ONE_ROW or kind.name == "similar"]
    waiting: dict[str, list[tuple[int, Reason]]] = {name: [] for name in shown}
    for row, reasons in flagged.items():
        for reason in reasons:
            if reason.kind in waiting and len(waiting[reason.kind]) < count:
                waiting[reason.kind].append((row, reason))
    chosen: list[tuple[int, Reason]] = []
    for turn in range(count):
        chosen += [found[turn] for found in waiting.values() if len(found) > turn]
    return [_example(report, row, reason) for row, reason in chosen[:count]]


def _example(report: Report, row: int, reason: Reason) -> Example:
    scanned, at = report.place(row)
    cells = scanned.shard.rows([c.expression for c in scanned.columns], [at])[at]
    task = next(task for task in report.index.tasks if task.name == reason.task)
    ids = task.query_ids if reason.side == "query" else task.positive_ids
    number = int(task.numbers(reason.side)[ids.index(reason.id)])
    text, row_text = report.index.texts[number], "\n".join(cell for cell in cells if cell)
    of_text, of_row = _read(text), _read(row_text)
    marks = _marks(text, of_text, of_row), _marks(row_text, of_row, of_text)
    if reason.kind == "similar":
        told = {"cosine": reason.cosine or 0.0}
        return Example(reason, scanned.shard.name, at, text, row_text, *marks, told)
    one = report.found[(report.rows == row) & (report.found["text"] == number)][0]
    facts = {
        "containment": one["shared"] / one["shingles"] if one["shingles"] else 0.0,
        "jaccard": one["shared"] / max(1, one["shingles"] + one["row_shingles"] - one["shared"]),
        "longest": int(one["longest"]),
        "words": int(one["words"]),
        "code": one["windows"] / one["window_total"] if one["window_total"] else 0.0,
    }
    return Example(reason, scanned.shard.name, at, text, row_text, *marks, facts)


def _read(text: str) -> Features:
    return Reader(16).read([fold(text)])


def _marks(text: str, one: Features, other: Features) -> tuple[Span, ...]:
    """The characters of the words of one text that stand in runs of the other."""
    best, reach, shared = best_runs(other, one), 0, []
    for place, length in enumerate(best):
        if length >= GRAM or (length == len(one.words) and length):
            reach = max(reach, place + length)
        if place < reach:
            shared.append(place)
    spans = _spans(text, one.words)
    marks: list[Span] = []
    for place in shared:
        if spans[place] is None:
            continue
        start, end = spans[place] or (0, 0)
        if marks and not text[marks[-1][1] : start].strip(" \t\n.,:;()[]{}=\"'"):
            marks[-1] = (marks[-1][0], end)
        else:
            marks.append((start, end))
    return tuple(marks)


def _spans(text: str, words: list[bytes]) -> list[Span | None]:
    """Where each word of the normal form stands in the text; None for what folding has changed."""
    folded, at = text.casefold(), 0
    spans: list[Span | None] = []
    same = len(folded) == len(text)
    for word in words:
        decoded = word.decode("utf-8", "replace")
        found = folded.find(decoded, at) if same and decoded else -1
        if found < 0 or found - at > 200:
            spans.append(None)
            continue
        spans.append((found, found + len(decoded)))
        at = found + len(decoded)
    return spans
