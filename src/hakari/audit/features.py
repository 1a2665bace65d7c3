"""A text taken apart without the compiled loops: words, lines, turns, paths of names, tokens of code.

Gives what `native/audit_text.c` and `native/audit_code.c` give, to the last hash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hakari.audit.normal import (
    BASE,
    INST_HASH,
    KEYWORD_HASHES,
    MASK,
    ROLE_HASHES,
    finish,
    hash_word,
)

LINE_WORDS = 3
FRESH = finish(0x100)
_WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
_LINE = re.compile(rb"[\n;{}\x1e]|[.!?](?=[ \t-\r])")
_OPERATORS = b"(){}[]=;"
_SPACES = b" \t\n\x0b\x0c\r"


@dataclass(frozen=True)
class Piece:
    """Some words that stand together: their hash, the first, how many."""

    hash: int
    first: int
    count: int


@dataclass(frozen=True)
class Token:
    """A token of code. A name has the value 0 and is known by how many tokens ago it stood last."""

    value: int
    word: bytes
    back: int = 0


@dataclass
class Features:
    """All parts of a text that are compared. The word between two cells is empty and has the hash 0."""

    words: list[bytes] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)
    lines: list[Piece] = field(default_factory=list)
    turns: list[Piece] = field(default_factory=list)
    paths: list[Piece] = field(default_factory=list)
    code: list[list[Token]] = field(default_factory=list)
    """The tokens of each cell that is code."""
    windows: list[tuple[int, int, int]] = field(default_factory=list)
    """Hash, cell of code and first token of every window."""

    def hash_of(self, first: int, count: int) -> int:
        """The hash of some words."""
        found = 0
        for hash_ in self.hashes[first : first + count]:
            found = (found * BASE + hash_) & MASK
        return found

    def grams(self, width: int) -> list[tuple[int, int]]:
        """Place and hash of every run of so many words within a cell."""
        raised = pow(BASE, width, 1 << 64)
        found, since, hash_ = [], 0, 0
        for place, new in enumerate(self.hashes):
            since = since + 1 if new else 0
            hash_ = (hash_ * BASE + new) & MASK if new else 0
            if since > width:
                hash_ = (hash_ - self.hashes[place - width] * raised) & MASK
            if since >= width:
                found.append((place - width + 1, hash_))
        return found


class Reader:
    """Takes texts apart; `window` is how many tokens of code are compared at once."""

    def __init__(self, window: int) -> None:
        self.window = window

    def read(self, cells: Sequence[bytes]) -> Features:
        """The parts of the cells of a row, or of one text."""
        text = Features()
        for raw in cells:
            if text.words:
                text.words.append(b"")
                text.hashes.append(0)
            _Cell(text, raw).read()
            if len(raw) >= 32 and 40 * sum(raw.count(c) for c in _OPERATORS) >= len(raw):
                text.code.append(_tokens(raw))
                windows = _windows(text.code[-1], self.window)
                text.windows += [(hash_, len(text.code) - 1, at) for at, hash_ in enumerate(windows)]
        return text


class _Cell:
    def __init__(self, text: Features, raw: bytes) -> None:
        self.text, self.raw = text, raw
        here = len(text.words)
        self.line = self.turn = self.cell = here
        self.path: list[int] = []
        self.turns = 0
        self.line_start, self.template = True, False

    def read(self) -> None:
        last = 0
        for found in _WORD.finditer(self.raw):
            self._word(last, found.start(), found.end())
            last = found.end()
        self._gap(self.raw[last:])
        self._end_line()
        self._end_turn()
        self._end_path()
        if self.turns > 1:
            self.text.turns.append(self._piece(self.cell))

    def _piece(self, first: int) -> Piece:
        count = len(self.text.words) - first
        return Piece(self.text.hash_of(first, count), first, count)

    def _end_line(self) -> None:
        if len(self.text.words) - self.line >= LINE_WORDS:
            self.text.lines.append(self._piece(self.line))
        self.line = len(self.text.words)

    def _end_turn(self) -> None:
        if len(self.text.words) > self.turn:
            self.text.turns.append(self._piece(self.turn))
            self.turns += 1
        self.turn = len(self.text.words)

    def _end_path(self) -> None:
        if len(self.path) >= 2:
            self.text.paths.append(self._piece_of(self.path[0], len(self.path)))
        self.path = []

    def _piece_of(self, first: int, count: int) -> Piece:
        return Piece(self.text.hash_of(first, count), first, count)

    def _gap(self, gap: bytes) -> None:
        if _LINE.search(gap):
            self.line_start = True
            self._end_line()
        if b"\x1e" in gap:
            self._end_turn()

    def _word(self, last: int, start: int, end: int) -> None:
        gap = self.raw[last:start]
        self._gap(gap)
        word = self.raw[start:end].lower()
        hash_ = hash_word(word)
        marker = self._is_marker(gap, end, hash_)
        joined = bool(self.path) and gap in (b".", b"::")
        if not joined or marker:
            self._end_path()
        if marker:  # somebody else speaks from here on
            self._end_line()
            self._end_turn()
            return
        self.line_start = False
        self.path.append(len(self.text.words))
        self.text.words.append(word)
        self.text.hashes.append(hash_)

    def _is_marker(self, gap: bytes, end: int, hash_: int) -> bool:
        if gap.endswith(b"<|") and self.raw[end : end + 2] == b"|>":
            self.template = True
            return True
        after, self.template = self.template, False
        colon = self.raw[end : end + 1] == b":"
        if (after or (self.line_start and colon)) and hash_ in ROLE_HASHES:
            return True
        return hash_ == INST_HASH and gap.endswith((b"[", b"[/")) and self.raw[end : end + 1] == b"]"


def _skip_comment(raw: bytes, at: int) -> int:
    two, three = raw[at : at + 2], raw[at : at + 3]
    sql = two == b"--" and raw[at + 2 : at + 3] in (b"", b" ") and (at == 0 or raw[at - 1] in _SPACES)
    if two[:1] == b"#" or two == b"//" or sql:
        end = raw.find(b"\n", at)
        return len(raw) if end < 0 else end
    if two == b"/*":
        end = raw.find(b"*/", at + 2)
        return len(raw) if end < 0 else end + 2
    if three in (b'"""', b"'''"):
        end = raw.find(three, at + 3)
        return len(raw) if end < 0 else end + 3
    return at


