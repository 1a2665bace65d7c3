"""Language and category of a task from its texts alone: offline, the same for every row order.

For tasks that say neither in their metadata. `benchmarks/detection.md` says how often this is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.text.code_detector import code_probability

CODE, PROSE = "code", "natural_language"
"""The two categories of a task."""

MULTILINGUAL = "multilingual"
"""The language of a task whose texts are in several."""

SAMPLE = 100
"""Texts of each side that are looked at."""

PIECE = 600
"""Characters of a text that its language is told from, and in which lines of code are looked for."""

SHORTEST_LINE = 12
"""Characters a line needs to be taken for code."""

ONE_LANGUAGE = 0.75
"""Share of the texts that a language has to have for the task to be in that language."""

SOME_CODE = 0.4
"""Share of the queries or of the documents that has to hold code for the task to be about code.

About half way between manuals and fortune cookies (up to 0.11) and Python's API reference (0.83).
"""

_FOLDED = {"nn": "no"}


@dataclass(frozen=True)
class Guess:
    """What was detected, and how much of the texts says so."""

    value: str
    share: float
    """Estimated share of the texts that are in that language (if multilingual, in the first), or are code."""
    texts: int
    """How many texts were looked at; 0 if there was nothing to go by, and `value` is the default."""
    others: tuple[tuple[str, float], ...] = ()
    """Other languages with their shares, the most frequent first; all of them if multilingual."""


def sample(texts: Iterable[str], size: int = SAMPLE) -> list[str]:
    """Texts evenly spaced in sorted order, without blank and repeated ones: the same for every row order."""
    distinct = sorted({text for text in texts if text and not text.isspace()})
    step = max(1.0, len(distinct) / size)
    return [distinct[int(step * place)] for place in range(min(size, len(distinct)))]


def detect_language(texts: Iterable[str]) -> Guess:
    """The language of texts as an ISO 639-1 code, or `multilingual`; `en` where nothing can be told."""
    sampled = sample(texts)
    names, likelihood = _language_likelihoods(sampled)
    if not len(likelihood):
        return Guess("en", 0.0, 0)
    shares = zip(names, _mixture(likelihood).tolist(), strict=True)
    ranked = sorted(((name, round(share, 4)) for name, share in shares if share >= 0.005), key=_by_share)
    value, share = ranked[0]
    if share < ONE_LANGUAGE:
        return Guess(MULTILINGUAL, share, len(sampled), tuple(ranked))
    return Guess(value, share, len(sampled), tuple(ranked[1:]))


def detect_category(texts: Iterable[str]) -> Guess:
    """Whether texts are `code` or `natural_language`; they are code where a fair part of them holds some."""
    sampled = sample(texts)
    return _category([is_code(text) or holds_code(text) for text in sampled])


def is_code(text: str) -> bool:
    """Whether a text is rather code than prose."""
    return code_probability(text) > 0.5


def holds_code(text: str) -> bool:
    """Whether the beginning of a text has a line of code, as the signature in an API reference."""
    lines = (line.strip() for line in text[:PIECE].splitlines())
    return any(is_code(line) for line in lines if len(line) >= SHORTEST_LINE)


def detect(queries: Sequence[str], documents: Sequence[str]) -> tuple[Guess, Guess]:
    """Language and category of a task.

    A task is about code if its queries or its documents are. Its language is that of its prose: texts that
    are code are not looked at, and a task of nothing but code is taken for English.
    """
    categories, languages = [], []
    for texts in (queries, documents):
        sampled = sample(texts)
        code = [is_code(text) for text in sampled]
        categories.append(
            _category([is_one or holds_code(text) for text, is_one in zip(sampled, code, strict=True)])
        )
        prose = [text for text, is_one in zip(sampled, code, strict=True) if not is_one]
        # The few texts of code that are not recognised are no sample of prose.
        if 2 * len(prose) >= len(sampled) > 0:
            languages.append(detect_language(prose))
    return _common_language(languages), _common_category(*categories)


def _category(code: Sequence[bool]) -> Guess:
    """The category of texts of which these are code."""
    if not code:
        return Guess(PROSE, 0.0, 0)
    share = round(sum(code) / len(code), 4)
    if share >= SOME_CODE:
        return Guess(CODE, share, len(code))
    return Guess(PROSE, round(1.0 - share, 4), len(code))


def _common_category(queries: Guess, documents: Guess) -> Guess:
    """The category of a task from those of its two sides."""
    if queries.value == documents.value:
        return min(queries, documents, key=lambda guess: guess.share)
    return queries if queries.value == CODE else documents


def _common_language(languages: Sequence[Guess]) -> Guess:
    """The language of a task from those of its sides that have prose."""
    if not languages:
        return Guess("en", 0.0, 0)
    if len({guess.value for guess in languages}) == 1:
        return min(languages, key=lambda guess: guess.share)
    shares: dict[str, float] = {}
    for guess in languages:
        named = () if guess.value == MULTILINGUAL else ((guess.value, guess.share),)
        for value, share in (*named, *guess.others):
            shares[value] = shares.get(value, 0.0) + share / len(languages)
    ranked = sorted(((value, round(share, 4)) for value, share in shares.items()), key=_by_share)
    return Guess(MULTILINGUAL, ranked[0][1], sum(guess.texts for guess in languages), tuple(ranked))


def _by_share(item: tuple[str, float]) -> tuple[float, str]:
    return -item[1], item[0]


@cache
def _identifier() -> tuple[Any, tuple[str, ...]]:
    """py3langid's model over the languages that have a code of two letters, and those languages."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    names = sorted(label for label in identifier.labels if len(label) == 2)
    identifier.set_languages(names)
    return identifier, tuple(name for name in names if name not in _FOLDED)


def _language_likelihoods(texts: Sequence[str]) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """How well each language explains each text that has letters: one row a text, rows adding up to 1."""
    identifier, names = _identifier()
    column = {name: place for place, name in enumerate(names)}
    pieces = [text[:PIECE] for text in texts]
    pieces = [piece for piece in pieces if any(map(str.isalpha, piece))]
    likelihood = np.zeros((len(pieces), len(names)))
    for row, piece in enumerate(pieces):
        for name, value in identifier.rank(piece):
            likelihood[row, column[_FOLDED.get(name, name)]] += value
    return names, likelihood


def _mixture(likelihood: npt.NDArray[np.float64], rounds: int = 100) -> npt.NDArray[np.float64]:
    """The shares of languages that explain all texts best together (expectation maximisation).

    A short text says little by itself and is settled by the company it keeps.
    """
    shares = np.full(likelihood.shape[1], 1.0 / likelihood.shape[1])
    for _ in range(rounds):
        weighted = likelihood * shares
        shares = (weighted / weighted.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
