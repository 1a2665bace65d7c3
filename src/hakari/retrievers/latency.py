"""How long one query takes when it comes alone: a sample of queries, encoded and searched one at a time.

Measured after the ranking is made, within a budget of time, and kept outside the identity of a result. Texts in
company are quicker than texts alone, so the time of a whole task over its queries would say too little.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hakari.errors import HakariError
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.types import Ids

if TYPE_CHECKING:
    from hakari.retrievers.encode import BatchEncoder, Encoder

QUERIES = 32
"""How many queries are timed at most."""
BUDGET_S = 1.0
"""Once so many seconds are spent on one kind of measurement, it ends with the queries that it has."""
FEWEST = 3
"""How many queries are timed whatever they cost."""
_log = logging.getLogger("hakari")


def sample(count: int) -> list[int]:
    """Rows of the queries to time, evenly over all of them."""
    return (
        sorted({row * count // QUERIES for row in range(QUERIES)}) if count > QUERIES else list(range(count))
    )


def seconds_each(rows: Sequence[int], answer: Callable[[int], object]) -> dict[int, float]:
    """The seconds that each of these queries takes, after one that only warms up; fewer rows if time runs out."""
    taken: dict[int, float] = {}
    if rows:
        answer(rows[0])
    spent = 0.0
    for row in rows:
        start = time.perf_counter()
        answer(row)
        taken[row] = time.perf_counter() - start
        spent += taken[row]
        if spent > BUDGET_S and len(taken) >= FEWEST:
            break
    return taken


def encoding_alone(
    encoder: Encoder | BatchEncoder, texts: Mapping[int, str], cache: EmbeddingCache | None
) -> dict[int, float]:
    """The seconds that each of these texts takes to encode alone, now or when it was first timed.

    What was timed before is in the cache, so that a task answered from there encodes nothing. A model that can
    no longer be asked has no latency; its vectors are there already.
    """
    rows = list(texts)
    known = {} if cache is None else cache.seconds_alone([texts[row] for row in rows])
    taken = {rows[at]: seconds for at, seconds in known.items()}
    if len(taken) >= min(FEWEST, len(rows)):
        return taken
    try:
        fresh = seconds_each(rows, lambda row: _encode(encoder, texts[row]))
    except HakariError as error:
        _log.warning("queries were not timed one at a time: %s", error)
        return {}
    if cache is not None:
        cache.put_seconds_alone({texts[row]: seconds for row, seconds in fresh.items()})
    return fresh


def _encode(encoder: Encoder | BatchEncoder, text: str) -> None:
    from hakari.retrievers.encode import BatchEncoder

    if isinstance(encoder, BatchEncoder):
        for _ in encoder.encode_many([text]):
            pass
    else:
        encoder.encode(text)


def by_query(ids: Ids, *parts: Mapping[int, float]) -> dict[str, float]:
    """The seconds of each query that every part was timed with, the parts one after the other."""
    rows = [row for row in parts[0] if all(row in part for part in parts)] if parts else []
    return {str(ids[row]): round(sum(part[row] for part in parts), 7) for row in rows}
