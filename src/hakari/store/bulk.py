"""Many results read together: one statement for all that a page needs, where one file at a time would take minutes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from hakari.store import files
from hakari.store.files import MANIFEST_KEY, Stored
from hakari.types import Ids


@dataclass(frozen=True, eq=False)
class Values:
    """The stored values of one variant of one result."""

    stored: Stored
    variant: str
    query_ids: Ids
    values: Mapping[str, npt.NDArray[np.float64]]
    """By measure, one value a query."""


def paths_by_task(root: Path) -> dict[str, list[Path]]:
    """The files of results by the name of their task, as far as paths tell it; no file is opened for it."""
    found: dict[str, list[Path]] = {}
    for path in sorted(root.glob("*/*/*.parquet")):
        if not path.name.startswith("."):
            found.setdefault(f"{unquote(path.parent.name)}/{unquote(path.stem)}", []).append(path)
    return found


def read_many(paths: Sequence[Path]) -> list[Stored]:
    """The results in some files, in the order of the paths; what cannot be read is left out."""
    if not paths:
        return []
    import duckdb

    names = [str(path) for path in paths]
    try:
        with files.connection() as con:
            rows = con.execute(
                "SELECT file_name, decode(value) FROM parquet_kv_metadata($1) WHERE decode(key) = $2",
                [names, MANIFEST_KEY],
            ).fetchall()
    except duckdb.Error:  # one damaged file spoils the statement: then one at a time
        return [stored for path in paths if (stored := files.read(path)) is not None]
    manifests = dict(rows)
    return [
        Stored(path, json.loads(manifests[name]), _costs(path))
        for path, name in zip(paths, names, strict=True)
        if name in manifests
    ]


def read_values(results: Sequence[Stored], measures: Sequence[str]) -> list[Values]:
    """The values of every variant of some results, by the order of the results and then by variant."""
    if not results:
        return []
    import duckdb

    listed = ", ".join(f"measures[$m{i}] AS m{i}" for i in range(len(measures)))
    given: dict[str, Any] = {f"m{i}": measure for i, measure in enumerate(measures)}
    # Files and variants come as numbers: text would be made anew for every row.
    statement = (
        f"SELECT file_index AS f, list_position($variants, variant) AS v, query_id, {listed} "
        "FROM read_parquet($files) WHERE list_contains($variants, variant) ORDER BY f, v, query_id"
    )
    variants = sorted({str(name) for s in results for name in s.manifest.get("variants", ())})
    given |= {"files": [str(s.path) for s in results], "variants": variants}
    try:
        with files.connection() as con:
            rows = con.execute(statement, given).fetchnumpy()
    except duckdb.Error:
        if len(results) == 1:
            return []
        return [found for stored in results for found in read_values([stored], measures)]
    # NULL, here NaN, stands where a ranking is too shallow for a measure.
    columns = {m: np.ma.filled(rows[f"m{i}"].astype(np.float64), np.nan) for i, m in enumerate(measures)}
    found = []
    for part in _parts(rows):
        first = part.start
        values = {m: column[part] for m, column in columns.items() if not np.isnan(column[first])}
        ids = rows["query_id"][part].copy()  # a view would keep the ids of every system alive
        found.append(Values(results[int(rows["f"][first])], variants[int(rows["v"][first]) - 1], ids, values))
    return found


@dataclass(frozen=True, eq=False)
class Tops:
    """The first documents of each query: those of query `q` are `documents[offsets[q]:offsets[q + 1]]`, best first."""

    documents: Ids
    offsets: npt.NDArray[np.int64]


def read_tops(results: Sequence[Stored], variants: Sequence[str], depth: int) -> dict[tuple[Path, str], Tops]:
    """By file and variant the first documents of each query, of some variants of some results."""
    if not results:
        return {}
    named = ", ".join(f"$n{i}" for i in range(len(variants)))
    statement = (
        "SELECT file_index AS f, list_position($variants, variant) AS v, doc_ids[1:$depth] AS d "
        # By `IN` the lists of other variants are not unpacked at all.
        f"FROM read_parquet($files) WHERE variant IN ({named}) ORDER BY f, v, query_id"
    )
    given: dict[str, Any] = {f"n{i}": name for i, name in enumerate(variants)}
    given |= {"files": [str(s.path) for s in results], "variants": list(variants), "depth": depth}
    with files.connection() as con:
        rows = con.execute(statement, given).fetchnumpy()
    found = {}
    for part in _parts(rows):
        lists = rows["d"][part]
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
        key = results[int(rows["f"][part.start])].path, variants[int(rows["v"][part.start]) - 1]
        found[key] = Tops(np.concatenate(lists), offsets.astype(np.int64))
    return found


def _parts(rows: Mapping[str, npt.NDArray]) -> list[slice]:
    """Where each variant of each file begins and ends."""
    paths, variants = rows["f"], rows["v"]
    if not len(paths):
        return []
    changed = np.flatnonzero((paths[1:] != paths[:-1]) | (variants[1:] != variants[:-1])) + 1
    bounds = [0, *changed.tolist(), len(paths)]
    return [slice(a, b) for a, b in pairwise(bounds)]


def _costs(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.with_suffix(".run.json").read_bytes()))
    except (OSError, ValueError):
        return {}
