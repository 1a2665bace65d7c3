"""Building a site: every page drawn beside the old site, which is replaced when all of it is there.

Tasks are drawn first, each once and by several processes (`drawing`, `crew`); what is kept of them makes the board
and the pages over many tasks.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hakari import __version__
from hakari.errors import UsageError
from hakari.site import board, compare, pages, render
from hakari.site.crew import Crew
from hakari.site.digest import Digest
from hakari.site.drawing import Drawing, Drawn, put
from hakari.site.model import MEASURES, Reading, System
from hakari.site.profiles import Cast, cast
from hakari.tasks.training_audits import TrainingAudit
from hakari.types import Ids

MANIFEST = "manifest.json"
ASSETS = ("site.css", "icon.svg")
LARGEST = 20_000_000
"""Bytes of one file; hosts of static sites refuse much larger ones."""

WORTH_A_CREW = 8
"""From so many tasks with texts or results on, other processes help."""


@dataclass
class Site:
    """A site while it is built: what it is made of, who plays which role, and what was seen so far."""

    reading: Reading
    roles: Cast
    digests: dict[str, Digest] = field(default_factory=dict)
    """By task, in the order of names."""
    scores: dict[str, dict[System, npt.NDArray[np.float64]]] = field(default_factory=dict)
    """By task the headline values of each query of every system that is no variant."""
    query_ids: dict[str, Ids] = field(default_factory=dict)
    means: npt.NDArray[np.float64] = field(init=False)
    """(measures, tasks, systems): the mean of each result, in the order of the reading; NaN where there is none."""
    sizes: npt.NDArray[np.float64] = field(init=False)
    """(tasks, systems): bytes of the index a document, NaN where they are not known."""
    place: dict[System, int] = field(init=False)
    """The number of each system in the arrays."""
    audits: dict[str, Mapping[str, TrainingAudit]] = field(default_factory=dict)
    """By task and retriever what is on record of its training data."""
    compared: list[tuple[compare.Part, list[compare.Found]]] = field(default_factory=list)
    """Systems against the baseline."""
    tell: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        shape = len(self.reading.tasks), len(self.reading.systems)
        self.means = np.full((len(MEASURES), *shape), np.nan)
        self.sizes = np.full(shape, np.nan)
        self.place = {system: i for i, system in enumerate(self.reading.systems)}


def build(site: Site, out: Path) -> dict[str, int]:
    """Build the site in a folder; returns how many files and bytes there are."""
    render.require()
    out = Path(os.path.abspath(out))
    _check_place(out)
    staging = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    _sweep(out)
    try:
        staging.mkdir(parents=True)
        _write(site, staging)
        told = _manifest(staging)
        _swap(staging, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return told


def site_of(reading: Reading, tell: Callable[[str], None] = lambda text: None) -> Site:
    """A site to be built, with its roles cast."""
    return Site(reading, cast(reading), tell=tell)


def _write(site: Site, out: Path) -> None:
    assets = out / "assets"
    assets.mkdir()
    for name in ASSETS:
        shutil.copyfile(render.HERE / "data" / name, assets / name)
    made = board.Board(out, site.reading)
    drawing = Drawing(site.reading, site.roles, out, made.scribe)
    tasks = site.reading.tasks
    with Crew(_processes(site.reading)) as crew:
        for number, drawn in enumerate(crew.each(drawing, range(len(tasks))), 1):
            site.tell(f"[{number}/{len(tasks)}] {tasks[drawn.number].name}")
            _keep(site, drawn)
            if drawn.taken is not None:
                made.add(drawn.taken)
        parts = compare.parts(site)
        weighed = crew.each(compare.weigh, parts)  # helpers begin with it while the board is written here
        made.write()
        site.compared = list(zip(parts, weighed, strict=True))
    for make in pages.AFTER_TASKS:
        for page in make(site):
            put(out, page)


def _processes(reading: Reading) -> int | None:
    """One where there is too little to do for another to be worth its start; None for as many as there may be."""
    much = sum(listed.load is not None or bool(listed.results) for listed in reading.tasks) >= WORTH_A_CREW
    return None if much else 1


def _keep(site: Site, drawn: Drawn) -> None:
    """What other pages need of a task."""
    name = site.reading.tasks[drawn.number].name
    site.digests[name] = drawn.digest(site.reading)
    site.means[:, drawn.number, drawn.systems] = drawn.bare.means
    site.sizes[drawn.number, drawn.systems] = drawn.bare.sizes
    site.audits[name] = drawn.audits
    if drawn.taken is not None:
        site.scores[name] = drawn.scores(site.reading)
        site.query_ids[name] = drawn.query_ids


def _manifest(out: Path) -> dict[str, int]:
    """Every file with its size and hash; by it a folder is known as a site that may be replaced."""
    files: dict[str, dict[str, int | str]] = {}
    total = 0
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        content = path.read_bytes()
        if len(content) > LARGEST:
            raise UsageError(f"`{path.relative_to(out)}` has {len(content):,} bytes, more than hosts take")
        total += len(content)
        files[path.relative_to(out).as_posix()] = {
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    text = json.dumps({"made_by": f"hakari {__version__}", "files": files}, indent=1, sort_keys=True) + "\n"
    (out / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
    return {"files": len(files) + 1, "bytes": total + len(text)}


def _check_place(out: Path) -> None:
    """Only what is not there, is empty, or was built by hakari is ever replaced."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError(f"`{out}` is no folder", "name a new folder: `--out site`")
    if out.is_dir() and any(out.iterdir()) and not _built_here(out):
        raise UsageError(
            f"`{out}` has files in it and was not built by hakari", "name a new or empty folder: `--out site`"
        )


def _built_here(out: Path) -> bool:
    with suppress(OSError, ValueError, AttributeError):
        return str(json.loads((out / MANIFEST).read_bytes()).get("made_by", "")).startswith("hakari ")
    return False


def _swap(staging: Path, out: Path) -> None:
    """Put the new site in the place of the old, which stands until the moment of renaming."""
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    if out.is_dir():
        os.rename(out, old)
    try:
        os.rename(staging, out)
    except OSError:
        if old.is_dir():
            os.rename(old, out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sweep(out: Path) -> None:
    """Bring back the site, or remove what is left, of a build that was killed."""
    for left in sorted(out.parent.glob(f".{out.name}.*")):
        owner, _, ending = left.name.removeprefix(f".{out.name}.").partition(".")
        if not owner.isdigit() or ending not in ("tmp", "old") or _alive(int(owner)):
            continue
        if ending == "old" and not out.exists():
            os.rename(left, out)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
