"""A nano set to a hub: put together aside, described, sent as one commit, and checked there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io import hub, hub_push
from hakari.io.hub_layout import CARD, by_folder
from hakari.publish.card import card
from hakari.publish.stage import REPORT, Staged, is_of_a_set, stage
from hakari.tasks import remote
from hakari.tasks.refs import cache_folder
from hakari.types import Task


@dataclass(frozen=True)
class Destination:
    """Where a set goes, and how."""

    repo: str
    branch: str = hub_push.MAIN
    private: bool = True
    replace: bool = False
    """Whether tasks and candidates that the repository has and the set lacks may go."""
    licence: str | None = None

    @classmethod
    def of(cls, spelling: str, **given: object) -> Destination:
        """From `hub:org/name` or `hub:org/name@branch`."""
        repo, task, branch = remote.parts_of(spelling)
        if task is not None:
            raise UsageError(f"`{spelling}` names a task", f"push whole sets: `hub:{repo}`")
        return cls(repo, branch or hub_push.MAIN, **given)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Published:
    """A set that lies on a hub."""

    pushed: hub_push.Pushed
    repo: str
    staged: Staged
    files: int
    removed: tuple[str, ...]

    @property
    def spelling(self) -> str:
        """What `--on` takes, for this state of it and no other."""
        return f"{remote.SCHEME}{self.repo}@{self.pushed.commit}"


def push(tasks: Sequence[Task], to: Destination) -> Published:
    """Send the tasks of one set; the repository then holds them and nothing else of a set."""
    names = {task.dataset for task in tasks}
    if len(names) != 1:
        told = ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"
        raise UsageError(f"one set is pushed at a time, not {told}", "name one set or its folder")
    (name,) = names
    hub.require(to.repo)
    with tempfile.TemporaryDirectory(prefix="hakari-push-") as workshop:
        staged = stage(tasks, Path(workshop) / name)
        text = card(to.repo, staged, _own_card(tasks), to.licence)
        (staged.folder / CARD).write_text(text, encoding="utf-8", newline="\n")
        before = hub_push.existing(to.repo, to.branch)
        files = staged.files
        removed = _outdated(files, before.files if before else (), to)
        pushed = hub_push.push(to.repo, to.branch, files, before, removed=removed, private=to.private)
        remote.HubSet(to.repo, to.branch, cache_folder()).unpin()
        return Published(pushed, to.repo, staged, len(files), tuple(removed))


def _own_card(tasks: Sequence[Task]) -> str | None:
    path = None if tasks[0].source is None else tasks[0].source / CARD
    return path.read_text(encoding="utf-8", errors="replace") if path is not None and path.is_file() else None


def _outdated(files: Iterable[str], there: Iterable[hub.HubFile], to: Destination) -> list[str]:
    """Files of a set that the repository has and the new one lacks.

    Those that hold a task or candidates that the new set does not have at all may go only if that was asked for.
    """
    sent = set(files)
    old = [file.path for file in there if is_of_a_set(file.path) and file.path not in sent]
    kept = {(config, split) for config, split, _ in by_folder(sorted(sent))}
    gone = dict.fromkeys((config, split) for config, split, _ in by_folder(old))
    lost = [f"`{config}` of `{split}`" for config, split in gone if (config, split) not in kept]
    if lost and not to.replace:
        hint = "add --replace if they may go; earlier commits keep them"
        faults = [Fault(f"has {one}, which the set lacks", hint=hint) for one in lost]
        raise InvalidInput(f"`{to.repo}` on {hub.endpoint()}", faults)
    return sorted([*old, *({REPORT} & {file.path for file in there} - sent)])
