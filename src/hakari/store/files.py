"""One result a file: written whole or not at all, read back without the task at hand.

    <root>/<slug>-<key8>/<dataset>/<split>.parquet     rows: variant, query, ranking, scores, measures
    <root>/<slug>-<key8>/<dataset>/<split>.run.json    what differs from run to run: time, memory, host
    <root>/<slug>-<key8>/<dataset>/manifest.json       what produced each split's file, for people

The manifest of a result is also inside its Parquet file, so that one rename commits both. `manifest.json` is
derived from those by `write_manifests`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.store.keys import canonical, safe
from hakari.types import Ids, Run

if TYPE_CHECKING:
    import duckdb

MANIFEST_KEY = "hakari_manifest"


@dataclass(frozen=True, eq=False)
class Variant:
    """The ranking of one variant and its per-query values of the stored measures."""

    run: Run
    values: Mapping[str, npt.NDArray[np.float64]]
    """Per measure, one value a query, in the order of `run.query_ids`."""


@dataclass(frozen=True, eq=False)
class Stored:
    """A result as it lies in its file."""

    path: Path
    manifest: Mapping[str, Any]
    costs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def task(self) -> str:
        """The name of the task, `dataset/split`."""
        return str(self.manifest["task"])

    @property
    def retriever(self) -> str:
        """The canonical spelling of the retriever."""
        return str(self.manifest["retriever"])


def result_path(folder: Path, task: str) -> Path:
    """Where the result of a task lies in the folder of a retriever."""
    dataset, _, split = task.rpartition("/")
    return folder / safe(dataset) / f"{safe(split)}.parquet"


def write(
    path: Path, manifest: Mapping[str, Any], variants: Mapping[str, Variant], costs: Mapping[str, Any]
) -> Stored:
    """Write a result: its costs first, then the file that makes it count, by one rename."""
    write_text(path.with_suffix(".run.json"), json.dumps(costs, indent=1, sort_keys=True) + "\n")
    with replacing(path) as temporary:
        _write_parquet(temporary, manifest, variants)
    return Stored(path, manifest, costs)


def read(path: Path) -> Stored | None:
    """The result in a file, or None where there is none that can be read."""
    if not path.is_file():
        return None
    try:
        manifest = _manifest(path)
    except (InvalidInput, ValueError):
        return None
    costs: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        costs = json.loads(path.with_suffix(".run.json").read_text(encoding="utf-8"))
    return Stored(path, manifest, costs)


def read_variants(stored: Stored, document_ids: Ids | None = None) -> dict[str, Variant]:
    """The rankings and values of a stored result; over the given documents, or those that it ranks."""
    with _reading(stored.path) as con:
        rows = con.execute(
            "SELECT variant, query_id, len(doc_ids) AS n, map_keys(measures) AS names, map_values(measures) AS vals "
            "FROM read_parquet($1) ORDER BY variant, query_id",
            [str(stored.path)],
        ).fetchnumpy()
        flat = con.execute(
            "SELECT unnest(doc_ids) AS d, unnest(scores) AS s "
            "FROM (SELECT * FROM read_parquet($1) ORDER BY variant, query_id)",
            [str(stored.path)],
        ).fetchnumpy()
    ids = np.asarray(flat["d"], dtype=object)
    vocabulary = np.array(sorted(set(ids.tolist())), dtype=object) if document_ids is None else document_ids
    number = {d: i for i, d in enumerate(vocabulary)}
    try:
        documents = np.fromiter((number[d] for d in ids), np.int32, len(ids))
    except KeyError as error:
        fault = Fault(f"document {error} is not in the corpus of `{stored.task}`", str(stored.path))
        raise InvalidInput("the result", [fault]) from None
    scores = np.asarray(flat["s"], dtype=np.float32)
    ends = np.concatenate([[0], np.cumsum(np.asarray(rows["n"], dtype=np.int64))])
    names = np.asarray(rows["variant"], dtype=object)
    found: dict[str, Variant] = {}
    for name in dict.fromkeys(names.tolist()):
        at = np.flatnonzero(names == name)
        first, last = ends[at[0]], ends[at[-1] + 1]
        run = Run(
            np.asarray(rows["query_id"], dtype=object)[at],
            vocabulary,
            ends[at[0] : at[-1] + 2] - first,
            documents[first:last],
            scores[first:last],
            stored.retriever,
        )
        found[name] = Variant(run, _columns(rows["names"][at], rows["vals"][at]))
    return found


def _columns(names: npt.NDArray, values: npt.NDArray) -> dict[str, npt.NDArray[np.float64]]:
    """Maps of measure to value, one a query, as one array a measure."""
    matrix = np.stack([np.asarray(v, dtype=np.float64) for v in values])
    return {measure: matrix[:, i].copy() for i, measure in enumerate(names[0])}


def read_values(stored: Stored) -> dict[str, tuple[Ids, dict[str, npt.NDArray[np.float64]]]]:
    """Per variant the queries and their values of the stored measures, without the rankings."""
    with _reading(stored.path) as con:
        rows = con.execute(
            "SELECT variant, query_id, map_keys(measures) AS names, map_values(measures) AS vals "
            "FROM read_parquet($1) ORDER BY variant, query_id",
            [str(stored.path)],
        ).fetchnumpy()
    names = np.asarray(rows["variant"], dtype=object)
    found = {}
    for name in dict.fromkeys(names.tolist()):
        at = names == name
        found[name] = (
            np.asarray(rows["query_id"], dtype=object)[at],
            _columns(rows["names"][at], rows["vals"][at]),
        )
    return found


def scan(root: Path) -> list[Stored]:
    """Every readable result below a folder of results, by retriever, folder and task."""
    found = [stored for path in sorted(root.glob("*/*/*.parquet")) if (stored := read(path)) is not None]
    return sorted(found, key=lambda s: (s.retriever, str(s.path.parent.parent), s.task))


def write_manifests(folder: Path) -> None:
    """Derive `manifest.json` from the result files of one data set's folder, and tidy the folder."""
    _sweep(folder)
    known = {s.task: dict(s.manifest) for p in sorted(folder.glob("*.parquet")) if (s := read(p)) is not None}
    text = json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    path = folder / "manifest.json"
    # Left alone where it is right already, so that results in a folder without write permission can be read.
    if known and not (path.is_file() and path.read_bytes() == text.encode()):
        write_text(path, text)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside the target, renamed over it on success and removed on failure.

    Its folder is made where there is none; whatever the system refuses is a `UsageError`.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        make_folder(path.parent)
        try:
            yield temporary
            with open(temporary, "rb") as handle:
                os.fsync(handle.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _refused(path, error) from error


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"`{path}` cannot be written: {error.strerror or error}",
        "check space and permissions (`df -h`, `ls -ld`), or name another folder",
    )


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left behind half-written."""
    for leftover in folder.glob(".*.tmp"):
        owner = leftover.name.split(".")[-2]
        if owner.isdigit() and not _alive(int(owner)):
            leftover.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _manifest(path: Path) -> dict[str, Any]:
    with _reading(path) as con:
        row = con.execute(
            "SELECT decode(value) FROM parquet_kv_metadata($1) WHERE decode(key) = $2",
            [str(path), MANIFEST_KEY],
        ).fetchone()
    if row is None:
        raise InvalidInput("the result", [Fault("no manifest of hakari inside", str(path))])
    return dict(json.loads(row[0]))


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor for reading a result, whose errors say that the file is damaged."""
    import duckdb

    try:
        with connection() as con:
            yield con
    except duckdb.Error as error:
        hint = f"remove it (`rm {shlex.quote(str(path))}`) and run the same command again"
        told = str(error).splitlines()[0]
        raise InvalidInput("the result", [Fault(f"damaged: {told}", str(path), hint=hint)]) from None


