"""Tasks that lie on a hub: fetched once into the cache, checked, and read from there ever after.

    <cache>/hub/<org>--<name>/pins.json                 the commit that a revision stood for when first asked
    <cache>/hub/<org>--<name>/<commit>/listing.json     the tasks of that commit with their files
    <cache>/hub/<org>--<name>/<commit>/<task>/<Set>/    a task in nano layout; it appears whole or not at all
    <cache>/hub/<org>--<name>/<commit>/<task>/record.json   where it came from and what was counted
    <cache>/hub/<org>--<name>/<commit>/.incoming/       files of a task that is being fetched

A revision stays at its commit until its folder is removed, so that numbers of today and tomorrow are of one content.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from hakari.errors import Fault, InvalidInput, UnknownName, UsageError
from hakari.io import hub, hub_layout
from hakari.io.nano import PARTS
from hakari.tasks.catalog import Entry
from hakari.tasks.loaders import LAYOUTS, Layout, load_split
from hakari.tasks.refs import TaskRef, cache_folder
from hakari.types import Task

SCHEME = "hub:"
DEFAULT_REVISION = "main"
NAME = r"\w(?:[\w.-]*\w)?"
REVISION = r"refs/[^/@\s]+/[^/@\s]+|[^/@\s]+"
"""Where a task follows, a revision ends at a slash, unless it is a reference such as `refs/pr/1`."""
SPELLING = re.compile(
    rf"hub:(?P<repo>{NAME}/{NAME})"
    rf"(@(?P<before>{REVISION})(/(?P<last>[^@/]+))?/?|(/(?P<task>[^@/]+))?/?(@(?P<revision>[^@\s]+))?)",
    re.ASCII,
)
NANO: Layout = next(layout for layout in LAYOUTS if layout.name == "nano")


@dataclass(frozen=True)
class Pinned:
    """A repository at the commit that counts: its tasks and their files."""

    commit: str
    tasks: Mapping[str, Mapping[str, Sequence[hub.HubFile]]]
    """The files by task and configuration."""


@dataclass(frozen=True)
class HubSet:
    """A nano set in a repository, at a revision."""

    repo: str
    revision: str
    cache: Path

    @property
    def name(self) -> str:
        """The name of the set: that of the repository, without its owner."""
        return self.repo.partition("/")[2]

    @property
    def spelling(self) -> str:
        """How it is asked for."""
        return f"{SCHEME}{self.repo}" + ("" if self.revision == DEFAULT_REVISION else f"@{self.revision}")

    @property
    def folder(self) -> Path:
        """Where everything of the repository is kept."""
        return self.cache / "hub" / self.repo.replace("/", "--")

    def installed(self, split: str) -> Path | None:
        """The folder of the set with one task in it, where that was fetched before."""
        place = self.place()
        return None if place is None else installed_in(place, split, self.name)

    def place(self) -> Path | None:
        """The folder of the commit that the revision is pinned to, where it is."""
        commit = self._commit()
        return None if commit is None else self.folder / commit

    def pinned(self) -> Pinned:
        """The commit that counts and its tasks; asks the hub the first time only."""
        commit = self._commit()
        known = None if commit is None else _read(self.folder / commit / "listing.json")
        if commit is None or known is None:
            with self._locked():
                return self._pin(commit)
        return Pinned(commit, _tasks_from(known))

    def unpin(self) -> None:
        """Forget which commit the revision stood for, because whoever is here has just moved it."""
        if self._commit() is None:
            return
        with self._locked(), _storing(self.folder):
            pins = _read(self.folder / "pins.json") or {}
            _write(self.folder / "pins.json", {k: v for k, v in pins.items() if k != self.revision})

    def fetch(self, split: str, counts: Mapping[str, int]) -> Path:
        """The folder of the set with one task in it, fetched and checked the first time.

        `counts` is what is known of its queries, documents and positives: other ones are an error.
        """
        there = self.installed(split)
        if there is not None:
            record = _read(there.parent / "record.json") or {}
            self._compare(split, record.get("commit", ""), record.get("counts", {}), counts)
            return there
        hub.require(f"{self.name}/{split}")
        pinned = self.pinned()
        if split not in pinned.tasks:
            raise UnknownName(
                f"task of `{self.spelling}`", split, pinned.tasks, f"hakari tasks {self.spelling}"
            )
        place = self.folder / pinned.commit
        with self._locked(), _storing(place):
            return installed_in(place, split, self.name) or self._fetch(pinned, split, counts)

    def _commit(self) -> str | None:
        pins = _read(self.folder / "pins.json") or {}
        return pins.get(self.revision)

    def _pin(self, commit: str | None) -> Pinned:
        listing = hub.listing(self.repo, commit or self._commit() or self.revision)
        place = self.folder / listing.commit
        by_path = {file.path: file for file in listing.files}
        card = None
        if hub_layout.CARD in by_path:
            path = hub.download(self.repo, listing.commit, by_path[hub_layout.CARD], place / ".incoming")
            card = path.read_text(encoding="utf-8", errors="replace")
        found = hub_layout.tasks_in(by_path, card)
        if not found:
            hint = "it needs corpus/, queries/ and qrels/ with a Parquet file a task, or a card whose `configs` say so"
            raise InvalidInput(f"`{self.spelling}`", [Fault("holds no tasks in the nano layout", hint=hint)])
        tasks = {
            split: {config: [by_path[path] for path in paths] for config, paths in configs.items()}
            for split, configs in found.items()
        }
        told = {
            split: {config: [asdict(file) for file in files] for config, files in configs.items()}
            for split, configs in tasks.items()
        }
        with _storing(place):
            _write(place / "listing.json", {"repo": self.repo, "commit": listing.commit, "tasks": told})
            pins = _read(self.folder / "pins.json") or {}
            _write(self.folder / "pins.json", {**pins, self.revision: listing.commit})
        return Pinned(listing.commit, tasks)

    def _fetch(self, pinned: Pinned, split: str, counts: Mapping[str, int]) -> Path:
        """Download, put together aside, check, and only then give it its place by one rename."""
        configs = pinned.tasks[split]
        missing = [Fault(f"has no files for `{part}`") for part in PARTS if not configs.get(part)]
        if missing:
            raise InvalidInput(f"`{split}` of `{self.spelling}`", missing)
        place = self.folder / pinned.commit
        incoming = place / ".incoming"
        for left in incoming.rglob("*.incomplete"):  # of a process that was killed
            left.unlink(missing_ok=True)
        fetched = {
            config: [hub.download(self.repo, pinned.commit, file, incoming) for file in files]
            for config, files in configs.items()
        }
        making = place / ".making"
        shutil.rmtree(making, ignore_errors=True)
        try:
            made = self._put_together(making / split, fetched)
            task = self._read(made, split)
            counted = counts_of(task)
            self._compare(split, pinned.commit, counted, counts)
            origin = {"repo": self.repo, "revision": self.revision, "commit": pinned.commit}
            files = {file.path: file.digest for group in configs.values() for file in group}
            record = {**origin, "endpoint": hub.endpoint(), "files": files, "counts": counted}
            _write(made / "record.json", {**record, "content": task.content})
            os.rename(made, place / split)
        finally:
            shutil.rmtree(making, ignore_errors=True)
        for path in {path for paths in fetched.values() for path in paths}:
            path.unlink(missing_ok=True)
        if all(self.installed(other) for other in pinned.tasks):
            shutil.rmtree(incoming, ignore_errors=True)
        return place / split / self.name

    def _read(self, made: Path, split: str) -> Task:
        """The task that was put together; its faults are told by the names that its files have on the hub."""
        try:
            return load_split(made / self.name, split, NANO)
        except InvalidInput as error:
            here, hint = f"{made / self.name}{os.sep}", "whoever published the set has to mend it"
            faults = [
                Fault(
                    fault.what.replace(here, ""),
                    fault.file and fault.file.removeprefix(here),
                    fault.row,
                    hint,
                )
                for fault in error.faults
            ]
            raise InvalidInput(f"`{split}` of `{self.spelling}`", faults) from error

    def _put_together(self, made: Path, fetched: Mapping[str, Sequence[Path]]) -> Path:
        """A folder with the set in it, of copies: one file may serve two configurations, and may be refused here."""
        for config, paths in fetched.items():
            ending = paths[0].suffix if paths else hub_layout.ENDING
            names = hub_layout.names_on_disk(made.name, [str(path) for path in paths], ending)
            for path, name in zip(paths, names, strict=True):
                shutil.copyfile(path, _made(made / self.name / config) / name)
        return made

    def _compare(self, split: str, commit: str, counted: Mapping[str, int], known: Mapping[str, int]) -> None:
        hint = f"it is not the published task: ask for `hub:{self.repo}/{split}` to weigh on it as it is"
        faults = [
            Fault(f"has {counted.get(key, 0):,} {key}, published are {known[key]:,}", hint=hint)
            for key in known
            if counted.get(key, 0) != known[key]
        ]
        if faults:
            raise InvalidInput(f"`{self.name}/{split}` on the hub (commit {commit[:12]})", faults)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time fetches from a repository; the others then find it in the cache."""
        hub.require(self.name)
        import filelock  # comes with huggingface_hub

        locks = self.cache / "hub" / ".locks"
        with _storing(locks):
            lock = filelock.FileLock(_made(locks) / f"{self.folder.name}.lock")
        with lock:
            yield


