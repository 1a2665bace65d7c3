"""Data as classic scripts: each file is one call, so that a page opened from disk can load it.

    hakariBoard("cells-0", {...})

Numbers in bulk are little-endian arrays in base64. What a browser may not take for text of its own (a name with
direction overrides or control characters) has been spelt out before it comes here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

CALL = "hakariBoard"


def f32(values: npt.ArrayLike) -> str:
    """Numbers as 32-bit floats; NaN where there is none."""
    return _base64(np.asarray(values, dtype="<f4"))


def u8(values: npt.ArrayLike) -> str:
    """Whole numbers below 256."""
    return _base64(np.asarray(values).astype(np.uint8))


def u16(values: npt.ArrayLike) -> str:
    """Whole numbers below 65,536."""
    return _base64(np.asarray(values).astype("<u2"))


def u32(values: npt.ArrayLike) -> str:
    """Whole numbers below 2**32."""
    return _base64(np.asarray(values).astype("<u4"))


def shares(values: npt.ArrayLike) -> str:
    """Numbers from 0 to 1 in steps of 1/65534; NaN becomes 65535."""
    given = np.asarray(values, dtype=np.float64)
    known = np.isfinite(given)
    return u16(np.where(known, np.rint(np.clip(np.where(known, given, 0.0), 0, 1) * 65534), 65535))


def write_shard(folder: Path, name: str, payload: Mapping[str, Any]) -> int:
    """Write one file of data; how many bytes it has."""
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
    # Separators of lines were not allowed in scripts before 2019, and a closing tag must never be in one.
    body = body.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")
    data = f"{CALL}({json.dumps(name)},{body});\n".encode("utf-8", "replace")
    (folder / f"{name}.js").write_bytes(
        data
    )  # the site is built beside the old one, and renamed when it is whole
    return len(data)


def _base64(array: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
