"""A JSON array of objects, element by element: the form in which dialogues and questions are often handed on."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hakari.errors import Fault
from hakari.io.files import faults_of_reading, open_bytes

CHUNK = 1 << 20
"""Bytes that are read at a time."""
LONGEST = 1 << 26
"""Characters of the longest element that is read."""
BLANK = " \t\r\n"


def is_array(path: Path) -> bool:
    """Whether a `.json` file begins as an array does; lines of JSON do not."""
    if not path.name.lower().removesuffix(".gz").endswith(".json"):
        return False
    with faults_of_reading(path, []), open_bytes(path) as file:
        return file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return False


def elements(path: Path, faults: list[Fault]) -> Iterator[tuple[int, Any]]:
    """Numbers from 1 and values of the elements of an array; only one of them is in memory at a time."""
    decoder, number = json.JSONDecoder(), 0
    with faults_of_reading(path, faults), open_bytes(path) as file:
        decode, text, at, opened = codecs.getincrementaldecoder("utf-8-sig")().decode, "", 0, False
        while True:
            at = _past(text, at, BLANK if not opened else BLANK + ",")
            try:
                if not opened and at < len(text):
                    opened, at = True, at + 1
                    continue
                if text[at : at + 1] == "]":
                    return
                if at == len(text):
                    raise ValueError("the array is never closed")
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                # Perhaps only the rest of the element is missing.
                block = b"" if len(text) - at > LONGEST else file.read(CHUNK)
                if not block:
                    faults.append(_fault(path, number + 1, error, len(text) - at > LONGEST))
                    return
                try:
                    text, at = text[at:] + decode(block), 0
                except UnicodeDecodeError as wrong:
                    hint = f"recode it with `iconv -f LATIN1 -t UTF-8 {path}`, naming its real encoding"
                    faults.append(Fault(f"is not UTF-8: {wrong.reason}", str(path), number + 1, hint))
                    return
                continue
            number += 1
            yield number, value


def _past(text: str, at: int, skipped: str) -> int:
    while at < len(text) and text[at] in skipped:
        at += 1
    return at


def _fault(path: Path, number: int, error: Exception, endless: bool) -> Fault:
    what = f"is not JSON: {error}"
    if endless:
        what = f"is longer than {LONGEST >> 20} MiB, which is no record"
    hint = f"check the file with `python -m json.tool {path}`; this is element {number} of its array"
    return Fault(what, str(path), number, hint)
