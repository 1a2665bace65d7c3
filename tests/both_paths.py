"""For tests that hold the compiled loops against their fallbacks."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hakari import native

needs_compiled = pytest.mark.skipif(native.compiled is None, reason="the compiled loops are not built")


@contextmanager
def without_compiled() -> Iterator[None]:
    kept, native.compiled = native.compiled, None
    try:
        yield
    finally:
        native.compiled = kept
