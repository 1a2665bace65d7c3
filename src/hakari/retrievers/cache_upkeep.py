"""The embedding cache as a whole: what lies in it, how large it may grow, and what is thrown away first.

Files go as a whole, the one longest unused first; of the one in use, the rows that were put there first. A file
that another process has open is emptied and not removed, so that nobody writes into a file without a name.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.tasks.refs import cache_folder

VARIABLE = "HAKARI_CACHE_LIMIT"
DEFAULT_LIMIT = "20GB"
ROOM = 0.9
"""What is brought under the limit is brought to this share of it, so that it is not done again at once."""
VERSIONED = ("onnxruntime", "tokenizers", "torch", "transformers", "sentence-transformers")
"""Packages whose version is among the settings of a file: one of another version is never read again."""
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_WAIT_S = 0.2


@dataclass(frozen=True)
class Space:
    """One file of the cache: the vectors of one model under one set of settings."""

    path: Path
    bytes: int
    used: float
    """When it was last used, as seconds since 1970."""
    texts: int = 0
    names: Sequence[str] = ()
    """The retrievers that used it."""
    settings: dict[str, Any] = field(default_factory=dict)
    damaged: bool = False

    @property
    def outdated(self) -> bool:
        """Whether it was made with other versions of packages than are installed now."""
        return any(name in self.settings and self.settings[name] != _installed(name) for name in VERSIONED)


def folder() -> Path:
    """Where the files lie."""
    return cache_folder() / "embeddings"


def limit(text: str | None = None) -> int | None:
    """How many bytes the cache may have: as told, else as `HAKARI_CACHE_LIMIT` says; None is without end."""
    told = text or os.environ.get(VARIABLE) or DEFAULT_LIMIT
    if told.lower() == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", told.strip(), re.IGNORECASE)
    if match is None:
        where = "the limit of the cache" if text else VARIABLE
        raise UsageError(f"{where} is `{told}`", "write a size such as 20GB or 500MB, or none")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def spaces(where: Path | None = None) -> list[Space]:
    """The files of the cache, the one used last first; those that cannot be read or were set aside are damaged."""
    root = where or folder()
    found = [_space(path) for path in _files(root, "*.sqlite")]
    found += [
        Space(path, size, used, damaged=True)
        for path in _files(root, "*.corrupt-*")
        for size, used in _state(path)
    ]
    return sorted(found, key=lambda space: (-space.used, space.path.name))


def evict(most: int | None, where: Path | None = None, in_use: Path | None = None) -> list[Path]:
    """Bring the cache under a limit; the files that were removed or emptied, none where it is small enough."""
    root, gone = where or folder(), []
    if most is None or (total := _total(root)) <= most:
        return []
    aside = {path: 0.0 for path in _files(root, "*.corrupt-*")}
    used = {path: stamp for path in _files(root, "*.sqlite") for _, stamp in _state(path)}
    for path in sorted((*aside, *used), key=lambda path: ({**used, **aside}[path], path.name)):
        if total <= most * ROOM:
            break
        if path != in_use:
            remove(path)
            gone.append(path)
            total = _total(root)
    if in_use is not None and total > most:
        _drop_oldest(in_use, 1 - most * ROOM / total)
        gone.append(in_use)
    return gone


def remove(path: Path) -> bool:
    """Remove a file of the cache, or empty it where another process has it open; whether it is gone."""
    if path.suffix == ".sqlite" and not _let_go(path):
        _drop_oldest(path, 1.0)
        return False
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with contextlib.suppress(OSError):
            name.unlink(missing_ok=True)
    return not path.exists()


def _let_go(path: Path) -> bool:
    """Whether nobody has a file open: only then does SQLite leave its write-ahead log. Damaged ones are nobody's."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_WAIT_S)) as connection:
            return bool(connection.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",))
    except sqlite3.OperationalError:
        return False
    except sqlite3.DatabaseError:
        return True


def _drop_oldest(path: Path, share: float) -> None:
    """Drop a share of the rows, those put there first; without success where another process is writing."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as connection,
    ):
        (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
        oldest = "SELECT rowid FROM vectors ORDER BY rowid LIMIT ?"
        connection.execute(f"DELETE FROM vectors WHERE rowid IN ({oldest})", [-int(-share * count // 1)])
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _space(path: Path) -> Space:
    size = sum(length for part in (path, Path(f"{path}-wal")) for length, _ in _state(part))
    used = max((stamp for _, stamp in _state(path)), default=0.0)
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{_escaped(path)}?mode=ro", uri=True, timeout=2)
        ) as connection:
            (settings,) = connection.execute("SELECT settings FROM space").fetchone()
            (texts,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            names: Iterable[tuple[str]] = ()
            with contextlib.suppress(sqlite3.OperationalError):  # made before names were kept
                names = connection.execute("SELECT name FROM users ORDER BY name").fetchall()
            return Space(path, size, used, texts, [name for (name,) in names], json.loads(settings))
    except (sqlite3.Error, TypeError, ValueError):
        return Space(path, size, used, damaged=True)


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _files(root: Path, pattern: str) -> list[Path]:
    return sorted(root.glob(pattern))


def _state(path: Path) -> list[tuple[int, float]]:
    """Size and time of a file; nothing where it went away meanwhile."""
    with contextlib.suppress(OSError):
        state = path.stat()
        return [(state.st_size, state.st_mtime)]
    return []


def _total(root: Path) -> int:
    return sum(size for path in _files(root, "*") for size, _ in _state(path))


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"
