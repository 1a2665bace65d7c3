"""Tables as values, and the ways to show one: plain text, HTML and Markdown."""

from __future__ import annotations

import html as _html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hakari.display import visible

if TYPE_CHECKING:
    from rich import table as _rich


@dataclass(frozen=True)
class Table:
    """A title, column names, rows of finished cells, and what has to be said below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: Sequence[int] = (0,)
    """Columns aligned left; the others hold numbers."""
    notes: Sequence[str] = ()
    breaks: Sequence[int] = ()
    """Rows before which a line is drawn."""


def plain(*tables: Table) -> str:
    """The tables as text for a terminal or a log."""
    from io import StringIO

    from rich.console import Console

    out = Console(file=StringIO(), width=200, color_system=None, highlight=False, markup=False, emoji=False)
    for table in tables:
        out.print(rich_table(table))
        for line in table.notes:
            out.print(visible(line))
    return "\n".join(line.rstrip() for line in out.file.getvalue().splitlines()).strip("\n")  # type: ignore[attr-defined]


def html(*tables: Table) -> str:
    """The tables as HTML, everything in them escaped."""
    return "\n".join(_one_html(t) for t in tables)


def markdown(*tables: Table) -> str:
    """The tables as Markdown, for a pull request or a report."""
    return "\n\n".join(_markdown(t) for t in tables)


def number(value: float | None, digits: int = 3) -> str:
    """A number without a leading zero's noise: 0.123 as .123, 1 as 1.000, nothing as a dash."""
    if value is None or value != value:
        return "–"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def signed(value: float, digits: int = 3) -> str:
    """A difference, with its sign."""
    text = number(value, digits)
    return text if text.startswith("-") else f"+{text}"


def difference(value: float, low: float, high: float) -> str:
    """A difference with its sign and its interval."""
    return f"{signed(value)} [{number(low)}, {number(high)}]"


def p_value(p: float) -> str:
    """A p-value, not more exact than the resampling makes it."""
    return "<.001" if p < 0.001 else number(p)


def rich_table(table: Table) -> _rich.Table:
    """The table for a terminal."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=Text(visible(table.title)) if table.title else None, box=box.SIMPLE_HEAD)
    drawn.title_justify = "left"
    drawn.title_style = "bold"
    for index, name in enumerate(table.columns):
        text = index in table.texts
        drawn.add_column(
            Text(visible(name)), justify="left" if text else "right", no_wrap=not text, overflow="fold"
        )
    for index, row in enumerate(table.rows):
        if index in table.breaks:
            drawn.add_section()
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    return drawn


def _one_html(table: Table) -> str:
    def cell(tag: str, text: str, column: int) -> str:
        align = "left" if column in table.texts else "right"
        return f'<{tag} style="text-align:{align}">{_html.escape(visible(text))}</{tag}>'

    head = "".join(cell("th", c, i) for i, c in enumerate(table.columns))
    body = "".join(
        "<tr>" + "".join(cell("td", c, i) for i, c in enumerate(row)) + "</tr>" for row in table.rows
    )
    notes = "".join(f"<p>{_html.escape(visible(n))}</p>" for n in table.notes)
    caption = f"<caption>{_html.escape(visible(table.title))}</caption>" if table.title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _markdown(table: Table) -> str:
    def line(row: Sequence[str]) -> str:
        return "| " + " | ".join(markdown_text(c) for c in row) + " |"

    marks = [":--" if i in table.texts else "--:" for i in range(len(table.columns))]
    lines = [f"**{markdown_text(table.title)}**", ""] if table.title else []
    lines += [line(table.columns), "| " + " | ".join(marks) + " |", *map(line, table.rows)]
    if table.notes:
        lines += ["", *(markdown_text(n) for n in table.notes)]
    return "\n".join(lines)


def markdown_text(text: str) -> str:
    """Text in which nothing is Markdown, HTML, a link or a mention."""
    flat = _html.escape(visible(text).replace("\n", " "), quote=False)
    flat = re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)
    return re.sub(r"(?<!\w)@|(?<=:)(?=//)", lambda m: m[0] + "\u200b", flat)
