"""Whether a text is program code or prose, whatever the programming or natural language.

A linear model over the shape of a text: runs of letters are reduced to how they are written (`word`,
`Word`, `WORD`, `twoWords`, `two_words`, digits), punctuation and line starts are kept, and one, two and
three of these in a row are features, beside some words. Languages that were never seen in training have the
same shapes; `benchmarks/detection.md` says how well that works. The weights are a text file that
`benchmarks/train_code_detector.py` writes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise

LONGEST = 600
"""Characters of a text that are looked at."""

# Scripts that put no space between words give a word a character; others keep their combining vowel signs.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_TOKEN = re.compile(rf"\n[ \t]*|[ \t]+|\d[\w.]*|[{_UNSPACED}]|(?:[^\W{_UNSPACED}]|[{_SIGNS}])+|[^\w\s]|\s")
_STYLES = (
    ("two_words", re.compile(r"\w*[^\W_]_+[^\W_]\w*|_\w+|\w+_")),
    ("twoWords", re.compile(r"\w*[a-z\d][A-Z]\w*|[A-Z]{2,}[a-z]\w*")),
    ("W", re.compile(r"[A-Z]")),
    ("WORD", re.compile(r"[A-Z][A-Z\d]+")),
    ("Word", re.compile(r"[A-Z][a-z]+")),
    ("w", re.compile(r"[a-z]")),
    ("word", re.compile(r"[a-z]+|[^\W\d_a-zA-Z][^\d_]*|[a-zA-Z]+[^\W\d_a-zA-Z][^\d_]*")),
)


def _style(word: str) -> str:
    for style, pattern in _STYLES:
        if pattern.fullmatch(word):
            return style
    return "word1"


@lru_cache(maxsize=20_000)
def _shape(token: str) -> str:
    first = token[0]
    if first == "\n":
        return "newline" if len(token) == 1 else "indent"
    if first.isspace():
        return "_"
    if first.isdigit():
        return "0" if token.isdecimal() else "0.0"
    if first.isalnum() or first == "_":
        return _style(token) if len(token) <= 40 else "word"
    return token if token.isascii() else "."


def features(text: str) -> Counter[str]:
    """How often each feature occurs in the beginning of a text."""
    tokens = _TOKEN.findall(text[:LONGEST].strip())
    shapes = ["^", *map(_shape, tokens), "$"]
    pairs = list(map(" ".join, pairwise(shapes)))
    found = Counter(shapes[1:-1])
    found.update(pairs)
    found.update(map(" ".join, zip(pairs, shapes[2:], strict=False)))
    found.update("=" + token for token in tokens if token[0].isalpha() and token.isascii())
    return found


@cache
def _weights() -> dict[str, float]:
    lines = resources.files("hakari.text").joinpath("data", "code_detector.tsv").read_text("utf-8")
    pairs = (line.split("\t") for line in lines.splitlines())
    return {feature: float(weight) for feature, weight in pairs}


def code_probability(text: str) -> float:
    """How likely a text is to be code rather than prose, from 0 to 1; 0 for a text without letters."""
    if not any(map(str.isalpha, text[:LONGEST])):
        return 0.0
    found = features(text)
    weights = _weights()
    total = sum(weights[feature] * math.sqrt(found[feature]) for feature in sorted(weights.keys() & found))
    margin = weights["(intercept)"] + total / math.sqrt(found.total())
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, margin))))
