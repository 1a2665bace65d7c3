"""Pairs from code and its documentation: the shapes of nano tasks, over everything a source holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hakari.mining.rows import Account, Row
from hakari.mining.short_queries import short_query
from hakari.nano.definitions import Definition
from hakari.nano.draft import Stage
from hakari.nano.harvest import harvest
from hakari.nano.pages import require_readers, sections_of
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
    if place is None or not pages or find_sources(place).stage.seen:
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
    require_readers(pages)
    root = Path(*_common_parts(pages))
    for page in pages:
        unread: Counter[str] = Counter()
        found = sections_of(page, unread)
        for reason in unread:
            account.leave_out("unreadable page" if reason == "unreadable" else reason)
        name = page.relative_to(root).as_posix() if page != root else page.name
        for path, body in found:
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
