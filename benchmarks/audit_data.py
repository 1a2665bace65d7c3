"""Real training rows and planted leaks for the benchmarks of the leakage audit."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import random
import re
import sysconfig
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SIZE = 1500
KINDS = ("exact", "case", "embedded", "half", "edited", "fragment", "reordered", "renamed")


def places() -> list[Path]:
    """The folders that packages are installed in."""
    import sys

    found = [Path(sysconfig.get_paths()["stdlib"]), *map(Path, sys.path)]
    return sorted({p for p in found if p.is_dir() and (p.name == "site-packages" or p == found[0])})


def harvest(count: int) -> list[str]:
    """So many rows of about 1.5 KB: code, docstrings and prose of installed packages, the same ones each time."""
    rows: list[str] = []
    seen: set[str] = set()
    for file in _files():
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        for row in [*_pieces(text), *(_docstrings(text) if file.suffix == ".py" else ())]:
            if row not in seen:
                seen.add(row)
                rows.append(row)
        if len(rows) >= count * 1.2:
            break
    random.Random(1).shuffle(rows)
    return rows[:count]


def _files() -> Iterator[Path]:
    found = {p for place in places() for s in (".py", ".md", ".rst", ".txt") for p in place.rglob(f"*{s}")}
    ordered = sorted(found)
    random.Random(0).shuffle(ordered)
    yield from ordered


def _pieces(text: str) -> Iterator[str]:
    piece, size = [], 0
    for line in text.splitlines(keepends=True):
        piece.append(line)
        size += len(line)
        if size >= SIZE:
            yield "".join(piece)[: 2 * SIZE]
            piece, size = [], 0
    if size > 200:
        yield "".join(piece)


def _docstrings(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    joined = ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and (
            found := ast.get_docstring(node)
        ):
            joined += found + "\n\n"
            if len(joined) >= SIZE:
                yield joined
                joined = ""


@dataclass(frozen=True)
class Plant:
    """A row that holds an evaluation text, and how."""

    kind: str
    source: int
    row: str


def plants(
    texts: Sequence[str], code: Sequence[bool], rows: Sequence[str], count: int, seed: int
) -> list[Plant]:
    """So many plants of each kind, of texts of 40 words or more, within real rows where the kind says so."""
    rng = random.Random(seed)
    able = [i for i, text in enumerate(texts) if len(text.split()) >= 40 and len(text) < 6000]
    made = []
    for kind in KINDS:
        change = CHANGES[kind]
        chosen = able if kind != "renamed" else [i for i in able if code[i]]
        rng.shuffle(chosen := list(chosen))
        kept = 0
        for source in chosen:
            row = change(texts[source], rng, rows[rng.randrange(len(rows))])
            if row is None:
                continue
            made.append(Plant(kind, source, row))
            kept += 1
            if kept == count:
                break
    return made


def _case(text: str, rng: random.Random, row: str) -> str:
    lines = [line.rstrip() + " " * rng.randrange(3) for line in text.splitlines()]
    return "\n".join(line.upper() if rng.random() < 0.5 else line.title() for line in lines).replace(
        "    ", "\t"
    )


def _embedded(text: str, rng: random.Random, row: str) -> str:
    at = row.find("\n", rng.randrange(max(1, len(row)))) + 1
    return row[:at] + "\n" + text + "\n" + row[at:]


def _part(share: float) -> Callable[[str, random.Random, str], str]:
    def change(text: str, rng: random.Random, row: str) -> str:
        pieces = re.split(r"(\s+)", text.strip())
        size = max(1, round((len(pieces) + 1) // 2 * share))
        first = rng.randrange((len(pieces) + 1) // 2 - size + 1)
        at = row.find("\n", rng.randrange(max(1, len(row)))) + 1
        return row[:at] + "".join(pieces[2 * first : 2 * (first + size) - 1]) + "\n" + row[at:]

    return change


def _edited(text: str, rng: random.Random, row: str) -> str:
    pieces = re.split(r"(\s+)", text)
    places = [i for i, piece in enumerate(pieces) if piece.strip()]
    for i in rng.sample(places, max(1, round(len(places) * 0.05))):
        way = rng.randrange(3)
        other = rng.choice(row.split() or ["else"])
        pieces[i] = other if way == 0 else "" if way == 1 else f"{pieces[i]} {other}"
    return "".join(pieces)


def _reordered(text: str, rng: random.Random, row: str) -> str | None:
    lines = text.splitlines()
    if len([line for line in lines if line.strip()]) < 4:
        lines = re.split(r"(?<=[.!?])\s+", text)
    if len(lines) < 4:
        return None
    before = list(lines)
    rng.shuffle(lines)
    return "\n".join(lines) if lines != before else None


def _renamed(text: str, rng: random.Random, row: str) -> str | None:
    """Every name of a function, an argument or a variable gets another one, as a refactoring tool does it."""
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError, IndentationError):
        return None
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own -= {name for name in own if hasattr(builtins, name) or keyword.iskeyword(name)}
    if len(own) < 3 or len(tokens) < 50:
        return None
    names = {
        name: f"{rng.choice('abcdefghklmnpqrstuvw')}{rng.choice(_SYLLABLES)}{i}"
        for i, name in enumerate(sorted(own))
    }
    lines = text.splitlines(keepends=True)
    for token in reversed(tokens):
        if token.type == tokenize.NAME and token.string in names:
            (row_number, start), (_, end) = token.start, token.end
            line = lines[row_number - 1]
            lines[row_number - 1] = line[:start] + names[token.string] + line[end:]
    return "".join(lines)


_SYLLABLES = ("ado", "ira", "uno", "elo", "opa", "ika", "uru", "esi")
CHANGES: dict[str, Callable[[str, random.Random, str], str | None]] = {
    "exact": lambda text, rng, row: text,
    "case": _case,
    "embedded": _embedded,
    "half": _part(0.5),
    "edited": _edited,
    "fragment": _part(0.2),
    "reordered": _reordered,
    "renamed": _renamed,
}


def evaluation(data: Path, names: Sequence[str], count: int) -> tuple[list[str], list[str], list[bool]]:
    """Queries and documents of some tasks, taken in turn until there are enough, and which documents are code."""
    from hakari.tasks.registry import load

    queries: list[str] = []
    documents: list[str] = []
    code: list[bool] = []
    tasks = [load(str(data / name))[0] for name in names]
    seen: set[str] = set()
    for place in range(max(len(task.corpus) for task in tasks)):
        for task in tasks:
            if place < len(task.corpus) and len(documents) < count and task.corpus.texts[place] not in seen:
                seen.add(task.corpus.texts[place])
                documents.append(task.corpus.texts[place])
                code.append(task.category == "code")
    for task in tasks:
        queries += list(task.queries.texts[: 200 // len(tasks)])
    return queries, documents, code
