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


@pytest.fixture(autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own cache, tasks or results."""
    monkeypatch.delenv("HAKARI_TASKS", raising=False)
    monkeypatch.delenv("HAKARI_RESULTS", raising=False)
    if "HAKARI_TEST_CACHE" in os.environ:
        monkeypatch.setenv("HAKARI_CACHE", os.environ["HAKARI_TEST_CACHE"])
    else:
        monkeypatch.setenv("HAKARI_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
