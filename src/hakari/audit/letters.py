"""The normal form as a table of characters, for the compiled loops; `hakari.audit.normal.fold` is what it is made of.

A text is folded character by character where no character acts on another. Whether one does is told by what Unicode
says of canonical order and of composition: a mark changes places with one of a higher class before it, and two
characters become one where a pair of them does. `fold` itself does whatever the table says nothing of.
"""

from __future__ import annotations

import struct
from functools import cache
from unicodedata import combining, decomposition, normalize

from hakari.audit.normal import fold

PAGE = 256
ALONE = 255
"""Stands for the class of a character that the table says nothing of."""
WITH_BEFORE, WITH_AFTER = 1, 2
_COMPOSED = 0x30000
"""No character from here on is composed of others."""
_HANGUL, _SYLLABLES, _TRAILING = 0xAC00, 11172, 28


@cache
def _pairs() -> tuple[frozenset[str], frozenset[str]]:
    """The characters that some pair which becomes one begins with, and those that it ends with."""
    first, second = set(), set()
    for code in range(_COMPOSED):
        parts = decomposition(chr(code)).split()
        if len(parts) == 2 and parts[0][0] != "<":
            one, other = (chr(int(part, 16)) for part in parts)
            if normalize("NFC", one + other) == chr(code):
                first.add(one)
                second.add(other)
    first.update(map(chr, range(0x1100, 0x1113)))
    first.update(map(chr, range(_HANGUL, _HANGUL + _SYLLABLES, _TRAILING)))
    second.update(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
    return frozenset(first), frozenset(second)


def letters(page: int) -> bytes:
    """What the characters of a page become, and how each acts on others, as `native/audit_fold.c` takes it."""
    entries = [_entry(chr(page * PAGE + low)) for low in range(PAGE)]
    offsets, size = [], 0
    for told, *_ in entries:
        offsets.append(size)
        size += len(told)
    columns = zip(*[(len(told), *acts) for told, *acts in entries], strict=True)
    packed = struct.pack(f"={PAGE}H", *offsets) + b"".join(bytes(column) for column in columns)
    return packed + b"".join(told for told, *_ in entries)


def _entry(character: str) -> tuple[bytes, int, int, int]:
    """Its normal form, the classes of the first and the last mark in it, and what it may join with."""
    composed = normalize("NFKC", character)
    folded = composed.casefold()
    twice = normalize("NFKC", folded)
    apart = [normalize("NFKD", text) for text in (character, folded)]
    lead = combining(character)
    # A mark is only known where nothing changes it, any other character only where no mark comes first.
    if not all(apart) or (
        {character} != {*apart, folded} if lead else any(combining(text[0]) for text in apart)
    ):
        return b"", ALONE, 0, 0
    first, second = _pairs()
    after = any(_last_starter(text) in first for text in (composed, folded, twice))
    before = any(text[0] in second for text in apart)
    trail = max(combining(text[-1]) for text in apart)
    told = fold("\u00a0" + character)[1:]  # what is ASCII alone keeps its case
    return told, lead, trail, WITH_BEFORE * before + WITH_AFTER * after


def _last_starter(text: str) -> str:
    return next((character for character in reversed(text) if not combining(character)), "")
