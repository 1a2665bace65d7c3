"""The rows that an audit flags, as a file that others can apply to their copy of the training data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari import __version__
from hakari.audit.index import VERSION
from hakari.audit.kinds import BY_NAME, KINDS, RISKS, SIMILAR
from hakari.audit.report import Reason, Report
from hakari.display import counted
from hakari.errors import Fault, InvalidInput, UsageError

MOST_REASONS = 20
"""Reasons that are written for one row."""


@dataclass(frozen=True)
class Removal:
    """Rows to leave out of one shard, which is known by its content."""

    name: str
    content: str
    rows: frozenset[int]


def removals(report: Report, risks: Sequence[str]) -> list[Removal]:
    """The rows of each shard that stand for one of these risks."""
    rows: dict[int, set[int]] = {number: set() for number, one in enumerate(report.scanned) if not one.fault}
    for row, reasons in report.flagged().items():
        if any(BY_NAME[reason.kind].risk in risks for reason in reasons):
            rows[row // Report.SHARD].add(row % Report.SHARD)
    return [
        Removal(report.scanned[number].shard.name, report.scanned[number].shard.content, frozenset(found))
        for number, found in rows.items()
    ]


def header(report: Report, risks: Sequence[str]) -> dict[str, Any]:
    """What made a manifest."""
    return {
        "hakari": __version__,
        "version": VERSION,
        "audit": report.index.identity,
        "tasks": {task.name: task.content for task in report.index.tasks},
        "rows_scanned": report.rows_scanned,
        "risks": list(risks),
        "shards": [
            {"shard": one.shard.name, "sha256": one.shard.content, "rows": one.rows, "fault": one.fault}
            for one in report.scanned
        ],
        "definitions": {kind.name: kind.definition(report.thresholds) for kind in KINDS},
        **similar_told(report),
    }


def similar_told(report: Report) -> dict[str, Any]:
    """The model that looked for paraphrases and its limits, where one did."""
    if report.similars is None:
        return {}
    rows = "unflagged" if report.similars.only_unflagged else "all"
    return {"similar": {**report.similars.similarity.told(), "rows": rows}}


def lines(report: Report, risks: Sequence[str]) -> Iterable[str]:
    """The manifest line by line: what made it, then one line for each flagged row."""
    yield json.dumps(header(report, risks), ensure_ascii=False, sort_keys=True)
    for row, reasons in report.flagged().items():
        kept = [reason for reason in reasons if BY_NAME[reason.kind].risk in risks]
        if not kept:
            continue
        scanned, at = report.place(row)
        kept.sort(key=_strength)
        told = {
            "shard": scanned.shard.name,
            "row": at,
            "kind": kept[0].kind,
            "risk": min((BY_NAME[reason.kind].risk for reason in kept), key=RISKS.index),
            "reasons": [reason.told() for reason in kept[:MOST_REASONS]],
        }
        yield json.dumps(told, ensure_ascii=False)


def _strength(reason: Reason) -> tuple[int, str, str, str]:
    order = [kind.name for kind in KINDS]
    return order.index(reason.kind), reason.task, reason.side, reason.id


def write_lines(path: Path, told: Iterable[str]) -> None:
    """Write a text file that takes its name when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(line + "\n" for line in told)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path) -> list[Removal]:
    """The removals that a manifest asks for."""
    rows: dict[str, set[int]] = {}
    try:
        with open(path, encoding="utf-8") as file:
            head = json.loads(file.readline())
            shards = {str(one["shard"]): str(one["sha256"]) for one in head["shards"] if not one["fault"]}
            for line in file:
                told = json.loads(line)
                rows.setdefault(str(told["shard"]), set()).add(int(told["row"]))
    except FileNotFoundError:
        raise UsageError(f"`{path}`: no such file", f"check the path with `ls {path.parent}`") from None
    except (ValueError, KeyError, TypeError) as error:
        fault = Fault(
            f"is no manifest of an audit: {error}", str(path), hint="write one with `--manifest FILE`"
        )
        raise InvalidInput("the manifest", [fault]) from None
    return [Removal(name, content, frozenset(rows.get(name, ()))) for name, content in shards.items()]


def statement(report: Report, risks: Sequence[str], removed: Mapping[str, int], cleaned: bool = True) -> str:
    """A paragraph for the card of a model that is trained on the data, or if `cleaned` on what is left of them."""
    names = [task.name for task in report.index.tasks]
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    kinds = [kind for kind in KINDS if kind.risk in risks and kind.name != "origin"]
    closing = "Paraphrases and translations are not found by these kinds."
    if SIMILAR in risks:
        closing = "Paraphrases further from the original, and translations, are not found by these kinds."
    definitions = "\n".join(
        f"- `{kind.name}` ({kind.risk}): {kind.definition(report.thresholds)}." for kind in kinds
    )
    left_out = [one.shard.name for one in report.scanned if one.fault]
    unread = (
        f" Shards that could not be read and are not part of it: {', '.join(left_out)}." if left_out else ""
    )
    held = f"{counted(sum(removed.values()), 'row')} held something of them and "
    held += "were left out" if cleaned else "are still there, for nothing was left out"
    held = held if any(removed.values()) else "No row held anything of them"
    return f"""## Leakage audit

{counted(report.rows_scanned, "row")} of training data were compared with the queries and the relevant documents of
{counted(len(names), "evaluation task")} ({shown}) by hakari {__version__}, audit `{report.index.identity[:16]}`.
{held}.{unread} What counts, on texts in normal form
(Unicode NFKC, without case, white space and punctuation):

{definitions}

{closing}
"""
