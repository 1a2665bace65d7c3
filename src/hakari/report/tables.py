"""Tables as values, and the ways to show one: plain text, HTML and Markdown."""

from __future__ import annotations

import html as _html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hakari.display import short_paths, visible

if TYPE_CHECKING:
    from rich import table as _rich
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text


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


DETECTABLE = "detectable: the smallest true difference that these queries could have shown, with 80 % power."
"""The note below a column of `detectable`."""
PLAIN_WIDTH = 200
"""How wide the tables of `repr` may be; what is wider is drawn in parts."""
GAP = 2
"""Spaces between columns."""
FOLDED = 8
"""How narrow a column of text may become before a table is rather wider than the terminal."""


def plain(*tables: Table) -> str:
    """The tables as text for a terminal or a log."""
    from io import StringIO

    from rich.console import Console

    out = Console(
        file=StringIO(), width=PLAIN_WIDTH, color_system=None, highlight=False, markup=False, emoji=False
    )
    draw(out, tables)
    return out.file.getvalue().strip("\n")  # type: ignore[attr-defined]


def draw(console: Console, tables: Sequence[Table]) -> None:
    """Draw tables and their notes on a console, those that are too wide for it in parts."""
    from rich.text import Text

    for i, table in enumerate(shortened(tables)):
        if i:
            console.print()
        if table.title:
            console.print(Text(visible(table.title), style="bold"))
            console.print()
        for part in fitting(table, console.width):
            for line in _lines(console, part):
                console.print(line, soft_wrap=True)
            console.print()
        for note in table.notes:
            console.print(visible(note))


def shortened(tables: Sequence[Table]) -> list[Table]:
    """The tables with the ends of long paths only, where models are named by their folder."""
    every = [text for t in tables for line in ([t.title, *t.columns, *t.notes], *t.rows) for text in line]
    short = short_paths(every)
    return [
        replace(
            t,
            title=short(t.title),
            columns=[short(c) for c in t.columns],
            rows=[[short(c) for c in row] for row in t.rows],
            notes=[short(n) for n in t.notes],
        )
        for t in tables
    ]


def fitting(table: Table, width: int) -> list[Table]:
    """The table as it is where it fits; else in parts that do, each with the leading columns of text.

    Columns of numbers are never cut. A table of text alone is left to be folded. Where the first column names
    groups of rows, a narrow table has these names on lines of their own, which leaves more room for numbers.
    """
    if _width(table, range(len(table.columns))) <= width or len(table.texts) == len(table.columns):
        return [table]
    if len(table.texts) > 1 and 1 in table.texts and any(row[0] == "" for row in table.rows):
        table = _with_headings(table)
    keys = [i for i in range(len(table.columns)) if set(range(i + 1)) <= set(table.texts)]
    parts: list[list[int]] = []
    for column in range(len(keys), len(table.columns)):
        if parts and _width(table, [*keys, *parts[-1], column]) <= width:
            parts[-1].append(column)
        else:
            parts.append([column])
    return [_part(table, [*keys, *part]) for part in parts]


def _width(table: Table, columns: Sequence[int]) -> int:
    return sum(_widths(table)[i] + GAP for i in columns) - GAP


def _widths(table: Table) -> list[int]:
    from rich.cells import cell_len

    lines = [table.columns, *table.rows]
    return [max(cell_len(visible(line[i])) for line in lines) for i in range(len(table.columns))]


def _part(table: Table, columns: Sequence[int]) -> Table:
    texts = [place for place, i in enumerate(columns) if i in table.texts]
    rows = [[row[i] for i in columns] for row in table.rows]
    return Table("", [table.columns[i] for i in columns], rows, texts=texts, breaks=table.breaks)


def _with_headings(table: Table) -> Table:
    """The first column as lines of their own within the second."""
    rows: list[list[str]] = []
    breaks: list[int] = []
    for i, (name, *rest) in enumerate(table.rows):
        if i in table.breaks:
            breaks.append(len(rows))
        if name:
            rows.append([name, *[""] * (len(rest) - 1)])
        rows.append([f"  {rest[0]}", *rest[1:]])
    heading = f"{table.columns[0]}, {table.columns[1]}"
    texts = [i - 1 for i in table.texts if i > 0]
    return Table(table.title, [heading, *table.columns[2:]], rows, texts=texts, breaks=breaks)


def html(*tables: Table) -> str:
    """The tables as HTML, everything in them escaped."""
    return "\n".join(_one_html(t) for t in shortened(tables))


def markdown(*tables: Table) -> str:
    """The tables as Markdown, for a pull request or a report."""
    return "\n\n".join(_markdown(t) for t in shortened(tables))


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


def detectable(smallest: float | None) -> str:
    """The smallest difference that could have been shown; none can be beyond 1."""
    return ">1" if smallest is not None and smallest > 1 else number(smallest)


def p_value(p: float) -> str:
    """A p-value, not more exact than the resampling makes it."""
    return "<.001" if p < 0.001 else number(p)


def _lines(console: Console, table: Table) -> list[Text]:
    """The lines of a table, without the spaces at their ends that only fill the box."""
    widths = _widths(table)
    numbers = [width for i, width in enumerate(widths) if i not in table.texts]
    least = sum(numbers) + FOLDED * (len(widths) - len(numbers)) + GAP * len(widths)
    options = console.options.update(width=max(console.width, least))
    lines = console.render_lines(_rich_table(table), options, pad=False)
    drawn = [_joined(line) for line in lines]
    for line in drawn:
        line.rstrip()
    return drawn


def _joined(line: Sequence[Segment]) -> Text:
    from rich.text import Text

    return Text.assemble(*((segment.text, segment.style or "") for segment in line))


def _rich_table(table: Table) -> _rich.Table:
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        show_header=any(table.columns),
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),
    )
    widths = _widths(table)

    def cell(text: str, column: int) -> Text:
        shown = visible(text)
        # Aligned here, for rich takes spaces off the ends of what it aligns right, and numbers would not line up.
        room = 0 if column in table.texts else widths[column] - cell_len(shown)
        return Text(" " * room + shown)

    for index, name in enumerate(table.columns):
        drawn.add_column(cell(name, index), no_wrap=index not in table.texts, overflow="fold")
    for index, row in enumerate(table.rows):
        if index in table.breaks:
            drawn.add_section()
        drawn.add_row(*(cell(text, column) for column, text in enumerate(row)))
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
