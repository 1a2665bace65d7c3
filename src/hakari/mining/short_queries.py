"""Queries as people type them into a search box, made of what a function says of itself: a few words, no sentence."""

from __future__ import annotations

import re

from hakari.nano.sampling import stable_hash
from hakari.text.code import split_identifier
from hakari.text.stopwords import ENGLISH

FEWEST, MOST = 3, 6
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SAY_LITTLE = """
return returns given whether any all each its into using used use object value values argument arguments optional
default true false none self this new same also only can may not one two otherwise specified
"""
_EMPTY = ENGLISH | frozenset(_SAY_LITTLE.split())


def short_query(summary: str, name: str, language: str = "python") -> str | None:
    """A few words of a summary and of the function's name, in the order of the summary; None where too few are left."""
    words: list[str] = []
    for word in _WORD.findall(summary):
        for part in split_identifier(word) or [word]:
            lower = part.lower()
            if lower not in _EMPTY and lower not in words and len(lower) > 1:
                words.append(lower)
    own = [part.lower() for part in split_identifier(name) if len(part) > 2 and part.lower() not in _EMPTY]
    count = FEWEST + int(stable_hash("words of a query", summary), 16) % (MOST - FEWEST + 1)
    kept = words[:count]
    if len(kept) < FEWEST:
        kept += [part for part in own if part not in kept][: FEWEST - len(kept)]
    if len(kept) < FEWEST:
        return None
    place = int(stable_hash("language in a query", summary), 16) % 3
    return " ".join([language, *kept] if place == 0 else [*kept, language] if place == 1 else kept)
