from __future__ import annotations

import numpy as np
import pytest

from hakari.errors import UsageError
from hakari.stats import decide


@pytest.mark.parametrize(
    ("low", "high", "queries", "decision"),
    [
        (-0.005, 0.01, 200, "pass"),
        (-0.01, 0.01, 200, "pass"),
        (0.02, 0.05, 200, "pass"),
        (-0.02, 0.01, 200, "inconclusive"),
        (-0.03, -0.01, 200, "inconclusive"),
        (-0.03, -0.011, 200, "fail"),
        (0.0, 0.0, 200, "pass"),
        (0.0, 0.0, 1, "pass"),
        (-0.5, -0.4, 9, "inconclusive"),
        (-0.5, -0.4, 10, "fail"),
        (0.1, 0.4, 9, "inconclusive"),
        (-0.3, -0.3, 50, "fail"),
    ],
)
def test_decisions(low, high, queries, decision):
    assert decide(low, high, 0.01, queries) == decision


def test_no_drop_allowed():
    assert decide(0.0, 0.1, 0.0, 50) == "pass"
    assert decide(-1e-9, 0.1, 0.0, 50) == "inconclusive"


@pytest.mark.parametrize(
    ("low", "high", "max_drop"),
    [(np.nan, 1, 0.1), (0, np.nan, 0.1), (1, 0, 0.1), (0, 1, -0.1), (0, 1, np.nan), (-np.inf, 0, 0.1)],
)
def test_what_is_no_interval_or_no_limit_is_refused(low, high, max_drop):
    with pytest.raises(UsageError):
        decide(low, high, max_drop, 100)