@dataclass(frozen=True)
class RemoteRef(TaskRef):
    """A task on a hub, fetched when it is loaded first."""

    source: HubSet
    counts: Mapping[str, int]

    @property
    def origin(self) -> str:
        """The repository and revision."""
        return self.source.spelling

    def here(self) -> Path:
        """The folder in the cache, fetched and checked where it is not there yet."""
        return self.source.fetch(self.split, self.counts)


def source_of(entry: Entry) -> HubSet:
    """The repository that holds a task of the catalog."""
    return HubSet(entry.hub_id, entry.row.get("revision", DEFAULT_REVISION), cache_folder())


def published(entry: Entry) -> RemoteRef:
    """A task of the catalog, to be fetched where it is not in the cache."""
    source = source_of(entry)
    folder = source.installed(entry.split) or source.folder
    return RemoteRef(entry.dataset, entry.split, folder, NANO, source, entry.counts)


def parts_of(item: str) -> tuple[str, str | None, str | None]:
    """Repository, task and revision of `hub:org/name[@revision][/Task]` or `hub:org/name/Task[@revision]`."""
    spelled = SPELLING.fullmatch(item)
    if spelled is None or "--" in spelled["repo"] or ".." in spelled["repo"]:
        hint = "write it as `hub:org/name`, `hub:org/name@revision` or `hub:org/name@revision/Task`"
        raise UsageError(f"`{item}` does not name a repository", hint)
    return spelled["repo"], spelled["task"] or spelled["last"], spelled["revision"] or spelled["before"]