def _string_end(raw: bytes, at: int) -> int:
    quote, i = raw[at], at + 1
    while i < len(raw) and raw[i] != 0x0A:
        if raw[i] == 0x5C:
            i += 1
        elif raw[i] == quote:
            return i + 1
        i += 1
    return 0


def _tokens(raw: bytes) -> list[Token]:
    tokens: list[Token] = []
    seen: dict[int, int] = {}
    i = 0
    while i < len(raw):
        if found := _WORD.match(raw, i):
            i = found.end()
            word = found[0].lower()
            hash_ = hash_word(word)
            if word[:1].isdigit() or hash_ in KEYWORD_HASHES:
                tokens.append(Token(hash_, word))
            else:
                tokens.append(Token(0, word, len(tokens) - seen.get(hash_, len(tokens))))
                seen[hash_] = len(tokens) - 1
            continue
        c = raw[i]
        if c in b" ,;" or c < 0x20:
            i += 1
            continue
        if (skipped := _skip_comment(raw, i)) > i:
            i = skipped
            continue
        i += 1
        if c in b"\"'`":
            closed = _string_end(raw, i - 1)
            if not closed:
                continue
            c, i = 0x22, closed
        tokens.append(Token(finish(c), b""))
    return tokens


def _windows(tokens: Sequence[Token], width: int) -> list[int]:
    found = []
    for start in range(len(tokens) - width + 1):
        hash_ = 0
        for offset in range(width):
            token = tokens[start + offset]
            value = token.value or (finish(0x100 + token.back) if 0 < token.back <= offset else FRESH)
            hash_ = (hash_ * BASE + value) & MASK
        found.append(hash_)
    return found
