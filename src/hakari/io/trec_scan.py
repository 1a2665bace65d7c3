"""The fast way through a large TREC run: DuckDB parses and sorts, and steps aside where anything is odd."""

from __future__ import annotations

import gzip
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from hakari.io.files import connect, for_duckdb, open_bytes
from hakari.types import Ids

if TYPE_CHECKING:
    import duckdb

SMALL = 2_000_000
"""Below this many bytes reading line by line takes no longer than starting DuckDB."""
BLOCK = 1 << 24
SPACES = bytes.maketrans(b"\t\r\v\f", b"    ")


@dataclass(frozen=True)
class RunColumns:
    """The rows of a run, grouped by query and best first."""

    query_ids: Ids
    document_ids: Ids
    queries: npt.NDArray[np.int32]
    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32]
    tag: str


def scan_run(path: Path, small: int = SMALL) -> RunColumns | None:
    """The run, or None where it is small, or anything in it wants a closer look than this gives."""
    import duckdb

    try:
        if path.stat().st_size < (small / 4 if path.name.endswith(".gz") else small):
            return None
        with tempfile.TemporaryDirectory(prefix="hakari-") as folder:
            if _single_spaced(path):
                try:
                    return _scan(path)
                except duckdb.Error:  # repeated spaces look like empty columns
                    pass
            return _scan(_respaced(path, Path(folder) / "run"))
    except (OSError, EOFError, ValueError, duckdb.Error):
        return None


def _single_spaced(path: Path) -> bool:
    """Whether it can be parsed where it lies: plain, with no white space but spaces and line feeds."""
    if path.name.endswith(".gz"):
        return False
    with open(path, "rb") as file:
        return not any(odd in block for block in _blocks(file) for odd in (b"\t", b"\r", b"\v", b"\f", b"\0"))


def _respaced(path: Path, copy: Path) -> Path:
    """A copy with one space between columns and none around them."""
    with open_bytes(path) as source, open(copy, "wb") as target:
        for block in _blocks(source):
            if b"\0" in block:
                raise ValueError("NUL bytes want the closer look")
            block = re.sub(b" +", b" ", block.translate(SPACES))
            target.write(block.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" "))
    return copy


def _blocks(file: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """Pieces of a file that end where lines end."""
    while block := file.read(BLOCK):
        yield block + file.readline()


LINES = """
CREATE TEMP TABLE lines AS
SELECT q, z IS NULL OR r IS NULL AS short, d, CAST(CAST(s AS DOUBLE) AS FLOAT) + 0::FLOAT AS s, s AS text, t
FROM read_csv(?, auto_detect = false, header = false, delim = ' ', quote = '', escape = '', comment = '',
    new_line = '\\n', columns = {'q': 'VARCHAR', 'z': 'VARCHAR', 'd': 'VARCHAR', 'r': 'VARCHAR',
    's': 'VARCHAR', 't': 'VARCHAR'})
"""
CHECKS = """
SELECT count(*), count(*) FILTER (short OR q IS NULL OR d IS NULL OR t IS NULL OR s IS NULL),
    count(*) FILTER (NOT isfinite(s) OR contains(text, '_')), min(t)
FROM lines
"""
DISTINCT = """
CREATE TEMP TABLE {name} AS
SELECT id, CAST(row_number() OVER (ORDER BY id) - 1 AS INTEGER) AS i FROM
    (SELECT DISTINCT {column} AS id FROM lines)
"""
RANKED = """
SELECT queries.i AS q, documents.i AS d, s
FROM lines JOIN documents ON d = documents.id JOIN queries ON q = queries.id
ORDER BY queries.i, s DESC, documents.i DESC
"""


def _scan(path: Path) -> RunColumns | None:
    with connect(threads=None) as con:
        return _scan_with(con, path)


def _scan_with(con: duckdb.DuckDBPyConnection, path: Path) -> RunColumns | None:
    con.execute(LINES, [for_duckdb(path)])
    rows, nulls, odd, tag = con.execute(CHECKS).fetchall()[0]
    if not rows or nulls or odd:
        return None
    ids = []
    for name, column in (("queries", "q"), ("documents", "d")):
        con.execute(DISTINCT.format(name=name, column=column))
        ids.append(con.execute(f"SELECT id FROM {name} ORDER BY i").fetchnumpy()["id"])
    ranked = con.execute(RANKED).fetchnumpy()
    queries, documents = ranked["q"].astype(np.int32), ranked["d"].astype(np.int32)
    if _has_duplicates(queries, documents):
        return None
    return RunColumns(ids[0], ids[1], queries, documents, ranked["s"].astype(np.float32), tag)


def _has_duplicates(queries: npt.NDArray[np.int32], documents: npt.NDArray[np.int32]) -> bool:
    pairs = (queries.astype(np.int64) << 32) | documents
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())
