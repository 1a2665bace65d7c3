"""The scan: shards of training data against an index, on all cores, resumable, the same for any number of threads."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari import native
from hakari.audit.columns import Column, choose
from hakari.audit.compare import FOUND
from hakari.audit.index import Index
from hakari.audit.letters import letters
from hakari.audit.normal import fold
from hakari.audit.origin import declared
from hakari.audit.plain import PlainScan
from hakari.audit.shards import Row, Shard
from hakari.errors import Fault, InvalidInput
from hakari.tasks.refs import cache_folder

PIECE = 64 * 1024
"""Rows between two checkpoints."""


@dataclass(frozen=True, eq=False)
class Scanned:
    """What one shard shares with the evaluation texts."""

    shard: Shard
    columns: tuple[Column, ...]
    rows: int
    bytes: int
    found: npt.NDArray[Any]
    declared: Mapping[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    """Rows by the origin that they declare, of origins that some task has too."""
    fault: str | None = None
    """Why the shard was left out: then nothing of it counts."""


@dataclass(frozen=True)
class Plan:
    """What is scanned, and how."""

    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns by role, where the user names them."""
    skip_corrupt: bool = False
    fresh: bool = False
    """Whether what an earlier scan has kept is left aside."""
    threads: int = 0
    progress: Callable[[int, int], None] = lambda rows, size: None
    """Is told of rows and bytes that were scanned."""


def core_count() -> int:
    """How many threads scan: `HAKARI_THREADS`, else the cores that the process may use."""
    told = os.environ.get("HAKARI_THREADS", "")
    if told.isdigit() and int(told):
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scan_shard(index: Index, shard: Shard, plan: Plan) -> Scanned:
    """Scan one shard, or what an interrupted scan has left of it."""
    try:
        types = shard.types()
        columns = tuple(choose(types, plan.given, shard.name))
        pieces = list(_pieces(index, shard, columns, plan))
        names = frozenset(name for task in index.tasks for name in task.upstream)
        origins = declared(shard, types, names)
    except InvalidInput as error:
        if not plan.skip_corrupt:
            raise
        told = "; ".join(str(fault) for fault in error.faults)
        return Scanned(shard, (), 0, 0, np.empty(0, FOUND), fault=told)
    found = [piece.found for piece in pieces]
    rows, size = sum(piece.rows for piece in pieces), sum(piece.bytes for piece in pieces)
    return Scanned(shard, columns, rows, size, np.concatenate([np.empty(0, FOUND), *found]), origins)


@dataclass(frozen=True, eq=False)
class _Piece:
    rows: int
    bytes: int
    found: npt.NDArray[Any]


def _pieces(index: Index, shard: Shard, columns: Sequence[Column], plan: Plan) -> Iterator[_Piece]:
    """The shard piece by piece; each is kept when it is done, and not made again."""
    expressions = [column.expression for column in columns]
    told = repr((index.identity, shard.content, shard.kind, expressions, PIECE))
    folder = cache_folder() / "audit" / hashlib.sha256(told.encode()).hexdigest()[:24]
    at = number = 0
    while not plan.fresh and (kept := _read(folder / f"{number}.npz")) is not None:
        yield kept
        plan.progress(kept.rows, kept.bytes)
        at, number = at + kept.rows, number + 1
        if kept.rows < PIECE:
            return
    for piece in _fresh_pieces(index, shard, expressions, at, plan):
        _write(folder / f"{number}.npz", piece)
        number += 1
        yield piece


def _fresh_pieces(
    index: Index, shard: Shard, expressions: Sequence[str], skip: int, plan: Plan
) -> Iterator[_Piece]:
    scan = scanner(index)
    threads = plan.threads or core_count()
    waiting: deque[Future[tuple[npt.NDArray[Any], int, int]]] = deque()
    found: list[npt.NDArray[Any]] = []
    rows = size = 0
    batches = _whole_pieces(shard.batches(expressions, skip))
    with ThreadPoolExecutor(threads) as pool:
        at, ended = skip, False
        while not ended or waiting:
            while not ended and len(waiting) < 2 * threads + 1:
                batch = next(batches, None)
                ended = batch is None
                if batch is not None:
                    waiting.append(pool.submit(_counted, scan, batch, at))
                    at += len(batch)
            if not waiting:
                break
            part, read, count = waiting.popleft().result()
            found.append(part)
            rows, size = rows + count, size + read
            plan.progress(count, read)
            if rows == PIECE:
                yield _Piece(rows, size, np.concatenate(found))
                found, rows, size = [], 0, 0
    # The last piece is never full, so that a kept scan knows its end.
    yield _Piece(rows, size, np.concatenate([np.empty(0, FOUND), *found]))


def _counted(scan: Any, batch: list[Row], at: int) -> tuple[npt.NDArray[Any], int, int]:
    part, size = scan(batch, at)
    return part, size, len(batch)


def _whole_pieces(batches: Iterator[list[Row]]) -> Iterator[list[Row]]:
    """The same rows, cut where a piece ends."""
    at = 0
    for batch in batches:
        while batch:
            room = PIECE - at % PIECE
            yield batch[:room]
            at += len(batch[:room])
            batch = batch[room:]


def scanner(index: Index) -> Callable[[list[Row], int], tuple[npt.NDArray[Any], int]]:
    """A function that scans rows, compiled or not; it may be called from several threads."""
    if native.compiled is None:
        plain, lock = PlainScan(index), threading.Lock()

        def slowly(rows: list[Row], first: int) -> tuple[npt.NDArray[Any], int]:
            with lock:
                return plain.scan(rows, first)

        return slowly
    compiled, loops = index.compiled, native.compiled

    def quickly(rows: list[Row], first: int) -> tuple[npt.NDArray[Any], int]:
        raw, size = loops.audit_scan(compiled, rows, first, fold, letters)
        return np.frombuffer(raw, FOUND), size

    return quickly


def _read(path: Path) -> _Piece | None:
    """A kept piece; one that cannot be read is made again."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            rows, size = kept["sizes"].tolist()
            found = kept["found"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return _Piece(rows, size, found) if found.dtype == FOUND else None


def _write(path: Path, piece: _Piece) -> None:
    """Keep a piece; where the cache cannot be written, the scan goes on without."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.npz")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            np.savez(temporary, sizes=np.array([piece.rows, piece.bytes]), found=piece.found)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def scan(index: Index, shards: Sequence[Shard], plan: Plan) -> list[Scanned]:
    """Scan all shards in this process."""
    return [scan_shard(index, shard, plan) for shard in shards]


def check_scanned(scanned: Sequence[Scanned]) -> None:
    """Raise where no shard could be read at all."""
    if scanned and all(one.fault for one in scanned):
        raise InvalidInput("the training data", [Fault(one.fault or "") for one in scanned])
