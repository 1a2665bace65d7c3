"""What pages are made of: values that say what is shown and never how; the templates draw them.

Text in them is plain text, whatever is in it: only `Prose` and `Figure` hold markup, and only the modules that
make those put it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from markupsafe import Markup


@dataclass(frozen=True)
class Link:
    """A link within the site (a path from its root) or to `http(s)`."""

    text: str
    to: str
    kind: ClassVar[str] = "link"


@dataclass(frozen=True)
class Code:
    """A name to be typed, or a piece of text in its own characters."""

    text: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Strong:
    """What the reader's eye should fall on."""

    text: str
    kind: ClassVar[str] = "strong"


@dataclass(frozen=True)
class Tag:
    """A short label, such as `published` beside figures that were not measured here."""

    text: str
    tone: str = "plain"
    """`plain`, `good`, `warn` or `published`."""
    kind: ClassVar[str] = "tag"


@dataclass(frozen=True)
class Bar:
    """A number with a bar as long as its share of a whole, and an interval where one is known."""

    text: str
    value: float
    """From 0 to 1."""
    low: float | None = None
    high: float | None = None
    tone: str = "measured"
    kind: ClassVar[str] = "bar"


Inline = str | Link | Code | Strong | Tag | Bar
Run = Inline | tuple[Inline, ...]


@dataclass(frozen=True)
class Para:
    """A paragraph."""

    text: Run
    kind: ClassVar[str] = "para"


@dataclass(frozen=True)
class Points:
    """A list of short statements."""

    items: Sequence[Run]
    kind: ClassVar[str] = "points"


@dataclass(frozen=True)
class Aside:
    """What has to be known to read the rest, set apart."""

    text: Run
    tone: str = "plain"
    kind: ClassVar[str] = "aside"


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns; columns of numbers are aligned right."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Run]]
    texts: Sequence[int] = (0,)
    """Columns of text; the others hold numbers."""
    note: str = ""
    marked: Sequence[int] = ()
    """Rows that stand out."""
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Facts:
    """Names and values, one a line."""

    caption: str
    rows: Sequence[tuple[str, Run]]
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Tiles:
    """A few numbers to be seen first."""

    tiles: Sequence[tuple[str, str, str]]
    """Value, what it is, and a word more."""
    kind: ClassVar[str] = "tiles"


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a text of a data set, with how long all of it is."""

    label: Run
    text: str
    counted: str = ""
    tone: str = "plain"
    kind: ClassVar[str] = "excerpt"


@dataclass(frozen=True)
class Group:
    """Blocks that belong together under a heading of their own."""

    title: str
    blocks: Sequence[Block] = ()
    id: str = ""
    kind: ClassVar[str] = "group"


@dataclass(frozen=True)
class Details:
    """Blocks that are folded away until they are asked for."""

    summary: str
    blocks: Sequence[Block] = ()
    kind: ClassVar[str] = "details"


@dataclass(frozen=True)
class Prose:
    """A maintainer's words, rendered from Markdown by `hakari.site.prose`."""

    markup: Markup
    kind: ClassVar[str] = "prose"


@dataclass(frozen=True)
class Figure:
    """A drawing made here, and what it shows in words."""

    svg: Markup
    caption: str
    kind: ClassVar[str] = "figure"


Block = Para | Points | Aside | Table | Facts | Tiles | Excerpt | Group | Details | Prose | Figure


@dataclass(frozen=True)
class Section:
    """A part of a page that the table of contents names."""

    id: str
    title: str
    blocks: Sequence[Block] = ()


@dataclass(frozen=True)
class Page:
    """One file of the site."""

    path: str
    """From the root of the site, as it is on disk."""
    title: str
    lead: Run = ""
    sections: Sequence[Section] = ()
    crumbs: Sequence[Link] = ()
    tags: Sequence[Tag] = ()
    tiles: Tiles | None = None
    kicker: str = ""
    scripts: Sequence[str] = field(default=())
    """Scripts of the site that the page runs, from its root; none on pages that only tell."""
