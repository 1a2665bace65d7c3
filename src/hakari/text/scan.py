"""Finding the words of many texts at once, each distinct word named once.

Whatever a tokenizer does to a word (stemming, splitting, dropping) it then does once per distinct word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from hakari import native


class Pattern(IntEnum):
    """What counts as a word."""

    WORD = 0
    r"""`\\b\\w+\\b` of the lowercased text."""
    ASCII_WORD = 1
    """`[A-Za-z0-9]+`, lowercased."""
    CODE = 2
    """Identifiers as they are written, and paths of them joined by `.` or `::`."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of texts in order: `ids[offsets[i]:offsets[i + 1]]` are those of text `i`, by their index.

    `words` are distinct and stand in order of first appearance.
    """

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    words: list[str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, text: int) -> list[str]:
        """The words of one text."""
        return [self.words[i] for i in self.ids[self.offsets[text] : self.offsets[text + 1]]]


def scan(texts: Sequence[str] | npt.NDArray[np.object_], pattern: Pattern) -> Tokens:
    """The words of all texts that fit the pattern."""
    if native.compiled is None:
        find = _FINDERS[pattern]
        return number(find(text) for text in texts)
    ids, offsets, words = native.compiled.scan(tuple(texts), int(pattern))
    return Tokens(np.frombuffer(ids, np.int32), np.frombuffer(offsets, np.int64), words)


class _Numbers(dict[str, int]):
    """Numbers words as they are asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def number(texts: Iterable[Sequence[str]]) -> Tokens:
    """Tokens of texts that are split into words already."""
    numbers = _Numbers()
    ids: list[npt.NDArray[np.int32]] = []
    for words in texts:
        ids.append(np.fromiter(map(numbers.__getitem__, words), np.int32, len(words)))
    offsets = np.zeros(len(ids) + 1, np.int64)
    np.cumsum([len(part) for part in ids], out=offsets[1:])
    return Tokens(np.concatenate([np.empty(0, np.int32), *ids]), offsets, list(numbers))


def _separated(letters: str, lower: bool) -> bytes:
    """A table for `bytes.translate` that keeps the letters and turns all else into spaces."""
    kept = {ord(c): ord(c.lower() if lower else c) for c in letters}
    return bytes(kept.get(c, ord(" ")) for c in range(256))


_ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_WORD_BYTES = _separated(_ALPHANUMERIC + "_", lower=True)
_ASCII_BYTES = _separated(_ALPHANUMERIC, lower=True)
_find_word = re.compile(r"\w+").findall
_find_code = re.compile(r"\w+(?:(?:\.|::)\w+)*").findall


def _words(text: str) -> list[str]:
    if text.isascii():  # three times as fast as the expression
        return text.encode().translate(_WORD_BYTES).decode().split()
    return _find_word(text.lower())


def _ascii_words(text: str) -> list[str]:
    return text.encode("ascii", "replace").translate(_ASCII_BYTES).decode().split()


_FINDERS: dict[Pattern, Callable[[str], list[str]]] = {
    Pattern.WORD: _words,
    Pattern.ASCII_WORD: _ascii_words,
    Pattern.CODE: _find_code,
}
