"""Training files: what sentence-transformers loads, its provenance row by row beside it, and a manifest.

A trainer takes every column of a data set as a text to encode, so kinds and sources cannot stand in the file
that is trained on: they stand in a second file with the same rows in the same order.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.io.files import connect
from hakari.mining.rows import Row

KINDS_OF_FILE = (".parquet", ".jsonl")
LONGEST_ROW = 1 << 28
"""Bytes of the longest row that DuckDB takes."""
PROVENANCE = {
    "row": "BIGINT",
    "id": "VARCHAR",
    "kind": "VARCHAR",
    "name": "VARCHAR",
    "synthetic": "BOOLEAN",
    "facts": "VARCHAR",
    "negative_kinds": "VARCHAR[]",
    "negative_facts": "VARCHAR[]",
}


@dataclass(frozen=True)
class Target:
    """Where training data go: the file, and beside it its provenance and its manifest."""

    path: Path

    def __post_init__(self) -> None:
        if self.path.suffix not in KINDS_OF_FILE:
            hint = f"name it `{self.path.stem or 'pairs'}.parquet` or `{self.path.stem or 'pairs'}.jsonl`"
            raise UsageError(f"`{self.path}` is no name of a training file", hint)

    @property
    def provenance(self) -> Path:
        """One row for each of the training file, in its order."""
        return self.path.with_name(f"{self.path.stem}.provenance{self.path.suffix}")

    @property
    def manifest(self) -> Path:
        """What made the file, in JSON."""
        return self.path.with_name(f"{self.path.stem}.manifest.json")

    def check_free(self, replace: bool = False) -> None:
        """Refuse what is there before any work is done."""
        for path in (self.path, self.provenance, self.manifest):
            if os.path.isdir(path):
                raise UsageError(f"`{path}` is a folder", "name a file with `--out`")
            if not replace and os.path.lexists(path):
                raise UsageError(f"`{path}` is there already", "name another file, or add `--replace`")


def write(
    rows: Iterable[Row],
    target: Target,
    negatives: int,
    manifest: Callable[[], Mapping[str, Any]],
    nothing_left: Callable[[], str],
) -> int:
    """Write rows as they come, and the manifest when all have come; all three files or none.

    Every row must have at least `negatives` negatives, of which so many are written. `nothing_left` is asked
    for a hint where no row comes.
    """
    folder = Path(os.path.abspath(target.path)).parent
    folder.mkdir(parents=True, exist_ok=True)
    workshop = Path(tempfile.mkdtemp(prefix=f".{target.path.stem}.", dir=folder))
    try:
        count = _write_lines(rows, workshop, negatives)
        if not count:
            raise UsageError(f"nothing to write to `{target.path}`: no row is left", nothing_left())
        texts = {"anchor": "VARCHAR", "positive": "VARCHAR"}
        texts |= {f"negative_{number}": "VARCHAR" for number in range(1, negatives + 1)}
        made = {
            target.path: _finished(workshop / "texts.jsonl", texts, target.path.suffix),
            target.provenance: _finished(workshop / "provenance.jsonl", PROVENANCE, target.path.suffix),
            target.manifest: workshop / "manifest.json",
        }
        told = json.dumps({**manifest(), "rows": count}, indent=1, sort_keys=True, ensure_ascii=False)
        made[target.manifest].write_text(told + "\n", encoding="utf-8", newline="\n")
        for path, there in made.items():
            os.replace(there, path)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return count


def _write_lines(rows: Iterable[Row], workshop: Path, negatives: int) -> int:
    count = 0
    with (
        open(workshop / "texts.jsonl", "w", encoding="utf-8", newline="\n") as texts,
        open(workshop / "provenance.jsonl", "w", encoding="utf-8", newline="\n") as provenance,
    ):
        for row in rows:
            chosen = row.negatives[:negatives]
            line = {"anchor": row.anchor, "positive": row.positive}
            line |= {f"negative_{number}": one.text for number, one in enumerate(chosen, 1)}
            told = {
                "row": count,
                "id": row.id,
                "kind": row.kind,
                "name": row.name,
                "synthetic": row.synthetic,
                "facts": _json(row.facts),
                "negative_kinds": [one.kind for one in chosen],
                "negative_facts": [_json(one.facts) for one in chosen],
            }
            # Half a surrogate pair may stand in a source, and is no text that a file can hold.
            texts.write(_storable(_json(line)) + "\n")
            provenance.write(_storable(_json(told)) + "\n")
            count += 1
    return count


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=False)


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _finished(lines: Path, columns: Mapping[str, str], suffix: str) -> Path:
    """The lines as they are, or as Parquet, in the same order."""
    if suffix == ".jsonl":
        return lines
    made = lines.with_suffix(".parquet")
    source = str(lines).replace("'", "''")
    typed = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    read = (
        f"read_json('{source}', format = 'newline_delimited', columns = {{{typed}}}, "
        f"maximum_object_size = {LONGEST_ROW})"
    )
    into = str(made).replace("'", "''")
    with connect(threads=1) as con:
        con.execute(f"COPY (SELECT * FROM {read}) TO '{into}' (FORMAT parquet, COMPRESSION zstd)")
    return made
