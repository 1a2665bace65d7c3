"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
REAL_DATA = Path(os.environ.get("HAKARI_TEST_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real tasks with published figures; tests that need it skip where it is absent."""
    if not (REAL_DATA / "manifest.json").exists():
        pytest.skip("real data not here: set HAKARI_TEST_DATA to the folder that holds it")
    return REAL_DATA
