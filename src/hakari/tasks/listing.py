"""What there is to ask for: tasks in folders, in the cache, and published ones that would be fetched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from hakari.errors import UnknownName
from hakari.io.nano import read_metadata
from hakari.tasks import catalog, registry, remote, views
from hakari.tasks.catalog import Entry
from hakari.tasks.refs import TaskRef

TRAITS = ("language", "category", "shape")


@dataclass(frozen=True)
class Wanted:
    """Which tasks are listed: those that every criterion that is set lets through."""

    text: str | None = None
    """A part of a name, a glob, anything that `--on` takes for published tasks, or a repository on the hub."""
    suite: str | None = None
    view: str | None = None
    language: str | None = None
    category: str | None = None
    shape: str | None = None

    @property
    def everything(self) -> bool:
        """Whether no criterion is set."""
        return all(getattr(self, field.name) is None for field in fields(self))


def listed(wanted: Wanted, tasks_dir: Path | None = None) -> list[dict[str, Any]]:
    """Tasks as rows: those built here, those in the folder of tasks, then published ones, each once."""
    if wanted.text and wanted.text.startswith(remote.SCHEME):
        return [_remote_row(ref) for ref in remote.in_repository(wanted.text)]
    chosen = _chosen_entries(wanted)
    local = registry.known(tasks_dir)
    datasets = {ref.dataset for ref in local}
    rows = [] if wanted.suite or wanted.view else list(_unbuilt(wanted, datasets))
    rows += [row for ref in local if (row := _local_row(ref, wanted, chosen))]
    here = {ref.name for ref in local}
    installed = Installed()
    rows += [_published_row(entry, installed) for entry in chosen.values() if entry.name not in here]
    return rows


class Installed:
    """Where fetched tasks lie; each repository is looked at once."""

    def __init__(self) -> None:
        self._sources: dict[str, Path | None] = {}

    def folder(self, entry: Entry) -> Path | None:
        """The folder that holds a task of the catalog, where it has been fetched."""
        source = remote.source_of(entry)
        if source.spelling not in self._sources:
            self._sources[source.spelling] = source.place()
        place = self._sources[source.spelling]
        return None if place is None else remote.installed_in(place, entry.split, source.name)


def _unbuilt(wanted: Wanted, datasets: set[str]) -> Iterator[dict[str, Any]]:
    """Sets that are built when they are asked for, and are not in the cache yet."""
    for name in registry.builders:
        if name not in datasets and _named(name, wanted.text) and not any(getattr(wanted, t) for t in TRAITS):
            yield {"task": name, "where": "built when it is asked for", "installed": False}


def _local_row(ref: TaskRef, wanted: Wanted, chosen: dict[str, Entry]) -> dict[str, Any] | None:
    if ref.name in chosen:  # the catalog lets it through
        traits = _traits(ref)
    elif wanted.suite or wanted.view or not _named(ref.name, wanted.text):
        return None
    else:
        traits = _traits(ref) if any(getattr(wanted, trait) for trait in TRAITS) else {}
    if any(getattr(wanted, trait) not in (None, traits.get(trait)) for trait in TRAITS):
        return None
    told = {"task": ref.name, "where": str(ref.folder), "installed": True, **traits}
    entry = catalog.find(ref.name)
    return told if entry is None else {**told, **_facts(entry)}


def _traits(ref: TaskRef) -> dict[str, Any]:
    """What metadata or the catalog say of a task; its texts are not read for it."""
    stated = read_metadata(ref.folder / "metadata" / f"{ref.split}.json", [])
    known = catalog.traits_of(ref.name)
    return {trait: stated.get(trait) or known.get(trait) for trait in TRAITS}


def _chosen_entries(wanted: Wanted) -> dict[str, Entry]:
    found = {entry.name: entry for entry in catalog.entries()}
    for kind, name in (("view", wanted.view), ("suite", wanted.suite)):
        if name is not None:
            among = {entry.name for entry in views.select(name)}
            if not among:
                known = views.names() if kind == "view" else catalog.datasets().values()
                raise UnknownName(kind, name, known, views.LISTING)
            found = {name: entry for name, entry in found.items() if name in among}
    if wanted.text:
        meant = {entry.name for entry in views.select(wanted.text)}
        found = {name: e for name, e in found.items() if name in meant or _named(name, wanted.text)}
    for trait in TRAITS:
        value = getattr(wanted, trait)
        found = {name: e for name, e in found.items() if value is None or getattr(e, trait) == value}
    return found


def _remote_row(ref: remote.RemoteRef) -> dict[str, Any]:
    folder = ref.source.installed(ref.split)
    return {"task": ref.name, "where": str(folder or ref.origin), "installed": folder is not None}


def _named(name: str, text: str | None) -> bool:
    return not text or text.lower() in name.lower() or fnmatchcase(name, text)


def _published_row(entry: Entry, installed: Installed) -> dict[str, Any]:
    folder = installed.folder(entry)
    sizes = {key: entry.row[key] for key in ("positives_per_query", "chars") if key in entry.row}
    return {
        "task": entry.name,
        "where": str(folder) if folder else f"hub:{entry.hub_id}",
        "installed": folder is not None,
        **{trait: getattr(entry, trait) for trait in TRAITS},
        **entry.counts,
        **sizes,
        **_facts(entry),
    }


def _facts(entry: Entry) -> dict[str, Any]:
    """What is published of a task, wherever its files lie; sizes are told apart, for a local copy may differ."""
    told: dict[str, Any] = {
        "suite": entry.suite,
        "dataset": entry.dataset,
        "split": entry.split,
        "hub_id": entry.hub_id,
        "card": entry.card,
        "domains": list(entry.domains),
        "in_all": entry.in_all,
        "in_overall": entry.in_overall,
    }
    keys = ("copy_of", "published", "leakage_audit", "sources")
    return told | {key: entry.row[key] for key in keys if key in entry.row}


def left_out() -> list[str]:
    """The tasks of the standard run that the Overall view leaves out, each with what it repeats."""
    entries = [entry for entry in catalog.entries() if entry.in_all and not entry.in_overall]
    return [f"{entry.name} ({', '.join(entry.copy_of) or 'a copy'})" for entry in entries]


def suites() -> list[dict[str, Any]]:
    """The published suites as rows: how many tasks, queries and documents, and in which languages."""
    found: dict[str, list[Entry]] = {}
    for entry in catalog.entries():
        found.setdefault(entry.suite, []).append(entry)
    rows = []
    for suite in sorted(found, key=str.lower):
        languages = sorted({entry.language for entry in found[suite]})
        rows.append(
            {
                "suite": suite,
                "tasks": len(found[suite]),
                "queries": sum(entry.counts["queries"] for entry in found[suite]),
                "documents": sum(entry.counts["documents"] for entry in found[suite]),
                "languages": ", ".join(languages) if len(languages) <= 5 else f"{len(languages)} languages",
                "categories": ", ".join(sorted({entry.category for entry in found[suite]})),
            }
        )
    return rows
