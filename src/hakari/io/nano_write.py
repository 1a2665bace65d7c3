"""Nano sets written whole or not at all, the same bytes for the same tasks."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io.files import connect, is_folder, names_in
from hakari.io.nano import PARTS, SHARD, files_by_split
from hakari.types import Task, Texts


def write_nano_set(folder: Path, tasks: Sequence[Task], *, replace: bool = False) -> None:
    """Write tasks as a nano set. It appears under its name when it is complete, or not at all.

    A folder that is there and not empty is an error, unless `replace` says that it may go.
    """
    _check_names(folder, tasks)
    with _failures(folder):
        if not replace and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"`{folder}` is there already", "write to another folder or remove it first")
        folder.parent.mkdir(parents=True, exist_ok=True)
        workshop = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            # A folder inside the private one, so that the set gets the permissions that folders usually get.
            made = workshop / "made"
            for part in ("corpus", "metadata", "qrels", "queries"):
                (made / part).mkdir(parents=True)
            for task in tasks:
                _write_task(made, task)
            _swap(made, folder, workshop / "replaced")
        finally:
            shutil.rmtree(workshop, ignore_errors=True)


def _swap(made: Path, folder: Path, replaced: Path) -> None:
    """Put what was made where it belongs; what was there comes back if that fails."""
    if folder.exists():
        os.rename(folder, replaced)
    try:
        os.rename(made, folder)
    except OSError:
        if replaced.exists():
            os.rename(replaced, folder)
        raise


def _check_names(folder: Path, tasks: Sequence[Task]) -> None:
    faults = []
    if not tasks:
        faults.append(Fault("there are no tasks to write", str(folder), hint="pass at least one task"))
    splits = [task.split for task in tasks]
    for split in sorted(set(splits)):
        unsafe = split.startswith(".") or "/" in split or "\\" in split or not split.isprintable()
        if unsafe or SHARD.fullmatch(split) or len(split.encode()) > 200:
            hint = "name the task with letters, digits, `-` and `_`"
            faults.append(Fault(f"`{split}` cannot be the name of a file", str(folder), hint=hint))
        if splits.count(split) > 1:
            faults.append(
                Fault(f"there are {splits.count(split)} tasks `{split}`", str(folder), hint="rename one")
            )
    if faults:
        raise InvalidInput(f"the set `{folder}`", faults)


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except (OSError, duckdb.Error) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        hint = f"check space and permissions with `df -h {path.parent}` and `ls -ld {path.parent}`"
        raise UsageError(f"`{path}` cannot be written: {reason}", hint) from error


def _write_task(folder: Path, task: Task) -> None:
    name = f"{task.split}.parquet"
    for part, texts in (("corpus", task.corpus), ("queries", task.queries)):
        written_parquet(folder / part / name, _text_columns(texts))
    qrels = task.qrels
    counts = (qrels.offsets[1:] - qrels.offsets[:-1]).tolist()
    queries = [name for name, count in zip(qrels.query_ids, counts, strict=True) for _ in range(count)]
    columns: dict[str, tuple[str, list[Any]]] = {
        "query-id": ("VARCHAR[]", queries),
        "corpus-id": ("VARCHAR[]", qrels.document_ids[qrels.documents].tolist()),
        "score": ("INTEGER[]", qrels.grades.tolist()),
    }
    written_parquet(folder / "qrels" / name, columns)
    stated = {"language": task.language, "category": task.category, "shape": task.shape}
    metadata: dict[str, Any] = {key: value for key, value in stated.items() if value is not None}
    if task.exclude_self:
        metadata["exclude_self"] = True
    text = json.dumps(metadata, sort_keys=True, ensure_ascii=False) + "\n"
    (folder / "metadata" / f"{task.split}.json").write_text(text, encoding="utf-8", newline="\n")


def _text_columns(texts: Texts) -> dict[str, tuple[str, list[Any]]]:
    return {"_id": ("VARCHAR[]", texts.ids.tolist()), "text": ("VARCHAR[]", texts.texts.tolist())}


def write_rankings(path: Path, query_ids: Sequence[str], rankings: Sequence[Sequence[str]]) -> None:
    """Write candidate rankings as published sets have them: ids in order, and no other column.

    Scores stay out: mteb's loader casts the whole table to these two columns and refuses a third.
    """
    columns: dict[str, tuple[str, list[Any]]] = {
        "query-id": ("VARCHAR[]", list(query_ids)),
        "corpus-ids": ("VARCHAR[][]", [list(ranking) for ranking in rankings]),
    }
    written_parquet(path, columns)


def write_metadata(path: Path, stated: Mapping[str, Any]) -> None:
    """Write the metadata of a task, which take their name when they are complete."""
    text = json.dumps(stated, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with _failures(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(text, encoding="utf-8", newline="\n")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def copy_task(source: Path, target: Path, split: str) -> None:
    """Copy every file of one task of a nano set, its candidates and metadata included.

    What is there already stays; a corpus, queries or judgements that differ from the source are an error.
    """
    faults: list[Fault] = []
    for name in names_in(source, faults):
        folder = source / name
        if not is_folder(folder):
            continue
        files = files_by_split(folder, faults).get(split, [])
        metadata = folder / f"{split}.json"
        if name == "metadata" and metadata.is_file():
            files = [metadata]
        for file in files:
            place = target / name / file.name
            if not place.exists():
                _copy(file, place)
            elif name in PARTS and place.read_bytes() != file.read_bytes():
                hint = "name another folder with --out, or remove this one"
                faults.append(Fault(f"differs from {file}", str(place), hint=hint))
    if faults:
        raise InvalidInput(f"the copy of `{split}`", faults)


def _copy(file: Path, place: Path) -> None:
    temporary = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    with _failures(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(file, temporary)
            os.replace(temporary, place)
        finally:
            temporary.unlink(missing_ok=True)


def written_parquet(path: Path, columns: Mapping[str, tuple[str, list[Any]]]) -> None:
    """Write lists of values as the columns of a Parquet file, which takes its name when it is complete."""
    selected = ", ".join(f'unnest(CAST(? AS {kind})) AS "{name}"' for name, (kind, _) in columns.items())
    with _failures(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        quoted = os.path.abspath(temporary).replace("'", "''")
        try:
            with connect(threads=1) as con:
                statement = f"COPY (SELECT {selected}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)"
                con.execute(statement, [values for _, values in columns.values()])
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
