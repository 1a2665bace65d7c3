"""The pass that looks for paraphrases: cells of training data as vectors, batch by batch, kept piece by piece."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.audit.index import Index
from hakari.audit.scan import Scanned
from hakari.audit.shards import BATCH, Row
from hakari.audit.similar import SIMILAR, Judge, Model, Similarity
from hakari.tasks.refs import cache_folder
from hakari.text.turns import as_text, turns_in

PIECE = 4 * BATCH
"""Rows between two checkpoints: whole batches, so that a text has the same company in a pass that goes on."""
KEPT_TEXTS = 1_000_000
"""Rows of training data up to which their vectors are kept for other tasks and thresholds, where they cost time."""
KEPT_SECONDS = 30.0
BREAK = "\x1e"
"""Between the parts of a list and the turns of a dialogue, as columns are read."""
_SPEAKER = re.compile(r"\s*(?:[#*\s]*\w+[ *]*:[*]*|<[^>\n]*>(?:\s*\w+\s*\n|[^<\n]*<[^>\n]*>)?|\[/?INST\])\s*")
_END = re.compile(r"\s*(?:<\|?\w+\|?>|\[/?INST\])\s*$")


@dataclass(frozen=True)
class Asked:
    """What to look for paraphrases with."""

    model: Model
    cosine: float | None = None
    """The threshold; None for that of the model."""
    only_unflagged: bool = False
    """Whether rows that are flagged already, as `direct` or `near`, are left aside."""


@dataclass(frozen=True)
class Looking:
    """Who is told how far the pass is."""

    begin: Callable[[str, int, float], None] = lambda model, rows, seconds: None
    """The model, the rows, and the seconds that it will take, by what the texts of the tasks took."""
    texts: Callable[[int, int], None] = lambda done, total: None
    """Texts of the tasks."""
    rows: Callable[[int], None] = lambda count: None
    """So many more rows are done."""


@dataclass(frozen=True, eq=False)
class Similars:
    """What the pass found: by shard, rows and texts that are near enough, and by which limits."""

    similarity: Similarity
    found: tuple[npt.NDArray[Any], ...]
    only_unflagged: bool = False


@dataclass(eq=False)
class _Work:
    judge: Judge
    scanned: Scanned
    skip: Set[int]
    keep: bool
    fresh: bool
    looking: Looking = field(default_factory=Looking)


def look(
    index: Index,
    scanned: Sequence[Scanned],
    asked: Asked,
    flagged: Sequence[Set[int]],
    fresh: bool = False,
    looking: Looking | None = None,
) -> Similars:
    """Look through all shards that were scanned; `flagged` are the rows of each that are left aside."""
    looking = looking or Looking()
    judge = Judge(index, asked.model, asked.cosine, looking.texts)
    rows = sum(one.rows for one in scanned)
    characters = sum(one.bytes for one in scanned)
    expected = judge.seconds * characters / judge.characters if judge.characters else 0.0
    keep = expected > KEPT_SECONDS and rows <= KEPT_TEXTS
    looking.begin(asked.model.name, rows, expected)
    found = [
        _of_shard(_Work(judge, one, flagged[number], keep, fresh, looking))
        for number, one in enumerate(scanned)
    ]
    return Similars(judge.similarity, tuple(found), asked.only_unflagged)


def _of_shard(work: _Work) -> npt.NDArray[Any]:
    if work.scanned.fault or not work.scanned.rows:
        return np.empty(0, SIMILAR)
    return np.concatenate([np.empty(0, SIMILAR), *_pieces(work)])


def _pieces(work: _Work) -> Iterator[npt.NDArray[Any]]:
    """What each piece of the shard has; it is kept when it is done, and not made again."""
    shard, expressions = work.scanned.shard, [column.expression for column in work.scanned.columns]
    skipped = hashlib.sha256(np.array(sorted(work.skip), np.int64).tobytes()).hexdigest()
    told = repr((work.judge.identity, shard.content, shard.kind, expressions, skipped, PIECE))
    folder = cache_folder() / "audit" / f"similar-{hashlib.sha256(told.encode()).hexdigest()[:24]}"
    at = number = 0
    while not work.fresh and at < work.scanned.rows and (kept := _read(folder / f"{number}.npy")) is not None:
        yield kept
        rows = min(PIECE, work.scanned.rows - at)
        work.looking.rows(rows)
        at, number = at + rows, number + 1
    found: list[npt.NDArray[Any]] = []
    for batch in shard.batches(expressions, at) if at < work.scanned.rows else ():
        found.append(_of_batch(work, batch, at))
        at += len(batch)
        work.looking.rows(len(batch))
        if at % PIECE == 0 or at >= work.scanned.rows:
            piece = np.concatenate(found)
            _write(folder / f"{number}.npy", piece)
            yield piece
            found, number = [], number + 1


def _of_batch(work: _Work, batch: Sequence[Row], first: int) -> npt.NDArray[Any]:
    rows_of: dict[str, list[int]] = {}
    for row, cells in enumerate(batch, first):
        for part in () if row in work.skip else parts_of(cells):
            rows = rows_of.setdefault(part, [])
            if rows[-1:] != [row]:
                rows.append(row)
    if not rows_of:
        return np.empty(0, SIMILAR)
    return work.judge.found(list(rows_of), list(rows_of.values()), work.keep)


def parts_of(cells: Row) -> Iterator[str]:
    """What of a row is compared: its cells, or of a list its parts, and of a dialogue its turns."""
    for cell in cells:
        for part in (cell or "").split(BREAK):
            text = as_text(part)
            turns = turns_in(text)
            said = [_END.sub("", _SPEAKER.sub("", text[turn.start : turn.end], 1)) for turn in turns]
            yield from (one for one in said or [part] if one.strip())


def _read(path: Path) -> npt.NDArray[Any] | None:
    """A kept piece; one that cannot be read is made again."""
    try:
        kept = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None
    return kept if isinstance(kept, np.ndarray) and kept.dtype == SIMILAR and kept.ndim == 1 else None


def _write(path: Path, piece: npt.NDArray[Any]) -> None:
    """Keep a piece; where the cache cannot be written, the pass goes on without."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.npy")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            np.save(temporary, piece)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
