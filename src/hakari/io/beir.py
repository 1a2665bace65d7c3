"""BEIR folders: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`, each also as `.gz`."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hakari.errors import Fault
from hakari.io.files import is_folder, names_in, read_lines, shown
from hakari.io.parts import OTHER_NAMES, JudgementRows, Parts, TextRows, join_title, parse_grade

COLUMNS = ("query-id", "corpus-id", "score")


def is_beir(folder: Path) -> bool:
    """Whether the folder has the files of a BEIR dataset."""
    names = set(names_in(folder, [])) if is_folder(folder) else set()
    texts = {name.removesuffix(".gz") for name in names} & {"corpus.jsonl", "queries.jsonl"}
    return bool(texts) or any(".tsv" in name for name in names_in(folder / "qrels", []))


def splits_of(folder: Path, faults: list[Fault]) -> list[str]:
    """The splits of a BEIR folder: the names of its judgement files."""
    before = len(faults)
    names = [name.removesuffix(".gz") for name in names_in(folder / "qrels", faults)]
    splits = sorted({name.removesuffix(".tsv") for name in names if name.endswith(".tsv")})
    if not splits and len(faults) == before:
        hint = f"add {folder / 'qrels' / 'test.tsv'} with the header `query-id<TAB>corpus-id<TAB>score`"
        faults.append(Fault("holds no judgements", str(folder / "qrels"), hint=hint))
    return splits


def read_beir(folder: Path, split: str, faults: list[Fault]) -> Parts:
    """One split of a BEIR folder; its queries are those that have judgements in it."""
    notes: list[str] = []
    judgements = _read_tsv(_plain_or_gz(folder / "qrels" / f"{split}.tsv", faults), faults)
    judged = set(judgements.queries)
    corpus = _read_jsonl(_plain_or_gz(folder / "corpus.jsonl", faults), None, faults, notes)
    queries = _read_jsonl(_plain_or_gz(folder / "queries.jsonl", faults), judged, faults, notes)
    name = Path(os.path.abspath(folder)).name
    return Parts(name, split, queries, corpus, judgements, notes=notes, source=folder)


def _plain_or_gz(path: Path, faults: list[Fault]) -> Path:
    names = names_in(path.parent, [])
    zipped = path.with_name(path.name + ".gz")
    if path.name in names and zipped.name in names:
        faults.append(Fault("is there both plain and as .gz", str(path), hint=f"remove {path} or {zipped}"))
    return zipped if zipped.name in names and path.name not in names else path


def _read_jsonl(path: Path, wanted: set[str] | None, faults: list[Fault], notes: list[str]) -> TextRows:
    """Ids and texts of a JSONL file; with `wanted`, only of the objects that have one of these ids."""
    rows = TextRows()
    lines: list[int] = []
    numbers = 0
    for line, item in _objects(path, faults):
        raw = item.get("_id")
        if isinstance(raw, int) and not isinstance(raw, bool):
            numbers += 1
        known = _id(item, path, line, faults)
        if known is None or (wanted is not None and known not in wanted):
            continue
        text = _text(item, wanted is None, path, line, faults)
        rows.ids.append(known)
        rows.texts.append(text)
        lines.append(line)
    if numbers:
        notes.append(f"{path.name}: {numbers} ids are numbers, read as strings")
    rows.places.segments.append((str(path), lines))
    return rows


def _objects(path: Path, faults: list[Fault]) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in enumerate(read_lines(path, faults), 1):
        if not text.strip():
            continue
        try:
            item = json.loads(text)
        except (ValueError, RecursionError) as error:
            hint = f"look at it with `sed -n {line}p {path}`; one JSON object a line is expected"
            faults.append(Fault(f"is not JSON: {error}", str(path), line, hint))
            continue
        if isinstance(item, dict):
            yield line, item
        else:
            hint = 'write one object a line: {"_id": "...", "text": "..."}'
            faults.append(Fault(f"is a JSON {type(item).__name__}, not an object", str(path), line, hint))


def _id(item: dict[str, Any], path: Path, line: int, faults: list[Fault]) -> str | None:
    value = item.get("_id")
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    hint = "write `_id` as a string"
    if "_id" in item:
        what = f"`_id` is {json.dumps(value)[:80]}, not a string"
    else:
        what = "has no `_id`"
        hint = _rename(item, "_id")
    faults.append(Fault(what, str(path), line, hint))
    return None


def _text(item: dict[str, Any], titled: bool, path: Path, line: int, faults: list[Fault]) -> str:
    title = item.get("title") if titled else None
    text = item.get("text")
    for key, value in (("title", title), ("text", text)):
        if value is not None and not isinstance(value, str):
            what = f"`{key}` is {json.dumps(value)[:80]}, not a string"
            faults.append(Fault(what, str(path), line, f"write `{key}` as a string"))
            return "?"
    if text is None:
        what = "`text` is null" if "text" in item else "has no `text`"
        hint = "fill `text` or remove the line" if "text" in item else _rename(item, "text")
        faults.append(Fault(what, str(path), line, hint))
        return "?"
    return join_title(title or "", text)


def _rename(item: dict[str, Any], name: str) -> str:
    found = [key for key in item if key.lower() == name or key.lower() in OTHER_NAMES[name]]
    return f"rename `{found[0]}` to `{name}`" if found else f"add `{name}` to every line"


def _read_tsv(path: Path, faults: list[Fault]) -> JudgementRows:
    rows = JudgementRows()
    lines: list[int] = []
    before = len(faults)
    text = read_lines(path, faults)
    if not text and len(faults) == before:
        faults.append(
            Fault("is empty", str(path), hint="write the header `query-id<TAB>corpus-id<TAB>score` and rows")
        )
    if not text:
        return rows
    # BEIR's own files come from a CSV writer, so an id with a quote in it is quoted.
    reader = csv.reader((line + "\n" for line in text), delimiter="\t", strict=True)
    width = 0
    try:
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            if not width:
                width = _header(fields, path, faults)
                if not width:
                    break
            elif _judgement(fields, width, rows, path, reader.line_num, faults):
                lines.append(reader.line_num)
    except csv.Error as error:
        hint = "separate the columns by tabs and close every quote"
        faults.append(Fault(f"cannot be read: {error}", str(path), reader.line_num, hint))
    rows.places.segments.append((str(path), lines))
    return rows


def _header(fields: list[str], path: Path, faults: list[Fault]) -> int:
    """The number of columns, or 0 where the header is not sound."""
    named = [field.strip() for field in fields]
    if named in (list(COLUMNS), list(COLUMNS[:2])):
        return len(named)
    hint = "begin the file with the line `query-id<TAB>corpus-id<TAB>score`"
    if len(named) == len(COLUMNS) and parse_grade(named[2]) is None:
        wrong = [
            f"`{name}` to `{right}`" for name, right in zip(named, COLUMNS, strict=True) if name != right
        ]
        hint = "rename " + ", ".join(wrong)
    elif len(named) == 1:
        hint = "separate the columns by tabs; " + hint
    faults.append(Fault(f"the header is {shown(' '.join(named))}", str(path), 1, hint))
    return 0


def _judgement(
    fields: list[str], width: int, rows: JudgementRows, path: Path, line: int, faults: list[Fault]
) -> bool:
    if len(fields) != width:
        what = f"has {len(fields)} column{'s' if len(fields) != 1 else ''}, the header has {width}"
        faults.append(Fault(what, str(path), line, "separate the columns by one tab each"))
        return False
    grade = parse_grade(fields[2]) if width == len(COLUMNS) else 1
    if grade is None:
        what = f"grade {shown(fields[2])} is not an integer of 32 bits"
        faults.append(Fault(what, str(path), line, "write the grade as an integer, 1 for relevant"))
        return False
    rows.queries.append(fields[0])
    rows.documents.append(fields[1])
    rows.grades.append(grade)
    return True
