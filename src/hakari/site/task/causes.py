"""Why a wrong document may stand above a right one: rules over the three texts, tried in this order.

Each rule looks at what query, positive and wrong document have in common. They find what is there to be seen;
none of them proves what a model was led by.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from hakari.site import texts
from hakari.site.task.lexicon import Lexicon

NEAR = 0.7
SHINGLE = 3
REPEATED = 0.05
"""A line in more than this share of the documents looked at is boilerplate."""
LARGEST_TEXT = 6_000


@dataclass(frozen=True, eq=False)
class Case:
    """A query, one of its positives, and the document that a profile puts first instead; all by number."""

    query_number: int
    positive_number: int
    wrong_number: int
    query: str
    positive: str
    wrong: str
    lexicon: Lexicon
    boilerplate: frozenset[str]
    code: bool

    @cached_property
    def shared(self) -> set[str]:
        """Words that query and wrong document share."""
        return self.lexicon.query(self.query_number) & self.lexicon.document(self.wrong_number)


Rule = Callable[[Case], bool]


def _near_duplicate(case: Case) -> bool:
    one, other = shingles(case.positive), shingles(case.wrong)
    return len(one & other) >= NEAR * len(one | other)


def _same_error(case: Case) -> bool:
    named = texts.errors(case.query)
    return bool(named & texts.errors(case.wrong))


def _same_namespace(case: Case) -> bool:
    asked = texts.dotted_paths(case.query) | _first_path(case.positive)
    found = _first_path(case.wrong)
    return any(
        (a != b and a.rpartition(".")[0] == b.rpartition(".")[0]) or _long_prefix(a, b)
        for a in asked
        for b in found
    )


def _first_path(text: str) -> set[str]:
    """The dotted path that a text begins with, as reference entries do."""
    return texts.dotted_paths(text[:200])


def _long_prefix(a: str, b: str) -> bool:
    """Whether two paths differ below at least two common parts."""
    one, other = a.split("."), b.split(".")
    return a != b and len(one) > 2 and len(other) > 2 and one[:2] == other[:2]


def _other_language(case: Case) -> bool:
    one, other = texts.programming_language(case.positive), texts.programming_language(case.wrong)
    if case.code and one and other and one != other:
        return True
    return _script(case.positive) != _script(case.wrong)


_SCRIPTS = {
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
    "han": re.compile(r"[\u3400-\u9fff\u3040-\u30ff]"),
    "hangul": re.compile(r"[\uac00-\ud7af]"),
    "thai": re.compile(r"[\u0e00-\u0e7f]"),
}


def _script(text: str) -> str:
    counts = {name: len(pattern.findall(text[:2000])) for name, pattern in _SCRIPTS.items()}
    return max(counts, key=lambda name: counts[name])


def _other_library(case: Case) -> bool:
    wanted, found = texts.libraries(case.positive) | texts.libraries(case.query), texts.libraries(case.wrong)
    if wanted and found and not wanted & found:
        return True
    asked, held = texts.versions(case.query), texts.versions(case.wrong)
    return bool(asked and held and not asked & held)


def _earlier_turn(case: Case) -> bool:
    said = texts.split_turns(case.query)
    if len(said) < 2:
        return False
    wrong = shingles(case.wrong)
    last, before = shingles(said[-1]), shingles(" ".join(said[:-1]))
    return (
        len(before & wrong) / max(len(before), 1) > len(last & wrong) / max(len(last), 1)
        and len(before & wrong) > 3
    )


def _same_identifiers(case: Case) -> bool:
    named = texts.identifiers(case.query)
    common = named & texts.identifiers(case.wrong)
    return len(common) >= 2 or bool(common and len(common) >= len(named) / 2)


def _boilerplate(case: Case) -> bool:
    lines = [line for line in lines_of(case.wrong)]
    return bool(lines) and sum(line in case.boilerplate for line in lines) >= len(lines) / 3


def _too_short(case: Case) -> bool:
    words = case.lexicon.query(case.query_number)
    return len(words - case.lexicon.generic(words)) < 2


def _generic_words(case: Case) -> bool:
    return bool(case.shared) and len(case.lexicon.generic(case.shared)) > len(case.shared) / 2


def _no_words(case: Case) -> bool:
    return not case.shared


RULES: tuple[tuple[str, str, Rule], ...] = (
    ("near-duplicate", "nearly the same text as the positive (70 % of the shingles)", _near_duplicate),
    ("earlier turn", "closer to an earlier turn of the dialogue than to the last", _earlier_turn),
    ("same error string", "the same error is named", _same_error),
    ("same namespace", "another entry of the same namespace", _same_namespace),
    ("same identifiers", "the same identifiers as the query", _same_identifiers),
    ("other language", "another programming language or script than the positive", _other_language),
    ("other library or version", "another library or version than query and positive", _other_library),
    ("boilerplate", "a third of its lines are lines that much of the corpus repeats", _boilerplate),
    ("query too short", "the query has at most one word that is not generic", _too_short),
    (
        "generic shared words",
        "most of the words shared with the query are generic in this corpus",
        _generic_words,
    ),
    ("no shared words", "it shares no word with the query", _no_words),
    (
        "specific shared words",
        "it shares specific words with the query, and answers something else",
        lambda case: True,
    ),
)
"""Name, what it says of the document that was put first, and the rule; the first that holds is the cause."""


def cause(case: Case) -> str:
    """The name of the first rule that holds."""
    return next(name for name, _, rule in RULES if rule(case))


def shingles(text: str) -> set[str]:
    """Runs of three words of a text without case; the whole of a shorter text."""
    words = re.findall(r"\w+", text[:LARGEST_TEXT].casefold())
    return {" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))}


def lines_of(text: str) -> list[str]:
    """The lines of a text that say something, white space folded; sentences where a text has no lines."""
    pieces = re.split(r"\n|(?<=[.:;])\s", text[:LARGEST_TEXT])
    return [" ".join(piece.split()) for piece in pieces if len(piece.strip()) > 12]


def boilerplate(documents: list[str]) -> frozenset[str]:
    """Lines that much of a corpus repeats."""
    counts: dict[str, int] = {}
    for text in documents:
        for line in set(lines_of(text)):
            counts[line] = counts.get(line, 0) + 1
    return frozenset(line for line, count in counts.items() if count > max(2, REPEATED * len(documents)))
