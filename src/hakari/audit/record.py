"""An audit put on record: in the metadata of each task and in a section of its set's card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from hakari import __version__
from hakari.audit.index import Audited
from hakari.audit.kinds import KINDS
from hakari.audit.manifest import similar_told, write_lines
from hakari.audit.report import Report
from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io.audits import KEY, recorded
from hakari.io.nano import read_metadata
from hakari.io.nano_write import write_metadata

BEGIN, END = "<!-- leakage audits, written by `hakari audit --record` -->", "<!-- end of leakage audits -->"
_SECTION = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END) + r"\n?", re.DOTALL)


def record(report: Report, places: dict[str, Path], name: str) -> Iterator[str]:
    """Write the counts of each task into its metadata and card; `places` are the folders of sets, by task."""
    lacking = [task.name for task in report.index.tasks if task.name not in places]
    if lacking:
        raise UsageError(
            f"`{lacking[0]}` has no folder of its own to record in", "record in sets in nano layout"
        )
    entries = entries_of(report, name)
    folders: dict[Path, list[str]] = {}
    for task in report.index.tasks:
        split = task.name.split("/", 1)[1]
        folder = places[task.name]
        path = folder / "metadata" / f"{split}.json"
        faults: list[Fault] = []
        stated = read_metadata(path, faults)
        if faults:
            raise InvalidInput(f"the metadata of `{task.name}`", faults)
        others = [entry for entry in recorded(folder, split) if entry["source_dataset"] != name]
        entry = entries[task.name]
        stated[KEY] = sorted([*others, entry], key=lambda one: one["source_dataset"])
        write_metadata(path, stated)
        folders.setdefault(folder, []).append(split)
        yield f"`{path}`: audit of {name}, {entry['risk']}"
    for folder in folders:
        yield f"`{_write_card(folder)}`: section on leakage"


def entries_of(report: Report, name: str) -> dict[str, dict[str, Any]]:
    """What is put on record today, by task."""
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    return {task.name: entry_of(report, task, name, date) for task in report.index.tasks}


def entry_of(report: Report, task: Audited, name: str, date: str) -> dict[str, Any]:
    """What is put on record of one task, in the form of published audits and in full."""
    counts = [count for count in report.counts if count.task == task.name]
    matched = {(count.side, count.kind): count.matched for count in counts}
    return {
        "source_dataset": name,
        "source_train_rows_scanned": report.rows_scanned,
        "shards_not_scanned": [one.shard.name for one in report.scanned if one.fault],
        "nano_query_rows": len(task.queries),
        "normalized_exact_query_matches": matched["query", "exact"],
        "normalized_exact_positive_matches": _judgements(report, task, "exact"),
        "normalized_exact_query_positive_matches": matched["pair", "exact"],
        "high_shingle_query_matches": matched["query", "shingle"],
        "high_shingle_positive_matches": _judgements(report, task, "shingle"),
        "risk": report.risks()[task.name],
        "date": date,
        "hakari": __version__,
        "audit": report.index.identity,
        "counts": [
            {key: value for key, value in count.to_json().items() if key != "task"}
            for count in counts
            if count.matched
        ],
        "definitions": {kind.name: kind.definition(report.thresholds) for kind in KINDS},
        **similar_told(report),
    }


def _judgements(report: Report, task: Audited, kind: str) -> int:
    """How many judgements have a positive that matches."""
    texts = np.unique(report.found["text"][report.masks[kind]])
    return int(np.isin(task.positives, texts)[task.pairs[:, 1]].sum()) if len(task.pairs) else 0


def _write_card(folder: Path) -> Path:
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else f"# {folder.name}\n"
    section = "\n".join([BEGIN, *_card_lines(folder), END]) + "\n"
    if _SECTION.search(text):
        text = _SECTION.sub(lambda _: section, text, count=1)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    write_lines(path, [text.rstrip("\n")])
    return path


def _card_lines(folder: Path) -> Iterator[str]:
    yield "## Leakage audits\n"
    yield "| task | training data | rows scanned | queries exact | positives exact | pairs exact | risk | date |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for path in sorted((folder / "metadata").glob("*.json")):
        for entry in recorded(folder, path.stem):
            exact = (
                entry[f"normalized_exact_{side}_matches"] for side in ("query", "positive", "query_positive")
            )
            cells = [
                path.stem,
                entry["source_dataset"],
                f"{entry['source_train_rows_scanned']:,}",
                *map(str, exact),
            ]
            cells += [entry["risk"], str(entry.get("date", ""))]
            yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"
    yield "\nA task that is not listed is not audited, which is not the same as free of leaks. Definitions and all"
    yield "counts are in `metadata/`."


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")[:200]
