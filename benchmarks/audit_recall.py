"""Planted leaks in real rows: what the audit finds, what it flags falsely, and what others do, all in one run.

    python benchmarks/audit_recall.py DATA [--rows 100000] [--look 50]

DATA holds sets in nano layout. The thresholds were chosen with the tasks of TUNED on other plants; MEASURED are
the tasks of the figures. `--look` prints rows that are flagged and were not planted, to be judged by hand.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from audit_data import KINDS, Plant, evaluation, harvest, plants
from audit_peers import PEERS, Found

TUNED = ("NanoOpen/XQuAD_en", "NanoCodeRAG/NanoCodeRAGProgrammingSolutions")
MEASURED = ("NanoMedical/NanoSciFact", "NanoCoIR/NanoCosQA")
GOALS = {
    "exact": 1.0,
    "case": 1.0,
    "embedded": 1.0,
    "half": 0.95,
    "edited": 0.98,
    "reordered": 0.95,
    "renamed": 0.9,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--look", type=int, default=0)
    parser.add_argument("--tuned", action="store_true", help="The tasks that thresholds were chosen with.")
    parser.add_argument("--seed", type=int, default=20261119)
    parser.add_argument("--only", default="", help="Names of peers, with commas; `none` for none of them.")
    given = parser.parse_args()
    queries, documents, code = evaluation(given.data, TUNED if given.tuned else MEASURED, 10_000)
    rows = harvest(given.rows)
    planted = plants(documents, code, rows, 100, given.seed)
    everything = rows + [plant.row for plant in planted]
    size = sum(len(row.encode(errors="replace")) for row in everything) / 1e6
    print(f"{len(rows):,} rows, {len(planted)} plants, {size:.0f} MB; {len(documents):,} documents")
    peers = {name: peer for name, peer in PEERS.items() if not given.only or name in given.only.split(",")}
    with tempfile.TemporaryDirectory() as folder:
        path = write(everything, Path(folder) / "train.parquet")
        table = []
        for name in ("hakari", *peers):
            start = time.perf_counter()
            if name == "hakari":
                found, kinds = ours(path, queries, documents)
            else:
                found, kinds = peers[name](path, [*queries, *documents]), {}
            seconds = time.perf_counter() - start
            table.append((name, seconds, found, kinds))
            print(f"{name}: {seconds:.1f} s, {size / seconds:.0f} MB/s", flush=True)
    tell(table, planted, len(rows), len(queries))
    if given.look:
        look(table[0][3], everything, len(rows), [*queries, *documents], given.look)


def write(rows: Sequence[str], path: Path) -> Path:
    from hakari.io.files import connect

    storable = [row.encode(errors="replace").decode() for row in rows]
    with connect() as con:
        con.execute(
            "CREATE TABLE train AS SELECT unnest(?::VARCHAR[]) AS text",
            [storable],
        )
        con.execute(f"COPY train TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path


def ours(
    path: Path, queries: Sequence[str], documents: Sequence[str]
) -> tuple[Found, dict[tuple[int, int], str]]:
    """From Parquet to the report, the index included; numbers of texts are those of queries and then documents."""
    from hakari.audit.index import build
    from hakari.audit.kinds import OF_ONE_ROW, Thresholds
    from hakari.audit.report import Report
    from hakari.audit.scan import Plan, scan
    from hakari.audit.shards import find
    from hakari.tasks.assemble import Traits, assemble

    asked = {f"{i:06}": text for i, text in enumerate(queries)}
    corpus = {f"{i:06}": text for i, text in enumerate(documents)}
    judged = [(f"{i % len(queries):06}", name, 1) for i, name in enumerate(corpus)]
    task = assemble("Nano", "Planted", asked, corpus, judged, traits=Traits("en", "code"))
    index = build([task])
    report = Report(index, scan(index, find([path]), Plan(fresh=True)), Thresholds())
    assert report.counts
    audited = index.tasks[0]
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for place, number in enumerate([*audited.queries.tolist(), *audited.positives.tolist()]):
        numbers[number].append(place)
    kinds = {}
    for at in range(len(report.found)):
        if report.best[at] < len(OF_ONE_ROW):
            for place in numbers[int(report.found["text"][at])]:
                kinds[int(report.found["row"][at]), place] = OF_ONE_ROW[report.best[at]]
    return set(kinds), kinds


def tell(
    table: Sequence[tuple[str, float, Found, dict]], planted: Sequence[Plant], first: int, offset: int
) -> None:
    totals = Counter(plant.kind for plant in planted)
    print(
        "\n| | s | times hakari | "
        + " | ".join(f"{k} ({totals[k]})" for k in KINDS)
        + " | rows flagged of the others |"
    )
    print("| --- " * (4 + len(KINDS)) + "|")
    goals = [f"{GOALS[k]:.2f}" if k in GOALS else "none" for k in KINDS]
    print("| goal | | | " + " | ".join(goals) + f" | {first // 10_000} |")
    for name, seconds, found, _ in table:
        hits = Counter(p.kind for i, p in enumerate(planted) if (first + i, offset + p.source) in found)
        false = len({row for row, _ in found if row < first})
        shares = [f"{hits[kind] / max(1, totals[kind]):.2f}" for kind in KINDS]
        print(f"| {name} | {seconds:.1f} | {seconds / table[0][1]:.1f} | {' | '.join(shares)} | {false} |")
    kinds = table[0][3]
    print("\n| plant | found as |\n| --- | --- |")
    for kind in KINDS:
        places = [(first + i, offset + p.source) for i, p in enumerate(planted) if p.kind == kind]
        counted = Counter(kinds.get(place, "missed") for place in places)
        print(f"| {kind} | {', '.join(f'{name} {count}' for name, count in counted.most_common())} |")
    false = Counter(kind for (row, _), kind in kinds.items() if row < first)
    print(f"\nflagged rows that were not planted, by kind: {dict(false)}")


def look(
    kinds: dict[tuple[int, int], str], rows: Sequence[str], first: int, texts: Sequence[str], count: int
) -> None:
    shown = [(place, kind) for place, kind in sorted(kinds.items()) if place[0] < first][:count]
    for (row, number), kind in shown:
        print(f"\n=== {kind}: row {row}\n{texts[number][:1500]}\n--- row\n{rows[row][:2500]}")


if __name__ == "__main__":
    main()
