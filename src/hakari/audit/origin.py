"""Rows that declare where they come from, against the data sets that tasks were made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from hakari.audit.columns import origin_columns, quoted
from hakari.audit.shards import Shard
from hakari.tasks import catalog

SHORTEST = 4
"""Letters of a name without its owner: shorter ones mean too many things."""
Rows = npt.NDArray[np.int64]


def upstream(task: str, sources: Iterable[Mapping[str, object]] = ()) -> frozenset[str]:
    """The names of the data sets that a task was made from, from the catalog or its own metadata."""
    dataset, _, split = task.partition("/")
    known = catalog.of_dataset(dataset) if dataset in catalog.datasets() else ()
    entries = [entry for entry in known if entry.split == split]
    found: set[str] = set()
    for source in (*sources, *(source for entry in entries for source in entry.row.get("sources", ()))):
        found |= _names(str(source.get("url") or "")) | _names(str(source.get("title") or ""))
    return frozenset(found)


def _names(told: str) -> set[str]:
    """`org/name` and `name` of an address of a repository, or of such a name itself."""
    address = urlsplit(told)
    parts = [part for part in address.path.split("/") if part]
    if address.netloc.endswith("huggingface.co") and parts[:1] == ["datasets"]:
        parts = parts[1:]
    elif address.netloc and not address.netloc.endswith("github.com"):
        return set()
    if len(parts) < 2 or " " in told:
        return set()
    owner, name = _plain(parts[0]), _plain(parts[1])
    return {f"{owner}/{name}"} | ({name} if len(name) >= SHORTEST else set())


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().lower())


def declared_names(value: str) -> set[str]:
    """What a value of a column of origins may be called."""
    return _names(value) or {"/".join(_plain(part) for part in value.split("/"))}


def declared(shard: Shard, types: Mapping[str, str], names: frozenset[str]) -> dict[str, Rows]:
    """The rows of a shard that declare one of these origins, by the value that they declare."""
    found: dict[str, Rows] = {}
    for column in origin_columns(types) if names else ():
        values = shard.values(quoted(column))
        meant = {value for value in values if declared_names(value) & names}
        if not meant:
            continue
        rows: dict[str, list[int]] = {value: [] for value in sorted(meant)}
        at = 0
        for batch in shard.batches([quoted(column)]):
            for number, (value,) in enumerate(batch, at):
                if value in rows:
                    rows[value].append(number)
            at += len(batch)
        found |= {value: np.array(numbers, np.int64) for value, numbers in rows.items()}
    return found
