"""Every system on the task: values with intervals and rank ranges."""

from __future__ import annotations

from hakari.site import places
from hakari.site.blocks import Bar, Link, Para, Run, Section, Table
from hakari.site.digest import HEADLINE
from hakari.site.model import MEASURES
from hakari.site.task.view import View
from hakari.site.task.words import number, several

MOST = 80


def section(view: View) -> Section | None:
    """The table of systems, the highest first; ranges of ranks, because equal values have no order."""
    digest = view.digest
    if not digest.systems:
        return None
    order = sorted(digest.systems, key=lambda s: (-(digest.mean(s) or 0.0), s))
    rows: list[tuple[Run, ...]] = []
    for system in order[:MOST]:
        value, around = digest.mean(system) or 0.0, digest.interval(system)
        low, high = around or (None, None)
        place = digest.places[system]
        ranks = (
            "–" if digest.ranks is None else _range(int(digest.ranks[0, place]), int(digest.ranks[1, place]))
        )
        rows.append((
            Link(system.label, places.system_page(system)), system.family, ranks, Bar(number(value), value, low, high),
            "–" if around is None else f"{low:.4f} – {high:.4f}",
            *(number(digest.mean(system, m)) for m in MEASURES[1:]),
        ))  # fmt: skip
    columns = ["System", "Family", "Ranks", HEADLINE, "95 % interval", *MEASURES[1:]]
    note = f"The first {MOST} of {len(order)}; the board has all." if len(order) > MOST else ""
    return Section(
        "systems",
        "Every system on this task",
        [
            Para(f"{several(len(order), 'system')}, variants included. Ranks are what resampling leaves open; "
                 "systems whose ranges overlap are not put in order by this task."),
            Table(f"Systems by {HEADLINE}", columns, rows, texts=(0, 1), note=note),
        ],
    )  # fmt: skip


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"
