"""The pieces of a line as HTML: text is put between tags here without a template, because tables are long."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape

from markupsafe import Markup

from hakari.display import visible
from hakari.site.blocks import Bar, Code, Inline, Link, Run, Strong, Table, Tag

NUMBER = ' class="n"'
LONGEST = 20_000
"""Characters of one text on a page; what makes pages cuts far earlier and says so, this is the net below it."""

_JOINTS = re.compile(r"(?<=[a-z0-9][a-z0-9])(?=[A-Z])|(?<=[/,(_:=>])(?=\w)")
SHORT_CELL, LONG_CELL = 20, 28
"""Characters up to which the texts of a column stay on one line, and from which they get more room."""
LONG_NAME = 16
"""Characters from which a name is told where it may be broken."""
SHORT = 100
"""Characters up to which a text as HTML is kept, to be used again."""

Href = Callable[[str], str]


def text(value: str) -> str:
    """Text as HTML, with nothing in it that could steer a page."""
    return _short(value) if len(value) <= SHORT else _escaped(value)


def _escaped(value: str) -> str:
    return escape(visible(value, LONGEST))


_short = lru_cache(maxsize=50_000)(_escaped)
"""Names and numbers come again and again."""


@lru_cache(maxsize=50_000)
def name(value: str) -> str:
    """A name as HTML that breaks between its parts where a line is too short for it."""
    shown = visible(value, LONGEST)
    if " " in shown or not LONG_NAME < len(shown) <= SHORT:
        return escape(shown)
    return "<wbr>".join(map(escape, _JOINTS.split(shown)))


def run(parts: Run, href: Href) -> Markup:
    """One piece, or several in a row."""
    return Markup(_pieces(parts, href))


def table(it: Table, href: Href) -> Markup:
    """A table that sorts nowhere and scrolls aside where it is wide."""
    cells = [("td", _kind_of(it, i)) for i in range(len(it.columns))]
    if cells:
        cells[0] = ("th", f' scope="row"{cells[0][1]}')
    made = [
        f'<div class="scroll" role="region" aria-label="{text(it.caption)}" tabindex="0"><table class="data">\n'
        f"<caption>{text(it.caption)}</caption>\n<thead><tr>"
    ]
    for i, column in enumerate(it.columns):
        made.append(f'<th scope="col"{"" if i in it.texts else NUMBER}>{name(column)}</th>')
    made.append("</tr></thead>\n<tbody>\n")
    for number, row in enumerate(it.rows):
        made.append('<tr class="marked">' if number in it.marked else "<tr>")
        for (tag, attributes), cell in zip(cells, row, strict=True):
            made.append(f"<{tag}{attributes}>{_pieces(cell, href)}</{tag}>")
        made.append("</tr>\n")
    made.append("</tbody></table></div>\n")
    if it.note:
        made.append(f'<p class="note">{text(it.note)}</p>\n')
    return Markup("".join(made))


def _kind_of(it: Table, column: int) -> str:
    """Numbers stand at the right; short texts stay on one line, and long ones get room."""
    if column not in it.texts:
        return NUMBER
    lengths = [_length(row[column]) for row in it.rows] if column else []
    longest = max(lengths, default=0)
    return ' class="l"' if longest > LONG_CELL else ' class="s"' if 0 < longest <= SHORT_CELL else ""


def _length(parts: Run) -> int:
    """Characters of a cell, about."""
    if isinstance(parts, tuple):
        return sum(map(_length, parts))
    return len(parts if isinstance(parts, str) else parts.text)


def _pieces(parts: Run, href: Href) -> str:
    return "".join(_piece(part, href) for part in parts) if isinstance(parts, tuple) else _piece(parts, href)


def _piece(part: Inline, href: Href) -> str:
    if isinstance(part, str):
        return text(part)
    if isinstance(part, Link):
        outside = ' rel="noopener noreferrer nofollow"' if part.to.startswith("http") else ""
        return f'<a href="{escape(href(part.to))}"{outside}><bdi>{name(part.text)}</bdi></a>'
    if isinstance(part, Bar):
        return f'<span class="measure">{_bar(part)}<span class="value">{text(part.text)}</span></span>'
    if isinstance(part, Code):
        return f'<code dir="auto">{text(part.text)}</code>'
    if isinstance(part, Tag):
        return f'<span class="tag {escape(part.tone)}">{text(part.text)}</span>'
    assert isinstance(part, Strong)
    return f"<strong>{text(part.text)}</strong>"


def _bar(part: Bar) -> str:
    around = ""
    if part.low is not None and part.high is not None:
        around = f'<path class="interval" d="M{100 * part.low:.1f} 6H{100 * part.high:.1f}"/>'
    return (
        f'<svg class="bar {escape(part.tone)}" viewBox="0 0 100 12" width="100" height="12" aria-hidden="true" '
        'preserveAspectRatio="none"><rect class="rail" width="100" height="12" rx="2"/>'
        f'<rect class="fill" width="{100 * part.value:.1f}" height="12" rx="2"/>{around}</svg>'
    )
