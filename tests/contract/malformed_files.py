"""Damage that any file can suffer: cut, emptied, recoded, replaced by something else."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from data_builders import write_parquet

Break = Callable[[Path], object]
"""Breaks a file, or a folder, in place."""


def _swap_for(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def _edit(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _footer(data: bytes) -> int:
    """Where the footer of a Parquet file begins."""
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


DAMAGE: dict[str, Break] = {
    "empty": _edit(lambda data: b""),
    "zeros": _edit(lambda data: bytes(len(data))),
    "noise": _edit(lambda data: bytes((i * 37 + 11) % 256 for i in range(len(data)))),
    "utf-16": _edit(lambda data: "\ufeffq1 d1 text".encode("utf-16-le")),
    "invalid-utf-8": _edit(lambda data: b"q1\xff\xfe\xfa d1\n" * 3),
    "html": _edit(lambda data: b"<!DOCTYPE html><html><body>404</body></html>\n"),
    "lfs-pointer": _edit(lambda data: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    "gzip-without-suffix": _edit(lambda data: gzip.compress(data, mtime=0)),
    "folder": _swap_for(lambda path: path.mkdir()),
    "symlink-loop": _swap_for(_loop),
    "symlink-to-nothing": _swap_for(lambda path: path.symlink_to("nowhere")),
    "not-permitted": lambda path: path.chmod(0),
}
PARQUET_DAMAGE: dict[str, Break] = {
    "first-half": _edit(lambda data: data[: len(data) // 2]),
    "last-half": _edit(lambda data: data[len(data) // 2 :]),
    "no-last-byte": _edit(lambda data: data[:-1]),
    "only-magic": _edit(lambda data: b"PAR1PAR1"),
    "footer-of-zeros": _edit(lambda data: data[: _footer(data)] + bytes(64) + data[_footer(data) + 64 :]),
    "huge-footer-length": _edit(lambda data: data[:-8] + b"\xff\xff\xff\x7fPAR1"),
    "csv": _edit(lambda data: b"_id,text\nd1,hello\n"),
    "jsonl": _edit(lambda data: b'{"_id": "d1", "text": "hello"}\n'),
    "no-rows": lambda path: write_parquet(path, {"nothing": ("VARCHAR", [])}),
    "other-columns": lambda path: write_parquet(path, {"a": ("INTEGER", [1]), "b": ("VARCHAR", ["x"])}),
}
GZIP_DAMAGE: dict[str, Break] = {
    "gz-cut-short": lambda path: _gzipped(path, lambda data: data[: len(data) // 2]),
    "gz-not-compressed": lambda path: _gzipped(path, gzip.decompress),
    "gz-empty-text": lambda path: _gzipped(path, lambda data: gzip.compress(b"", mtime=0)),
    "gz-wrong-checksum": lambda path: _gzipped(path, lambda data: data[:-8] + bytes(8)),
}


def _gzipped(path: Path, change: Callable[[bytes], bytes]) -> None:
    data = gzip.compress(path.read_bytes(), mtime=0)
    path.unlink()
    path.with_name(path.name + ".gz").write_bytes(change(data))
