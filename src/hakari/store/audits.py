"""Leakage audits beside results: `<results>/audits/<name>.json`, one file for each training data set.

For tasks whose set is not one's own to write in. Entries have the form of those in the metadata of a set
(`hakari.io.audits`). They lie in a folder that no reader of results looks into.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hakari.errors import Fault, InvalidInput
from hakari.io.audits import is_sound
from hakari.store.files import write_text
from hakari.store.keys import digest, slug

FOLDER = "audits"
FORMAT = 1


def keep_audit(root: Path, name: str, entries: Mapping[str, Mapping[str, Any]]) -> Path:
    """Keep the audit of a training data set with some tasks; what is kept of other tasks stays."""
    path = root / FOLDER / f"{slug(name)}-{digest(name)[:8]}.json"
    tasks = {**(_read(path)["tasks"] if path.is_file() else {}), **entries}
    told = {"format": FORMAT, "name": name, "tasks": dict(sorted(tasks.items()))}
    write_text(path, json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return path


def kept_audits(root: Path | None, task: str) -> list[dict[str, Any]]:
    """The audits of a task that are kept in a folder of results, by the name of the training data."""
    told = [_read(path) for path in audit_files(root)] if root is not None else []
    found = [one["tasks"][task] for one in told if is_sound(one["tasks"].get(task))]
    return sorted(found, key=lambda entry: str(entry["source_dataset"]))


def audit_files(root: Path) -> list[Path]:
    """Every file of kept audits."""
    return sorted(path for path in (root / FOLDER).glob("*.json") if not path.name.startswith("."))


def _read(path: Path) -> dict[str, Any]:
    """A file of kept audits; raises where it is none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        sound = told["format"] == FORMAT and isinstance(told["tasks"], dict)
    except (OSError, ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        fault = Fault("is no file of kept audits", str(path), hint="remove it and record the audit again")
        raise InvalidInput("the folder of results", [fault])
    return dict(told)
