"""The shapes of code task: how a definition becomes a query and its answer.

A shape is a function from one definition to a pair, or to the reason why there is none. It knows nothing of
other definitions; duplicates and choice are the business of `hakari.nano.sampling`.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hakari.nano.definitions import PYTHON, Definition
from hakari.nano.draft import Stage
from hakari.nano.languages import LANGUAGES

MASK = "___"


@dataclass(frozen=True)
class Limits:
    """What is too little to be worth finding and too much to read, in one place."""

    max_lines: int = 60
    max_characters: int = 2_000
    min_statements: int = 2
    """Of a function, so that one-line wrappers stay out."""
    min_code_characters: int = 80
    """Of a function, and of either half of one, white space not counted."""
    min_half_lines: int = 3
    """Lines of code in either half of a function."""
    min_summary_words: int = 4
    max_summary_characters: int = 300
    min_docstring_words: int = 8
    min_entry_words: int = 15
    """Of a reference entry beyond its summary."""


@dataclass(frozen=True)
class Pair:
    """A query and the document that answers it, under the name of the definition they come from."""

    name: str
    query: str
    document: str
    answer: str = ""
    """What the document comes from, where that is something else."""


class Unsuitable(Exception):
    """Why a definition makes no pair of some shape."""


@dataclass(frozen=True)
class Kind:
    """A kind of code task."""

    task: str
    name: str
    """The shape's name in the vocabulary of tasks: `text-to-code`, `api-docs`."""
    name_in_query: bool
    """Whether the query, rather than the document, shows what the definition is called."""

    @property
    def category(self) -> str:
        """`code`, but for prose about it."""
        return "natural_language" if self.name == "tutorials" else "code"


@dataclass(frozen=True)
class Shape(Kind):
    """A kind of code task that is made of definitions one by one."""

    make: Callable[[Definition, Limits], Pair]


def make_pairs(definitions: Iterable[Definition], shape: Shape, limits: Limits) -> tuple[list[Pair], Stage]:
    """All pairs of one shape, and the account of the definitions that made none."""
    pairs: list[Pair] = []
    left_out: Counter[str] = Counter()
    for definition in definitions:
        try:
            pair = shape.make(definition, limits)
            # Either text standing verbatim in the other would make finding it a matter of string search.
            if normalised(pair.query) in normalised(pair.document):
                raise Unsuitable("query stands in its document")
            if normalised(pair.document) in normalised(pair.query):
                raise Unsuitable("document stands in its query")
            pairs.append(pair)
        except Unsuitable as reason:
            left_out[str(reason)] += 1
    seen = len(pairs) + left_out.total()
    return pairs, Stage("pairs", seen, len(pairs), dict(sorted(left_out.items())))


def normalised(text: str) -> str:
    """Text without case and with single spaces: equal for texts that differ in nothing that matters here."""
    return " ".join(text.casefold().split())


def split_summary(docstring: str) -> tuple[str, str]:
    """The first sentence of a docstring on one line, and what follows it."""
    paragraph = _PARAGRAPH_END.split(docstring, maxsplit=1)[0]
    sentence = _SENTENCE_END.search(paragraph)
    end = sentence.end() if sentence else len(paragraph)
    return " ".join(docstring[:end].split()), docstring[end:].strip()


