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
    paths = [_JOINERS.split(word) for word in words]
    parts = {
        name: [p.lower() for p in split_identifier(name)] for name in {n for path in paths for n in path}
    }
    wholes = {name: "".join(found) for name, found in parts.items() if found}
    stems = _stems({part for found in parts.values() for part in found}.union(wholes.values()))
    terms: dict[str, list[str]] = {}
    for name, found in parts.items():
        terms[name] = [stems[part] for part in found if part not in _LEFT_OUT]
        if len(found) > 1:
            terms[name].append(stems[wholes[name]])
    return [_path_terms([name for name in path if name in wholes], terms, wholes, stems) for path in paths]


def _path_terms(
    path: Sequence[str],
    terms: Mapping[str, list[str]],
    wholes: Mapping[str, str],
    stems: Mapping[str, str],
) -> list[str]:
    if len(path) == 1:
        return terms[path[0]]
    found = [term for name in path for term in terms[name]]
    return [*found, ".".join([stems[wholes[name]] for name in path])] if path else found


def _stems(words: set[str]) -> dict[str, str]:
    import Stemmer

    ordered = sorted(words)
    return dict(zip(ordered, Stemmer.Stemmer("english").stemWords(ordered), strict=True))
