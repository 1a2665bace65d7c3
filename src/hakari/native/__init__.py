"""The optional compiled loops, or None where they were not built or are switched off.

`HAKARI_NATIVE=0` switches them off; the fallbacks give the same bytes.
"""

import os
from types import ModuleType

compiled: ModuleType | None = None
"""The extension module, or None: callers then take their fallback."""

if os.environ.get("HAKARI_NATIVE", "1") != "0":
    try:
        from hakari.native import _native as compiled  # type: ignore[attr-defined,no-redef]
    except ImportError:  # built without a compiler
        compiled = None
