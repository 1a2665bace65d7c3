"""The nano layout: `<Set>/{corpus,queries,qrels}/<Task>.parquet`, or its sharded form on hubs.

Metadata lies in `<Set>/metadata/<Task>.json`; every other folder of the set that holds rankings is a
configuration of candidates.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hakari.errors import Fault
from hakari.io.files import connect, faults_of_reading, is_folder, names_in
from hakari.io.parquet import Table, read_judgements, read_texts
from hakari.io.parts import Parts

PARTS = ("corpus", "queries", "qrels")
NOT_CANDIDATES = (*PARTS, "metadata")
SHARD = re.compile(r"(?P<split>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})")
LANGUAGE = re.compile(r"multilingual|[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")
SHAPE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SPLIT_NAME = re.compile(r"\w+(\.\w+)*", re.ASCII)
CONFIG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""Names of tasks and of configurations that `datasets` reads from a hub."""
CATEGORIES = ("code", "natural_language")


def is_nano(folder: Path) -> bool:
    """Whether the folder has the parts of a nano set."""
    return sum(is_folder(folder / part) for part in PARTS) >= 2


def splits_of(folder: Path, faults: list[Fault]) -> list[str]:
    """The names of the tasks of a nano set, from all three parts, so that a missing part is noticed later."""
    found = {split for part in PARTS for split in files_by_split(folder / part, faults)}
    if not found and not faults:
        faults.append(
            Fault(
                "holds no tasks",
                str(folder),
                hint=f"add {folder / 'corpus' / '<Task>.parquet'} and the other parts",
            )
        )
    return sorted(found)


def files_by_split(folder: Path, faults: list[Fault]) -> dict[str, list[Path]]:
    """The Parquet files of a folder by the task that they belong to, shards in order."""
    found: dict[str, list[Path]] = {}
    for name in names_in(folder, faults):
        if name.endswith(".parquet"):
            stem = name.removesuffix(".parquet")
            match = SHARD.fullmatch(stem)
            found.setdefault(match["split"] if match else stem, []).append(folder / name)
    return found


def part_files(folder: Path, split: str, faults: list[Fault]) -> list[Path]:
    """The files of one part of one task; a missing, doubled or incomplete one is a fault."""
    before = len(faults)
    files = files_by_split(folder, faults).get(split, [])
    expected = folder / f"{split}.parquet"
    if not files:
        if len(faults) == before:
            near = ", ".join(list(files_by_split(folder, []))[:5]) or "no Parquet files"
            hint = f"add {expected}; {folder.name}/ has {near}"
            faults.append(Fault("no such file", str(expected), hint=hint))
        return []
    shards = [match for path in files if (match := SHARD.fullmatch(path.stem))]
    counts = {int(match["count"]) for match in shards}
    numbers = [int(match["number"]) for match in shards]
    if shards and len(shards) < len(files):
        hint = f"remove {expected} or its shards"
        faults.append(Fault("is there both whole and in shards", str(expected), hint=hint))
        return []
    if shards and (len(counts) != 1 or numbers != list(range(counts.pop()))):
        what = f"the shards are not complete: there are {', '.join(path.name for path in files)}"
        faults.append(Fault(what, str(files[0]), hint=f"fetch the missing shards into {folder}"))
        return []
    return files


def read_nano(folder: Path, split: str, faults: list[Fault]) -> Parts:
    """The parts of one task of a nano set, with everything that is wrong with its files."""
    notes: list[str] = []
    with connect() as con:
        corpus = read_texts(con, part_files(folder / "corpus", split, faults), True, faults, notes)
        queries = read_texts(con, part_files(folder / "queries", split, faults), False, faults, notes)
        judgements = read_judgements(con, part_files(folder / "qrels", split, faults), faults, notes)
        candidates = _candidates(con, folder, split)
    metadata = read_metadata(folder / "metadata" / f"{split}.json", faults)
    name = Path(os.path.abspath(folder)).name
    return Parts(name, split, queries, corpus, judgements, metadata, candidates, notes, folder)


def _candidates(con: Any, folder: Path, split: str) -> dict[str, Path]:
    """The first file of each candidate configuration of the task; folders of other things are passed over."""
    found = {}
    for name in names_in(folder, []):
        if name in NOT_CANDIDATES or not is_folder(folder / name):
            continue
        files = files_by_split(folder / name, []).get(split)
        if files and {"query-id", "corpus-ids"} <= Table(con, files[0], []).types.keys():
            found[name] = files[0]
    return found


def read_metadata(path: Path, faults: list[Fault]) -> dict[str, Any]:
    """What the metadata file of a task states, checked; empty where there is none."""
    before = len(faults)
    data = b"{}"
    if os.path.lexists(path.parent) and path.name in names_in(path.parent, faults):
        with faults_of_reading(path, faults):
            data = path.read_bytes()
    if len(faults) > before:
        return {}
    try:
        stated = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        faults.append(Fault(f"is not UTF-8: {error.reason}", str(path), hint="write it as UTF-8 JSON"))
        return {}
    except (ValueError, RecursionError) as error:
        row = getattr(error, "lineno", None)
        faults.append(
            Fault(f"is not JSON: {error}", str(path), row, f"check it with `python -m json.tool {path}`")
        )
        return {}
    if not isinstance(stated, dict):
        hint = 'write for example {"language": "en", "category": "code"}'
        faults.append(Fault("is not a JSON object", str(path), hint=hint))
        return {}
    faults.extend(_metadata_faults(stated, path))
    return stated


def _metadata_faults(stated: Mapping[str, Any], path: Path) -> list[Fault]:
    checks = (
        ("language", lambda v: isinstance(v, str) and LANGUAGE.fullmatch(v), "a language code such as `en`"),
        ("category", lambda v: v in CATEGORIES, " or ".join(f"`{name}`" for name in CATEGORIES)),
        ("shape", lambda v: isinstance(v, str) and SHAPE.fullmatch(v), "a word such as `text-to-code`"),
        ("exclude_self", lambda v: isinstance(v, bool), "true or false"),
    )
    return [
        Fault(f"`{key}` is {json.dumps(stated[key])[:80]}", str(path), hint=f"set `{key}` to {wanted}")
        for key, sound, wanted in checks
        if stated.get(key) is not None and not sound(stated[key])
    ]
