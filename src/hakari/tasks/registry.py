"""Tasks by name or by path: `NanoX`, `NanoX/Task`, `NanoX/*SQL`, `path/NanoX`, `path/beir-x/test`, `hub:org/name`.

A name is looked up in the folder of tasks and among the sets that can be built here, then as a path that holds
tasks, then in the catalog of published ones. The first that knows it answers for all of it; a task of a published
view or suite that the folder of tasks has is read there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

from hakari.errors import Fault, InvalidInput, UnknownName, UsageError
from hakari.io.files import is_folder, names_in
from hakari.tasks import remote, views
from hakari.tasks.loaders import layout_of, splits_of
from hakari.tasks.refs import TaskRef, cache_folder
from hakari.tasks.views import LISTING, is_glob
from hakari.types import Task

builders: dict[str, Callable[[Path], Path]] = {}
"""Sets that are built on demand: each is called with the cache folder and returns the folder of its set."""


def resolve(spec: str, tasks_dir: Path | None = None) -> list[TaskRef]:
    """The tasks that a list of names, globs and paths with commas between them stands for, each once."""
    suites = _suites(tasks_dir)
    refs: dict[str, TaskRef] = {}
    for item in _items(spec):
        for ref in _resolve_one(item, suites):
            known = refs.setdefault(ref.name, ref)
            if known.origin != ref.origin:
                hint = "ask for one of them, or rename one of the folders"
                raise UsageError(f"`{ref.name}` is both in {known.origin} and in {ref.origin}", hint)
    return list(refs.values())


def load(
    spec: str,
    tasks_dir: Path | None = None,
    *,
    language: str | None = None,
    category: str | None = None,
) -> list[Task]:
    """The tasks that `resolve` finds, loaded."""
    return [ref.load(language, category) for ref in resolve(spec, tasks_dir)]


def known(tasks_dir: Path | None = None) -> list[TaskRef]:
    """All tasks of the folder of tasks. What can be built on demand is in `builders`."""
    suites = _suites(tasks_dir)
    return [ref for name in sorted(suites) for ref in _suite(name, suites)]


def _items(spec: str) -> list[str]:
    if "," in spec and is_folder(Path(spec).expanduser()):  # a path may have commas in it
        return [spec]
    items = [item.strip() for item in spec.split(",") if item.strip()]
    if not items:
        raise UsageError("no task was named", f"name a set, a task or a folder; list them with `{LISTING}`")
    return items


def _suites(tasks_dir: Path | None) -> dict[str, list[Path]]:
    """The folders of sets by name, found directly in the folder of tasks or one level below it."""
    origin = "`--tasks-dir`"
    if tasks_dir is None:
        if not os.environ.get("HAKARI_TASKS"):
            return {}
        tasks_dir, origin = Path(os.environ["HAKARI_TASKS"]), "`HAKARI_TASKS`"
    faults: list[Fault] = []
    root = tasks_dir.expanduser()
    suites: dict[str, list[Path]] = {}
    for name in names_in(root, faults):
        folder = root / name
        if layout_of(folder) is not None:
            suites.setdefault(name, []).append(folder)
            continue
        for inner in names_in(folder, []) if is_folder(folder) else ():
            if layout_of(folder / inner) is not None:
                suites.setdefault(inner, []).append(folder / inner)
    if faults:
        raise InvalidInput(f"the folder of tasks (from {origin})", faults)
    return suites


def _resolve_one(item: str, suites: dict[str, list[Path]]) -> list[TaskRef]:
    if item.startswith(remote.SCHEME):
        return list(remote.in_repository(item))
    path_only = item.startswith((".", "/", "~")) or Path(item).is_absolute()
    if not path_only:
        found = _by_name(item, suites) or _published(item, suites)
        if found:
            return found
    found = _by_path(Path(item).expanduser())
    if found:
        return found
    if path_only:
        fault = Fault("no such folder or task", item, hint=f"check the path with `ls {Path(item).parent}`")
        raise InvalidInput("what was asked for", [fault])
    dataset, _, split = item.partition("/")
    names = [*suites, *builders]
    if split and dataset in names:
        names = [ref.name for ref in _suite(dataset, suites)]
    elif split:
        names = [entry.name for entry in views.select(dataset)]
    else:
        names += views.names()
    raise UnknownName("task" if split else "set", item, names, LISTING)


def _by_name(item: str, suites: dict[str, list[Path]]) -> list[TaskRef]:
    dataset, _, split = item.rstrip("/").partition("/")
    # A glob is over what is there; what would have to be built is named in full.
    names = sorted(suites)
    if not is_glob(dataset):
        names = [dataset] if dataset in suites or dataset in builders else []
    refs = [ref for name in names if fnmatchcase(name, dataset) for ref in _suite(name, suites)]
    if not split:
        return refs
    return [ref for ref in refs if ref.split == split or (is_glob(split) and fnmatchcase(ref.split, split))]


def _published(item: str, suites: dict[str, list[Path]]) -> list[TaskRef]:
    """Tasks of the catalog, those that the folder of tasks has read there; none where the item is a path."""
    path = Path(item)
    if layout_of(path) is not None or layout_of(path.parent) is not None:
        return []
    refs: list[TaskRef] = []
    local: dict[str, dict[str, TaskRef]] = {}
    for entry in views.select(item):
        if entry.dataset in suites and entry.dataset not in local:
            local[entry.dataset] = {ref.split: ref for ref in _suite(entry.dataset, suites)}
        refs.append(local.get(entry.dataset, {}).get(entry.split) or remote.published(entry))
    return refs


def _suite(name: str, suites: dict[str, list[Path]]) -> list[TaskRef]:
    folders = suites.get(name, [])
    if len(folders) > 1:
        listed = " and ".join(str(folder) for folder in folders)
        raise UsageError(
            f"the set `{name}` is there {len(folders)} times: {listed}", "rename or remove one of them"
        )
    folder = folders[0] if folders else builders[name](cache_folder())
    return _refs(folder)


def _refs(folder: Path) -> list[TaskRef]:
    layout = layout_of(folder)
    if layout is None:
        hint = "a nano set has corpus/, queries/ and qrels/ with Parquet files, a BEIR folder has "
        hint += "corpus.jsonl, queries.jsonl and qrels/*.tsv"
        raise InvalidInput("what was asked for", [Fault("holds no tasks", str(folder), hint=hint)])
    name = Path(os.path.abspath(folder)).name
    return [TaskRef(name, split, folder, layout) for split in splits_of(folder, layout)]


def _by_path(path: Path) -> list[TaskRef]:
    """The tasks of a folder, or the one, or those that match a glob, that the last part of the path names."""
    if is_folder(path):
        return _refs(path)
    if layout_of(path.parent) is None:
        return []
    refs = _refs(path.parent)
    split = path.name
    chosen = [ref for ref in refs if ref.split == split or (is_glob(split) and fnmatchcase(ref.split, split))]
    if not chosen:
        raise UnknownName(
            f"task of {path.parent}", split, [ref.split for ref in refs], f"ls {path.parent}/qrels"
        )
    return chosen
