"""Tables of any size as streams of rows: JSONL, TSV and CSV line by line, Parquet through DuckDB.

No file is ever held in memory, and no line longer than `MAX_LINE` is read, so a damaged file ends in a
fault that names its line and not in a process that grows until it is killed.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from hakari.errors import Fault, InvalidInput
from hakari.io.files import connect, faults_of_reading, for_duckdb, names_in, open_bytes
from hakari.nano.sources_arrays import elements, is_array

MAX_LINE = 1 << 26
"""Bytes of the longest line that is read."""
BATCH = 1024
"""Rows that DuckDB hands over at a time."""
MEMORY_LIMIT = "1GB"
"""Of DuckDB, for one file; it reads row group by row group and needs far less."""
HEAD_ROWS = 50
"""Rows that are looked at to learn the columns of a JSONL file."""
KINDS = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
}

Place = tuple[str, int]
"""File and row: data rows in Parquet, lines in text files, both from 1."""
Row = tuple[Place, tuple[Any, ...]]


class FaultLog(list[Fault]):
    """Faults of one source; reading stops when there are more than anybody wants to read."""

    LIMIT = InvalidInput.SHOWN

    def __init__(self, subject: str) -> None:
        super().__init__()
        self.subject = subject

    def append(self, fault: Fault) -> None:
        """Note a fault, once however often the source is read; the last one that is shown ends the reading."""
        if fault in self:
            return
        super().append(fault)
        if len(self) >= self.LIMIT:
            self.raise_found()

    def add(self, what: str, place: Place | tuple[str, None], hint: str) -> None:
        """Note what is wrong at a place and what to do about it."""
        self.append(Fault(what, place[0], place[1], hint))

    def raise_found(self) -> None:
        """Raise all faults that were found, or return where there are none."""
        if self:
            raise InvalidInput(self.subject, self)


@dataclass(frozen=True)
class Table:
    """One or more files with the same columns, read in order of their names as often as needed."""

    files: tuple[Path, ...]
    columns: tuple[str, ...]
    faults: FaultLog
    headed: bool = True
    """Whether the first line of a TSV or CSV file names its columns."""
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return str(self.files[0]) if self.files else "nothing"

    def rows(self, columns: Sequence[str | None]) -> Iterator[Row]:
        """The values of these columns with the place of each row; a column that is None holds None."""
        for path in self.files:
            kind = _kind(path)
            if kind == "parquet":
                yield from _parquet_rows(path, columns, self.faults)
            elif kind == "jsonl":
                for place, item in _objects(path, self.faults):
                    yield place, tuple(None if name is None else item.get(name) for name in columns)
            else:
                yield from self._split_rows(path, columns)

    def _split_rows(self, path: Path, columns: Sequence[str | None]) -> Iterator[Row]:
        rows = _split(path, self.faults)
        # Every file has its header of its own, and need not have the order of the first.
        named = (
            [name.strip() for name in next(rows, ((), list(self.columns)))[1]]
            if self.headed
            else self.columns
        )
        at = [None if name is None else named.index(name) for name in columns]
        for place, fields in rows:
            if len(fields) != len(named):
                what = f"has {len(fields)} column{'s' * (len(fields) != 1)}, the first line has {len(named)}"
                self.faults.add(what, place, "write the same number of columns on every line")
                continue
            yield place, tuple(None if i is None else fields[i] for i in at)


def open_table(paths: Sequence[Path], faults: FaultLog, header_names: frozenset[str] = frozenset()) -> Table:
    """The table in these files or folders of files; what cannot be read is a fault and gives no columns.

    `header_names` are the names that make the first line of a TSV or CSV file a header.
    """
    before = len(faults)
    files = tuple(path for given in paths for path in _files_of(given, faults))
    if len(faults) > before or not files:
        return Table((), (), faults)
    tables = [_described(path, faults, header_names) for path in files]
    columns = tables[0].columns
    for other in tables[1:]:
        lacking = [name for name in columns if name not in other.columns]
        if lacking and _kind(other.files[0]) != "jsonl" and other.columns:
            what = f"has no column `{lacking[0]}`, which {tables[0].name} has"
            faults.add(what, (other.name, None), "give every file the same columns")
    return Table(files, columns, faults, tables[0].headed, tables[0].types)


def _kind(path: Path) -> str | None:
    return KINDS.get(Path(path.name.removesuffix(".gz")).suffix.lower())


def _files_of(path: Path, faults: FaultLog) -> list[Path]:
    if "\0" in str(path):
        faults.add("NUL byte in the path", (str(path), None), "give the path of a file")
    elif os.path.isdir(path):
        found = [path / name for name in names_in(path, faults) if _kind(path / name)]
        if not found:
            hint = f"give a .jsonl, .parquet, .tsv or .csv file; look inside with `ls {path}`"
            faults.add("is a folder without tables", (str(path), None), hint)
        return found
    elif _kind(path) is None:
        hint = "name it .parquet, .jsonl, .tsv or .csv (text files also with .gz), as what it is"
        what = "no such file" if not os.path.lexists(path) else "cannot tell what kind of table this is"
        faults.add(what, (str(path), None), f"check `ls {path.parent}`" if what[:2] == "no" else hint)
    elif os.path.exists(path) and not os.path.isfile(path):
        faults.add("is not a regular file", (str(path), None), "save it to a file: it is read more than once")
    else:
        return [path]
    return []


def _described(path: Path, faults: FaultLog, header_names: frozenset[str]) -> Table:
    kind = _kind(path)
    before = len(faults)
    names: dict[str, str] = {}
    headed = True
    if kind == "parquet":
        names = _parquet_columns(path, faults)
    elif kind == "jsonl":
        for (_, _), item in _head(_objects(path, faults)):
            names.update(dict.fromkeys(item, "JSON"))
    else:
        for _, fields in _head(_split(path, faults), 1):
            headed = any(plain_name(name) in header_names for name in fields)
            named = [name.strip() for name in fields] if headed else []
            names = dict.fromkeys(named or (f"column{i}" for i in range(1, len(fields) + 1)), "VARCHAR")
            if headed and len(names) < len(fields):
                faults.add("names a column twice in its header", (str(path), 1), "rename one of the columns")
    if not names and len(faults) == before:
        faults.add("is empty", (str(path), None), f"look at it with `ls -l {path}`, and write it again")
    return Table((path,), tuple(names), faults, headed, names)


@lru_cache(maxsize=4096)
def plain_name(column: str) -> str:
    """A column name in the one form in which names are compared."""
    return column.strip().lower().replace("-", "_").replace(" ", "_")


def _head(rows: Iterator[Any], count: int = HEAD_ROWS) -> Iterator[Any]:
    for _, row in zip(range(count), rows, strict=False):
        yield row


def read_lines(path: Path, faults: FaultLog) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the lines of a UTF-8 file that are not blank, one in memory at a time."""
    with faults_of_reading(path, faults), open_bytes(path) as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                hint = f"write one record a line; look at it with `head -c 300 {path}`"
                faults.add(
                    f"is longer than {MAX_LINE >> 20} MiB, which is no record", (str(path), number), hint
                )
                return
            if number == 1:
                if line.startswith((b"\xff\xfe", b"\xfe\xff")):
                    hint = f"recode it with `iconv -f UTF-16 -t UTF-8 {path}`"
                    faults.add("is UTF-16, UTF-8 is expected", (str(path), None), hint)
                    return
                line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                what = f"byte 0x{line[error.start]:02x} at position {error.start + 1} is not UTF-8"
                hint = f"recode it with `iconv -f LATIN1 -t UTF-8 {path}`, naming its real encoding"
                faults.add(what, (str(path), number), hint)
                continue
            if not text.strip():
                continue
            if "\0" in text:
                faults.add("NUL byte", (str(path), number), "the file is damaged or not text: write it again")
                continue
            yield number, text


