"""Vectors kept between runs, by text, model and settings: one SQLite file a model and settings.

SQLite's write-ahead log survives `kill -9` and lets processes share a file. The cache saves time and is
never needed: one that cannot be read is set aside with a warning, one that cannot be written is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from hakari.retrievers.cache_upkeep import evict, limit
from hakari.retrievers.onnx import Encoding
from hakari.tasks.refs import cache_folder

FLUSH_SECONDS = 1.0
_LOOKUP = 500  # keys a query; SQLite's oldest limit on variables is 999
_SCHEMA = """
CREATE TABLE IF NOT EXISTS space (settings TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS vectors (
  text_hash BLOB PRIMARY KEY, vector BLOB NOT NULL, tokens INTEGER NOT NULL, cut INTEGER NOT NULL,
  seconds REAL NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS alone (text_hash BLOB PRIMARY KEY, seconds REAL NOT NULL);
"""
_log = logging.getLogger("hakari")


def cache_wanted() -> bool:
    """False where `HAKARI_EMBEDDING_CACHE=0` switches the cache off."""
    return os.environ.get("HAKARI_EMBEDDING_CACHE", "1") != "0"


def versions_of(packages: Sequence[str]) -> dict[str, str]:
    """The versions of packages that may move the last bits of vectors, for the settings of a cache."""
    told = {}
    for package in packages:
        try:
            told[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # a build under another name, such as onnxruntime-gpu
            told[package] = "unknown"
    return told


class EmbeddingCache:
    """The vectors of one model under one set of settings. Use it in one thread, as a context manager."""

    def __init__(self, settings: Mapping[str, Any], folder: Path | None = None, used_by: str = "") -> None:
        self.settings = json.dumps(settings, sort_keys=True)
        self._used_by, self._wrote, self._limit = used_by, False, limit()
        name = hashlib.sha256(self.settings.encode()).hexdigest()[:20]
        self.path = (folder or cache_folder() / "embeddings") / f"{name}.sqlite"
        self._waiting: list[tuple[Any, ...]] = []
        self._flushed = time.monotonic()
        self._connection: sqlite3.Connection | None = None
        self._guarded(self._open)

    def __enter__(self) -> EmbeddingCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fetch(self, texts: Sequence[str]) -> dict[int, Encoding]:
        """What is kept of these texts, by position; a row that does not fit its checksum is not."""
        found: dict[int, Encoding] = {}
        self._guarded(self._fetch_into, texts, found)
        return found

    def put(self, text: str, encoding: Encoding) -> None:
        """Keep the vector of a text; it reaches the disk within about a second of further calls."""
        if self._connection is None:
            return
        blob = np.ascontiguousarray(encoding.vector, dtype="<f4").tobytes()
        key, counts = _key(text), (encoding.tokens, encoding.cut)
        self._waiting.append((key, blob, *counts, encoding.seconds, _checksum(key, blob, *counts)))
        if time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def seconds_alone(self, texts: Sequence[str]) -> dict[int, float]:
        """What these texts took one at a time, by position, where that was measured."""
        found: dict[int, float] = {}
        self._guarded(self._seconds_into, texts, found)
        return found

    def put_seconds_alone(self, seconds: Mapping[str, float]) -> None:
        """Keep what texts took one at a time."""
        rows = [(_key(text), taken) for text, taken in seconds.items()]
        self._guarded(self._write, "INSERT OR REPLACE INTO alone VALUES (?, ?)", rows)

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._guarded(self._write, "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?)", waiting)
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Write what waits and let go of the file."""
        self.flush()
        if self._connection is None:
            return
        self._connection.close()
        self._connection = None
        with contextlib.suppress(OSError):
            os.utime(self.path)  # when it was last used, which decides what goes first
        if self._wrote:
            evict(self._limit, self.path.parent, self.path)

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(_SCHEMA)
        self._connection.execute("INSERT OR IGNORE INTO space VALUES (?)", (self.settings,))
        if self._used_by:
            self._connection.execute("INSERT OR IGNORE INTO users VALUES (?)", (self._used_by,))

    def _fetch_into(self, texts: Sequence[str], found: dict[int, Encoding]) -> None:
        columns = "text_hash, vector, tokens, cut, seconds, checksum"
        for row, (key, blob, tokens, cut, seconds, checksum) in self._rows_of(texts, columns, "vectors"):
            if checksum == _checksum(key, blob, tokens, cut):
                vector = np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False)
                found[row] = Encoding(vector, tokens, cut, seconds)

    def _seconds_into(self, texts: Sequence[str], found: dict[int, float]) -> None:
        for row, (_, seconds) in self._rows_of(texts, "text_hash, seconds", "alone"):
            found[row] = float(seconds)

    def _rows_of(
        self, texts: Sequence[str], columns: str, table: str
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """The rows of a table for these texts, by position."""
        assert self._connection is not None
        row_of = {_key(text): row for row, text in enumerate(texts)}
        keys = list(row_of)
        for start in range(0, len(keys), _LOOKUP):
            some = keys[start : start + _LOOKUP]
            query = f"SELECT {columns} FROM {table} WHERE text_hash IN ({','.join('?' * len(some))})"
            for found in self._connection.execute(query, some):
                yield row_of[found[0]], found

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        assert self._connection is not None
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(statement, rows)
        self._connection.execute("COMMIT")
        self._wrote = True

    def _guarded(self, action: Any, *arguments: Any) -> None:
        """Do something with the file; where the file fails, go on without it or with a new one."""
        if self._connection is None and action != self._open:
            return
        try:
            action(*arguments)
        except (sqlite3.OperationalError, OSError) as error:  # locked, full, read-only, no such folder
            self._abandon()
            _log.warning("the embedding cache %s cannot be used (%s): going on without it", self.path, error)
        except (sqlite3.DatabaseError, TypeError, ValueError) as error:  # not a database, or other content
            self._abandon()
            self._set_aside(error)

    def _abandon(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _set_aside(self, error: Exception) -> None:
        aside = self.path.with_name(f"{self.path.stem}.corrupt-{time.time_ns()}")
        try:
            os.replace(self.path, aside)
            for suffix in ("-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
            self._open()
        except (OSError, sqlite3.Error):
            self._abandon()
        _log.warning("the embedding cache %s is corrupt (%s): set aside as %s", self.path, error, aside.name)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(key: bytes, blob: bytes, tokens: int, cut: int) -> int:
    return zlib.crc32(f"{tokens} {cut}".encode(), zlib.crc32(blob, zlib.crc32(key)))
