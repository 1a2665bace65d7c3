"""Small drawings: SVG without style or script, coloured by classes of the style sheet; each has text as its twin."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup
from markupsafe import escape as _escape

from hakari.display import visible

WIDTH = 720


def escape(text: str) -> Markup:
    """A name as text of a drawing, with nothing in it that could steer a page."""
    return _escape(visible(text, 200))


def histogram(rows: Sequence[tuple[str, str, Sequence[int]]], labels: Sequence[str], title: str) -> Markup:
    """Bars over the same bins, one band a row; a row is a name, a class of the style sheet and counts."""
    left, band, gap = 92, 84, 26
    height = len(rows) * (band + gap) + 22
    width = (WIDTH - left) / max(len(labels), 1)
    parts = [_open(height, title)]
    for number, (name, tone, counts) in enumerate(rows):
        top = number * (band + gap)
        most = max([*counts, 1])
        total = max(sum(counts), 1)
        parts.append(f'<text class="strong" x="0" y="{top + 20}">{escape(name)}</text>')
        parts.append(f'<text x="0" y="{top + 36}">{total:,}</text>')
        for i, count in enumerate(counts):
            tall = (band - 16) * count / most
            x = left + i * width
            if count:
                parts.append(
                    f'<rect class="{tone}" x="{x + 1.5:.1f}" y="{top + band - tall:.1f}" '
                    f'width="{width - 3:.1f}" height="{tall:.1f}" rx="2"/>'
                )
                share = f"{count / total:.0%}" if count / total >= 0.005 else "<1%"
                parts.append(
                    f'<text x="{x + width / 2:.1f}" y="{top + band - tall - 4:.1f}" '
                    f'text-anchor="middle">{escape(share)}</text>'
                )
        parts.append(
            f'<line class="axis" x1="{left}" x2="{WIDTH}" y1="{top + band + 0.5}" y2="{top + band + 0.5}"/>'
        )
        for i, label in enumerate(labels):
            x = left + (i + 0.5) * width
            parts.append(
                f'<text x="{x:.1f}" y="{top + band + 15}" text-anchor="middle">{escape(label)}</text>'
            )
    return Markup("".join(parts) + "</svg>")


def stacked(rows: Sequence[tuple[str, Sequence[tuple[str, str, int]]]], title: str) -> Markup:
    """One bar a row, in parts; a part is a name, a class of the style sheet and a count."""
    left, tall, gap = 92, 30, 20
    height = len(rows) * (tall + gap) + 4
    parts = [_open(height, title)]
    for number, (name, pieces) in enumerate(rows):
        top = number * (tall + gap)
        total = max(sum(count for _, _, count in pieces), 1)
        parts.append(f'<text class="strong" x="0" y="{top + 20}">{escape(name)}</text>')
        x = float(left)
        for label, tone, count in pieces:
            wide = (WIDTH - left) * count / total
            if count:
                parts.append(
                    f'<rect class="{tone}" x="{x:.1f}" y="{top}" width="{max(wide - 1, 0.5):.1f}" height="{tall}"/>'
                )
            if wide > 70:
                parts.append(f'<text x="{x + 2:.1f}" y="{top + tall + 13}">{escape(label)} {count:,}</text>')
            x += wide
    return Markup("".join(parts) + "</svg>")


def forest(rows: Sequence[tuple[str, float, float, float]], title: str) -> Markup:
    """Differences with their intervals about a line at zero; a row is a name, difference, low and high."""
    left, tall = 250, 24
    height = len(rows) * tall + 30
    reach = max([0.01, *(max(abs(low), abs(high)) for _, _, low, high in rows)])
    middle = left + (WIDTH - left) / 2
    scale = (WIDTH - left) / 2 / reach * 0.94
    parts = [_open(height, title)]
    parts.append(f'<line class="axis" x1="{middle}" x2="{middle}" y1="0" y2="{height - 24}"/>')
    for number, (name, diff, low, high) in enumerate(rows):
        y = number * tall + 14
        shown = name if len(name) <= 38 else name[:37] + "…"
        parts.append(f'<text x="0" y="{y + 4}">{escape(shown)}</text>')
        parts.append(
            f'<line class="diff" x1="{middle + scale * low:.1f}" x2="{middle + scale * high:.1f}" y1="{y}" y2="{y}"/>'
            f'<circle class="diff" cx="{middle + scale * diff:.1f}" cy="{y}" r="4"/>'
        )
    step = _round_step(reach)
    tick = -math.floor(reach * 0.94 / step) * step
    while tick <= reach * 0.94 + 1e-12:
        x = middle + scale * tick
        parts.append(f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle">{tick + 0.0:+.2g}</text>')
        tick += step
    return Markup("".join(parts) + "</svg>")


def _round_step(reach: float) -> float:
    """A round distance that gives a few ticks on either side."""
    rough = reach / 2.5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * f for f in (1, 2, 5, 10) if power * f >= rough)


def _open(height: float, title: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
