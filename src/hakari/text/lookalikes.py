"""How a text that was found in place of the right one resembles it: the kinds of look-alikes that fool a search.

Rules over the texts alone, each with the evidence that a reader can check. Words are common or rare among the
documents that a `LookAlikes` was made of.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hakari.text.code import split_identifier
from hakari.text.code_language import code_language
from hakari.text.detect import holds_code, is_code
from hakari.text.imports import imported
from hakari.text.shingles import NEAR, jaccard, shingles
from hakari.text.stopwords import ENGLISH
from hakari.text.turns import turns_in

KINDS: Mapping[str, str] = {
    "near-duplicate": "nearly the same text as the right one",
    "earlier-turn": "an earlier turn of the same dialogue",
    "same-error": "names the same error",
    "other-version": "the same library in another version",
    "other-library": "the same task with another library",
    "other-language": "in another programming language, or another script",
    "same-namespace": "another member of the same namespace",
    "same-identifiers": "uses the same rare names",
    "neighbouring-algorithm": "built like the right one, under other names",
    "boilerplate": "most of its words stand in very many texts",
    "short-query": "the query has at most one word that is not common, too few to decide",
    "query-words": "holds more of the query's rarer words than the right one",
    "same-subject": "speaks with the right one of rare things that the query does not name",
    "specific-words": "holds some of the query's rarer words, no more than the right one",
    "generic-words": "shares no word with the query but common ones",
    "no-words": "shares no word with the query",
}
"""Every kind, the most telling first."""

RARE = 0.02
"""A word is rare in at most this share of the documents (and always in two)."""
COMMON = 0.10
"""A word is common in at least this share of them."""
ALIKE_STRUCTURE = 0.5
"""Share of common runs of code without its names from which two pieces of code are built alike."""
SUBJECT_WORDS = 3
"""Rare words that two texts share from which they speak of the same."""
TURN_RUNS, TURN_SHARE = 4, 0.2
"""Runs of three words of a text that stand in earlier turns, and their share, from which on it answers those."""
LONGEST = 20_000
"""Characters of a text that are looked at."""
_EVIDENCE = 5
_DEEPEST = 8

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*")
_JOINER = re.compile(r"\.|::|->")
_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Warning|Fault)|E[A-Z]{3,}|(?:errno|error|HTTP) ?-?\d{2,})\b"
)
_VERSION = re.compile(r"\b([A-Za-z][\w+-]{1,30})(?: ?[=~><]=? ?| v| version |[ /-])v?(\d+(?:\.\d+){1,3})\b")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|[^\w\s]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_SCRIPTS = {
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "greek": re.compile(r"[\u0370-\u03ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "hebrew": re.compile(r"[\u0590-\u05ff]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
    "bengali": re.compile(r"[\u0980-\u09ff]"),
    "han or kana": re.compile(r"[\u3040-\u30ff\u3400-\u9fff]"),
    "hangul": re.compile(r"[\uac00-\ud7af]"),
    "thai": re.compile(r"[\u0e00-\u0e7f]"),
}
_SCRIPT_LOOKED_AT = 2_000
_KEYWORDS = frozenset(keyword.kwlist) | {
    *(
        "else",
        "do",
        "function",
        "fn",
        "func",
        "catch",
        "throw",
        "null",
        "nil",
        "true",
        "false",
        "new",
        "switch",
    ),
    *("case", "struct", "void", "public", "static", "let", "const", "var", "then", "end"),
}


@dataclass(frozen=True)
class Likeness:
    """One way in which a text resembles the right one, or the query."""

    kind: str
    """One of `KINDS`."""
    evidence: tuple[str, ...] = ()
    """What they share, a few words that may be shown once escaped."""


@dataclass(frozen=True)
class _Seen:
    """What the rules look at in one text."""

    text: str
    words: frozenset[str]
    names: frozenset[str]
    spaces: frozenset[str]
    errors: frozenset[str]
    versions: Mapping[str, frozenset[str]]
    libraries: frozenset[str]
    """What it imports, includes or requires."""
    script: str | None
    """The script that most of its letters belong to."""


class LookAlikes:
    """Judges texts against one another, knowing which words are common among some documents."""

    def __init__(self, documents: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for text in documents:
            counts.update(_words(text[:LONGEST]))
            total += 1
        self._counts = counts
        self._rare = max(2.0, RARE * total)
        self._common = max(3.0, COMMON * total)
        self._look = lru_cache(maxsize=20_000)(_look)

    def between(self, query: str, right: str, other: str) -> list[Likeness]:
        """Every way in which `other` passes for `right` as an answer to `query`, the most telling first."""
        asked, wanted, found = (self._look(text[:LONGEST]) for text in (query, right, other))
        likenesses = [Likeness(kind, tuple(sorted(shared)[:_EVIDENCE])) for kind, shared in (
            (kind, rule(asked, wanted, found)) for kind, rule in self._rules().items()
        ) if shared is not None]  # fmt: skip
        return likenesses

    def _rules(self) -> Mapping[str, Callable[[_Seen, _Seen, _Seen], Iterable[str] | None]]:
        return {
            "near-duplicate": _near_duplicate,
            "earlier-turn": _earlier_turn,
            "same-error": self._same_error,
            "other-version": _other_version,
            "other-library": _other_library,
            "other-language": self._other_language,
            "same-namespace": self._same_namespace,
            "same-identifiers": self._same_identifiers,
            "neighbouring-algorithm": _neighbouring_algorithm,
            "boilerplate": self._boilerplate,
            "short-query": self._short_query,
            "query-words": self._query_words,
            "same-subject": self._same_subject,
            "specific-words": self._specific_words,
            "generic-words": self._generic_words,
            "no-words": _no_words,
        }

    def _is_rare(self, word: str) -> bool:
        return self._counts[word.lower()] <= self._rare

    def _is_common(self, word: str) -> bool:
        return self._counts[word] >= self._common

    def _same_error(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        shared = found.errors & (asked.errors | wanted.errors)
        return {name for name in shared if not self._is_common(name.lower())} or None

    def _same_identifiers(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        shared = {
            n for n in found.names & (asked.names | wanted.names) if self._is_rare(_JOINER.split(n)[-1])
        }
        return shared or None

    def _same_namespace(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        shared = found.spaces & (asked.spaces | wanted.spaces)
        return {space for space in shared if self._is_rare(_JOINER.split(space)[-1])} or None

    def _other_language(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        if wanted.script and found.script and wanted.script != found.script:
            return (f"{found.script} for {wanted.script}",)
        one, other = code_language(wanted.text), code_language(found.text)
        if not one or not other or one == other or {one, other} == {"c", "cpp"}:
            return None
        return (f"{other} for {one}",) if self._same_identifiers(asked, wanted, found) else None

    def _boilerplate(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        common = {word for word in found.words if self._is_common(word)}
        return () if len(found.words) >= 5 and len(common) >= 0.9 * len(found.words) else None

    def _short_query(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        telling = {word for word in asked.words - ENGLISH if not self._is_common(word)}
        return telling if len(telling) < 2 else None

    def _query_words(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        telling = {word for word in asked.words - ENGLISH if not self._is_common(word)}
        held = telling & found.words
        return held - wanted.words if len(held) > len(telling & wanted.words) else None

    def _same_subject(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        shared = {
            w for w in (found.words & wanted.words) - asked.words - ENGLISH if self._is_rare(w) and len(w) > 1
        }
        return shared if len(shared) >= SUBJECT_WORDS else None

    def _specific_words(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        telling = {word for word in asked.words - ENGLISH if not self._is_common(word)}
        held = telling & found.words
        return held if held and len(held) <= len(telling & wanted.words) else None

    def _generic_words(self, asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
        shared = (found.words & asked.words) - ENGLISH
        return shared if shared and all(self._is_common(word) for word in shared) else None


def _near_duplicate(asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
    share = jaccard(shingles(wanted.text), shingles(found.text))
    return (f"{share:.0%} of the runs of three words",) if share >= NEAR else None


def _earlier_turn(asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
    """What stands in the dialogue itself, or has more of an earlier turn than of the last one and of the right text."""
    turn = " ".join(found.text.split())
    if len(turn) >= 20 and turn in " ".join(asked.text.split()):
        return ()
    turns = turns_in(asked.text)
    if len(turns) < 2:
        return None
    last = asked.text[turns[-1].start :]
    before, end, held = (shingles(text) for text in (asked.text[: turns[-1].start], last, found.text))
    share = len(held & before) / len(held)
    if len(held & before) < TURN_RUNS:
        return None
    if (
        share < TURN_SHARE
        or share <= len(held & end) / len(held)
        or share <= jaccard(held, shingles(wanted.text))
    ):
        return None
    return (f"{share:.0%} of its runs of three words",)


def _other_version(asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
    if not (holds_code(found.text) and holds_code(wanted.text)):
        return None  # elsewhere such numbers are measurements
    told = []
    for library, versions in found.versions.items():
        meant = asked.versions.get(library) or wanted.versions.get(library)
        if meant and not meant & versions:
            told.append(f"{library} {min(versions)} for {min(meant)}")
    return told or None


def _other_library(asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
    """The query names a library that the right text uses, and this one uses others."""
    meant = {name for name in wanted.libraries if name.lower() in asked.words}
    if not meant or not found.libraries or meant & found.libraries:
        return None
    return (f"{', '.join(sorted(found.libraries)[:2])} for {', '.join(sorted(meant)[:2])}",)


def _no_words(asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
    return None if (asked.words & found.words) - ENGLISH else ()


def _neighbouring_algorithm(asked: _Seen, wanted: _Seen, found: _Seen) -> Iterable[str] | None:
    if not (is_code(wanted.text) and is_code(found.text)):
        return None
    share = jaccard(_structure(wanted.text), _structure(found.text))
    return (f"{share:.0%} of the structure",) if share >= ALIKE_STRUCTURE else None


def _words(text: str) -> frozenset[str]:
    """Words without case; of scripts that leave no space between words every two characters in a row."""
    found = set()
    for word in _WORD.findall(text):
        if word.isascii() or not _UNSPACED.search(word):
            found.add(word.lower())
            continue
        for run in _UNSPACED.findall(word):
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        found.update(part.lower() for part in _UNSPACED.split(word) if part)
    return frozenset(found)


def _script(text: str) -> str | None:
    counts = {name: len(pattern.findall(text[:_SCRIPT_LOOKED_AT])) for name, pattern in _SCRIPTS.items()}
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] else None


def _look(text: str) -> _Seen:
    names = {name for name in _NAME.findall(text) if _looks_like_code(name)}
    versions: dict[str, set[str]] = {}
    for library, version in _VERSION.findall(text):
        if library.lower() in ENGLISH:
            continue
        versions.setdefault(library.lower(), set()).add(version)
    return _Seen(
        text,
        _words(text),
        frozenset(names),
        frozenset(space for name in names for space in _namespaces(name)),
        frozenset(_ERROR.findall(text)),
        {library: frozenset(found) for library, found in versions.items()},
        frozenset(imported(text)),
        _script(text),
    )


def _looks_like_code(name: str) -> bool:
    """Whether a word is written as only names in code are: `snake_case`, `camelCase`, `dotted.path`."""
    parts = [part for part in split_identifier(name) if part.isalpha()]
    return bool(_JOINER.search(name)) or len(parts) > 1 or ("_" in name.strip("_") and len(name) > 3)


def _namespaces(name: str) -> Sequence[str]:
    """What a path lies in: `os` of `os.path`, `os` and `os.path` of `os.path.join`; nothing for `self` and `this`."""
    parts = _JOINER.split(name)
    if len(parts) < 2 or parts[0] in ("self", "this", "cls", "super"):
        return ()
    return [".".join(parts[:end]) for end in range(1, min(len(parts), _DEEPEST))]


def _structure(text: str) -> set[str]:
    """Runs of code with every name that is no keyword made one, and every number another."""
    tokens = [_placeholder(token) for token in _TOKEN.findall(text)]
    return {" ".join(tokens[start : start + 5]) for start in range(max(1, len(tokens) - 4))}


def _placeholder(token: str) -> str:
    if token in _KEYWORDS:
        return token
    if token[0].isalpha() or token[0] == "_":
        return "x"
    return "0" if token.isdigit() else token
