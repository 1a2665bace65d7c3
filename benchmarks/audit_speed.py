"""How fast the audit is, from Parquet to the report: beside others, by the size of the index, and in memory.

    python benchmarks/audit_speed.py DATA [--rows 100000] [--rounds 3] [--peers]

DATA holds sets in nano layout. Seconds mean little on a shared machine; the ratios are of one run. `cpu` is the time
of all threads of the process, which says more where the cores are shared.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from audit_data import evaluation, harvest
from audit_peers import PEERS
from audit_recall import MEASURED, write

CHILD = "--child"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--memory", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument(CHILD, dest="child", type=Path)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(peak(given.child, given.data)))
        return
    rows = harvest(given.rows)
    queries, documents, _ = evaluation(given.data, MEASURED, 10_000)
    size = sum(len(row.encode(errors="replace")) for row in rows) / 1e6
    print(f"{len(rows):,} rows, {size:.0f} MB, {len(documents):,} documents, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        path = write(rows, Path(folder) / "train.parquet")
        few = index_of(queries, documents)
        many = index_of(queries, grown(documents, 200_000))
        cyrillic = write(
            [beyond_ascii(row) for row in rows[: given.rows // 10]], Path(folder) / "beyond.parquet"
        )
        cases: dict[str, Callable[[], Any]] = {
            "read only": lambda: read(path),
            "audit": lambda: scanned(few, path),
            "audit, 200,000 texts indexed": lambda: scanned(many, path),
            "audit, one row in ten, all beyond ASCII": lambda: scanned(few, cyrillic),
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
        for _ in range(given.rounds):
            for name, work in cases.items():
                taken[name].append(clocked(work))
        print("\n| | s | cpu s | MB/s | MB/s of cpu | rows/s | times audit |\n" + "| --- " * 7 + "|")
        base = min(wall for wall, _ in taken["audit"])
        for name, found in taken.items():
            share = 0.1 if "one row in ten" in name else 1.0
            show(name, min(found), size * share, len(rows) * share, base * share)
        if given.peers:
            for name, peer in PEERS.items():
                show(
                    name, clocked(lambda peer=peer: peer(path, [*queries, *documents])), size, len(rows), base
                )
        print("\n| rows | peak memory, MB |\n| --- | --- |")
        for count in given.memory:
            print(f"| {count:,} | {memory(folder, rows, count, given.data)} |")


def show(name: str, taken: tuple[float, float], size: float, rows: float, base: float) -> None:
    wall, cpu = taken
    figures = f"{wall:.2f} | {cpu:.2f} | {size / wall:.0f} | {size / cpu:.0f} | {rows / wall:,.0f} | {wall / base:.1f}"
    print(f"| {name} | {figures} |", flush=True)


def clocked(work: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def index_of(queries: Sequence[str], documents: Sequence[str]) -> Any:
    from hakari.audit.index import build
    from hakari.tasks.assemble import assemble

    asked = {f"{i:06}": text for i, text in enumerate(queries)}
    corpus = {f"{i:06}": text for i, text in enumerate(documents)}
    judged = [(f"{i % len(queries):06}", name, 1) for i, name in enumerate(corpus)]
    start = time.perf_counter()
    index = build([assemble("Nano", "Speed", asked, corpus, judged)])
    print(
        f"index of {len(index.texts):,} texts, {len(index.keys):,} keys: {time.perf_counter() - start:.1f} s"
    )
    return index


def grown(documents: Sequence[str], count: int) -> list[str]:
    """So many documents, made of real ones with their words in another order."""
    import random

    rng, made = random.Random(3), list(documents)
    while len(made) < count:
        words = documents[len(made) % len(documents)].split(" ")
        rng.shuffle(words)
        made.append(" ".join(words))
    return made


def beyond_ascii(text: str) -> str:
    """The text in Cyrillic letters."""
    return text.translate(
        {ord(a): b for a, b in zip("abcdefghiklmnoprstuvz", "абцдефгхиклмнопрстувз", strict=True)}
    )


def read(path: Path) -> None:
    from hakari.audit.shards import find

    for _ in find([path])[0].batches(['"text"']):
        pass


def scanned(index: Any, path: Path) -> None:
    from hakari.audit.kinds import Thresholds
    from hakari.audit.report import Report
    from hakari.audit.scan import Plan, scan
    from hakari.audit.shards import find

    os.environ["HAKARI_CACHE"] = str(path.parent / "cache")
    assert Report(index, scan(index, find([path]), Plan(fresh=True)), Thresholds()).counts


def memory(folder: str, rows: Sequence[str], count: int, data: Path) -> int:
    """The peak of a process of its own that audits so many rows: real ones repeated, with noise."""
    from hakari.io.files import connect

    path = Path(folder) / f"{count}.parquet"
    with connect() as con:
        source = str(write(rows[:100_000], Path(folder) / "some.parquet"))
        con.execute("SET preserve_insertion_order = false")
        times = max(1, count // len(rows[:100_000]))
        repeated = f"SELECT text || ' ' || n AS text FROM read_parquet('{source}'), range({times}) r(n)"
        con.execute(f"COPY ({repeated}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    done = subprocess.run(
        [sys.executable, __file__, str(data), CHILD, str(path)], capture_output=True, text=True, check=True
    )
    path.unlink()
    return int(json.loads(done.stdout.splitlines()[-1]))


def peak(path: Path, data: Path) -> int:
    queries, documents, _ = evaluation(data, MEASURED, 10_000)
    scanned(index_of(queries, documents), path)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
