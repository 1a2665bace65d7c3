"""Time and memory of a piece of work, as far as the system tells."""

from __future__ import annotations

import contextlib
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COSTS = (
    "seconds",
    "texts_per_s",
    "tokens_per_s",
    "query_ms_p50",
    "query_ms_p95",
    "parallel_query_ms_p50",
    "parallel_query_ms_p95",
    "index_bytes",
    "index_bytes_per_document",
    "peak_bytes",
    "parameters",
    "price_usd",
)
"""What a system is told to cost on a task; the names are those of `<split>.run.json`."""

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


def settled(costs: Mapping[str, Any], documents: int) -> dict[str, Any]:
    """The costs of one run as they are kept: what measuring took is left out, what the cache saved is counted, and
    rates and percentiles are taken.

    `wall_s` stays the seconds of the clock from start to end.
    """
    told = dict(costs)
    told["wall_s"] = told["seconds"]
    told["seconds"] += told.get("cached_s", 0.0) - told.get("measuring_s", 0.0)
    if told.get("index_bytes") is not None and documents:
        told.setdefault("index_bytes_per_document", told["index_bytes"] / documents)
    if told.get("encode_s"):
        told["texts_per_s"] = told["encoded_texts"] / told["encode_s"]
        told["tokens_per_s"] = told["encoded_tokens"] / told["encode_s"]
    for one in (told, *told.get("variants", {}).values()):
        one.update(percentiles(one.get("query_seconds", {})))
    for one in told.get("variants", {}).values():
        one.pop("query_seconds", None)  # those of `float` stand beside; of the others the percentiles do
    return told


def with_parts(costs: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The costs of a system with those of the systems it is made of.

    Seconds, indexes, parameters and prices add up, peaks do not. A query is answered by its parts one after the
    other, or side by side, where only the slowest counts: `parallel_query_ms_p50` and `_p95`.
    """
    total = dict(costs)
    if not parts:
        return total
    for name in ADDED:
        values = [c[name] for c in (costs, *parts) if c.get(name) is not None]
        if values:
            total[name] = sum(values)
    total["peak_bytes"] = max((c["peak_bytes"] for c in (costs, *parts) if c.get("peak_bytes")), default=None)
    each = [c.get("query_seconds", {}) for c in (costs, *parts)]
    common = [query for query in each[0] if all(query in seconds for seconds in each)]
    total["query_seconds"] = {query: sum(seconds[query] for seconds in each) for query in common}
    for name in ("query_ms_p50", "query_ms_p95"):
        total.pop(name, None)
    total.update(percentiles(total["query_seconds"]))
    if len(parts) > 1:
        own, *others = each
        slowest = {query: own[query] + max(seconds[query] for seconds in others) for query in common}
        total.update({f"parallel_{name}": value for name, value in percentiles(slowest).items()})
    return total


ADDED = ("seconds", "wall_s", "index_bytes", "index_bytes_per_document", "parameters", "price_usd")
"""Costs that a system has the sum of, over its parts."""


def percentiles(seconds: Mapping[str, float]) -> dict[str, float]:
    """Median and 95th percentile of seconds, in milliseconds; nothing where nothing was timed."""
    ordered = sorted(seconds.values())
    if not ordered:
        return {}

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return round(1000 * (ordered[low] + (place - low) * (ordered[high] - ordered[low])), 6)

    return {"query_ms_p50": at(0.5), "query_ms_p95": at(0.95)}


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