_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
# Not after an abbreviation or an initial, and only where a new sentence plausibly begins.
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<![ .][A-Za-z])[.!?](?=\s+[A-Z\"'`(*:])")
_CALL = re.compile(r"[\w.]+\s*\(")
_PATH_SIGNS = r"(?:\.|::|->|#)"
_TAG = re.compile(r"[@\\]\w")
_WORD = re.compile(r"[^\W\d_]{2,}")


def _summary(definition: Definition, limits: Limits) -> tuple[str, str]:
    if not definition.docstring:
        raise Unsuitable("no docstring")
    summary, rest = split_summary(definition.docstring)
    if _CALL.match(summary):
        raise Unsuitable("docstring begins with a signature")
    if definition.language != PYTHON and _TAG.match(summary):
        raise Unsuitable("docstring begins with a tag")
    if len(_WORD.findall(summary)) < limits.min_summary_words:
        raise Unsuitable("summary too short")
    if len(summary) > limits.max_summary_characters:
        raise Unsuitable("summary too long")
    return summary, rest


def function_text(definition: Definition, limits: Limits) -> str:
    """The text of a function that is worth finding; raises `Unsuitable` for any other."""
    if definition.kind == "class" or not definition.code:
        raise Unsuitable("not a function")
    code = definition.code
    if definition.statements < limits.min_statements or weight(code) < limits.min_code_characters:
        raise Unsuitable("trivial function")
    if code.count("\n") >= limits.max_lines or len(code) > limits.max_characters:
        raise Unsuitable("function too long")
    return code


def weight(code: str) -> int:
    """Characters without white space."""
    return len("".join(code.split()))


def _docstring(definition: Definition, limits: Limits) -> str:
    text = definition.docstring
    if len(_WORD.findall(text)) < limits.min_docstring_words:
        raise Unsuitable("docstring too short" if text else "no docstring")
    if text.count("\n") >= limits.max_lines or len(text) > limits.max_characters:
        raise Unsuitable("docstring too long")
    return text


def _docstring_to_function(definition: Definition, limits: Limits) -> Pair:
    code = function_text(definition, limits)
    return Pair(definition.name, _unnamed(_summary(definition, limits)[0], definition), code)


def _function_to_docstring(definition: Definition, limits: Limits) -> Pair:
    code = function_text(definition, limits)
    return Pair(definition.name, code, _unnamed(_docstring(definition, limits), definition))


def _unnamed(text: str, definition: Definition) -> str:
    """Text without the name of the function, where it is a name and no word of prose.

    Comments of Go and C are written around that name, so it alone would find the function.
    """
    name = definition.own_name
    if definition.language == PYTHON or not _is_coined(name):
        return text
    return mask_name(text, name, _PATH_SIGNS)


def _is_coined(name: str) -> bool:
    """Whether nobody would write a name as a word: `readFile`, `read_file`, `utf8`, but not `read`."""
    return re.fullmatch(r"[A-Z]?[a-z]+", name) is None


def _function_completion(definition: Definition, limits: Limits) -> Pair:
    lines = function_text(definition, limits).split("\n")
    halves = [("\n".join(lines[:cut]), "\n".join(lines[cut:])) for cut in definition.statement_lines[1:]]
    marks = LANGUAGES[definition.language].comments
    fit = [half for half in halves if all(_is_meaningful(side, limits, marks) for side in half)]
    if not fit:
        raise Unsuitable("no two meaningful halves")
    begin, rest = min(fit, key=lambda half: abs(weight(half[0]) - weight(half[1])))
    return Pair(definition.name, begin.rstrip(), textwrap.dedent(rest).strip("\n"))


def _is_meaningful(half: str, limits: Limits, marks: tuple[str, ...]) -> bool:
    code = [line for line in half.split("\n") if line.strip() and not line.lstrip().startswith(marks)]
    return len(code) >= limits.min_half_lines and weight("".join(code)) >= limits.min_code_characters


def _api_reference(definition: Definition, limits: Limits) -> Pair:
    if not definition.public:
        raise Unsuitable("private")
    summary, rest = _summary(definition, limits)
    if len(_WORD.findall(rest)) < limits.min_entry_words:
        raise Unsuitable("nothing beyond the summary" if not rest else "entry too short")
    entry = f"{definition.header or MASK + definition.signature}\n\n{rest}"
    if entry.count("\n") >= limits.max_lines or len(entry) > limits.max_characters:
        raise Unsuitable("entry too long")
    signs = r"\." if definition.language == PYTHON else _PATH_SIGNS
    query = f"{definition.api_path}: {summary}"
    return Pair(definition.name, query, mask_name(entry, definition.own_name, signs))


def mask_name(text: str, name: str, sign: str = r"\.") -> str:
    """Text with every mention of a name, as a whole word in any case and with the path before it, masked."""
    return re.sub(rf"(?<!\w)(?:\w+{sign})*{re.escape(name)}(?!\w)", MASK, text, flags=re.IGNORECASE)


SHAPES = (
    Shape("DocstringToFunction", "text-to-code", False, _docstring_to_function),
    Shape("FunctionToDocstring", "code-to-text", True, _function_to_docstring),
    Shape("FunctionCompletion", "code-to-code", True, _function_completion),
    Shape("ApiReference", "api-docs", True, _api_reference),
)
