"""Which programming language a text is written in, by the marks that a reader would go by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

_FENCE = re.compile(r"```([A-Za-z+#]{1,12})\n")
_MARKS: Mapping[str, tuple[str, ...]] = {
    "python": (r"^\s*def \w+\(.*\).*:\s*$", r"^\s*(?:from [\w.]+ )?import \w+", r"\bself\.", r"^\s*elif .*:\s*$"),
    "java": (r"\bpublic (?:static |final )*(?:class|void|\w+) \w+", r"\bSystem\.out\.", r"\bnew \w+<", r"@Override"),
    "javascript": (r"\b(?:const|let|var) \w+ =", r"=>\s*[{(]", r"\bfunction\s*\w*\(", r"\bconsole\.log", r"==="),
    "go": (r"^\s*func (?:\(\w+ \*?\w+\) )?\w+\(", r":= ", r"^package \w+$", r"\berr != nil"),
    "rust": (r"\bfn \w+(?:<[^>]*>)?\(", r"\blet mut ", r"\bimpl\b.*\{", r"->\s*(?:Result|Option)<", r"\w+!\("),
    "c": (r"^#include <\w+\.h>", r"\bprintf\(", r"\b(?:char|int|void) \*\w+", r"\bmalloc\("),
    "cpp": (r"\bstd::", r"^#include <\w+>", r"\bcout\b|\bcin\b", r"\btemplate\s*<"),
    "csharp": (r"^using System", r"\bConsole\.Write", r"\bnamespace \w+", r"\bpublic (?:async )?\w+ \w+\s*\{ get"),
    "sql": (r"(?i)\bselect\b.+\bfrom\b", r"(?i)\binsert into\b", r"(?i)\bcreate table\b", r"(?i)\bgroup by\b"),
    "php": (r"<\?php", r"\$\w+->", r"\bfunction \w+\(\$", r"\becho \$"),
    "ruby": (r"^\s*def \w+[?!]?\s*$", r"\bend$", r"\.each do \|", r"\bputs\b"),
    "shell": (r"^#!/bin/(?:ba)?sh", r"\$\{?\w+\}?", r"\bfi$|\bdone$|\besac$", r"^\s*(?:sudo|apt|export|echo) "),
}  # fmt: skip


@lru_cache(maxsize=1)
def _patterns() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return {name: tuple(re.compile(mark, re.MULTILINE) for mark in marks) for name, marks in _MARKS.items()}


@lru_cache(maxsize=20_000)
def code_language(text: str) -> str | None:
    """The programming language that a text names at a code block, or has at least two marks of; else None."""
    fence = _FENCE.search(text)
    if fence:
        return fence[1].lower()
    found = Counter(
        {name: sum(bool(mark.search(text)) for mark in marks) for name, marks in _patterns().items()}
    )
    (best, most), (_, second) = found.most_common(2)
    return best if most >= 2 and most > second else None