def _write_parquet(path: Path, manifest: Mapping[str, Any], variants: Mapping[str, Variant]) -> None:
    names = sorted(variants)
    measures = sorted(variants[names[0]].values)
    head, flat, known = _as_columns([variants[name] for name in names], names, measures)
    keys = ", ".join(_quoted(m) for m in measures)
    values_sql = ", ".join(f"m{i}" for i in range(len(measures)))
    with connection() as con, _system_errors():
        con.register("head", head)
        con.register("flat", flat)
        con.register("known", known)
        # As values of an enumeration ids are moved as numbers, and each stands in the file once.
        con.execute("CREATE OR REPLACE TEMP TYPE document AS ENUM (SELECT id FROM known ORDER BY place)")
        con.execute(
            f"""COPY (
                SELECT variant, query_id,
                       coalesce(documents, []) AS doc_ids, coalesce(scores, []::DOUBLE[]) AS scores,
                       map([{keys}]::VARCHAR[], [{values_sql}]::DOUBLE[]) AS measures
                FROM head LEFT JOIN (
                    SELECT row, list_select(ids, places) AS documents, scores
                    FROM (SELECT row, list(document) AS places, list(score::DOUBLE) AS scores
                          FROM (FROM flat ORDER BY rank) GROUP BY row),
                         (SELECT list(id::document ORDER BY place) AS ids FROM known)
                ) USING (row) ORDER BY row
            ) TO {_quoted(str(path))}
            (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{MANIFEST_KEY}: {_quoted(canonical(manifest))}}})"""
        )


