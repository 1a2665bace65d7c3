"""The rank discounts of nDCG, from the logarithm that trec_eval calls."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt


def discounts(depth: int) -> npt.NDArray[np.float64]:
    """log2(rank + 1) for the ranks 1 to `depth`; gains are divided by it."""
    return _table(1 << max(depth - 1, 0).bit_length())[:depth]


@lru_cache(maxsize=32)
def _table(size: int) -> npt.NDArray[np.float64]:
    # math.log2 is the C library's log2, as in trec_eval; np.log2 may be a vectorised one with other bits.
    table = np.array([math.log2(rank + 1) for rank in range(1, size + 1)])
    table.setflags(write=False)
    return table
