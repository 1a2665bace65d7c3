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
    statement = (
        f"SELECT filename, variant, query_id, {listed} FROM read_parquet($files, filename = true) "
        "ORDER BY filename, variant, query_id"
    )
    try:
        with files.connection() as con:
            rows = con.execute(statement, {"files": [str(s.path) for s in results], **given}).fetchnumpy()
    except duckdb.Error:
        if len(results) == 1:
            return []
        return [found for stored in results for found in read_values([stored], measures)]
    by_path = {str(stored.path): stored for stored in results}
    # NULL, here NaN, stands where a ranking is too shallow for a measure.
    columns = {m: np.ma.filled(rows[f"m{i}"].astype(np.float64), np.nan) for i, m in enumerate(measures)}
    found = [_one(rows, columns, part, by_path) for part in _parts(rows)]
    order = {stored.path: place for place, stored in enumerate(results)}
    return sorted(found, key=lambda v: (order[v.stored.path], v.variant))


@dataclass(frozen=True, eq=False)
class Tops:
    """The first documents of each query: those of query `q` are rows `offsets[q]:offsets[q + 1]`, best first."""

    document_ids: Ids
    offsets: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int64]


def read_tops(results: Sequence[Stored], variants: Sequence[str], depth: int) -> dict[tuple[Path, str], Tops]:
    """By file and variant the first documents of each query, of some variants of some results."""
    if not results:
        return {}
    chosen = (
        "(SELECT filename, variant, query_id, doc_ids[1:$depth] AS d FROM read_parquet($files, filename = true) "
        "WHERE list_contains($variants, variant) ORDER BY filename, variant, query_id)"
    )
    given = {"files": [str(s.path) for s in results], "variants": list(variants), "depth": depth}
    with files.connection() as con:
        rows = con.execute(f"SELECT filename, variant, len(d) AS n FROM {chosen}", given).fetchnumpy()
        flat = con.execute(f"SELECT unnest(d) AS d FROM {chosen}", given).fetchnumpy()["d"]
    ends = np.concatenate([[0], np.cumsum(np.asarray(rows["n"], dtype=np.int64))])
    found = {}
    for part in _parts(rows):
        first, last = ends[part.start], ends[part.stop]
        ids, places = np.unique(np.asarray(flat[first:last], dtype=object), return_inverse=True)
        key = Path(str(rows["filename"][part.start])), str(rows["variant"][part.start])
        found[key] = Tops(ids, ends[part.start : part.stop + 1] - first, places.ravel().astype(np.int64))
    return found


def _parts(rows: Mapping[str, npt.NDArray]) -> list[slice]:
    """Where each variant of each file begins and ends."""
    paths, variants = rows["filename"], rows["variant"]
    if not len(paths):
        return []
    changed = np.flatnonzero((paths[1:] != paths[:-1]) | (variants[1:] != variants[:-1])) + 1
    bounds = [0, *changed.tolist(), len(paths)]
    return [slice(a, b) for a, b in pairwise(bounds)]


def _one(
    rows: Mapping[str, npt.NDArray],
    columns: Mapping[str, npt.NDArray[np.float64]],
    part: slice,
    by_path: Mapping[str, Stored],
) -> Values:
    values = {m: column[part] for m, column in columns.items() if not np.isnan(column[part.start])}
    first = part.start
    ids = rows["query_id"][part].copy()  # a view would keep the ids of every system alive
    return Values(by_path[str(rows["filename"][first])], str(rows["variant"][first]), ids, values)


def _costs(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.with_suffix(".run.json").read_bytes()))
    except (OSError, ValueError):
        return {}
