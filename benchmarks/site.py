"""How long a site takes: a synthetic store of 60 models on 560 tasks, 820 rows with their variants, built from nothing.

    python benchmarks/site.py --make store        # about ten minutes, 33,600 result files
    python benchmarks/site.py --measure store     # builds the site in another process and prints time, memory, sizes

Values and rankings are drawn; they have the shape of real ones (queries differ in difficulty, models in strength).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hakari.store import files, keys
from hakari.tasks import catalog
from hakari.types import Run

MODELS, TASKS, ROWS = 60, 560, 820
QUERIES, DEPTH = 50, 10
DOCUMENTS = np.array(sorted(f"d{i}" for i in range(500)), dtype=object)
QUERY_IDS = np.array(sorted(f"q{i}" for i in range(QUERIES)), dtype=object)
MEASURES = ("nDCG@10", "hit@10", "R@100", "RR@10", "AP@100", "P@10")
VARIANTS = (
    "float",
    "int8",
    "binary",
    "binary>float@100",
    "binary>float@50",
    *(f"dim={d}" for d in (512, 384, 256, 128, 64)),
    *(f"dim={d}+int8" for d in (256, 128, 64)),
    "dim=32",
)


def variants_of(model: int) -> tuple[str, ...]:
    """Thirteen or fourteen variants a model, 820 in all."""
    return VARIANTS[: ROWS // MODELS + (model < ROWS % MODELS)]


def make(store: Path) -> None:
    """Write the store."""
    os.fsync = lambda handle: None  # nothing here is worth the wait for a disk
    entries = catalog.entries()[:TASKS]
    for number, entry in enumerate(entries):
        rng = np.random.default_rng(number)
        difficulty = rng.normal(0, 1, QUERIES)
        for model in range(MODELS):
            write_result(store, entry, model, difficulty, rng)
        print(f"\r{number + 1}/{len(entries)}", end="", flush=True)
    for folder in sorted(store.glob("*/*")):
        files.write_manifests(folder)


def write_result(
    store: Path, entry: catalog.Entry, model: int, difficulty: np.ndarray, rng: np.random.Generator
) -> None:
    """One model on one task in all its variants."""
    name, settings = f"synthetic-{model:02d}", {"model": model}
    found = {
        v: variant_of(model / 40 - i / 20 - difficulty, rng, name) for i, v in enumerate(variants_of(model))
    }
    manifest = {
        "key": keys.digest([name, entry.name]),
        "protocol": 1,
        "task": entry.name,
        "dataset": entry.dataset,
        "split": entry.split,
        "content": keys.digest(entry.name),
        "language": entry.language,
        "category": entry.category,
        "shape": entry.shape,
        "queries": QUERIES,
        "documents": len(DOCUMENTS),
        "retriever": name,
        "family": "dense" if model else "bm25",
        "settings": settings,
        "depth": 500,
        "variants": sorted(found),
        "facts": {"dimensions": 512},
        "versions": {},
        "origins": {},
    }
    costs = {
        "seconds": 10.0 + model,
        "search_s": 0.1,
        "index_bytes": 1e7 / (model + 1),
        "variants": {v: {"index_bytes_per_document": 2048.0 / (i + 1)} for i, v in enumerate(found)},
    }
    folder = keys.folder(store, name, settings, 500)
    files.write(files.result_path(folder, entry.name), manifest, found, costs)


def variant_of(strength: np.ndarray, rng: np.random.Generator, name: str) -> files.Variant:
    """Rankings and values of one variant, from how strong it is on each query."""
    rank = np.clip(np.floor(np.exp(1.5 - strength - rng.normal(0, 0.6, QUERIES))), 1, 600)
    top, deep = (rank <= 10).astype(float), (rank <= 100).astype(float)
    values = (top / np.log2(1 + rank), top, deep, top / rank, deep / rank, top / 10)
    ranked = (rng.integers(0, 500, (QUERIES, 1)) + 7 * np.arange(DEPTH)) % len(DOCUMENTS)
    scores = np.tile(np.linspace(1, 0.5, DEPTH, dtype=np.float32), QUERIES)
    offsets = np.arange(QUERIES + 1, dtype=np.int64) * DEPTH
    run = Run(QUERY_IDS, DOCUMENTS, offsets, ranked.ravel().astype(np.int32), scores, name)
    return files.Variant(run, dict(zip(MEASURES, values, strict=True)))


def measure(store: Path) -> dict[str, object]:
    """Build twice in processes of their own: seconds, memory, files, and whether the bytes are the same."""
    with tempfile.TemporaryDirectory() as folder:
        prints, told = [], {}
        for name in ("first", "second"):
            out = Path(folder) / name
            command = [sys.executable, "-m", "hakari", "site", "--results", str(store), "--out", str(out)]
            started, peak = time.perf_counter(), 0.0
            building = subprocess.Popen(command)
            while building.poll() is None:
                peak = max(peak, megabytes(building.pid))
                time.sleep(0.5)
            seconds = time.perf_counter() - started
            assert building.returncode == 0
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            written = sorted(p for p in out.rglob("*") if p.is_file())
            sizes = {p.relative_to(out).as_posix(): p.stat().st_size for p in written}
            largest = max(sizes, key=lambda path: sizes[path])
            prints.append(hashlib.sha256((out / "manifest.json").read_bytes()).hexdigest())
            told[name] = {
                "seconds": round(seconds, 1),
                "peak MB of all processes": round(peak),
                "processor seconds so far": round(spent.ru_utime + spent.ru_stime, 1),
                "files": len(sizes),
                "MB": round(sum(sizes.values()) / 1e6, 1),
                "largest": [largest, round(sizes[largest] / 1e6, 2)],
            }
        return {**told, "byte-identical": prints[0] == prints[1]}


def megabytes(pid: int) -> float:
    """The memory of a process and of those that it started, pages that they share counted once."""
    total = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if pid in (int(folder.name), parent):
                lines = (folder / "smaps_rollup").read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def main() -> None:
    """Make the store, or measure over one that is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", type=Path)
    parser.add_argument("--measure", type=Path)
    chosen = parser.parse_args()
    if chosen.make:
        make(chosen.make)
    if chosen.measure:
        print(json.dumps(measure(chosen.measure), indent=1))


if __name__ == "__main__":
    main()