def in_repository(item: str) -> list[RemoteRef]:
    """The tasks of `hub:org/name`, of one task or glob in it, at a revision where one is named."""
    repo, wanted, revision = parts_of(item)
    source = HubSet(repo, revision or DEFAULT_REVISION, cache_folder())
    splits = sorted(source.pinned().tasks)
    chosen = [split for split in splits if wanted is None or split == wanted or fnmatchcase(split, wanted)]
    if not chosen:
        raise UnknownName(
            f"task of `{source.spelling}`", wanted or "", splits, f"hakari tasks {source.spelling}"
        )
    return [RemoteRef(source.name, split, source.folder, NANO, source, {}) for split in chosen]


def counts_of(task: Task) -> dict[str, int]:
    """How many queries, documents and positives a task has."""
    positives = int((task.qrels.grades > 0).sum())
    return {"queries": len(task.queries), "documents": len(task.corpus), "positives": positives}


def installed_in(place: Path, split: str, name: str) -> Path | None:
    """The folder of the set with one task in it, below that of a commit, where it is complete."""
    return place / split / name if (place / split / "record.json").is_file() else None


def _tasks_from(known: Mapping[str, Any]) -> dict[str, dict[str, list[hub.HubFile]]]:
    return {
        split: {config: [hub.HubFile(**file) for file in files] for config, files in configs.items()}
        for split, configs in known["tasks"].items()
    }


def _read(path: Path) -> dict[str, Any] | None:
    """What a file of ours says; nothing where there is none, or it was damaged."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None


def _write(path: Path, told: Mapping[str, Any]) -> None:
    """Write a file of ours by one rename."""
    temporary = _made(path.parent) / f".{path.name}.{os.getpid()}.tmp"
    text = json.dumps(told, indent=1, sort_keys=True) + "\n"
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def _storing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = f"check space and permissions of {place}, or name another cache with HAKARI_CACHE"
        raise UsageError(f"the cache cannot be written: {error.strerror or error}", hint) from error
