"""For those who train: an evaluator for the trainers of sentence-transformers, and a gate against the base model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {"Evaluator": "hakari.training.evaluator", "GateCallback": "hakari.training.gate"}

__all__ = ["Evaluator", "GateCallback"]

if TYPE_CHECKING:
    from hakari.training.evaluator import Evaluator
    from hakari.training.gate import GateCallback


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hakari.training' has no attribute '{name}'")
    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        from hakari.errors import MissingPrerequisite, install_hint

        if error.name in ("sentence_transformers", "transformers", "torch"):
            raise MissingPrerequisite(f"training needs {error.name}", install_hint("torch")) from None
        raise


def __dir__() -> list[str]:
    return sorted(__all__)
