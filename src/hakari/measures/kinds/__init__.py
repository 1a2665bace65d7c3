"""One file a measure; whatever is in this folder is one, so there is no list to keep."""

from __future__ import annotations

import importlib
import pkgutil

from hakari.measures.kind import Kind

_modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]

KINDS: dict[str, Kind] = {
    kind.name.lower(): kind
    for kind in sorted((module.KIND for module in _modules), key=lambda kind: kind.name.lower())
}
"""Every measure by its name folded to lower case, in the order of names."""
