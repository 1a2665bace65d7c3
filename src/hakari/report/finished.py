"""Finding finished results by what a person calls them; nothing is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from hakari.errors import UnknownName, UsageError, nearest
from hakari.measures import Measure
from hakari.report.results import System, Weighed, from_stored
from hakari.store import files
from hakari.types import Task


@dataclass(frozen=True)
class Scope:
    """Which finished results are meant, and where their tasks are to be had."""

    names: Sequence[str] = ()
    """Suites, tasks, globs and folders; every task where none is named."""
    task_of: Callable[[str], Task | None] = lambda name: None
    """Loads a task for measures that results do not keep; None where it is not to be had."""

    def holds(self, task: str) -> bool:
        """Whether a task is meant."""
        return named(task, self.names)

    def weighed(self, stored: files.Stored, measures: Sequence[Measure]) -> list[Weighed]:
        """The systems of a result; its task is loaded only for measures that it does not keep."""
        kept = set(files.read_values(stored)["float"][1])
        needed = any(str(m) not in kept for m in measures)
        return from_stored(stored, measures, self.task_of(stored.task) if needed else None)


EVERYTHING = Scope()
"""All finished results, without their tasks."""


@dataclass(frozen=True, eq=False)
class Finished:
    """One system's finished results, by task."""

    system: System
    folder: Path
    weighed: dict[str, Weighed]


def find(
    reference: str | Path,
    root: Path,
    measures: Sequence[Measure],
    scope: Scope = EVERYTHING,
) -> Finished:
    """The results that a reference means.

    A reference is a retriever's spelling (`bm25`), with a variant (`bge_small_en int8`), in another folder
    (`bm25@path/to/results`), or a folder that holds one retriever's results only.
    """
    spelling, folder = _split(str(reference), root)
    stored = _within(folder)
    if not stored:
        raise UsageError(
            f"no results in `{folder}`", f"make some: `hakari run bm25 --on TASKS --results {folder}`"
        )
    names = sorted({s.retriever for s in stored})
    variant = "float"
    if spelling is None:
        if len(names) > 1:
            raise UsageError(
                f"`{folder}` holds results of {len(names)} retrievers: {', '.join(f'`{n}`' for n in names)}",
                f"say which: `{names[0]}@{folder}`",
            )
        spelling = names[0]
    elif spelling not in names and spelling.rpartition(" ")[0] in names:
        spelling, _, variant = spelling.rpartition(" ")
    if spelling not in names:
        raise no_results_of(spelling, names, folder)
    own = [s for s in stored if s.retriever == spelling]
    homes = sorted({s.path.parent.parent for s in own})
    if len(homes) > 1:
        raise UsageError(
            f"`{folder}` holds results of `{spelling}` with different settings or depths",
            "name the folder of one: " + " or ".join(f"`{h}`" for h in homes),
        )
    weighed = {}
    for s in own:
        if scope.holds(s.task):
            found = {w.system.variant: w for w in scope.weighed(s, measures)}
            if variant not in found:
                raise UnknownName(
                    f"variant of `{spelling}`", variant, found, f'hakari sql "FROM means" --results {folder}'
                )
            weighed[s.task] = found[variant]
    if not weighed:
        raise UsageError(f"no results of `{spelling}` in `{folder}` for the tasks named", "check `--on`")
    return Finished(System(spelling, variant), homes[0], weighed)


def named(task: str, wanted: Sequence[str]) -> bool:
    """Whether a task is among suites, tasks, globs and their folders; every task is where none is named."""
    return not wanted or any(
        fnmatchcase(task, name) or task.startswith(name + "/")
        for w in wanted
        for item in w.split(",")
        for name in _names(item.strip())
    )


def _names(item: str) -> tuple[str, ...]:
    """What a name or path may mean: the last part of a path is a suite, or the last two a task."""
    if not item.startswith((".", "/", "~")):
        return (item.rstrip("/"),)
    parts = Path(os.path.abspath(Path(item).expanduser())).parts
    return parts[-1], "/".join(parts[-2:])


def no_results_of(retriever: str, names: Sequence[str], folder: Path) -> UsageError:
    """The error for a retriever that has no results in a folder, with those that have."""
    near = nearest(retriever, names)
    guess = f"did you mean `{near[0]}`? " if near else ""
    listed = ", ".join(f"`{name}`" for name in names[:10]) + (" and more" if len(names) > 10 else "")
    return UsageError(f"no results of `{retriever}` in `{folder}`", f"{guess}There are results of {listed}")


def _split(reference: str, root: Path) -> tuple[str | None, Path]:
    if Path(reference).is_dir() and _within(Path(reference)):
        return None, Path(reference)
    spelling, at, folder = reference.rpartition("@")
    if at and Path(folder).is_dir():
        return spelling, Path(folder)
    depth_of_rescoring = spelling.endswith(">float") and folder.isdigit()
    if at and "(" not in folder and not depth_of_rescoring:
        raise UsageError(f"there is no folder `{folder}`, where the results of `{spelling}` should be")
    return reference, root


def _within(folder: Path) -> list[files.Stored]:
    """The results below a folder of results, or in the folder of one retriever."""
    found = files.scan(folder)
    if found or not folder.is_dir():
        return found
    return [s for path in sorted(folder.glob("*/*.parquet")) if (s := files.read(path)) is not None]