Columns = dict[str, npt.NDArray]


def _as_columns(
    variants: Sequence[Variant], names: Sequence[str], measures: Sequence[str]
) -> tuple[Columns, Columns, Columns]:
    """One row a variant and query; one row a ranked document, by number; and the ids of these numbers."""
    runs = [variant.run for variant in variants]
    lengths = np.concatenate([np.diff(run.offsets) for run in runs])
    head = {
        "row": np.arange(len(lengths), dtype=np.int32),
        "variant": np.repeat(np.array(names, dtype=object), [len(run.query_ids) for run in runs]),
        "query_id": np.concatenate([run.query_ids for run in runs]),
    }
    for i, measure in enumerate(measures):
        head[f"m{i}"] = np.concatenate([np.asarray(v.values[measure], dtype=np.float64) for v in variants])
    vocabularies: list[Ids] = []
    documents = np.concatenate([run.documents + _place_of(run.document_ids, vocabularies) for run in runs])
    ids, places = _ranked(vocabularies, documents)
    flat = {
        "row": np.repeat(head["row"], lengths),
        "rank": np.arange(len(documents), dtype=np.int32),
        "document": places + 1,  # lists of DuckDB count from 1
        "score": np.concatenate([run.scores for run in runs]),
    }
    return head, flat, {"id": ids, "place": np.arange(len(ids), dtype=np.int64)}


def _ranked(vocabularies: Sequence[Ids], documents: npt.NDArray) -> tuple[Ids, npt.NDArray[np.int32]]:
    """The ids of all documents that are ranked, each once, and the place among them of each that is ranked."""
    ids = np.concatenate(vocabularies).astype(object)
    if len(vocabularies) > 1:
        ids, numbers = np.unique(ids, return_inverse=True)
        documents = numbers.ravel()[documents]
    used = np.bincount(documents, minlength=len(ids)) > 0
    return ids[used], (np.cumsum(used, dtype=np.int32) - 1)[documents]


def _place_of(ids: Ids, vocabularies: list[Ids]) -> int:
    """Where ids begin in the vocabularies one after the other; new ones are added."""
    before = 0
    for known in vocabularies:
        if known is ids:
            return before
        before += len(known)
    vocabularies.append(ids)
    return before


@contextlib.contextmanager
def _system_errors() -> Iterator[None]:
    """What DuckDB says of a full disk or a missing permission, as the system's own kind of error."""
    import duckdb

    try:
        yield
    except duckdb.IOException as error:
        reason = re.search(r": ([A-Z][a-z ]+)(?:\"|$)", str(error))
        raise OSError(reason[1] if reason else str(error)) from error


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextlib.contextmanager
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor of one thread, so that files have the same bytes on every machine."""
    cursor = _database(os.getpid()).cursor()
    try:
        yield cursor
    finally:
        cursor.close()


@lru_cache(maxsize=1)
def _database(pid: int) -> duckdb.DuckDBPyConnection:
    """One database in memory a process: opening one costs more than most of what is asked of it."""
    import duckdb

    return duckdb.connect(config={"threads": 1})
