"""Questions of databases as a collection: question and schema ask, the statement answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakari.io.files import shown
from hakari.nano.draft import Stage
from hakari.nano.sources_cells import as_text
from hakari.nano.sources_pairs import Pair, query_name, source_of_pairs
from hakari.nano.sources_parts import Source
from hakari.nano.sources_roles import Roles, header_names
from hakari.nano.sources_tables import FaultLog, Table, open_table
from hakari.text.posts import schema_text, with_schema


def from_sql(paths: Sequence[Path], columns: Mapping[str, str], query_per_row: bool = False) -> Source:
    """Tables with a question, its statement and perhaps its schema in each row; SQL stays as it is."""
    faults = FaultLog("the table of questions")
    roles = Roles(columns)
    table = open_table(paths, faults, header_names("sql"))
    # The statement first: in some collections it is the column `query`, which else would be taken for the question.
    statement, question, schema = roles.of(table, "sql.positive", "sql.query", "sql.schema")
    if question is not None and question == statement:
        hint = "name two columns with `--query` and `--positive`"
        faults.add(
            f"column {shown(question)} cannot be question and statement at once", (table.name, None), hint
        )
    faults.raise_found()
    return source_of_pairs(_Statements(table, (question, statement, schema), query_per_row), table, roles)


@dataclass
class _Statements:
    table: Table
    columns: tuple[str | None, ...]
    query_per_row: bool
    stage: Stage | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Pair]:
        faults, seen, kept = self.table.faults, 0, 0
        for row, (place, values) in enumerate(self.table.rows(self.columns), 1):
            seen += 1
            question, statement = (
                as_text(value, column, place, faults)
                for value, column in zip(values[:2], self.columns[:2], strict=True)
            )
            try:
                schema = schema_text(values[2])
            except ValueError as error:
                hint = "write it as text, or leave it out with `--schema ''`"
                faults.add(f"`{self.columns[2]}` {error}", place, hint)
                continue
            if not question.strip() or not statement.strip():
                continue
            kept += 1
            asked = with_schema(question, schema)
            yield Pair(place, query_name(asked, row, self.query_per_row), asked, [(statement, 1.0)])
        left_out = {"no question or no statement": seen - kept} if seen > kept else {}
        self.stage = Stage("rows", seen, kept, left_out)

    def stages(self) -> Sequence[Stage]:
        return () if self.stage is None else (self.stage,)
