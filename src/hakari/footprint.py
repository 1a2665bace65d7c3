"""Time and memory of a piece of work, as far as the system tells."""

from __future__ import annotations

import contextlib
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Watch:
    """Starts on creation; `stop` tells the seconds and the peak memory since then."""

    def __init__(self) -> None:
        self.resettable = _reset_peak()
        self.base = _status("VmRSS")
        self.started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.clock = time.perf_counter()

    def stop(self) -> dict[str, Any]:
        """Seconds, memory added at the peak and peak memory of the process, host and start."""
        seconds = time.perf_counter() - self.clock
        peak = _status("VmHWM") or _peak_of_process()
        told: dict[str, Any] = {
            "seconds": seconds,
            "started": self.started,
            "host": platform.node(),
            "machine": platform.machine(),
            "peak_bytes": peak,
        }
        if self.resettable and peak is not None and self.base is not None:
            told["added_bytes"] = max(0, peak - self.base)
        return told


def with_parts(costs: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The costs of a system with those of the systems it is made of: seconds and indexes add up, peaks do not."""
    total = dict(costs)
    for name in ("seconds", "index_bytes"):
        values = [c[name] for c in (costs, *parts) if c.get(name) is not None]
        if values:
            total[name] = sum(values)
    total["peak_bytes"] = max((c["peak_bytes"] for c in (costs, *parts) if c.get("peak_bytes")), default=None)
    return total


def _reset_peak() -> bool:
    """Linux forgets the high-water mark of memory when asked to; elsewhere it stays that of the process."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")
        return True
    return False


def _status(field: str) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return None


def _peak_of_process() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
