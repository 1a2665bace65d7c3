"""Rows that declare where they come from, against the data sets that tasks were made from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hakari.audit.columns import origin_columns, quoted
from hakari.audit.shards import Shard
from hakari.tasks.origins import declared_names

Rows = npt.NDArray[np.int64]


def declared(shard: Shard, types: Mapping[str, str], names: frozenset[str]) -> dict[str, Rows]:
    """The rows of a shard that declare one of these origins, by the value that they declare."""
    found: dict[str, Rows] = {}
    for column in origin_columns(types) if names else ():
        values = shard.values(quoted(column))
        meant = {value for value in values if declared_names(value) & names}
        if not meant:
            continue
        rows: dict[str, list[int]] = {value: [] for value in sorted(meant)}
        at = 0
        for batch in shard.batches([quoted(column)]):
            for number, (value,) in enumerate(batch, at):
                if value in rows:
                    rows[value].append(number)
            at += len(batch)
        found |= {value: np.array(numbers, np.int64) for value, numbers in rows.items()}
    return found
