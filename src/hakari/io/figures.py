"""Figures that others measured: the results of mteb, and published tables. Means only; nobody gives values by query."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.errors import Fault
from hakari.io.files import raise_faults

MTEB_NAMES = {
    "nDCG": "ndcg_at_",
    "AP": "map_at_",
    "R": "recall_at_",
    "P": "precision_at_",
    "RR": "mrr_at_",
    "hit": "hit_rate_at_",
}
"""How mteb calls the measures that both have."""
META = "model_meta.json"
OUR_TASK = "hakari_task"
"""Under this key an export says which of our tasks a result is of."""
PROFILES = ("bm25", "dense", "reranking_hybrid")
_PUBLISHED = {"ndcg_at_10": "nDCG@10", "hit_at_10": "hit@10", "recall_at_100": "Rpool@100"}
"""The recall of published profiles is pooled over queries."""
_SYSTEM, _TASK = ("system", "model", "retriever", "model_name"), ("task", "id", "task_name")
_MEASURE = re.compile(r"(nDCG|AP|APcap|R|Rpool|P|RR|hit)@[1-9][0-9]*")


@dataclass(frozen=True)
class Figure:
    """One number that somebody else measured."""

    system: str
    task: str
    measure: str
    value: float
    split: str = ""
    subset: str = ""
    revision: str = ""
    """Of the data set, as told."""
    version: str = ""
    """Of the system or of the tool, as told."""


def measure_of(key: str) -> str | None:
    """The measure that a key of mteb or a column means: `ndcg_at_10`, `nDCG@10`; None where it is another."""
    if _MEASURE.fullmatch(key):
        return key
    for ours, theirs in {**MTEB_NAMES, "hit ": "hit_at_"}.items():
        cut = key.removeprefix(theirs)
        if cut != key and cut.isdecimal() and int(cut):
            return f"{ours.strip()}@{int(cut)}"
    return None


def mteb_key(measure: str) -> str:
    """What mteb calls a measure of ours."""
    kind, _, cut = measure.partition("@")
    return f"{MTEB_NAMES[kind]}{cut}" if kind in MTEB_NAMES and cut else re.sub(r"\W+", "_", measure.lower())


def read_mteb(path: Path, system: str | None, ours: Mapping[str, str]) -> tuple[list[Figure], list[str]]:
    """The figures in one result file of mteb or in all below a folder, and the names of files without any.

    `ours` gives the names of our tasks for theirs.
    """
    files = sorted(p for p in path.rglob("*.json") if p.name != META) if path.is_dir() else [path]
    faults: list[Fault] = []
    found: list[Figure] = []
    empty = []
    for file in files:
        told = _json(file, faults)
        if not isinstance(told, dict) or not isinstance(told.get("scores"), dict):
            if told is not None:
                faults.append(Fault("no result of mteb: it has no `scores`", str(file)))
            continue
        name, version = _model_of(file, system, faults)
        of_file = list(_scores(told, file, name, version, ours, faults))
        found += of_file
        if not of_file:
            empty.append(file.name)
    if not files:
        faults.append(Fault("there is no result file (`*.json`) below it", str(path)))
    raise_faults(f"the results of mteb at `{path}`", faults)
    return found, empty


def _model_of(file: Path, system: str | None, faults: list[Fault]) -> tuple[str, str]:
    """The model of a result file and its revision, from the file beside it or the folders above it."""
    meta = file.parent / META
    told = _json(meta, faults) if meta.is_file() else None
    if isinstance(told, dict) and isinstance(told.get("name"), str):
        return system or told["name"], str(told.get("revision") or "")
    folder = file.resolve().parent
    if "__" in folder.parent.name:
        return system or folder.parent.name.replace("__", "/", 1), folder.name
    if system is None:
        faults.append(
            Fault("nothing says which model this is of", str(file), hint="add `--system ORG/MODEL`")
        )
    return system or "", ""


def _scores(
    told: Mapping[str, Any],
    file: Path,
    system: str,
    version: str,
    ours: Mapping[str, str],
    faults: list[Fault],
) -> Iterator[Figure]:
    name, revision = str(told.get("task_name") or file.stem), str(told.get("dataset_revision") or "")
    for split, subsets in told["scores"].items():
        for scores in subsets if isinstance(subsets, list) else []:
            subset = str(scores.get("hf_subset", "default"))
            task = scores.get(OUR_TASK) or ours.get(name) or f"mteb/{name}"
            if subset != "default" and not scores.get(OUR_TASK):
                task = ours.get(f"{name}/{subset}", f"{task}:{subset}")
            for key, value in scores.items():
                measure = measure_of(key)
                if measure and _fraction(value, f"`{key}` of `{name}`", str(file), None, faults):
                    yield Figure(
                        system, str(task), measure, float(value), str(split), subset, revision, version
                    )


def read_published(path: Path, percent: bool = False) -> list[Figure]:
    """The figures of a table: JSONL, JSON or CSV.

    A row has a system and a task, and either columns named like measures, or `measure` and `value`. Rows of published
    profiles (`bm25`, `dense`, `reranking_hybrid` with their figures) are read as three systems.
    """
    faults: list[Fault] = []
    found: list[Figure] = []
    for number, row in _rows(path, faults):
        where = (str(path), number)
        if not isinstance(row, dict):
            faults.append(Fault("the row is no object with named values", *where))
            continue
        nested = row.get("published")
        profiles: dict[str, Any] = nested if isinstance(nested, dict) else row
        if any(isinstance(profiles.get(name), dict) for name in PROFILES):
            found += _profiles(row, profiles, where, faults)
            continue
        system, task = (next((str(row[k]) for k in keys if row.get(k)), "") for keys in (_SYSTEM, _TASK))
        if not system or not task:
            faults.append(Fault(f"the row lacks {'a system' if not system else 'a task'}", *where))
            continue
        values = {row["measure"]: row.get("value")} if "measure" in row else row
        read = [(measure_of(str(k)), v) for k, v in values.items() if v not in (None, "")]
        read = [(measure, value) for measure, value in read if measure]
        if not read:
            faults.append(Fault("the row has no measure", *where, hint="name columns like `nDCG@10`"))
        for measure, value in read:
            number_read = _number(value)
            scaled = number_read / 100 if percent and number_read is not None else number_read
            if _fraction(scaled, f"`{measure}`", *where, faults) and scaled is not None:
                found.append(Figure(system, task, str(measure), scaled))
    raise_faults(f"the published figures in `{path}`", faults)
    return found


def _profiles(
    row: Mapping[str, Any], profiles: Mapping[str, Any], where: tuple[str, int], faults: list[Fault]
) -> Iterator[Figure]:
    task = row.get("id") or (f"{row.get('dataset')}/{row.get('split')}" if row.get("dataset") else "")
    if not task:
        faults.append(Fault("the row lacks a task", *where))
        return
    for name in PROFILES:
        figures = profiles.get(name)
        if not isinstance(figures, dict):
            continue
        for key, measure in _PUBLISHED.items():
            value = figures.get(key)
            if value is not None and _fraction(value, f"`{name}.{key}`", *where, faults):
                yield Figure(str(figures.get("config") or name), str(task), measure, float(value))


def _rows(path: Path, faults: list[Fault]) -> Iterator[tuple[int, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        faults.append(
            Fault(f"cannot be read: {getattr(error, 'strerror', None) or 'it is no UTF-8'}", str(path))
        )
        return
    if path.suffix.lower() == ".csv":
        yield from enumerate(csv.DictReader(io.StringIO(text)), start=2)
    elif text.lstrip().startswith("["):
        listed = _json(path, faults)
        yield from enumerate(listed if isinstance(listed, list) else [], start=1)
    else:
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except ValueError as error:
                    faults.append(Fault(f"no JSON: {error}", str(path), number))


def _json(path: Path, faults: list[Fault]) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        faults.append(Fault(f"no JSON that can be read: {error}", str(path)))
        return None


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _fraction(value: Any, what: str, file: str, row: int | None, faults: list[Fault]) -> bool:
    number = _number(value)
    if number is not None and math.isfinite(number) and 0 <= number <= 1:
        return True
    hint = "for figures in percent add `--percent`" if number is not None and 1 < number <= 100 else None
    faults.append(Fault(f"{what} is {value!r}, not a number from 0 to 1", file, row, hint))
    return False


def doubles(figures: Sequence[Figure]) -> list[Fault]:
    """Figures that are there twice with different values."""
    seen: dict[tuple[str, ...], float] = {}
    faults = []
    for f in figures:
        key = (f.system, f.task, f.measure, f.split, f.version)
        if seen.setdefault(key, f.value) != f.value:
            faults.append(
                Fault(f"{f.measure} of `{f.system}` on `{f.task}` is there twice: {seen[key]} and {f.value}")
            )
    return faults
