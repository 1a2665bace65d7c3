"""Tokenizers by name, and the one that the published protocol takes for a language and category.

A name says all there is to know of a tokenizer and stands in the settings of a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from hakari.errors import UnknownName
from hakari.text.code import code_terms
from hakari.text.scan import Pattern, Tokens, number, scan
from hakari.text.stopwords import ENGLISH

Texts = Sequence[str] | npt.NDArray[np.object_]
Terms = Callable[[Sequence[str]], Sequence[Sequence[str]]]

SNOWBALL = {
    "ar": "arabic",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "id": "indonesian",
    "ru": "russian",
}
"""Languages that the published protocol stems, and the name of the stemmer."""
WHITESPACE = frozenset({"bn", "te"})
SEGMENTED = frozenset({"ja", "ko", "th", "vi", "zh"})


@dataclass(frozen=True)
class Tokenizer:
    """Turns texts into terms; two with the same name do the same."""

    name: str
    split: Callable[[Texts], Tokens]

    def __call__(self, texts: Texts) -> Tokens:
        """The terms of every text."""
        return self.split(texts)


def published_tokenizer(language: str | None, category: str | None) -> str:
    """The name of the tokenizer behind the published BM25 figures."""
    if category == "code" or language is None:
        return "regex"
    if language == "en":
        return "english_porter_stop"
    if language in SNOWBALL:
        return f"snowball:{SNOWBALL[language]}"
    if language in WHITESPACE:
        return "whitespace"
    return f"segment:{language}" if language in SEGMENTED else "regex"


def tokenizer_names() -> list[str]:
    """All names that `tokenizer` knows."""
    return [
        "regex",
        "english_porter_stop",
        "code",
        "whitespace",
        *(f"snowball:{algorithm}" for algorithm in _snowball_algorithms()),
        *(f"segment:{language}" for language in sorted(SEGMENTED)),
    ]


def tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name."""
    kind, _, detail = name.partition(":")
    plain: dict[str, Callable[[Texts], Tokens]] = {
        "regex": partial(scan, pattern=Pattern.WORD),
        "english_porter_stop": partial(_by_word, pattern=Pattern.ASCII_WORD, terms=_english_terms),
        "code": partial(_by_word, pattern=Pattern.CODE, terms=code_terms),
        "whitespace": _split_at_whitespace,
    }
    if name in plain:
        return Tokenizer(name, plain[name])
    if kind == "snowball" and detail in _snowball_algorithms():
        return Tokenizer(
            name, partial(_by_word, pattern=Pattern.WORD, terms=partial(_snowball_terms, detail))
        )
    if kind == "segment" and detail in SEGMENTED:
        return Tokenizer(name, partial(_segmented, detail))
    raise UnknownName("tokenizer", name, tokenizer_names(), "hakari retrievers")


def _by_word(texts: Texts, pattern: Pattern, terms: Terms) -> Tokens:
    tokens = scan(texts, pattern)
    return replaced(tokens, terms(tokens.words))


def replaced(tokens: Tokens, terms: Sequence[Sequence[str]]) -> Tokens:
    """The tokens with every distinct word replaced by its terms: none, one or several."""
    numbered = number(terms)
    sizes = np.diff(numbered.offsets)
    if len(sizes) and sizes.min() == sizes.max() == 1:
        return Tokens(numbered.ids[tokens.ids], tokens.offsets, numbered.words)
    token_sizes = sizes[tokens.ids]
    ends = np.concatenate([[0], np.cumsum(token_sizes)])
    shifts = numbered.offsets[:-1][tokens.ids] - ends[:-1]
    ids = numbered.ids[np.arange(ends[-1]) + np.repeat(shifts, token_sizes)]
    return Tokens(ids, ends[tokens.offsets], numbered.words)


def _english_terms(words: Sequence[str]) -> list[list[str]]:
    from hakari.text.porter import stem

    return [[] if word in ENGLISH else [stem(word)] for word in words]


def _snowball_algorithms() -> list[str]:
    import Stemmer

    return Stemmer.algorithms()


def _snowball_terms(algorithm: str, words: Sequence[str]) -> list[list[str]]:
    import Stemmer

    return [[word] for word in Stemmer.Stemmer(algorithm).stemWords(words)]


def _split_at_whitespace(texts: Texts) -> Tokens:
    return number(text.lower().split() for text in texts)


def _segmented(language: str, texts: Texts) -> Tokens:
    from hakari.text.segmenters import segment

    return number(segment(language, list(texts)))
