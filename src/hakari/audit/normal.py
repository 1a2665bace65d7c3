"""The normal form in which texts are compared: NFKC, without case, white space and punctuation.

A word is a run of letters, marks, digits and `_`. Characters of scripts that put no spaces between words
are words of their own. Names of roles in dialogues and marks of chat templates are no part of a text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MASK = (1 << 64) - 1
BASE = 0x9E3779B97F4A7C15
TURN_BREAK = "\x1e"
"""Stands between the turns of a dialogue: each is compared as a text of its own, too."""


def _words(words: str) -> tuple[str, ...]:
    return tuple(words.split())


ROLES = _words(
    "user assistant system human gpt bot ai tool question answer query instruction input output response prompt "
    "document passage q a"
)
"""Words that, at the beginning of a line and before a colon, say only who speaks."""
INST = "inst"
KEYWORDS = _words(
    "abstract and as assert async await bool boolean break byte by case catch chan char class const constexpr "
    "continue def defer del delete distinct do double elif else enum except export extends false final finally "
    "float fn for foreach from fun func function global goto having if impl implements import in instanceof int "
    "interface is join lambda let long mut namespace new nil none nonlocal not null or override pass private "
    "protected pub public raise return select short signed sizeof static struct super switch this throw throws "
    "trait true try typedef typename typeof union unsigned using var virtual void volatile when where while with yield"
)
"""Words of programming languages that hardly anybody takes for a name; renaming leaves them as they are."""

_SPACELESS_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_SPACELESS = re.compile(f"[{_SPACELESS_RANGES}]")
_CHANGED = re.compile(rf"[^\x00-\x7f\w]|[{_SPACELESS_RANGES}]")
"""What of composed text without case may still change; marks do not, but stand here."""
_HEAD, _MANY = 200, 20
_SENTENCE_ENDS = "。｡।॥؟"


class _Letters(dict[int, str]):
    """What a character becomes in the normal form, learnt as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code < 0x80:
            folded = character
        elif character in _SENTENCE_ENDS:
            folded = ". "
        elif _SPACELESS.match(character) and unicodedata.category(character)[0] == "L":
            folded = f" {character} "
        elif unicodedata.category(character)[0] in "LMN":
            folded = character
        elif character in ("\u2028", "\u2029", "\x85"):
            folded = "\n"
        else:
            folded = " "
        self[code] = folded
        return folded


_letters = _Letters()


def fold(text: str) -> bytes:
    """A text as UTF-8 in which every byte from 0x80 on belongs to a word; ASCII goes in as it is."""
    if text.isascii():
        return text.encode()
    composed = unicodedata.normalize("NFKC", text).casefold()
    composed = unicodedata.normalize("NFKC", composed)
    # Both ways give the same: the first is faster where nearly all stays, the second where much changes.
    if len(_CHANGED.findall(composed, 0, _HEAD)) < _MANY:
        return _CHANGED.sub(_letter, composed).encode("utf-8", "replace")
    return composed.translate(_letters).encode("utf-8", "replace")


def _letter(found: re.Match[str]) -> str:
    return _letters[ord(found[0])]


def finish(hash_: int) -> int:
    """Spread what is in a hash over all its bits."""
    hash_ ^= hash_ >> 33
    hash_ = hash_ * 0xFF51AFD7ED558CCD & MASK
    hash_ ^= hash_ >> 33
    hash_ = hash_ * 0xC4CEB9FE1A85EC53 & MASK
    return hash_ ^ (hash_ >> 33)


@lru_cache(maxsize=1 << 18)
def hash_word(word: bytes) -> int:
    """The hash of a word that has no capital ASCII letters; never 0."""
    letters = word.replace(b"_", b"\x7f")
    hash_ = 0x2545F4914F6CDD1D
    for at in range(0, max(16, len(letters)), 8):
        hash_ = (hash_ ^ int.from_bytes(letters[at : at + 8], "little")) * 0xD6E8FEB86659FD93 & MASK
        hash_ ^= hash_ >> 32
    hash_ = hash_ * BASE & MASK
    return (hash_ ^ (hash_ >> 29)) or 1


ROLE_HASHES = frozenset(hash_word(word.encode()) for word in ROLES)
KEYWORD_HASHES = frozenset(hash_word(word.encode()) for word in KEYWORDS)
OWNERS = _words("self this super cls www http https")
"""Names that a path of code begins with and that say nothing of what it leads to."""
OWNER_HASHES = frozenset(hash_word(word.encode()) for word in OWNERS)
INST_HASH = hash_word(INST.encode())
