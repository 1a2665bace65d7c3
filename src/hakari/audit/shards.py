"""Training data as shards: Parquet, JSONL and CSV files, read in batches by DuckDB, known by their content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hakari.errors import Fault, InvalidInput
from hakari.io.files import connect, faults_of_reading, for_duckdb, names_in

if TYPE_CHECKING:
    import duckdb

KINDS = {
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
}
MEMORY_LIMIT = "2GB"
"""Of DuckDB for one shard; it reads row group by row group."""
BATCH = 1024
LONGEST_ROW = 1 << 28
BLOCK = 1 << 22
Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Shard:
    """One file of training data."""

    path: Path
    name: str
    """As it is told: the name of the file, below the folder that was given."""
    kind: str

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return os.path.getsize(self.path)

    @cached_property
    def content(self) -> str:
        """SHA-256 of the file."""
        digest = hashlib.sha256()
        with open(self.path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
        return digest.hexdigest()

    @property
    def source(self) -> str:
        """The file as a table in SQL, rows in order."""
        path = "'" + for_duckdb(self.path).replace("'", "''") + "'"
        if self.kind == "parquet":
            return f"read_parquet({path}, hive_partitioning = false, binary_as_string = true)"
        if self.kind == "json":
            layout = "auto" if ".json" in self.path.suffixes else "newline_delimited"
            return (
                f"read_json({path}, format = '{layout}', sample_size = 20480, "
                f"maximum_object_size = {LONGEST_ROW})"
            )
        delimiter = "\\t" if ".tsv" in self.path.name else ","
        return f"read_csv({path}, header = true, all_varchar = true, delim = {_literal(delimiter)}, strict_mode = true)"

    def types(self) -> dict[str, str]:
        """The columns of the file and their types."""
        with self._reading() as con:
            return {row[0]: row[1] for row in con.execute(f"DESCRIBE SELECT * FROM {self.source}").fetchall()}

    def count(self) -> int | None:
        """Rows, where the file tells without being read."""
        return self.row_count() if self.kind == "parquet" else None

    def row_count(self) -> int:
        """Rows of the file."""
        with self._reading() as con:
            found = con.execute(f"SELECT count(*) FROM {self.source}").fetchone()
        return int(found[0]) if found else 0

    def batches(self, expressions: Sequence[str], skip: int = 0) -> Iterator[list[Row]]:
        """The values of some expressions from one row on, some rows at a time."""
        offset = f" OFFSET {skip}" if skip else ""
        with self._reading() as con:
            result = con.execute(f"SELECT {', '.join(expressions)} FROM {self.source}{offset}")
            while batch := result.fetchmany(BATCH):
                yield batch

    def values(self, expression: str, most: int = 100_000) -> list[str]:
        """The different values of an expression, or some of them where there are too many to be names."""
        with self._reading() as con:
            asked = f"SELECT DISTINCT CAST({expression} AS VARCHAR) AS v FROM {self.source} LIMIT {most}"
            return sorted(row[0] for row in con.execute(asked).fetchall() if row[0] is not None)

    def rows(self, expressions: Sequence[str], numbers: Sequence[int]) -> dict[int, Row]:
        """The values of some expressions in some rows."""
        wanted, found, at = set(numbers), {}, 0
        for batch in self.batches(expressions) if wanted else ():
            found.update({at + i: row for i, row in enumerate(batch) if at + i in wanted})
            at += len(batch)
            if len(found) == len(wanted):
                break
        return found

    @contextmanager
    def _reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb

        faults: list[Fault] = []
        with faults_of_reading(self.path, faults), open(self.path, "rb"):
            pass
        if not faults:
            try:
                with connect(threads=1) as con:
                    con.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
                    # Rows are read once; kept pages would let memory grow with the file.
                    con.execute("SET enable_external_file_cache = false")
                    yield con
                    return
            except (duckdb.Error, UnicodeError) as error:
                line = (str(error).splitlines() or [type(error).__name__])[0].split("Error: ", 1)[-1]
                what = f"cannot be read as {self.kind}: {line.replace(for_duckdb(self.path), self.name)}"
                hint = "fetch or write it again, or leave it out of the audit with `--skip-corrupt`"
                faults.append(Fault(what, str(self.path), hint=hint))
        raise InvalidInput("the training data", faults)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def kind_of(path: Path) -> str | None:
    """The kind of a file by its name."""
    return KINDS.get(Path(path.name.removesuffix(".gz").removesuffix(".zst")).suffix.lower())


def find(places: Sequence[Path]) -> list[Shard]:
    """The shards in some files and folders, in order; what is no training data is one error for all."""
    faults: list[Fault] = []
    shards: list[Shard] = []
    for place in places:
        if os.path.isdir(place):
            inside = [
                Path(root) / name
                for root, _, _ in sorted(os.walk(place))
                for name in names_in(Path(root), faults)
                if kind_of(Path(name)) and os.path.isfile(Path(root) / name)
            ]
            if not inside:
                hint = f"give .parquet, .jsonl or .csv files; look inside with `ls {place}`"
                faults.append(Fault("is a folder without training data", str(place), hint=hint))
            shards += [Shard(p, f"{place.name}/{p.relative_to(place)}", kind_of(p) or "") for p in inside]
        elif not os.path.lexists(place):
            hint = f"check `ls {place.parent}`"
            faults.append(Fault("no such file", str(place), hint=hint))
        elif kind := kind_of(place):
            shards.append(Shard(place, place.name, kind))
        else:
            hint = "name it .parquet, .jsonl, .csv or .tsv, as what it is"
            faults.append(Fault("cannot tell what kind of file this is", str(place), hint=hint))
    if faults:
        raise InvalidInput("the training data", faults)
    return _named(shards)


def _named(shards: Sequence[Shard]) -> list[Shard]:
    """Shards with names of their own: two files of one name are told by their places."""
    counts: dict[str, int] = {}
    for shard in shards:
        counts[shard.name] = counts.get(shard.name, 0) + 1
    seen: Mapping[str, int] = counts
    return [
        Shard(s.path, str(s.path) if seen[s.name] > 1 else s.name, s.kind) if seen[s.name] > 1 else s
        for s in shards
    ]
