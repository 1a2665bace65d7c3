"""How an audit is told: tables on standard output, columns and shards on standard error, examples side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hakari.audit.inside import CHECKS
from hakari.audit.kinds import KINDS, NOT_AUDITED, RISKS
from hakari.display import counted, visible
from hakari.report.tables import Table

if TYPE_CHECKING:
    from rich.text import Text

    from hakari.audit.examples import Span
    from hakari.audit.inside import Finding
    from hakari.audit.report import Count, Report

SHOWN_TASKS = 60
RULE = (
    "Risk: direct, a whole text stands in a row; near, most of one does, edited, reordered, renamed or in pieces; "
    "similar, a model takes a row for a rewording; partial, a part or a name of one does; none found; not audited, "
    "nothing of it could be compared."
)


def columns_told(report: Report) -> Iterator[str]:
    """The columns that were read of each shard, each set of them once."""
    told: dict[tuple[str, ...], list[str]] = {}
    for one in report.scanned:
        if not one.fault:
            read = tuple(f"{c.role} `{c.name}`" + (" (guessed)" if c.guessed else "") for c in one.columns)
            told.setdefault(read, []).append(one.shard.name)
    for read, names in told.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"columns of {names[0]}{more}: {', '.join(read)}"


def faults_told(report: Report) -> Iterator[str]:
    """The shards that were left out."""
    for one in report.scanned:
        if one.fault:
            yield f"not scanned: {one.shard.name}: {one.fault.removeprefix(f'{one.shard.path}: ')}"


def tables(report: Report) -> Iterator[Table]:
    """Counts of the kinds that matched, by task and side, and what each of these kinds is."""
    kinds = [k for k in KINDS if any(c.matched or c.rows for c in report.counts if c.kind == k.name)]
    risks = report.risks()
    tasks = sorted(risks, key=lambda task: RISKS.index(risks[task]))
    rows: list[list[str]] = []
    breaks: list[int] = []
    by_place = {(c.task, c.side, c.kind): c for c in report.counts}
    for task in tasks[:SHOWN_TASKS]:
        breaks.append(len(rows))
        for side in ("query", "positive", "pair"):
            counts = [by_place[task, side, kind.name] for kind in KINDS]
            worst = min((c.risk for c in counts), key=RISKS.index)
            shown = [by_place[task, side, kind.name] for kind in kinds]
            cells = [_told(c) for c in shown]
            rows.append([task if side == "query" else "", side, f"{counts[0].total:,}", *cells, worst])
    left_out = sum(bool(one.fault) for one in report.scanned)
    are = "is" if left_out == 1 else "are"
    notes = [
        f"{counted(report.rows_scanned, 'row')} scanned of {counted(len(report.scanned) - left_out, 'shard')}"
        + (f"; {counted(left_out, 'shard')} could not be read and {are} not audited" if left_out else ""),
        *(f"{kind.name}: {kind.definition(report.thresholds)}." for kind in kinds),
        RULE,
    ]
    if len(tasks) > SHOWN_TASKS:
        notes.insert(0, f"{len(tasks) - SHOWN_TASKS:,} more tasks with no greater risk: see `--json`.")
    columns = ["task", "side", "texts", *(kind.name for kind in kinds), "risk"]
    yield Table("", columns, rows, texts=(0, 1, len(columns) - 1), notes=notes, breaks=breaks[1:])
    held = len(report.flagged())
    share = held / report.rows_scanned if report.rows_scanned else 0.0
    yield Table(
        "over all",
        ["tasks", "risk", "rows scanned", "rows flagged", "share"],
        [[f"{len(tasks):,}", report.risk, f"{report.rows_scanned:,}", f"{held:,}", f"{share:.2%}"]],
        texts=(1,),
    )


def _told(count: Count) -> str:
    if count.kind == "origin" and count.rows:
        return counted(count.rows, "row")
    return "" if count.risk == NOT_AUDITED else f"{count.matched:,}"


def inside_tables(findings: Sequence[Finding], count: int) -> Iterator[Table]:
    """Leaks inside a benchmark, with one example of each."""
    rows = []
    for told in (finding.to_json() for finding in findings):
        name, other, kind = told["examples"][0]
        kinds = ", ".join(f"{k} {n:,}" for k, n in told["kinds"].items())
        other_task = "" if told["other"] == told["task"] else told["other"]
        example = visible(f"{name} and {other}, {kind}", 80)
        sizes = [f"{told['count']:,}", f"{told['total']:,}"]
        rows.append([told["task"], told["check"], other_task, *sizes, kinds, example])
    notes = [f"{name}: {what}." for name, what in CHECKS.items() if any(f.check == name for f in findings)]
    notes.insert(0, f"{counted(count, 'task')} compared" + ("." if rows else "; none found."))
    columns = ["task", "check", "with", "texts", "of", "kinds", "for example"]
    yield Table("", columns, rows, texts=(0, 1, 2, 5, 6), notes=notes)


def print_examples(report: Report, count: int) -> None:
    """Print some matches, both texts side by side, with what they share marked."""
    from rich.table import Table as RichTable
    from rich.text import Text

    from hakari.audit.examples import examples
    from hakari.cli.output import console

    out = console()
    for example in examples(report, count):
        reason, facts = example.reason, example.facts
        heading = (
            f"{reason.kind}: {reason.side} {reason.id} of {reason.task}, {example.shard} row {example.row}; "
        )
        if "cosine" in facts:
            heading += f"cosine {facts['cosine']:.3f}"
        else:
            heading += (
                f"containment {facts['containment']:.2f}, Jaccard {facts['jaccard']:.2f}, "
                f"longest run {facts['longest']:.0f} of {facts['words']:.0f} words"
            )
        out.print(Text(visible(heading), style="bold"))
        table = RichTable(box=None, show_header=False, padding=(0, 2, 0, 0), expand=out.width < 1000)
        table.add_column(ratio=1, overflow="fold")
        table.add_column(ratio=1, overflow="fold")
        plain = out.width >= 1000 or not out.is_terminal
        text, row = (
            marked(example.text, example.text_marks, plain),
            marked(example.row_text, example.row_marks, plain),
        )
        if out.width >= 1000:
            out.print("  task: ", text, sep="", soft_wrap=True)
            out.print("  row:  ", row, sep="", soft_wrap=True)
        else:
            table.add_row(text, row)
            out.print(table)
        out.print()


AROUND, LONGEST = 60, 700


def marked(text: str, marks: tuple[Span, ...], plain: bool) -> Text:
    """A text cut to what is shared and something around it, what is shared in `«»` or in reverse."""
    from rich.text import Text

    start = max(0, marks[0][0] - AROUND) if marks else 0
    shown, at = Text("…" if start else ""), start
    for first, last in marks:
        if first - start > LONGEST:
            break
        shown.append(visible(text[at:first]))
        part = visible(text[first : min(last, start + LONGEST)])
        shown.append(f"«{part}»" if plain else part, style=None if plain else "reverse")
        at = min(last, start + LONGEST)
    rest = text[at : start + LONGEST]
    shown.append(visible(rest[: AROUND if marks else LONGEST]))
    if len(text) > at + len(rest[: AROUND if marks else LONGEST]):
        shown.append("…")
    if plain:
        return Text(" ".join(shown.plain.split()))
    return shown
