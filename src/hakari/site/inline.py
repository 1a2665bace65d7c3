"""The pieces of a line as HTML: text is put between tags here without a template, because tables are long."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from markupsafe import Markup

from hakari.display import visible
from hakari.site.blocks import Bar, Code, Inline, Link, Run, Strong, Tag

LONGEST = 20_000
"""Characters of one text on a page; what makes pages cuts far earlier and says so, this is the net below it."""

Href = Callable[[str], str]


def text(value: str) -> str:
    """Text as HTML, with nothing in it that could steer a page."""
    return escape(visible(value, LONGEST))


def run(parts: Run, href: Href) -> Markup:
    """One piece, or several in a row."""
    if isinstance(parts, tuple):
        return Markup("".join(_piece(part, href) for part in parts))
    return Markup(_piece(parts, href))


def _piece(part: Inline, href: Href) -> str:
    if isinstance(part, str):
        return text(part)
    if isinstance(part, Link):
        outside = ' rel="noopener noreferrer nofollow"' if part.to.startswith("http") else ""
        return f'<a href="{escape(href(part.to))}"{outside}><bdi>{text(part.text)}</bdi></a>'
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
