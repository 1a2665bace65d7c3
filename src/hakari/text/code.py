"""Terms of source code: the words inside identifiers, and the identifiers themselves.

One rule for every language of code. `HTTPServer`, `http_server` and `httpServer` all give `http`, `server`
and `httpserver`, so a name is found by its words, by its spelling in any convention, and by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hakari.text.stopwords import ENGLISH, LANGUAGES_OF_CODE

_LEFT_OUT = ENGLISH | LANGUAGES_OF_CODE

# An acronym keeps its plural s (`URLs`) and gives its last capital to a word that follows (`HTTPServer`).
_PARTS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_JOINERS = re.compile(r"\.|::")


def split_identifier(identifier: str) -> list[str]:
    """The words of an identifier, as written: `parseHTTPResponse2` gives parse, HTTP, Response, 2."""
    if identifier.isascii():
        return _PARTS.findall(identifier)
    shape = "".join(map(_shape, identifier))
    return [identifier[match.start() : match.end()] for match in _PARTS.finditer(shape)]


def _shape(character: str) -> str:
    """The ASCII character that stands for any of its kind."""
    if character.isascii():
        return character
    if character.isupper() or character.istitle():
        return "A"
    return "0" if character.isdecimal() else "a"


def code_terms(words: Sequence[str]) -> list[list[str]]:
    """The terms of each word of code: parts without stop words, whole names, the whole path; all stemmed."""
    paths = [[_lowered_parts(name) for name in _JOINERS.split(word)] for word in words]
    stems = _stems({word for path in paths for parts in path for word in (*parts, "".join(parts))})
    return [_terms([parts for parts in path if parts], stems) for path in paths]


def _lowered_parts(name: str) -> list[str]:
    return [part.lower() for part in split_identifier(name)]


def _terms(path: Sequence[Sequence[str]], stems: Mapping[str, str]) -> list[str]:
    terms = [stems[part] for parts in path for part in parts if part not in _LEFT_OUT]
    names = [stems["".join(parts)] for parts in path]
    terms += [name for name, parts in zip(names, path, strict=True) if len(parts) > 1]
    return [*terms, ".".join(names)] if len(names) > 1 else terms


def _stems(words: set[str]) -> dict[str, str]:
    import Stemmer

    ordered = sorted(words)
    return dict(zip(ordered, Stemmer.Stemmer("english").stemWords(ordered), strict=True))
