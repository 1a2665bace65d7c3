"""TREC topics and judgements as streams."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hakari.nano.sources_cells import Item, Judged, as_grade
from hakari.nano.sources_tables import FaultLog, Place, read_lines

_TOPIC_TAG = re.compile(r"<\s*(/?)\s*([a-z]+)[^>]*>", re.IGNORECASE)
_LABEL = re.compile(r"\A(?:number|topic|description|narrative)\s*:", re.IGNORECASE)


def topics(paths: Sequence[Path], wanted: str, faults: FaultLog) -> Iterator[Item]:
    """Topics as `id<TAB>text` lines, or in the `<top>` form of TREC."""
    for path in paths:
        lines = read_lines(path, faults)
        first = next(lines, None)
        if first is None:
            if not faults:
                faults.add("is empty", (str(path), None), "write lines of `id<TAB>text`, or `<top>` blocks")
            continue
        number, text = first
        if text.lstrip().startswith("<"):
            yield from _sgml(path, first, lines, wanted, faults)
            continue
        while True:
            name, tab, rest = text.rstrip("\r\n").partition("\t")
            if not tab or not name.strip():
                hint = "write lines of `id<TAB>text`, or `<top>` blocks"
                faults.add("has no tab between an id and a text", (str(path), number), hint)
            else:
                yield Item((str(path), number), name.strip(), rest)
            following = next(lines, None)
            if following is None:
                break
            number, text = following


def _sgml(
    path: Path, first: tuple[int, str], lines: Iterator[tuple[int, str]], wanted: str, faults: FaultLog
) -> Iterator[Item]:
    """Topics between `<top>` tags, whose inner tags need not be closed."""
    parts: dict[str, list[str]] = {}
    opened, tag = 0, ""
    for number, line in itertools.chain([first], lines):
        at = 0
        for match in _TOPIC_TAG.finditer(line):
            name = match[2].lower()
            if tag:
                parts.setdefault(tag, []).append(line[at : match.start()])
            at, tag = match.end(), "" if match[1] else name
            if name == "top" and not match[1]:
                if opened:
                    faults.add(
                        "`<top>` within a `<top>`",
                        (str(path), number),
                        f"close line {opened}'s with `</top>`",
                    )
                parts, opened, tag = {}, number, ""
            elif name == "top" and opened:
                yield from _topic(parts, wanted, (str(path), opened), faults)
                parts, opened = {}, 0
        if tag:
            parts.setdefault(tag, []).append(line[at:])
    if opened:
        faults.add("`<top>` is never closed", (str(path), opened), "end every topic with `</top>`")


def _topic(parts: Mapping[str, list[str]], wanted: str, place: Place, faults: FaultLog) -> Iterator[Item]:
    read = {tag: " ".join(_LABEL.sub("", " ".join(lines).strip()).split()) for tag, lines in parts.items()}
    if not read.get("num") or wanted not in read:
        lacking = "num" if not read.get("num") else wanted
        hint = "write `<num> Number: 301` and `<title> ...`, or choose with `--topic-field`"
        faults.add(f"the topic has no `<{lacking}>`", place, hint)
        return
    yield Item(place, read["num"], read[wanted])


def judgements(paths: Sequence[Path], faults: FaultLog) -> Iterator[Judged]:
    """Judgements in the four columns of TREC: query, iteration, document, grade."""
    hint = "write lines of `query 0 document grade`"
    for path in paths:
        number = 0
        for number, line in read_lines(path, faults):
            fields = line.split()
            if len(fields) != 4:
                what = f"has {len(fields)} column{'s' * (len(fields) != 1)}, 4 are expected"
                faults.add(what, (str(path), number), hint)
                continue
            grade = as_grade(fields[3], "the fourth column", (str(path), number), faults)
            yield Judged((str(path), number), fields[0], fields[2], grade)
        if not number and not faults:
            faults.add("is empty", (str(path), None), hint)
