"""Finding what a site is made of: tasks that were named, tasks that have results, and the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.site.model import Listed, Reading, labelled
from hakari.store import bulk
from hakari.store.imported import read_imported
from hakari.tasks import catalog
from hakari.tasks.catalog import Entry
from hakari.tasks.refs import TaskRef
from hakari.tasks.remote import RemoteRef
from hakari.types import Task


def read(
    refs: Sequence[TaskRef],
    results: Path,
    language: str | None = None,
    category: str | None = None,
    published: bool = True,
) -> Reading:
    """What there is to tell: of the tasks named, of those with results, and of the published ones."""
    entries = {entry.name: entry for entry in catalog.entries()}
    paths = _by_task(results)
    loads = {ref.name: partial(ref.load, language, category) for ref in refs if _at_hand(ref)}
    names = {*paths, *loads, *(ref.name for ref in refs), *(entries if published else ())}
    if not paths and not loads:
        raise UsageError(
            f"nothing to show: no results in `{results}`, and none of the tasks named is on this machine",
            "run something first: `hakari run bm25 --on TASKS`",
        )
    systems = _systems(paths)
    _leave_out_shallower(systems, paths)
    tasks = [_listed(name, entries.get(name), loads.get(name), paths.get(name, [])) for name in sorted(names)]
    manifests = {(retriever, key): manifest for (retriever, _, key), manifest in systems.items()}
    return Reading(tuple(tasks), labelled(systems), manifests, imported=tuple(read_imported(results)))


def _leave_out_shallower(
    systems: dict[tuple[str, str, str], dict[str, Any]], paths: dict[str, list[Path]]
) -> None:
    """Leave out rankings that are the beginning of deeper ones of the same retriever, on every task that they are of.

    A reranker keeps its first stage as deep as it needs it; beside the same retriever at its own depth that is no
    system of its own.
    """
    tasks_of: dict[str, set[str]] = {}
    for task, listed in paths.items():
        for path in listed:
            tasks_of.setdefault(path.parent.parent.name.rpartition("-")[2], set()).add(task)
    depths: dict[tuple[str, str], dict[str, int]] = {}
    for (retriever, _, key), manifest in systems.items():
        settings = json.dumps(manifest.get("settings"), sort_keys=True, default=str)
        depths.setdefault((retriever, settings), {})[key] = int(manifest.get("depth") or 0)
    shallower = {
        key
        for keys in depths.values()
        for key, depth in keys.items()
        if any(depth < deeper and tasks_of[key] <= tasks_of[other] for other, deeper in keys.items())
    }
    for identity in [identity for identity in systems if identity[2] in shallower]:
        del systems[identity]


def _listed(name: str, entry: Entry | None, load: Callable[[], Task] | None, paths: list[Path]) -> Listed:
    suite = entry.suite if entry is not None else name.partition("/")[0]
    return Listed(name, suite, entry, load, tuple(paths))


def _at_hand(ref: TaskRef) -> bool:
    """Whether a task can be read without fetching it: building a site asks no hub."""
    return not isinstance(ref, RemoteRef) or ref.source.installed(ref.split) is not None


def _by_task(results: Path) -> dict[str, list[Path]]:
    found = bulk.paths_by_task(results)
    for guessed in [name for name in found if "~" in name]:  # a name too long for a path is cut there
        paths = found.pop(guessed)
        for stored in bulk.read_many(paths):
            found.setdefault(stored.task, []).append(stored.path)
    return found


def _systems(paths: Mapping[str, Sequence[Path]]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Every retriever, variant and key of settings, with a manifest; from the manifests of the folders.

    Those are derived from the results, and a folder in which one is missing or behind is read file by file.
    """
    folders: dict[Path, list[Path]] = {}
    for listed in paths.values():
        for path in listed:
            folders.setdefault(path.parent, []).append(path)
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for folder in sorted(folders):
        key = folder.parent.name.rpartition("-")[2]
        for manifest in _manifests(folder, folders[folder]):
            for variant in manifest.get("variants", ()):
                found.setdefault((str(manifest["retriever"]), str(variant), key), manifest)
    return found


def _manifests(folder: Path, paths: Sequence[Path]) -> list[dict[str, Any]]:
    told = folder / "manifest.json"
    try:
        if all(path.stat().st_mtime_ns <= told.stat().st_mtime_ns for path in paths):
            known = json.loads(told.read_bytes())
            if len(known) == len(paths):
                return [known[name] for name in sorted(known)]
    except (OSError, ValueError, TypeError):
        pass
    return [dict(stored.manifest) for stored in bulk.read_many(paths)]
