"""How many parameters an ONNX graph has: the numbers of its initialisers, counted without loading it.

Only the few fields of the file that lead there are read, as protocol buffers lay them out: a key that names field
and kind, then the value; what has a length is skipped by it. So a file of any size takes milliseconds.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_GRAPH, _INITIALISER, _DIMS = 7, 5, 1  # of ModelProto, GraphProto and TensorProto in onnx.proto
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def parameters_in(path: Path) -> int | None:
    """The parameters of a graph; None where the file cannot be read as one."""
    try:
        state = path.stat()
        return _counted(str(path), state.st_size, state.st_mtime_ns)
    except (OSError, ValueError, IndexError):
        return None


@lru_cache(maxsize=64)
def _counted(path: str, _size: int, _modified: int) -> int | None:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        total = 0
        for start, end in _within(data, 0, len(data), _GRAPH):
            for tensor in _within(data, start, end, _INITIALISER):
                total += math.prod(_numbers(data, *tensor))
    return total or None


def _within(data: mmap.mmap, at: int, end: int, wanted: int) -> Iterator[tuple[int, int]]:
    """Where the messages of one field lie."""
    for field, kind, start, stop in _fields(data, at, end):
        if field == wanted and kind == _BYTES:
            yield start, stop


def _numbers(data: mmap.mmap, at: int, end: int) -> list[int]:
    """The dimensions of a tensor, packed or one by one."""
    found = []
    for field, kind, start, stop in _fields(data, at, end):
        if field != _DIMS:
            continue
        while start < stop and kind in (_VARINT, _BYTES):
            value, start = _varint(data, start)
            found.append(value)
    return found


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number and kind of each field, and where its value lies."""
    while at < end:
        key, at = _varint(data, at)
        kind, start = key & 7, at
        if kind == _VARINT:
            _, at = _varint(data, at)
        elif kind == _BYTES:
            length, start = _varint(data, at)
            at = start + length
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"no field of a protocol buffer: kind {kind}")
        if at > end:
            raise ValueError("a field ends beyond its message")
        yield key >> 3, kind, start, at


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is longer than 64 bits")