def _objects(path: Path, faults: FaultLog) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Objects one a line, or the elements of an array where a `.json` file is one."""
    for number, item in elements(path, faults) if is_array(path) else _values(path, faults):
        place = (str(path), number)
        if isinstance(item, dict):
            yield place, item
        else:
            what = f"is a JSON {type(item).__name__}, not an object"
            hint = 'write one object a line: {"_id": "...", "text": "..."}'
            if isinstance(item, list):
                hint = f"name it .json, or turn an array into lines with `jq -c '.[]' {path}`"
            faults.add(what, place, hint)


def _values(path: Path, faults: FaultLog) -> Iterator[tuple[int, Any]]:
    for number, line in read_lines(path, faults):
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            hint = f"look at it with `sed -n {number}p {path}`; one JSON object a line is expected"
            faults.add(f"is not JSON: {error}", (str(path), number), hint)


def _split(path: Path, faults: FaultLog) -> Iterator[tuple[Place, list[str]]]:
    lines = read_lines(path, faults)
    if _kind(path) == "tsv":
        for number, line in lines:
            yield (str(path), number), [_unquoted(part) for part in line.rstrip("\r\n").split("\t")]
        return
    last = [0]

    def texts() -> Iterator[str]:
        for number, line in lines:
            last[0] = number
            yield line

    reader = csv.reader(texts(), strict=True)
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            faults.add(f"cannot be read as CSV: {error}", (str(path), last[0]), "close every quote")
            return
        if fields is None:
            return
        yield (str(path), last[0]), fields


def _unquoted(part: str) -> str:
    """The text of a field; only one that is quoted as a whole loses its quotes, since TSV has no such rule."""
    if len(part) > 1 and part[0] == part[-1] == '"' and '"' not in part[1:-1].replace('""', ""):
        return part[1:-1].replace('""', '"')
    return part


PARQUET = "read_parquet(?, hive_partitioning = false, binary_as_string = true)"


def _parquet_columns(path: Path, faults: FaultLog) -> dict[str, str]:
    described: list[Any] = []
    for batch in _fetched(path, f"DESCRIBE SELECT * FROM {PARQUET}", faults):
        described += batch
    return {row[0]: row[1] for row in described}


def _parquet_rows(path: Path, columns: Sequence[str | None], faults: FaultLog) -> Iterator[Row]:
    selected = ", ".join("NULL" if name is None else '"' + name.replace('"', '""') + '"' for name in columns)
    name, number = str(path), 0
    for batch in _fetched(path, f"SELECT {selected} FROM {PARQUET}", faults):
        for values in batch:
            number += 1
            yield (name, number), values


def _fetched(path: Path, query: str, faults: FaultLog) -> Iterator[list[Any]]:
    """The rows of a query in batches; what DuckDB cannot read becomes one fault."""
    import duckdb

    before = len(faults)
    with faults_of_reading(path, faults), open(path, "rb"):
        pass
    if len(faults) > before:
        return
    with connect(threads=1) as con:
        con.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
        try:
            result = con.execute(query, [for_duckdb(path)])
            while batch := result.fetchmany(BATCH):
                yield batch
        except (duckdb.Error, UnicodeError, ValueError, OverflowError) as error:
            line = (str(error).splitlines() or [type(error).__name__])[0].split("Error: ", 1)[-1]
            what = f"cannot be read as Parquet: {line.replace(for_duckdb(path), name_of(path))}"
            faults.add(
                what, (str(path), None), f"fetch or write {path} again; it is damaged or no Parquet file"
            )


def name_of(path: Path) -> str:
    """The last part of a path, or the whole of it where that is empty."""
    return path.name or str(path)
