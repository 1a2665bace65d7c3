"""One table of queries and what answers them as a collection: pairs, triplets, rows with lists of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from hakari.io.files import shown
from hakari.nano.draft import Stage
from hakari.nano.sampling import stable_hash
from hakari.nano.sources_cells import Item, Judged, as_text, as_texts
from hakari.nano.sources_parts import Source
from hakari.nano.sources_roles import HEADER_NAMES, Roles
from hakari.nano.sources_tables import FaultLog, Place, Table, open_table


def from_pairs(
    paths: Sequence[Path],
    columns: Mapping[str, str],
    negatives: Sequence[str] = (),
    query_per_row: bool = False,
) -> Source:
    """Tables of queries and their positives, and of negatives where they have such columns.

    Documents go by a hash of their text, so that the same text is one document and no id says what it
    answers. So do queries, unless every row is to be a query of its own, whatever other rows ask.
    """
    faults = FaultLog("the table of pairs")
    roles = Roles(columns)
    table = open_table(paths, faults, HEADER_NAMES)
    query, positive = roles.of(table, "pairs.query", "pairs.positive")
    for name in negatives if table.columns else ():
        if name not in table.columns:
            hint = "it has " + ", ".join(f"`{column}`" for column in table.columns[:20])
            faults.add(f"has no column {shown(name)}", (table.name, None), hint)
    if query is not None and query == positive:
        hint = "name two columns with `--query` and `--positive`"
        faults.add(f"column `{query}` cannot be query and positive at once", (table.name, None), hint)
    faults.raise_found()
    return source_of_pairs(_Rows(table, (query, positive, *negatives), query_per_row), table, roles)


class Pair(NamedTuple):
    """A question and what there is to answer it, by grade; what has none is a hard negative."""

    place: Place
    query_id: str
    query: str
    answers: list[tuple[str, float]]


class Pairs(Protocol):
    """Pairs that can be read as often as needed."""

    def __iter__(self) -> Iterator[Pair]:
        """From the first to the last."""

    def stages(self) -> Sequence[Stage]:
        """What the last reading saw, kept and left out."""


def source_of_pairs(pairs: Pairs, table: Table, roles: Roles) -> Source:
    """A collection of what the pairs ask and answer."""

    def documents() -> Iterator[Item]:
        for pair in pairs:
            for text, _ in pair.answers:
                yield Item(pair.place, named("d", text), text)

    def queries() -> Iterator[Item]:
        for pair in pairs:
            yield Item(pair.place, pair.query_id, pair.query)

    def judgements() -> Iterator[Judged]:
        for pair in pairs:
            for text, grade in pair.answers:
                yield Judged(pair.place, pair.query_id, named("d", text), grade)

    return Source(
        table.name,
        documents,
        queries,
        judgements,
        table.faults,
        table.name,
        roles.taken,
        relevant_wins=True,
        stages=pairs.stages,
    )


def query_name(text: str, row: int, per_row: bool, part: int = 0) -> str:
    """The id of a query: by its place, where every row is one of its own, else by its text."""
    return f"q{row:09d}" + (f"t{part:04d}" if part else "") if per_row else named("q", text)


@dataclass(frozen=True)
class _Rows:
    """Pairs as they stand in the rows of a table."""

    table: Table
    columns: tuple[str | None, ...]
    query_per_row: bool

    def __iter__(self) -> Iterator[Pair]:
        faults = self.table.faults
        for row, (place, values) in enumerate(self.table.rows(self.columns), 1):
            query = as_text(values[0], self.columns[0], place, faults)
            answers = [
                (text, 0.0 if at else 1.0)
                for at, (value, column) in enumerate(zip(values[1:], self.columns[1:], strict=True))
                for text in as_texts(value, column, place, faults)
            ]
            yield Pair(place, query_name(query, row, self.query_per_row), query, answers)

    def stages(self) -> Sequence[Stage]:
        return ()


def named(side: str, text: str) -> str:
    """An id that says nothing but which text it is."""
    # The text may hold half a surrogate pair, which is told of where texts are checked.
    return side + stable_hash(side, text.strip().encode("utf-8", "replace").decode())
