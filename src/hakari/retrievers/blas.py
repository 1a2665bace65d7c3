"""One BLAS thread: products of float32 have the same bits only with the same number of them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    """Looking through the loaded libraries takes a millisecond or more, a search a few; numpy's BLAS stays the same."""
    import numpy  # noqa: F401  its BLAS must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Within it products take one thread each, so that several can be computed side by side."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit
