"""Weigh retrievers: small tasks, families under the same conditions, intervals on every number.

    import hakari

    results = hakari.run(["bm25", "bm25-code"], on="path/to/NanoX")
    print(results)
    print(results.compare())

Names are loaded when they are first used, so that `import hakari` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "load": "hakari.api",
    "run": "hakari.api",
    "compare": "hakari.api",
    "gate": "hakari.api",
    "score": "hakari.api",
    "Results": "hakari.report.results",
    "Comparison": "hakari.report.comparison",
    "Task": "hakari.types",
    "Texts": "hakari.types",
    "Qrels": "hakari.types",
    "Run": "hakari.types",
    "Measure": "hakari.measures",
    "Retriever": "hakari.retrievers.base",
    "Retrieved": "hakari.retrievers.base",
    "run_from_matrix": "hakari.rankings",
    "run_from_mapping": "hakari.rankings",
    "HakariError": "hakari.errors",
}

__all__ = ["__version__", *_HOMES]

if TYPE_CHECKING:
    from hakari.api import compare, gate, load, run, score
    from hakari.errors import HakariError
    from hakari.measures import Measure
    from hakari.rankings import run_from_mapping, run_from_matrix
    from hakari.report.comparison import Comparison
    from hakari.report.results import Results
    from hakari.retrievers.base import Retrieved, Retriever
    from hakari.types import Qrels, Run, Task, Texts


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hakari' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
