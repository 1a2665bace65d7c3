"""One file a measure; whatever is in this folder is one, so there is no list to keep."""

from __future__ import annotations

import importlib
import pkgutil

from hakari.measures.kind import Kind

KINDS: dict[str, Kind] = {}
"""Every measure by its name folded to lower case."""

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    _kind: Kind = importlib.import_module(f"{__name__}.{_module}").KIND
    KINDS[_kind.name.lower()] = _kind
