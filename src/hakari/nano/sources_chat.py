"""Dialogues as a collection: what was said so far asks, the assistant's next turn answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakari.nano.draft import Stage
from hakari.nano.sources_pairs import Pair, query_name, source_of_pairs
from hakari.nano.sources_parts import Source
from hakari.nano.sources_roles import Roles, header_names
from hakari.nano.sources_tables import FaultLog, Table, open_table
from hakari.text.dialogue import Turn, as_history, turns_of

ASSISTANT, USER = "assistant", "user"
EXAMPLE = '{"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]}'


def from_chat(
    paths: Sequence[Path], columns: Mapping[str, str], each: bool = False, query_per_row: bool = False
) -> Source:
    """Tables with a dialogue in each row; the last turn of the assistant is to be found, or each of them.

    The earlier turns of the assistant in the same dialogue are hard negatives: they are about the same things, and
    the query has their words in it.
    """
    faults = FaultLog("the table of dialogues")
    roles = Roles(columns)
    table = open_table(paths, faults, header_names("chat"))
    (messages,) = roles.of(table, "chat.messages")
    faults.raise_found()
    return source_of_pairs(_Dialogues(table, messages, each, query_per_row), table, roles)


@dataclass
class _Dialogues:
    table: Table
    messages: str | None
    each: bool
    query_per_row: bool
    stage: Stage | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Pair]:
        left_out = dict.fromkeys(("no turn of an assistant", "not the last turn", "nobody asked"), 0)
        seen = kept = 0
        for row, (place, (value,)) in enumerate(self.table.rows((self.messages,)), 1):
            try:
                turns = turns_of(value)
            except ValueError as error:
                self.table.faults.add(f"`{self.messages}` {error}", place, f"write {EXAMPLE}")
                continue
            answers = [at for at, turn in enumerate(turns) if turn.role == ASSISTANT]
            seen += max(1, len(answers))
            left_out["no turn of an assistant"] += not answers
            wanted = answers if self.each else answers[-1:]
            left_out["not the last turn"] += len(answers) - len(wanted)
            for at in wanted:
                if not any(turn.role == USER for turn in turns[:at]):
                    left_out["nobody asked"] += 1
                    continue
                kept += 1
                history = as_history(turns[:at])
                name = query_name(history, row, self.query_per_row, at)
                yield Pair(place, name, history, _answers(turns, at))
        self.stage = Stage("turns", seen, kept, {reason: n for reason, n in left_out.items() if n})

    def stages(self) -> Sequence[Stage]:
        return () if self.stage is None else (self.stage,)


def _answers(turns: Sequence[Turn], at: int) -> list[tuple[str, float]]:
    """The turn that follows, and the assistant's turns before it."""
    earlier = [(turn.text, 0.0) for turn in turns[:at] if turn.role == ASSISTANT]
    return [(turns[at].text, 1.0), *earlier]
