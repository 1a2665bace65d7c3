"""Training data that may help, and what is known of its overlap with the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hakari.io.audits import recorded
from hakari.site.blocks import Aside, Block, Code, Para, Points, Prose, Run, Section, Table
from hakari.site.task.view import View
from hakari.site.task.words import PUBLISHED, SHAPES, count, share

HELPFUL = {
    "text-to-code": "short requests with the function that fulfils each, functions of like names as hard negatives",
    "code-to-text": "functions with their documentation, that of their neighbours as hard negatives",
    "code-to-code": "programs with the same behaviour in other languages, and functions cut in two",
    "text-to-sql": "questions with statements and schemas, other statements over the same tables as hard negatives",
    "dialogue": "dialogues with an assistant, earlier replies of the same dialogue as hard negatives",
    "qa": "questions with accepted answers, other answers about the same API or error as hard negatives",
    "api-docs": "API names and summaries with reference entries, their neighbours in the namespace as hard negatives",
    "tutorials": "problems with the tutorials that teach them, other chapters of the same tutorial as hard negatives",
}
AUDIT = {
    "normalized_exact_query_matches": "Queries found word for word (normalised)",
    "normalized_exact_positive_matches": "Positives found word for word (normalised)",
    "normalized_exact_query_positive_matches": "Queries found together with their positive",
    "high_shingle_query_matches": "Queries with most of their shingles in one row",
    "high_shingle_positive_matches": "Positives with most of their shingles in one row",
}


def section(view: View) -> Section:
    """What kind of data would help, and what must be kept out of it."""
    blocks: list[Block] = []
    if "Training data" in view.words:
        blocks.append(Prose(view.words["Training data"]))
    shape = view.digest.traits.get("shape") or ""
    if shape in HELPFUL:
        blocks.append(Para(f"By its shape, what helps is {HELPFUL[shape]}."))
    blocks.append(
        Points(
            [
                "Keep out the queries of this task, their positives, and the pairs of both; also under other names, "
                "reworded or cut.",
                "Splits derived from the same source as the task count as the task, until an audit says otherwise.",
            ]
        )
    )
    blocks += state(view)
    return Section("training", "Training data and leakage", blocks)


def state(view: View) -> list[Block]:
    """The audits on record, or that there are none."""
    published = view.row.get("leakage_audit")
    found = _audit(published, PUBLISHED) if published else []
    if view.task is not None:
        for entry in recorded(view.task.source, view.task.split):
            found += _audit(entry, f"Recorded {entry.get('date', '')}, risk: {entry['risk']}.")
    return found or [
        Aside("Not audited: no comparison of training data with this task is on record, so nothing is known "
              "about leakage, which is not the same as none.", "warn")]  # fmt: skip


def _audit(audit: Mapping[str, Any], origin: Any) -> list[Block]:
    queries = audit["nano_query_rows"]
    rows: list[tuple[Run, ...]] = [(label, count(audit[key]), share(audit[key], queries))
                                   for key, label in AUDIT.items() if key in audit]  # fmt: skip
    found = max(audit.get(key, 0) for key in AUDIT)
    table = Table(
        f"Audit of {audit['source_dataset']}: {count(audit['source_train_rows_scanned'])} training rows against "
        f"{count(queries)} queries",
        ["What was found", "Count", "Share of queries"],
        rows,
        marked=tuple(i for i, key in enumerate(k for k in AUDIT if k in audit) if audit[key] >= queries / 2),
    )
    told: Run
    if found >= queries / 2:
        told = (origin, " Training on ", Code(audit["source_dataset"]), " as it is leaks this task: "
                f"up to {share(found, queries)} of it is found there. It has to be filtered first.")  # fmt: skip
        return [Aside(told, "warn"), table]
    told = (
        origin,
        f" At most {count(found)} of {count(queries)} were found in ",
        Code(audit["source_dataset"]),
        ".",
    )
    return [Para(told), table]


def is_audited(row: object) -> bool:
    """Whether an audit of the task is on record."""
    return isinstance(row, dict) and bool(row.get("leakage_audit"))


def shape_known(shape: str | None) -> bool:
    """Whether pages have words for a shape."""
    return shape in SHAPES
