"""Indexes kept between audits, known by the content of the files of their tasks, so that nothing is parsed twice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hakari.audit.compare import Shingle
from hakari.audit.index import VERSION, WINDOW, Audited, Index
from hakari.io.nano import SHARD
from hakari.tasks.refs import TaskRef, cache_folder

_ARRAYS = ("folded_bytes", "offsets", "counts", "keys", "starts", "postings")
_BLOCK = 1 << 22


def place_of(refs: Mapping[str, TaskRef], shingle: Shingle) -> Path:
    """Where the index of some tasks is kept."""
    digest = hashlib.sha256(repr((VERSION, WINDOW, str(shingle))).encode())
    for name, ref in refs.items():
        digest.update(name.encode() + b"\0")
        for path in _files(ref):
            digest.update(str(path.relative_to(ref.folder)).encode() + b"\0")
            with open(path, "rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
    return cache_folder() / "audit-index" / f"{digest.hexdigest()[:32]}.npz"


def _files(ref: TaskRef) -> list[Path]:
    """The files of one task: of a nano set its own, of another folder all."""
    found = []
    for path in sorted(ref.folder.rglob("*")):
        if not path.is_file() or path.name.startswith("."):
            continue
        if ref.layout.name == "nano":
            shard = SHARD.fullmatch(path.stem)
            part = path.relative_to(ref.folder).parts[0]
            if (shard["split"] if shard else path.stem) != ref.split or part not in _PARTS:
                continue
        found.append(path)
    return found


_PARTS = ("corpus", "queries", "qrels", "metadata")


def read(place: Path, shingle: Shingle) -> Index | None:
    """A kept index; one that cannot be read is made again."""
    try:
        with np.load(place, allow_pickle=False) as kept:
            told = json.loads(kept["told"].tobytes())
            arrays = {name: kept[name] for name in _ARRAYS}
        tasks = tuple(_task(one) for one in told["tasks"])
        texts, window = tuple(told["texts"]), int(told["window"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    return Index(tasks, texts, shingle, window, **arrays)


def write(place: Path, index: Index) -> None:
    """Keep an index; where the cache cannot be written, the next audit makes it again."""
    told = {"tasks": [_told(task) for task in index.tasks], "texts": index.texts, "window": index.window}
    data = np.frombuffer(json.dumps(told).encode(), np.uint8)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.npz")
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            np.savez(temporary, told=data, **{name: getattr(index, name) for name in _ARRAYS})
            os.replace(temporary, place)
        finally:
            temporary.unlink(missing_ok=True)


def _told(task: Audited) -> dict[str, Any]:
    told = dict(vars(task))
    told |= {name: told[name].tolist() for name in ("queries", "positives", "pairs")}
    return told | {"upstream": sorted(task.upstream)}


def _task(told: dict[str, Any]) -> Audited:
    return Audited(
        told["name"],
        told["category"],
        np.array(told["queries"], np.int32),
        np.array(told["positives"], np.int32),
        tuple(told["query_ids"]),
        tuple(told["positive_ids"]),
        np.array(told["pairs"], np.int32).reshape(-1, 2),
        told["content"],
        frozenset(told["upstream"]),
    )
