"""Identity of results: what produced one, as a hash, and where it lies."""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import hakari
from hakari.errors import UsageError

CORE_PACKAGES = ("numpy", "scipy", "duckdb")
PROTOCOL = 1
"""Rises when the same settings would give another result; older results are then run again."""


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values have equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def safe(name: str) -> str:
    """A name as one component of a path on any system: other characters are percent-encoded."""
    kept = re.sub(
        r"[^A-Za-z0-9._+=@,()-]",
        lambda m: "".join(f"%{b:02X}" for b in m[0].encode("utf-8", "surrogatepass")),
        name,
    )
    kept = re.sub(r"^\.", "%2E", kept) or "%"
    return kept if len(kept) <= 150 else f"{kept[:130]}~{digest(name)[:16]}"


def slug(retriever: str) -> str:
    """The spelling of a retriever as a folder name that a person can read and type."""
    text = re.sub(r"[^A-Za-z0-9.=+-]+", "_", retriever).strip("_.") or "retriever"
    return text[:80]


def folder(root: Path, retriever: str, settings: dict[str, Any], depth: int) -> Path:
    """The folder of all results of one retriever with exactly these settings."""
    return root / f"{slug(retriever)}-{settings_key(retriever, settings, depth)[:8]}"


def settings_key(retriever: str, settings: dict[str, Any], depth: int) -> str:
    """The hash of a retriever and all its settings, before any task is looked at."""
    try:
        return digest({"retriever": retriever, "settings": settings, "depth": depth, "protocol": PROTOCOL})
    except (TypeError, ValueError) as error:
        hint = "let `settings()` return plain strings, finite numbers, lists and dictionaries"
        raise UsageError(f"the settings of retriever `{retriever}` are not JSON: {error}", hint) from None


def result_key(settings: str, content: str, task_settings: dict[str, Any]) -> str:
    """The full key of a result: the settings' key, the content of the task and what follows from both."""
    return digest({"settings": settings, "task": content, "task_settings": task_settings})


@lru_cache
def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """The versions that a result may depend on: of hakari, Python and the packages that computed it."""
    from importlib import metadata

    told = {"hakari": hakari.__version__, "python": platform.python_version()}
    for package in (*CORE_PACKAGES, *packages):
        with contextlib.suppress(metadata.PackageNotFoundError):  # `require` says so where it matters
            told[package] = metadata.version(package)
    return told
