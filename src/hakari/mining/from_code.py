"""Pairs from code and its documentation: the shapes of nano tasks, over everything a source holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hakari.mining.rows import Account, Row
from hakari.mining.short_queries import short_query
from hakari.nano.definitions import Definition
from hakari.nano.draft import Stage
from hakari.nano.harvest import harvest
from hakari.nano.shapes import SHAPES, Limits, Pair, make_pairs
from hakari.nano.sources import find_sources, standard_library

KIND_OF_SHAPE = {
    "DocstringToFunction": "docstring-to-function",
    "FunctionToDocstring": "function-to-docstring",
    "FunctionCompletion": "beginning-to-rest",
    "ApiReference": "api-to-reference",
}
CODE_SHAPES = ("DocstringToFunction", "FunctionToDocstring", "FunctionCompletion")
PAGES = (".md", ".markdown", ".rst")
MIN_SECTION_WORDS, MAX_SECTION_CHARACTERS = 15, 4_000


def definitions_of(place: str | None) -> tuple[tuple[Definition, ...], tuple[Stage, ...]]:
    """The functions and classes of a folder, a package or, for None, the standard library."""
    harvested = harvest(standard_library() if place is None else find_sources(place))
    return harvested.definitions, harvested.stages


def code_rows(place: str | None, stages: list[Stage]) -> Iterator[Row]:
    """Docstring and function both ways, and the beginning of a function and its rest."""
    definitions, found = definitions_of(place)
    stages.extend(found)
    yield from _shaped(definitions, CODE_SHAPES, stages)


def reference_rows(place: str | None, stages: list[Stage]) -> Iterator[Row]:
    """What an API is called and does, and its entry; of a folder also headings and sections of its pages."""
    pages = _pages(Path(place)) if place is not None and Path(place).exists() else []
    if pages:
        yield from section_rows(pages, stages)
    if place is None or not pages or any(Path(place).rglob("*.py")):
        definitions, found = definitions_of(place)
        stages.extend(found)
        yield from _shaped(definitions, ("ApiReference",), stages)


def search_rows(place: str | None, stages: list[Stage]) -> Iterator[Row]:
    """Short queries as one types them into a search box, made of a function's summary and name, and the function."""
    definitions, found = definitions_of(place)
    stages.extend(found)
    shape = next(shape for shape in SHAPES if shape.task == "DocstringToFunction")
    pairs, stage = make_pairs(definitions, shape, Limits())
    stages.append(Stage("search-to-function", stage.seen, stage.kept, stage.left_out))
    languages = {definition.name: definition.language for definition in definitions}
    for pair in pairs:
        own_name = pair.name.partition("#")[0].rpartition(".")[2]
        query = short_query(pair.query, own_name, languages.get(pair.name, "python"))
        if query is not None:
            yield Row(
                query,
                pair.document,
                "search-to-function",
                pair.name,
                synthetic=True,
                facts={"from": pair.query},
            )


def _shaped(definitions: Sequence[Definition], names: Sequence[str], stages: list[Stage]) -> Iterator[Row]:
    for shape in SHAPES:
        if shape.task not in names:
            continue
        pairs, stage = make_pairs(definitions, shape, Limits())
        kind = KIND_OF_SHAPE[shape.task]
        stages.append(Stage(kind, stage.seen, stage.kept, stage.left_out))
        yield from (_row(pair, kind) for pair in pairs)


def _row(pair: Pair, kind: str) -> Row:
    return Row(pair.query, pair.document, kind, pair.name)


def _pages(place: Path) -> list[Path]:
    if place.is_file():
        return [place] if place.suffix.lower() in PAGES else []
    return sorted(p for p in place.rglob("*") if p.suffix.lower() in PAGES and p.is_file())


def section_rows(pages: Sequence[Path], stages: list[Stage]) -> Iterator[Row]:
    """The headings above a section, from the page down, and the section."""
    account = Account("sections")
    root = Path(*_common_parts(pages))
    for page in pages:
        try:
            text = page.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            account.leave_out("unreadable page")
            continue
        name = page.relative_to(root).as_posix() if page != root else page.name
        for path, body in sections(text, page.suffix.lower() == ".rst"):
            account.seen += 1
            if len(body.split()) < MIN_SECTION_WORDS:
                account.leave_out("section too short")
            elif len(body) > MAX_SECTION_CHARACTERS:
                account.leave_out("section too long")
            else:
                account.kept += 1
                yield Row(": ".join(path), body, "heading-to-section", f"{name}#{path[-1]}")
    stages.append(account.stage())


def _common_parts(pages: Sequence[Path]) -> tuple[str, ...]:
    parts = pages[0].parent.parts
    for page in pages[1:]:
        shared = [one for one, other in zip(parts, page.parent.parts, strict=False) if one == other]
        parts = tuple(shared)
    return parts


_FENCE = re.compile(r"^\s{0,3}(```|~~~)")
_ATX = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_LINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")


def sections(text: str, rest: bool = False) -> Iterator[tuple[tuple[str, ...], str]]:
    """The sections of a page, Markdown or reStructuredText, each with the headings that lead to it.

    Text above the first heading belongs to none and is left out; a heading within a code block is none.
    """
    path: list[tuple[int, str]] = []
    body: list[str] = []
    for level, title, line in _headed_lines(text.splitlines(), rest):
        if title is None:
            body.append(line)
            continue
        if path and "".join(body).strip():
            yield tuple(name for _, name in path), "\n".join(body).strip()
        body = []
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, title))
    if path and "".join(body).strip():
        yield tuple(name for _, name in path), "\n".join(body).strip()


def _headed_lines(lines: Sequence[str], rest: bool) -> Iterator[tuple[int, str | None, str]]:
    """Every line with its level and title where it is a heading; underlines and overlines are swallowed."""
    styles: list[str] = []
    fenced: str | None = None
    skip = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if skip:
            skip = False
            continue
        fence = None if rest else _FENCE.match(line)
        if fence and fenced in (None, fence[1]):
            fenced = None if fenced else fence[1]
        elif fenced is None:
            heading = None if rest else _ATX.match(line)
            if heading and heading[2]:
                yield len(heading[1]), heading[2], line
                continue
            under = _LINE.match(following)
            if under and _underlines(line, following, rest):
                styles.extend({under[1]} - set(styles))
                yield styles.index(under[1]) + 1 if rest else "=-".index(under[1]) + 1, line.strip(), line
                skip = True
                continue
            if (
                rest
                and _LINE.match(line)
                and number + 2 < len(lines)
                and lines[number + 2].strip() == line.strip()
            ):
                continue  # an overline, which repeats its underline
        yield 0, None, line


def _underlines(title: str, line: str, rest: bool) -> bool:
    if not title.strip() or _LINE.match(title) or title[0].isspace():
        return False
    if not rest:
        return line.strip()[0] in "=-" and not title.lstrip().startswith(("-", "*", "|", ">"))
    return len(line.strip()) >= len(title.rstrip())
