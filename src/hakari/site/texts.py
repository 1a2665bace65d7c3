"""What is in a text: code, stack traces, dotted paths, docstrings, libraries, turns: by patterns to be read here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hakari.text.code_detector import code_probability
from hakari.text.imports import imported

LOOKED_AT = 20_000
"""Characters of a text that are searched; what follows tells nothing new of its kind."""
CODE = 0.5

FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
FENCE_LABEL = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*([A-Za-z][\w+#-]{0,15})[ \t]*$", re.MULTILINE)
TRACE = re.compile(
    r"Traceback \(most recent call last\)|^[ \t]*File \"[^\"\n]{1,300}\", line \d+|"
    r"^[ \t]*at [\w.$<>]{1,200}\([^()\n]{0,200}:\d+\)|Exception in thread \"|"
    r"^[ \t]*Caused by: ",
    re.MULTILINE,
)
DOTTED = re.compile(r"(?<![\w./@:-])[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,8}(?![\w/@])")
DOCSTRING = re.compile(r"\"\"\"|'''|/\*\*|^[ \t]*///|^[ \t]*#'", re.MULTILINE)
TURN = re.compile(
    r"(?:^|[\s,\[{])['\"]?(?:user|assistant|human|system|customer|agent|q|a)['\"]?\s*:(?=\s)",
    re.IGNORECASE | re.MULTILINE,
)
NOT_PATHS = {"e.g", "i.e", "etc.", "a.k.a", "www"}
FILE_ENDINGS = {
    "py",
    "js",
    "json",
    "txt",
    "md",
    "html",
    "htm",
    "css",
    "xml",
    "yml",
    "yaml",
    "csv",
    "java",
    "cs",
    "com",
}

_LANGUAGES = {
    "Python": r"^[ \t]*(?:async )?def \w+\([^\n]*\)[^\n{]*:|^[ \t]*from [\w.]+ import |^[ \t]*class \w+[^\n{]*:\s*$",
    "Java": r"\b(?:public|private|protected)\s+(?:static\s+)?(?:final\s+)?[\w<>\[\], ]{1,80}\s\w+\s*\([^)]*\)\s*"
    r"(?:throws [\w, ]+)?\{|System\.out\.|\bimport java",
    "C#": r"\busing System\b|\bnamespace [\w.]+\s*[{;]|\bConsole\.Write|\bvirtual [A-Z]\w+ [A-Z]\w+\(",
    "PHP": r"<\?php|\$this->|\bfunction\s+\w+\s*\([^)]*\$\w+",
    "Go": r"^\s*func (?:\([^)]+\) )?\w+\(|^package \w+\s*$|\bfmt\.",
    "Ruby": r"^[ \t]*def [\w.?!]+(?:[ \t]*\([^)\n]*\))?[ \t]*$",
    "C or C++": r"#include\s*[<\"]|\bstd::|\bint main\s*\(|\bprintf\s*\(",
    "JavaScript": r"\bfunction\s*\w*\s*\([^)]*\)\s*\{|=>\s*[{(]|\b(?:const|let|var) \w+\s*=|console\.log",
    "SQL": r"\bSELECT\b[\s\S]{1,400}?\bFROM\b|\bCREATE TABLE\b|\bINSERT INTO\b",
    "Shell": r"^\s*(?:\$ |sudo |apt-get |pip install|npm |docker |git )|#!/bin/(?:ba)?sh",
}
PROGRAMMING = tuple((name, re.compile(pattern, re.MULTILINE)) for name, pattern in _LANGUAGES.items())
"""Programming languages by what only they have; the first that matches counts."""


@dataclass(frozen=True)
class Kinds:
    """How many of some texts have what."""

    texts: int
    code: int
    mixed: int
    """Prose around fenced blocks of code."""
    traces: int
    dotted: int
    docstrings: int
    languages: Counter[str]
    """Programming languages of texts that are code or hold some."""

    @property
    def prose(self) -> int:
        """Texts without code."""
        return self.texts - self.code - self.mixed


def kinds(texts: Iterable[str]) -> Kinds:
    """What some texts are."""
    count = code = mixed = traces = dotted = docstrings = 0
    languages: Counter[str] = Counter()
    for whole in texts:
        text = whole[:LOOKED_AT]
        count += 1
        fenced = FENCE.search(text) is not None
        is_code = not fenced and code_probability(text) >= CODE
        mixed += fenced
        code += is_code
        traces += TRACE.search(text) is not None
        dotted += bool(dotted_paths(text))
        docstrings += DOCSTRING.search(text) is not None
        if fenced or is_code:
            languages[programming_language(text) or "not recognised"] += 1
    return Kinds(count, code, mixed, traces, dotted, docstrings, languages)


def programming_language(text: str) -> str | None:
    """The programming language of a text, where a pattern tells it."""
    return next((name for name, pattern in PROGRAMMING if pattern.search(text[:LOOKED_AT])), None)


def dotted_paths(text: str) -> set[str]:
    """Names of the form `package.module.name`; two parts count where the name is called or written as code is."""
    found = set()
    for match in DOTTED.finditer(text[:LOOKED_AT]):
        path = match[0]
        parts = path.split(".")
        called = text[match.end() : match.end() + 1] == "("
        if path in NOT_PATHS or parts[-1].lower() in FILE_ENDINGS or parts[0] == "www":
            continue
        if len(parts) > 2 or called or "_" in path:
            found.add(path)
    return found


def libraries(text: str) -> set[str]:
    """The first part of what a text imports, includes or requires, and of its dotted paths of three parts and more."""
    text = text[:LOOKED_AT]
    found = imported(text)
    found |= {path.partition(".")[0] for path in dotted_paths(text) if path.count(".") > 1}
    return {name for name in found if len(name) > 1 and name not in ("self", "this", "cls", "the", "args")}


def frequent_libraries(texts: Iterable[str], count: int) -> list[tuple[str, int]]:
    """The libraries that most texts name, with how many do; equal ones by name."""
    found = Counter(name for text in texts for name in libraries(text))
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [(name, texts) for name, texts in ordered[:count] if texts > 1]


def turns(text: str) -> int:
    """How often somebody begins to speak, where the speakers are named."""
    return len(TURN.findall(text[: 10 * LOOKED_AT]))


def every_so_many(texts: Sequence[str], most: int) -> tuple[Sequence[str], int]:
    """Texts at even distances, no more than some number, and the distance; in order of id, so always the same."""
    step = max(1, -(-len(texts) // most))
    return texts[::step], step
