"""One table of queries and what answers them as a collection: pairs, triplets, rows with lists of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hakari.io.files import shown
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
    faults = FaultLog("the pairs")
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
    pairs = _Pairs(table, (query, positive, *negatives), query_per_row)
    where = str(paths[0])
    return Source(
        where,
        pairs.documents,
        pairs.queries,
        pairs.judgements,
        faults,
        where,
        roles.taken,
        relevant_wins=True,
    )


class _Pair(NamedTuple):
    place: Place
    query_id: str
    query: str
    positives: list[str]
    negatives: list[str]


@dataclass(frozen=True)
class _Pairs:
    table: Table
    columns: tuple[str | None, ...]
    query_per_row: bool

    def __iter__(self) -> Iterator[_Pair]:
        faults = self.table.faults
        for row, (place, values) in enumerate(self.table.rows(self.columns), 1):
            query = as_text(values[0], self.columns[0], place, faults)
            answers = [
                as_texts(value, column, place, faults)
                for value, column in zip(values[1:], self.columns[1:], strict=True)
            ]
            name = f"q{row:09d}" if self.query_per_row else _named("q", query)
            yield _Pair(place, name, query, answers[0], [text for texts in answers[1:] for text in texts])

    def documents(self) -> Iterator[Item]:
        for pair in self:
            for text in (*pair.positives, *pair.negatives):
                yield Item(pair.place, _named("d", text), text)

    def queries(self) -> Iterator[Item]:
        for pair in self:
            yield Item(pair.place, pair.query_id, pair.query)

    def judgements(self) -> Iterator[Judged]:
        for pair in self:
            for grade, texts in ((1.0, pair.positives), (0.0, pair.negatives)):
                for text in texts:
                    yield Judged(pair.place, pair.query_id, _named("d", text), grade)


def _named(side: str, text: str) -> str:
    # The text may hold half a surrogate pair, which is told of where texts are checked.
    return side + stable_hash(side, text.strip().encode("utf-8", "replace").decode())
