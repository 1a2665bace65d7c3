"""Sums that come out the same in any order.

Scores are rounded to multiples of a power of two, so coarse that every sum of them that can occur is a whole
number of that unit below 2**53. Such a sum is exact in float64, and so it has the same bits whatever the
order of its terms, the number of threads or the BLAS; and two statistics that are equal are equal as floats.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

FINEST_BITS = 36
"""Scores are never kept finer than 2**-36 (1.5e-11), which is far below what any measure means."""

_EXACT_BITS = 52


def quantise(values: FloatArray, weight_bits: int = 0) -> FloatArray:
    """Round values (..., queries) so that sums, with whole weights of `weight_bits` bits, are exact."""
    queries = values.shape[-1]
    largest = max(1.0, float(np.max(np.abs(values), initial=0.0)))
    bits = _EXACT_BITS - weight_bits - math.ceil(math.log2(largest * max(queries, 1)))
    bits = min(FINEST_BITS, bits)
    return np.ldexp(np.rint(np.ldexp(values, bits)), -bits)


def sums_of_squares(values: FloatArray) -> FloatArray:
    """Sums of squares over the last axis that do not depend on the order of the queries."""
    return quantise(np.square(quantise(values))).sum(axis=-1)
