"""Parquet files of the nano layout as rows, with every fault of a file found at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hakari.errors import Fault
from hakari.io.files import faults_of_reading, for_duckdb
from hakari.io.parts import OTHER_NAMES, JudgementRows, Places, TextRows, join_title, parse_grade

if TYPE_CHECKING:
    import duckdb

OPTIONAL = ("title", "score", "scores")
WIDTHS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
INTEGERS = (*WIDTHS, *(f"U{name}" for name in WIDTHS))
FLOATS = ("FLOAT", "DOUBLE")
STRINGS = ("VARCHAR", "JSON", "ENUM")
OTHER_SCALARS = ("BOOLEAN", "DATE", "TIME", "UUID", "DECIMAL")

EXACT_FLOAT = 2**53


def family(kind: str) -> str:
    """What a DuckDB type is to us: string, integer, float, scalar (its text form loses nothing) or other."""
    if kind.endswith(("]", "TIME ZONE")):
        return "other"
    families = {"string": STRINGS, "integer": INTEGERS, "float": FLOATS, "scalar": OTHER_SCALARS}
    return next((name for name, kinds in families.items() if kind.startswith(kinds)), "other")


class Table:
    """One Parquet file: its columns by name, read when asked for."""

    def __init__(self, con: duckdb.DuckDBPyConnection, path: Path, faults: list[Fault]) -> None:
        self.con, self.path, self.faults, self.sound = con, path, faults, False
        self.types: dict[str, str] = {}
        before = len(faults)
        with faults_of_reading(path, faults), open(path, "rb"):
            pass
        if len(faults) == before:
            described = self._query("DESCRIBE SELECT *", "fetchall")
            self.sound = described is not None
            self.types = {row[0]: row[1] for row in described or ()}

    def _query(self, select: str, fetch: str) -> Any:
        import duckdb

        source = "read_parquet(?, hive_partitioning = false, binary_as_string = true)"
        try:
            return getattr(self.con.execute(f"{select} FROM {source}", [for_duckdb(self.path)]), fetch)()
        except (duckdb.Error, UnicodeError, ValueError, OverflowError) as error:
            self.fault(
                f"cannot be read as Parquet: {_first_line(error, self.path)}", hint=_unreadable(self.path)
            )
            return None

    def fault(self, what: str, hint: str, row: int | None = None) -> None:
        """Note what is wrong with the file or with one row of it."""
        self.faults.append(Fault(what, str(self.path), row, hint))

    def has(self, *names: str) -> bool:
        """Whether all these columns are there; each that is not is a fault with the rename to make."""
        complete = self.sound
        for name in names if self.sound else ():
            if name in self.types:
                continue
            found = [column for column in self.types if column.lower() == name.lower()]
            taken = [n for n in names if n != name and n in self.types]
            found += [c for c in self.types if c.lower() in OTHER_NAMES[name] and c not in (*taken, *found)]
            if name in OPTIONAL and not found:
                continue
            listed = ", ".join(f"`{column}`" for column in self.types)
            self.fault(
                f"has no column `{name}` (it has {listed})",
                hint=f"rename `{found[0]}` to `{name}`" if found else f"add a column `{name}`",
            )
            complete = False
        return complete

    def values(self, *columns: str) -> list[list[Any]] | None:
        """The values of columns, None for null; ids and texts as strings where that loses nothing."""
        parts = []
        for column in columns:
            quoted = f'"{column}"'
            as_text = column != "score" and family(self.types[column]) in ("string", "integer", "scalar")
            parts.append(f"CAST({quoted} AS VARCHAR) AS {quoted}" if as_text else quoted)
        fetched = self._query("SELECT " + ", ".join(parts), "fetchnumpy")
        return None if fetched is None else [fetched[column].tolist() for column in columns]

    def select(self, expression: str) -> list[Any] | None:
        """The values of one expression as Python objects."""
        rows = self._query(f"SELECT {expression}", "fetchall")
        return None if rows is None else [row[0] for row in rows]

    def ids(self, column: str, values: list[Any], notes: list[str]) -> list[str | None]:
        """The values of an id column as strings, None where that cannot be."""
        kind = self.types[column]
        read: list[str | None] = values
        if family(kind) == "float":
            read = [self._whole(column, row, value) for row, value in enumerate(values, 1)]
        elif family(kind) == "other":
            self.fault(f"column `{column}` is {kind}, ids are strings", hint=f"write `{column}` as strings")
            return [None] * len(values)
        if family(kind) != "string":
            notes.append(f"{self.path.name}: ids in `{column}` are {kind}, read as strings")
        for row, value in enumerate(values, 1):
            if value is None:
                self.fault(f"`{column}` is null", row=row, hint=f"fill `{column}` or remove the row")
        return read

    def _whole(self, column: str, row: int, value: float | None) -> str | None:
        if value is None:
            return None
        if value == value and abs(value) < EXACT_FLOAT and value == int(value):
            return str(int(value))
        self.fault(
            f"`{column}` is the number {value!r}, not a string", row=row, hint=f"write `{column}` as strings"
        )
        return None

    def texts(self, column: str, values: list[Any], missing: str | None) -> list[str]:
        """The values of a text column; nulls are faults unless `missing` says what they stand for."""
        kind = self.types[column]
        if family(kind) != "string":
            self.fault(f"column `{column}` is {kind}, text is expected", hint=f"write `{column}` as strings")
            return ["?"] * len(values)
        if None not in values:
            return values
        for row, value in enumerate(values, 1):
            if value is None and missing is None:
                self.fault(f"`{column}` is null", row=row, hint=f"fill `{column}` or remove the row")
        return [("?" if missing is None else missing) if value is None else value for value in values]

    def grades(self, column: str, values: list[Any]) -> list[int]:
        """The values of a grade column as integers."""
        kind = self.types[column]
        if family(kind) not in ("integer", "float", "string"):
            self.fault(
                f"column `{column}` is {kind}, grades are integers", hint=f"write `{column}` as integers"
            )
            return [1] * len(values)
        return [self._grade(column, row, value) for row, value in enumerate(values, 1)]

    def _grade(self, column: str, row: int, value: Any) -> int:
        grade = parse_grade(value)
        if grade is None:
            what = f"`{column}` is null" if value is None else f"grade {value!r} is not an integer of 32 bits"
            self.fault(what, row=row, hint=f"write `{column}` as integers, 1 for relevant")
            return 1
        return grade


def _first_line(error: Exception, path: Path) -> str:
    line = str(error).splitlines()[0] if str(error) else type(error).__name__
    return line.split("Error: ", 1)[-1].replace(for_duckdb(path), str(path))


def _unreadable(path: Path) -> str:
    return f"fetch or write {path} again; it is damaged, cut short or no Parquet file"


def read_texts(
    con: duckdb.DuckDBPyConnection, files: Sequence[Path], titled: bool, faults: list[Fault], notes: list[str]
) -> TextRows:
    """Ids and texts of the shards of a corpus or of queries; a title goes before its text."""
    rows = TextRows()
    for path in files:
        table = Table(con, path, faults)
        if not table.has("_id", "text"):
            continue
        wanted = ["_id", "text"] + (["title"] if titled and "title" in table.types else [])
        columns = table.values(*wanted)
        if columns is None:
            continue
        ids = table.ids("_id", columns[0], notes)
        empty_where_titled = "" if len(columns) > 2 else None
        texts = table.texts("text", columns[1], empty_where_titled)
        if len(columns) > 2:
            titles = table.texts("title", columns[2], "")
            texts = [join_title(title, text) for title, text in zip(titles, texts, strict=True)]
        _keep(rows.places, path, [ids, texts], [rows.ids, rows.texts])
    return rows


def read_judgements(
    con: duckdb.DuckDBPyConnection, files: Sequence[Path], faults: list[Fault], notes: list[str]
) -> JudgementRows:
    """Judgements of the shards of a task; without a score column every judgement is 1."""
    rows = JudgementRows()
    for path in files:
        table = Table(con, path, faults)
        if not table.has("query-id", "corpus-id", "score"):
            continue
        graded = "score" in table.types
        columns = table.values("query-id", "corpus-id", *(["score"] if graded else []))
        if columns is None:
            continue
        queries = table.ids("query-id", columns[0], notes)
        documents = table.ids("corpus-id", columns[1], notes)
        grades = table.grades("score", columns[2]) if graded else [1] * len(queries)
        _keep(rows.places, path, [queries, documents, grades], [rows.queries, rows.documents, rows.grades])
    return rows


def _keep(places: Places, path: Path, columns: Sequence[list[Any]], kept: Sequence[list[Any]]) -> None:
    """Append the rows without a null, remembering where they lay."""
    count = len(columns[0])
    rows: Sequence[int] = range(1, count + 1)
    if any(None in column for column in columns):
        whole = [i for i in range(count) if all(column[i] is not None for column in columns)]
        rows = [i + 1 for i in whole]
        columns = [[column[i] for i in whole] for column in columns]
    places.segments.append((str(path), rows))
    for column, into in zip(columns, kept, strict=True):
        into.extend(column)
