"""Columns of training tables by the part that they play: named by the user, or guessed from what people call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.errors import nearest
from hakari.io.files import shown
from hakari.nano.sources_tables import FaultLog, Place, open_table, plain_name


def words(names: str) -> tuple[str, ...]:
    """Words with spaces between them, one by one."""
    return tuple(names.split())


@dataclass(frozen=True)
class Part:
    """A part that a column plays, the option that names it, and what people call such columns."""

    option: str
    names: tuple[str, ...]
    optional: bool = False


QUESTION = Part(
    "query",
    words("question query title anchor problem prompt instruction intent nl utterance sentence1 text"),
)
ANSWER = Part(
    "positive",
    words(
        "accepted_answer best_answer answer positive response output answers solution reply sentence2 code snippet"
    ),
)
BODY = Part("body", words("body question_body description input details"), optional=True)
SCHEMA = Part("schema", words("schema context create_table ddl sql_context table_schema"), optional=True)
SQL_QUESTION = Part(
    "query", words("question nl utterance sql_prompt instruction prompt natural_language anchor query text")
)
SQL = Part("positive", words("sql statement sql_query query answer positive output response"))
MESSAGES = Part("messages", words("messages conversations conversation dialogue dialog chat turns"))
SOURCE_SIDE = Part("query", words("source src anchor query java python sentence1 text1 code1 en"))
TARGET_SIDE = Part("positive", words("target tgt positive translation cs cpp sentence2 text2 code2 de fr"))


def part_rows(
    paths: Sequence[Path], parts: Sequence[Part], given: Mapping[str, str | None], told: list[str]
) -> Iterator[tuple[Place, tuple[Any, ...]]]:
    """The values of the columns that play these parts, row by row; what was taken is told.

    All that is wrong with the tables is one error, which is raised before the first row where it can be.
    """
    faults = FaultLog("the training tables")
    names = frozenset(name for part in parts for name in part.names)
    table = open_table(paths, faults, names)
    taken: list[str | None] = []
    for part in parts:
        taken.append(_column(part, table.columns, [t for t in taken if t], given, faults, table.name))
    faults.raise_found()
    listed = ", ".join(
        f"{part.option} `{name}`" + ("" if given.get(part.option) else " (guessed)")
        for part, name in zip(parts, taken, strict=True)
        if name is not None
    )
    told.append(f"columns of {Path(table.name).name}: {listed}")
    yield from table.rows(taken)
    faults.raise_found()


def _column(
    part: Part,
    columns: Sequence[str],
    taken: Sequence[str],
    given: Mapping[str, str | None],
    faults: FaultLog,
    table: str,
) -> str | None:
    if not columns:
        return None
    listed = ", ".join(f"`{name}`" for name in columns[:20])
    wanted = given.get(part.option)
    if wanted:
        if wanted in columns:
            return wanted
        near = nearest(wanted, columns, 1)
        hint = f"did you mean `{near[0]}`?" if near else f"it has {listed}"
        faults.add(f"has no column {shown(wanted)} for `--{part.option}`", (table, None), hint)
        return None
    plain: dict[str, str] = {}
    for column in columns:
        plain.setdefault(plain_name(column), column)
    for name in part.names:
        if plain.get(name, "") not in ("", *taken):
            return plain[name]
    if not part.optional:
        what = f"no column of it looks like `--{part.option}` (it has {listed})"
        faults.add(what, (table, None), f"say which it is with `--{part.option} COLUMN`")
    return None
