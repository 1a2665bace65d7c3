"""How fast the audit is, from Parquet to the report: beside others, by the size of the index, and in memory.

    python benchmarks/audit_speed.py DATA WORK [--rows 100000] [--rounds 3] [--peers] [--memory ROWS...]

DATA holds sets in nano layout, among them NanoOpen for text beyond ASCII. Rows and indexes are made in WORK once, which
takes minutes (`--rounds 0` does no more), so that what is timed can be timed alone. Seconds mean little on a shared
machine; the ratios are of one run. `cpu` is the time of all threads of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from audit_data import evaluation, harvest
from audit_peers import PEERS
from audit_recall import MEASURED, write

CHILD = "--child"
BEYOND = ("ru", "ar", "hi", "zh")
"""Languages of real text beyond ASCII."""
BEYOND_ROWS = 20_000
GROUP = 20_480
"""Rows of a row group where memory is measured: DuckDB holds one or two of them."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--memory", type=int, nargs="*", default=[])
    parser.add_argument(CHILD, dest="child", type=Path)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(peak(given.child, given.work)))
        return
    given.work.mkdir(parents=True, exist_ok=True)
    os.environ["HAKARI_CACHE"] = str(given.work / "cache")
    train = prepared(given.data, given.work, given.rows)
    if given.rounds:
        queries, documents, _ = evaluation(given.data, MEASURED, 10_000)
        timed(given.work, train, given.rounds, [*queries, *documents] if given.peers else [])
    if given.memory:
        print("\n| rows | MB of text | peak memory, MB |\n| --- | --- | --- |")
        for count in given.memory:
            size, most = memory(given.work, train, count, given.data)
            print(f"| {count:,} | {size:,.0f} | {most} |", flush=True)


def prepared(data: Path, work: Path, rows: int) -> Path:
    """The training rows; they and the indexes are made where they are not there yet."""
    train = work / f"train-{rows}.parquet"
    if not train.exists():
        write(harvest(rows), train)
    queries, documents, _ = evaluation(data, MEASURED, 10_000)
    if not (work / "few.npz").exists():
        keep(index_of(queries, documents), work / "few.npz")
    if not (work / "many.npz").exists():
        keep(index_of(queries, grown(documents, 200_000)), work / "many.npz")
    for language in BEYOND:
        path = work / f"{language}.parquet"
        if not path.exists():
            write(real(data, language), path)
    return train


def real(data: Path, language: str) -> list[str]:
    """Paragraphs in a language, again and again, each time with another word before them."""
    from hakari.tasks.registry import load

    texts = load(str(data / f"NanoOpen/XQuAD_{language}"))[0].corpus.texts
    return [f"{i // len(texts)} {texts[i % len(texts)]}" for i in range(BEYOND_ROWS)]


def keep(index: Any, place: Path) -> None:
    from hakari.audit import kept_index

    kept_index.write(place, index)


def kept(place: Path) -> Any:
    from hakari.audit import kept_index
    from hakari.audit.compare import Shingle

    index = kept_index.read(place, Shingle())
    assert index is not None
    assert index.compiled
    return index


def timed(work: Path, train: Path, rounds: int, texts: Sequence[str]) -> None:
    few, many = kept(work / "few.npz"), kept(work / "many.npz")
    cases: dict[str, tuple[Path, Callable[[Path], Any]]] = {
        "read only": (train, read),
        "audit": (train, lambda path: scanned(few, path)),
        "audit, one thread": (train, lambda path: scanned(few, path, 1)),
        "audit, 200,000 texts indexed": (train, lambda path: scanned(many, path)),
    }
    for language in BEYOND:
        cases[f"audit, {language}"] = (work / f"{language}.parquet", lambda path: scanned(few, path))
    sizes = {path: sizes_of(path) for path, _ in cases.values()}
    rows, size = sizes[train]
    print(f"{rows:,} rows, {size:.0f} MB, {len(few.texts):,} texts, load {os.getloadavg()[0]:.1f}")
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (path, work_of) in cases.items():
            taken[name].append(clocked(lambda path=path, work_of=work_of: work_of(path)))
    print("\n| | s | cpu s | MB/s | MB/s of cpu | rows/s | times audit |\n" + "| --- " * 7 + "|")
    base = min(wall for wall, _ in taken["audit"])
    for name, found in taken.items():
        count, megabytes = sizes[cases[name][0]]
        show(name, min(found), megabytes, count, base * megabytes / size)
    for name, peer in PEERS.items() if texts else ():
        show(name, clocked(lambda peer=peer: peer(train, texts)), size, rows, base)


def sizes_of(path: Path) -> tuple[int, float]:
    """Rows, and megabytes of text."""
    from hakari.io.files import connect

    with connect() as con:
        asked = f"SELECT count(*), sum(strlen(text)) FROM read_parquet('{path}')"
        rows, size = con.execute(asked).fetchall()[0]
    return int(rows), float(size) / 1e6


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


def read(path: Path) -> None:
    from hakari.audit.shards import find

    for _ in find([path])[0].batches(['"text"']):
        pass


def scanned(index: Any, path: Path, threads: int = 0) -> None:
    from hakari.audit.kinds import Thresholds
    from hakari.audit.report import Report
    from hakari.audit.scan import Plan, scan
    from hakari.audit.shards import find

    plan = Plan(fresh=True, threads=threads)
    assert Report(index, scan(index, find([path]), plan), Thresholds()).counts


def memory(work: Path, train: Path, count: int, data: Path) -> tuple[float, int]:
    """Megabytes of so many rows, repeated with noise, and the peak of a process that audits them."""
    from hakari.io.files import connect

    path = work / f"repeated-{count}.parquet"
    with connect(threads=2) as con:
        con.execute("SET preserve_insertion_order = false")
        some, times = min(count, 100_000), max(1, count // 100_000)
        noise = "replace(text, 'e', 'e' || chr(97 + CAST(n % 26 AS INTEGER))) || ' ' || hash(n, text)"
        repeated = (
            f"SELECT {noise} AS text FROM (FROM read_parquet('{train}') LIMIT {some}), range({times}) r(n)"
        )
        con.execute(
            f"COPY ({repeated}) TO '{path}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {GROUP})"
        )
    rows, size = sizes_of(path)
    assert rows == count
    try:
        done = subprocess.run(
            [sys.executable, __file__, str(data), str(work), CHILD, str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        path.unlink()
    return size, int(json.loads(done.stdout.splitlines()[-1]))


def peak(path: Path, work: Path) -> int:
    scanned(kept(work / "few.npz"), path)
    told = Path("/proc/self/status")
    if told.exists():  # what `getrusage` tells begins with the peak of the process that started this one
        line = next(line for line in told.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
