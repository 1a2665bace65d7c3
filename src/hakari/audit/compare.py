"""A row against one evaluation text without the compiled loops; gives what `native/audit_compare.c` gives."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from hakari.audit.features import Features, Piece, Token
from hakari.audit.normal import OWNER_HASHES, hash_word

GRAM, LONG = 4, 8
SAME_GRAMS = 16
RUN_HEAD = 64

FOUND = np.dtype(
    [
        ("row", "<i8"),
        ("text", "<i4"),
        ("words", "<i4"),
        ("exact", "<i4"),
        ("path", "<i4"),
        ("longest", "<i4"),
        ("start", "<i4"),
        ("covered", "<i4"),
        ("covered_long", "<i4"),
        ("shared", "<i4"),
        ("shingles", "<i4"),
        ("row_shingles", "<i4"),
        ("lines", "<i4"),
        ("line_total", "<i4"),
        ("windows", "<i4"),
        ("window_total", "<i4"),
        ("distinct", "<i4"),
    ]
)
"""What is counted where a row and an evaluation text meet: everything that a kind of match is defined by."""
WHOLE, WHOLE_LINE = 1, 2
"""Bits of `exact`: the text is a whole cell or turn of the row; it is a whole line of it."""


@dataclass(frozen=True)
class Shingle:
    """What a shingle is: so many words, so many characters (of UTF-8), or so many tokens of code."""

    unit: str = "words"
    width: int = 8

    def __str__(self) -> str:
        return f"{self.unit}:{self.width}"


def compare(row: Features, text: Features, window: int, shingle: Shingle) -> dict[str, int]:
    """Everything of `FOUND` but the numbers of the row and the text, and the paths."""
    best = best_runs(row, text)
    longest = max(best, default=0)
    found = {
        "words": len(text.words),
        "longest": longest,
        "start": best.index(longest) if longest else 0,
        "covered": _covered(best, GRAM),
        "covered_long": _covered(best, LONG),
        **_shingles(row, text, best, shingle),
        **_lines(row, text),
    }
    return found | {
        "distinct": len(set(text.words[best.index(longest) :][: min(longest, RUN_HEAD)])) if longest else 0,
        "windows": _shared_windows(row, text, window),
        "window_total": len({hash_ for hash_, _, _ in text.windows}),
    }


def best_runs(row: Features, text: Features) -> list[int]:
    """For each word of the text, the longest run from it on that stands in the row, in runs of GRAM or more."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, hash_ in text.grams(GRAM):
        if len(places[hash_]) < SAME_GRAMS:
            places[hash_].append(place)
    best = [0] * len(text.words)
    for at, hash_ in row.grams(GRAM):
        for place in places.get(hash_, ()):
            if place and at and text.words[place - 1] == row.words[at - 1]:
                continue
            length = 0
            while (
                place + length < len(text.words)
                and at + length < len(row.words)
                and text.words[place + length] == row.words[at + length]
            ):
                length += 1
            if length >= GRAM:
                for i in range(length):
                    best[place + i] = max(best[place + i], length - i)
    return best


def _covered(best: list[int], shortest: int) -> int:
    reach = count = 0
    for place, length in enumerate(best):
        if length >= shortest:
            reach = max(reach, place + length)
        count += place < reach
    return count


def _shingles(row: Features, text: Features, best: list[int], shingle: Shingle) -> dict[str, int]:
    width = shingle.width
    if shingle.unit != "chars":
        return {
            "shared": sum(length >= width for length in best[: max(len(best) - width + 1, 0)]),
            "shingles": max(len(text.words) - width + 1, 0),
            "row_shingles": sum(max(count - width + 1, 0) for count in _cell_lengths(row, 1)),
        }
    at = next_ = shared = 0
    for place, length in enumerate(best):
        if length and (place == 0 or best[place - 1] < length + 1):
            size = sum(map(len, text.words[place : place + length])) + length - 1
            first, last = max(at, next_), at + size - width
            if last >= first:
                shared += last - first + 1
                next_ = last + 1
        at += len(text.words[place]) + 1
    row_shingles = sum(max(count - width, 0) for count in _cell_lengths(row, 0))
    return {"shared": shared, "shingles": max(at - width, 0), "row_shingles": row_shingles}


def _cell_lengths(row: Features, by_words: int) -> list[int]:
    """The length of each cell, in words or in bytes with one more a word."""
    lengths = [0]
    for word in row.words:
        if not word:
            lengths.append(0)
        else:
            lengths[-1] += 1 if by_words else len(word) + 1
    return lengths


def _words(text: Features, piece: Piece) -> list[bytes]:
    return text.words[piece.first : piece.first + piece.count]


def _lines(row: Features, text: Features) -> dict[str, int]:
    there = {tuple(_words(row, line)) for line in row.lines}
    turns = {tuple(_words(row, turn)) for turn in row.turns}
    whole = tuple(text.words)
    return {
        "line_total": sum(line.count for line in text.lines),
        "lines": sum(line.count for line in text.lines if tuple(_words(text, line)) in there),
        "exact": (WHOLE if whole and whole in turns else 0) | (WHOLE_LINE if whole and whole in there else 0),
    }


def _canonical(tokens: list[Token], start: int, width: int) -> tuple[tuple[int, bytes], ...]:
    return tuple(
        (token.value, token.word) if token.value else (0, b"%d" % (token.back if token.back <= offset else 0))
        for offset, token in enumerate(tokens[start : start + width])
    )


def _shared_windows(row: Features, text: Features, width: int) -> int:
    wanted = {hash_ for hash_, _, _ in text.windows}
    there = {
        (hash_, _canonical(row.code[cell], at, width)) for hash_, cell, at in row.windows if hash_ in wanted
    }
    first = {hash_: (cell, at) for hash_, cell, at in reversed(text.windows)}
    return sum(
        (hash_, _canonical(text.code[cell], at, width)) in there for hash_, (cell, at) in first.items()
    )


def compare_paths(row: Features, text: Features) -> int:
    """Whether a path of names that tells what the text is about stands in the row."""
    there = {tuple(_words(row, path)) for path in row.paths}
    return int(any(tuple(_words(text, path)) in there for path in text.paths if path_counts(text, path)))


def path_counts(text: Features, path: Piece) -> bool:
    """Whether a path is one that names what a text is about: the first of it, and of some length."""
    words = _words(text, path)
    if any(word[:1].isdigit() for word in words):
        return False
    if path.first or hash_word(words[0]) in OWNER_HASHES:
        return False
    return path.count >= 3 or sum(map(len, words)) >= 16


def worth_telling(found: dict[str, int]) -> bool:
    """Whether some kind of match may come of these counts."""
    return bool(
        found["exact"]
        or found["path"]
        or found["longest"] >= 12
        or (found["words"] >= LONG and 2 * found["covered"] >= found["words"])
        or (found["line_total"] >= 12 and 2 * found["lines"] >= found["line_total"])
        or (found["window_total"] >= 16 and 2 * found["windows"] >= found["window_total"])
    )
