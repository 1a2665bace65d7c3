"""Every malformed input ends in exactly one error that names the file and says what to do."""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from data_builders import write_beir, write_nano, write_trec_qrels, write_trec_run
from malformed_contents import CONTENT
from malformed_files import DAMAGE, GZIP_DAMAGE, PARQUET_DAMAGE, Break

from hakari.errors import HakariError, InvalidInput
from hakari.io.candidates import load_candidates
from hakari.io.trec import read_qrels, read_run
from hakari.tasks.registry import load


@dataclass(frozen=True)
class Kind:
    """A sound input, and how it is read."""

    build: Callable[[Path], object]
    read: Callable[[Path], object]


def _load(folder: Path) -> object:
    return load(str(folder), language="en", category="code")


def _load_candidates(folder: Path) -> object:
    shutil.move(folder / "bm25", folder.parent / "aside")  # the task itself is sound and loads first
    try:
        (task,) = load(str(folder), language="en", category="code")
    finally:
        shutil.move(folder.parent / "aside", folder / "bm25")
    return load_candidates(folder / "bm25" / "Task.parquet", task)


def _folder_with(write: Callable[[Path], object]) -> Callable[[Path], object]:
    def build(folder: Path) -> object:
        folder.mkdir()
        return write(folder)

    return build


KINDS = {
    "nano": Kind(lambda folder: write_nano(folder), _load),
    "candidates": Kind(lambda folder: write_nano(folder, candidates=True), _load_candidates),
    "beir": Kind(lambda folder: write_beir(folder), _load),
    "run": Kind(
        _folder_with(lambda folder: write_trec_run(folder / "a.run")), lambda f: read_run(f / "a.run")
    ),
    "qrels": Kind(
        _folder_with(lambda folder: write_trec_qrels(folder / "a.qrels")), lambda f: read_qrels(f / "a.qrels")
    ),
}
FILES = {
    "nano": [f"{part}/Task.parquet" for part in ("corpus", "queries", "qrels")] + ["metadata/Task.json"],
    "candidates": ["bm25/Task.parquet"],
    "beir": ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"],
    "run": ["a.run"],
    "qrels": ["a.qrels"],
}


def _cases() -> Iterator[tuple[str, str, str, Break]]:
    for kind, files in FILES.items():
        for file in files:
            damages = dict(DAMAGE)
            if file.endswith(".parquet"):
                damages |= PARQUET_DAMAGE
            elif not file.endswith(".json"):
                damages |= GZIP_DAMAGE
            for name, damage in damages.items():
                yield kind, f"{file}-{name}", file, lambda folder, d=damage, f=file: d(folder / f)
    for kind, contents in CONTENT.items():
        for name, named, change in contents:
            yield kind, name, named, change


CASES = list(_cases())


def test_there_are_enough_cases_and_none_twice():
    assert len(CASES) >= 200
    assert len({case[:2] for case in CASES}) == len(CASES)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One sound input of every kind, to be copied and broken."""
    root = tmp_path_factory.mktemp("sound")
    for kind in KINDS:
        KINDS[kind].build(root / kind)
    return {kind: root / kind for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_sound_input_loads(kind: str, tmp_path: Path):
    KINDS[kind].build(tmp_path / "NanoX")
    assert KINDS[kind].read(tmp_path / "NanoX")


@pytest.mark.parametrize(("kind", "name", "named", "change"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_malformed_input_ends_in_one_error(
    kind: str, name: str, named: str, change: Break, tmp_path: Path, sound: dict
):
    folder = tmp_path / "NanoX"
    shutil.copytree(sound[kind], folder)
    change(folder)
    if name.endswith(("gz-cut-short", "gz-not-compressed", "gz-empty-text", "gz-wrong-checksum")):
        _read_gz_instead(kind, folder)
    before = _tree(tmp_path)
    with pytest.raises(HakariError) as caught, _as_somebody_else(name.endswith("not-permitted"), tmp_path):
        _read(kind, folder)
    assert isinstance(caught.value, InvalidInput)
    assert named in caught.value.message
    assert caught.value.hint
    assert all(fault.hint for fault in caught.value.faults)
    assert _tree(tmp_path) == before


@pytest.mark.parametrize("seed", range(3))
def test_flipped_bytes_end_in_a_task_or_in_one_error(seed: int, tmp_path: Path):
    folder = write_nano(tmp_path / "NanoX", candidates=True)
    rng = random.Random(seed)
    files = sorted(folder.rglob("*.parquet"))
    outcomes = set()
    for _ in range(25):
        path = rng.choice(files)
        sound = path.read_bytes()
        damaged = bytearray(sound)
        for _ in range(rng.choice([1, 2, 8])):
            damaged[rng.randrange(len(sound))] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            (task,) = load(str(folder), language="en", category="code")
            outcomes.add("task")
            load_candidates(folder / "bm25" / "Task.parquet", task)
        except HakariError:
            outcomes.add("error")
        path.write_bytes(sound)
    assert outcomes == {"task", "error"}


def _read_gz_instead(kind: str, folder: Path) -> None:
    """Runs and judgements are read by their exact name, so the compressed file is the one asked for."""
    if kind in ("run", "qrels"):
        (folder / "asked-for").touch()


def _read(kind: str, folder: Path) -> object:
    if (folder / "asked-for").exists():
        return (read_run if kind == "run" else read_qrels)(folder / f"a.{kind}.gz")
    return KINDS[kind].read(folder)


def _tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything below a folder, so that anything left behind is noticed."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            status = os.lstat(os.path.join(root, name))
            kind = stat.S_IFMT(status.st_mode)
            found[os.path.join(root, name)] = (kind, 0 if name in folders else status.st_size)
    return found


@contextmanager
def _as_somebody_else(wanted: bool, folder: Path) -> Iterator[None]:
    """Root may read everything, so the tests give that up for the time of reading."""
    if not wanted or os.geteuid() != 0:
        yield
        return
    for part in folder.parents:
        if "pytest" in part.name:
            part.chmod(0o755)
    for part in (folder, *folder.rglob("*")):
        if part.is_dir():
            part.chmod(0o777)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
