"""Documentation pages, Markdown and reStructuredText, as pairs of headings and the section below them."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from hakari.errors import MissingPrerequisite, install_hint
from hakari.nano.draft import Stage
from hakari.nano.shapes import Kind, Limits, Pair

KIND = Kind("HeadingToSection", "tutorials", True)
READERS = {".md": "markdown_it", ".markdown": "markdown_it", ".rst": "docutils"}
MAX_PAGE_BYTES = 1_000_000
_WORD = re.compile(r"[^\W\d_]{2,}")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.S)


class Heading(NamedTuple):
    """A heading and where it stands: its own lines are from `first` up to `body`, counted from 0."""

    level: int
    title: str
    first: int
    body: int


def section_pairs(
    pages: Sequence[Path], root: Path, limits: Limits | None = None
) -> tuple[list[Pair], tuple[Stage, ...]]:
    """What the headings above a section say, from the page down, and the section; and the account of both."""
    limits = limits or Limits()
    unread: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    pairs: list[Pair] = []
    for page in pages:
        found = sections_of(page, unread)
        names: Counter[str] = Counter()
        for path, body in found:
            reason = _unsuitable(path, body, limits)
            if reason:
                left_out[reason] += 1
                continue
            name = "-".join(f"{page.relative_to(root).as_posix()}#{path[-1]}".split())
            names[name] += 1
            number = f"#{names[name]}" if names[name] > 1 else ""
            pairs.append(Pair(name + number, ": ".join(path), body))
    kept = len(pages) - unread.total()
    stages = (
        Stage("pages", len(pages), kept, dict(sorted(unread.items()))),
        Stage("sections", len(pairs) + left_out.total(), len(pairs), dict(sorted(left_out.items()))),
    )
    return pairs, stages


def require_readers(pages: Sequence[Path]) -> None:
    """Raise where no page can be read for lack of a reader."""
    endings = sorted({page.suffix.lower() for page in pages})
    if endings and not any(_installed(ending) for ending in endings):
        packages = sorted({READERS[ending].replace("_", "-") for ending in endings})
        raise MissingPrerequisite(
            f"no reader for {' and '.join(f'`{e}`' for e in endings)} pages: {', '.join(packages)} is not installed",
            install_hint("code"),
        )


def _installed(ending: str) -> bool:
    return importlib.util.find_spec(READERS[ending]) is not None


def _unsuitable(path: tuple[str, ...], body: str, limits: Limits) -> str | None:
    if len(_WORD.findall(body)) < limits.min_entry_words:
        return "section too short"
    if len(body) > limits.max_characters or body.count("\n") >= limits.max_lines:
        return "section too long"
    if not _WORD.search(": ".join(path)):
        return "heading without a word"
    return None


def sections_of(page: Path, unread: Counter[str]) -> list[tuple[tuple[str, ...], str]]:
    """The sections of a page; none, and a reason in `unread`, where it cannot be read."""
    ending = page.suffix.lower()
    if not _installed(ending):
        unread[f"{ending}, whose reader {READERS[ending].replace('_', '-')} is not installed"] += 1
        return []
    try:
        if page.stat().st_size > MAX_PAGE_BYTES:
            unread["too large"] += 1
            return []
        text = page.read_text(encoding="utf-8-sig")
        if "\0" in text:
            raise ValueError("a NUL byte")
        return list(sections(text, rest=ending == ".rst"))
    except (OSError, ValueError, RecursionError):
        unread["unreadable"] += 1
        return []


def sections(text: str, rest: bool = False) -> Iterator[tuple[tuple[str, ...], str]]:
    """The sections of a page as they are written, each under the headings that lead to it.

    What stands above the first heading belongs to none. A heading whose text begins with another one has no
    section of its own.
    """
    text = text.replace("\r\n", "\n") if rest else _FRONT_MATTER.sub("", text.replace("\r\n", "\n"))
    lines = text.split("\n")
    headings = _rest_headings(text) if rest else _markdown_headings(text)
    ends = [heading.first for heading in headings[1:]] + [len(lines)]
    path: list[Heading] = []
    for heading, end in zip(headings, ends, strict=True):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        body = "\n".join(lines[heading.body : end]).strip("\n").rstrip()
        if body.strip():
            yield tuple(one.title for one in path), body


def _markdown_headings(text: str) -> list[Heading]:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    found = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map:
            title = " ".join(_plain(inline).split())
            found.append(Heading(int(opening.tag[1:]), title, *opening.map))
    return found


def _plain(inline: Any) -> str:
    """What a reader sees of a heading."""
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in inline.children or ()
        if child.type in ("text", "code_inline", "softbreak", "hardbreak", "text_special")
    )


def _rest_headings(text: str) -> list[Heading]:
    from docutils import nodes
    from docutils.core import publish_doctree

    settings = {
        "_disable_config": True,
        "doctitle_xform": False,
        "file_insertion_enabled": False,
        "halt_level": 6,
        "raw_enabled": False,
        "report_level": 5,
        "syntax_highlight": "none",
        "line_length_limit": MAX_PAGE_BYTES,
        "warning_stream": False,
    }
    lines = text.split("\n")
    found = []
    for section in publish_doctree(text, settings_overrides=settings).findall(nodes.section):
        title = section[0]
        under = title.line - 1  # the line of the title that is drawn below it
        above = under - 2
        over = above >= 0 and len(lines[above].strip()) > 1 and len(set(lines[above].strip())) == 1
        level = sum(isinstance(one, nodes.section) for one in _around(section)) + 1
        first = under - 2 if over and not lines[above].strip()[0].isalnum() else under - 1
        found.append(Heading(level, " ".join(title.astext().split()), first, under + 1))
    return sorted(found, key=lambda heading: heading.first)


def _around(node: Any) -> Iterator[Any]:
    while node.parent is not None:
        node = node.parent
        yield node
