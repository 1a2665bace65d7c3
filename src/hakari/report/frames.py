"""Rows as a pandas data frame, where pandas is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hakari.errors import MissingPrerequisite

if TYPE_CHECKING:
    import pandas


def frame(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    """The rows as a data frame."""
    try:
        import pandas
    except ImportError:
        raise MissingPrerequisite("pandas is not installed", "pip install pandas") from None
    return pandas.DataFrame(rows)
