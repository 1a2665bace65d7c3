"""Leakage audits on record: what the metadata of a task says of training data that was compared with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hakari.errors import Fault
from hakari.io.nano import read_metadata

KEY = "leakage_audits"
"""In `metadata/<Task>.json`: one entry for each training data set, by its name."""
COUNTS = (
    "source_train_rows_scanned",
    "nano_query_rows",
    "normalized_exact_query_matches",
    "normalized_exact_positive_matches",
    "normalized_exact_query_positive_matches",
    "high_shingle_query_matches",
    "high_shingle_positive_matches",
)
"""The counts that every entry has, as published audits have them; of positives, one a judgement."""


def recorded(folder: Path | None, split: str) -> list[dict[str, Any]]:
    """The audits of a task that are on record, by the name of the training data."""
    if folder is None:
        return []
    faults: list[Fault] = []
    entries = read_metadata(folder / "metadata" / f"{split}.json", faults).get(KEY)
    sound = [entry for entry in entries if is_sound(entry)] if isinstance(entries, list) else []
    return sorted(sound, key=lambda entry: entry["source_dataset"])


def is_sound(entry: Any) -> bool:
    """Whether an entry has what everybody reads of it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("source_dataset"), str):
        return False
    numbers = (entry.get(key) for key in COUNTS)
    return isinstance(entry.get("risk"), str) and all(type(n) is int and n >= 0 for n in numbers)
