"""Nano sets from large sources: rows a second and peak memory of `hakari build`, by kind of source.

    python benchmarks/sources.py                  # prints the table of sources.md
    python benchmarks/sources.py --rows 1000000

Every build is a process of its own, start-up included, with 200 queries and 10,000 documents chosen by the default
recipe. Beside it stands what `datasets` takes to read the same file into its table, in a process of its own with an
empty cache, as it is the usual first step of a script that makes such a set; where it is absent it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from side_by_side import machine, markdown_table

WORDS = [f"{a}{b}" for a in "ba ce di fo gu la me ni po ru".split() for b in "lt rn sk mp nd".split()]  # noqa: SIM905
READ = "import sys; from datasets import load_dataset; load_dataset('json', data_files=sys.argv[1], split='train')"


def sentence(rng: random.Random, words: int) -> str:
    """Some words."""
    return " ".join(rng.choices(WORDS, k=words))


def chats(rng: random.Random, row: int) -> dict[str, Any]:
    """A dialogue of four turns."""
    turns = [(role, sentence(rng, 25)) for role in ("user", "assistant", "user", "assistant")]
    return {"messages": [{"role": role, "content": f"{text} {row}"} for role, text in turns]}


def statements(rng: random.Random, row: int) -> dict[str, Any]:
    """A question of a database."""
    schema = f"CREATE TABLE {rng.choice(WORDS)} ({', '.join(rng.choices(WORDS, k=6))})"
    return {"question": sentence(rng, 12), "schema": schema, "sql": f"SELECT {sentence(rng, 8)} = {row}"}


def questions(rng: random.Random, row: int) -> dict[str, Any]:
    """A question with three answers."""
    answers = [{"body": f"<p>{sentence(rng, 40)} {row}</p>", "score": score} for score in (5, 1, -1)]
    return {"title": sentence(rng, 8), "body": sentence(rng, 40), "answers": answers}


def pairs(rng: random.Random, row: int) -> dict[str, Any]:
    """A query and its positive."""
    return {"query": sentence(rng, 8), "positive": f"{sentence(rng, 60)} {row}"}


MAKERS: dict[str, Callable[[random.Random, int], dict[str, Any]]] = {
    "pairs": pairs,
    "chat": chats,
    "sql": statements,
    "qa": questions,
}


def write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """One object a line."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def measured(command: list[str], place: Path, **environment: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=place, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"error: {' '.join(command)} ended with {status}")
    return seconds, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    given = parser.parse_args()
    lines = []
    for kind, make in MAKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            rng = random.Random(7)
            write(place / "rows.jsonl", (make(rng, row) for row in range(given.rows)))
            size = (place / "rows.jsonl").stat().st_size / 1e6
            build = [sys.executable, "-m", "hakari", "build", kind, "rows.jsonl", "--name", "NanoX"]
            seconds, peak = measured(build, place)
            read: tuple[float, float] | None = None
            if find_spec("datasets"):
                read = measured([sys.executable, "-c", READ, "rows.jsonl"], place, HF_HOME=str(place / "hf"))
            told = ("", "") if read is None else (f"{read[0]:.1f}", f"{read[1]:.0f}")
            lines.append(
                [kind, f"{size:.0f}", f"{seconds:.1f}", f"{given.rows / seconds:,.0f}", f"{peak:.0f}", *told]
            )
    header = ["source", "MB", "seconds", "rows/s", "peak MB", "`datasets` reads it in", "peak MB"]
    print(f"{given.rows:,} rows, {machine('duckdb', 'numpy')}\n")
    print(markdown_table(header, lines))


if __name__ == "__main__":
    main()
