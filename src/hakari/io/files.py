"""What every reader shares: files and folders opened so that each failure becomes a fault.

A reader appends what is wrong to a list of faults and returns what it could read, so that all problems of
an input are reported at once.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hakari.errors import Fault, InvalidInput

if TYPE_CHECKING:
    import duckdb


@contextmanager
def faults_of_reading(path: Path, faults: list[Fault]) -> Iterator[None]:
    """Turn what the operating system or a decompressor says about a file into a fault."""
    try:
        yield
    except FileNotFoundError:
        faults.append(Fault("no such file", str(path), hint=f"check the path with `ls {path.parent}`"))
    except IsADirectoryError:
        faults.append(
            Fault("is a folder, a file is expected", str(path), hint=f"look inside with `ls {path}`")
        )
    except NotADirectoryError:
        faults.append(
            Fault("lies below something that is not a folder", str(path), hint=f"check `ls -l {path.parent}`")
        )
    except PermissionError:
        faults.append(Fault("may not be read", str(path), hint=f"allow it with `chmod u+r {path}`"))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        faults.append(
            Fault(
                f"cannot be decompressed: {error}",
                str(path),
                hint=f"test it with `gzip -t {path}` and fetch it again, or drop `.gz` from its name",
            )
        )
    except OSError as error:
        faults.append(
            Fault(f"cannot be read: {error.strerror or error}", str(path), hint=f"check `ls -l {path}`")
        )


def names_in(folder: Path, faults: list[Fault]) -> list[str]:
    """The names in a folder that are not hidden, sorted; a fault and nothing where it cannot be listed."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        faults.append(Fault("no such folder", str(folder), hint=f"check the path with `ls {folder.parent}`"))
    except NotADirectoryError:
        faults.append(Fault("is not a folder", str(folder), hint=f"check it with `ls -l {folder}`"))
    except PermissionError:
        faults.append(Fault("may not be listed", str(folder), hint=f"allow it with `chmod u+rx {folder}`"))
    except OSError as error:
        faults.append(
            Fault(f"cannot be listed: {error.strerror}", str(folder), hint=f"check `ls -l {folder}`")
        )
    return []


def is_folder(path: Path) -> bool:
    """Whether this is a folder that can be reached; unreachable ones are not, without an exception."""
    return os.path.isdir(path)


def open_bytes(path: Path) -> BinaryIO | gzip.GzipFile:
    """The file for reading, decompressed where its name ends in `.gz`."""
    if path.name.endswith(".gz"):
        return gzip.open(path, "rb")
    return open(path, "rb")


def read_lines(path: Path, faults: list[Fault]) -> list[str]:
    """The lines of a UTF-8 file without their ends; lines in another encoding or with NUL bytes are faults.

    Lines with faults come back empty, so that line numbers stay what they are.
    """
    data = b""
    with faults_of_reading(path, faults), open_bytes(path) as file:
        data = file.read()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        faults.append(Fault("is UTF-16, UTF-8 is expected", str(path), hint=_recode(path, "UTF-16")))
        return []
    try:
        text = data.decode()
        lines = text.split("\n")
    except UnicodeDecodeError:
        lines = [_decoded(line, path, row, faults) for row, line in enumerate(data.split(b"\n"), 1)]
    if b"\0" in data:
        for row, line in enumerate(lines, 1):
            if "\0" in line:
                lines[row - 1] = ""
                faults.append(
                    Fault(
                        "NUL byte", str(path), row, "the file is damaged or not text: write it again as UTF-8"
                    )
                )
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in data else lines


def _decoded(line: bytes, path: Path, row: int, faults: list[Fault]) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{line[error.start]:02x} at position {error.start + 1} is not UTF-8"
        faults.append(Fault(what, str(path), row, _recode(path, "LATIN1")))
        return ""


def _recode(path: Path, encoding: str) -> str:
    return f"recode it with `iconv -f {encoding} -t UTF-8 {path}`, naming the encoding that it really has"


def connect(threads: int | None = 1) -> duckdb.DuckDBPyConnection:
    """A DuckDB of its own, in memory, that never reaches for the network."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    if threads is not None:
        config["threads"] = threads
    return duckdb.connect(":memory:", config=config)


def for_duckdb(path: Path) -> str:
    """The path as DuckDB takes it literally: absolute, with its glob characters quoted."""
    return re.sub(r"([*?\[])", r"[\1]", os.path.abspath(path))


def shown(text: str) -> str:
    """An id fit for a message: escaped and cut."""
    safe = text.encode("unicode_escape").decode() if not text.isprintable() else text
    return f"`{safe if len(safe) <= 80 else safe[:77] + '...'}`"


def raise_faults(subject: str, faults: list[Fault]) -> None:
    """Raise all faults that were found, or return where there are none."""
    if faults:
        raise InvalidInput(subject, faults)
