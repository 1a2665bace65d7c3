"""How long the board takes: 60 models on 560 tasks, 820 rows with their variants, written and opened in a browser.

    python benchmarks/board.py                     # write it, open it in Chromium, print the table
    python benchmarks/board.py --keep FOLDER       # and leave the site there, to look at

Scores are drawn, and handed to the board as the site hands them on; what reading 33,600 files takes is measured by
`site.py`. Needs chromium and chromedriver, and the `peers` extra.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from hakari.site.board import write_board
from hakari.site.model import MEASURES, Listed, Opened, Reading, System
from hakari.store.files import Stored
from hakari.tasks import catalog
from hakari.types import Run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

MODELS, TASKS, ROWS, QUERIES, TOP = 60, 560, 820, 50, 10
ROUNDS = 7


def systems() -> tuple[System, ...]:
    """The models and their variants, thirteen or fourteen rows a model."""
    rows = []
    for model in range(MODELS):
        many = ROWS // MODELS + (model < ROWS % MODELS)
        names = ["float", "int8", "binary", *(f"dim={d}" for d in range(64, 1024, 64))][:many]
        rows += [(f"synthetic-{model:02d}", variant, f"{model:08x}") for variant in sorted(names)]
    family = ("dense", "sparse", "late", "bm25")
    return tuple(
        System(r, v, k, family[int(k, 16) % 4], r if v == "float" else f"{r} {v}") for r, v, k in rows
    )


def opened(listed: Listed, rows: tuple[System, ...], seed: int) -> Opened:
    """One task with drawn scores and rankings."""
    rng = np.random.default_rng(seed)
    strength = np.array([int(s.key, 16) / 30 - (s.variant != "float") * 0.2 for s in rows])
    logits = strength[:, None] + rng.normal(0, 1.2, (1, QUERIES)) + rng.normal(0, 0.7, (ROWS, QUERIES))
    ranks = np.floor(np.exp(np.clip(2 - logits, 0, 6)))
    inside = ranks <= TOP
    values = {m: np.where(inside, 1 / np.log2(1 + ranks), 0.0) for m in MEASURES}
    values["hit@10"] = inside.astype(float)
    queries = np.array(sorted(f"q{i}" for i in range(QUERIES)), dtype=object)
    documents = np.array(sorted(f"d{i}" for i in range(500)), dtype=object)
    stored = []
    runs: dict[tuple[Path, str], Run] = {}
    offsets = np.arange(QUERIES + 1, dtype=np.int64) * TOP
    for number, system in enumerate(rows):
        path = Path(f"{system.retriever}-{system.key}/{listed.name}.parquet")
        costs = {
            "search_s": 0.1 + number % 7,
            "index_bytes": 1e6 * (1 + number % 14),
            "parameters": 10**7 * (1 + number // 14),
        }
        traits = listed.entry.traits() if listed.entry else {}
        manifest = {
            "task": listed.name,
            "documents": 500,
            "queries": QUERIES,
            "depth": 500,
            "facts": {},
            **traits,
        }
        stored.append(Stored(path, manifest, costs))
        if system.variant == "float":
            found = (rng.integers(0, 500, (QUERIES, 1)) + 7 * np.arange(TOP)) % 500
            scores = np.tile(np.linspace(1, 0.5, TOP, dtype=np.float32), QUERIES)
            runs[path, "float"] = Run(
                queries, documents, offsets, found.ravel().astype(np.int32), scores, system.label
            )
    return Opened(listed, None, queries, rows, values, tuple(stored), (), runs)


def written(folder: Path) -> dict[str, Any]:
    """Write the board; the seconds that it took beside drawing the scores, its peak memory, its sizes."""
    rows = systems()
    entries = catalog.entries()
    listed = tuple(Listed(e.name, e.suite, e) for e in entries)
    drawing = drawing_work = 0.0

    def tasks() -> Iterator[Opened]:
        nonlocal drawing, drawing_work
        for number, one in enumerate(listed[:TASKS]):
            start, worked = time.perf_counter(), time.process_time()
            task = opened(one, rows, number)
            drawing += time.perf_counter() - start
            drawing_work += time.process_time() - worked
            yield task

    start, worked = time.perf_counter(), time.process_time()
    write_board(folder, Reading(listed, rows), tasks())
    seconds, worked = time.perf_counter() - start - drawing, time.process_time() - worked - drawing_work
    files = {p.name: p.stat().st_size for p in (folder / "board").rglob("*") if p.is_file()}
    largest = max(files, key=lambda name: files[name])
    program = [(folder / "board" / name).read_bytes() for name in ("board.js", "board.css")]
    return {
        "seconds": seconds,
        "seconds of one core": worked,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "MB": sum(files.values()) / 1e6,
        "largest": f"`{largest}` {files[largest] / 1e6:.1f} MB",
        "bundle kB": sum(len(gzip.compress(part, 9)) for part in program) / 1000,
    }


FIRST = """
const done = arguments[0];
const at = performance.getEntriesByName('usable')[0];
done(at ? at.startTime : null);
"""
MARK = """
new MutationObserver((_, o) => {
  const rows = document.querySelectorAll('#board tbody tr').length;
  if (!document.querySelector('#board th[aria-sort]') || rows < 40) return;
  requestAnimationFrame(() => setTimeout(() => performance.mark('usable')));
  o.disconnect();
}).observe(document, {childList: true, subtree: true});
"""
PRESS = """
const done = arguments[1];
const start = performance.now();
arguments[0].click();
requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
"""
ALL = """
const done = arguments[1];
const start = performance.now();
arguments[0].click();
const look = () => document.querySelector('table.coming')
  ? requestAnimationFrame(look) : setTimeout(() => done(performance.now() - start));
requestAnimationFrame(() => setTimeout(look));
"""


def busy(driver: Any) -> float:
    """Milliseconds that the thread of the page has worked so far, whatever else the machine does."""
    told = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1000 * next(m["value"] for m in told if m["name"] == "TaskDuration")


def box_of(board: Any, group: str, value: str) -> Any:
    """The box of a value of a filter."""
    return board.js(
        "const d = [...document.querySelectorAll('.filter')].find(d => d.innerText.startsWith(arguments[0]));"
        "d.open = true; const all = [...d.querySelectorAll('label')];"
        "const l = all.find(l => l.innerText.trim().startsWith(arguments[1]));"
        "return l.querySelector('input')", group, value,
    )  # fmt: skip


def looked_at(folder: Path) -> dict[str, list[float]]:
    """Milliseconds of opening from disk and of filters, round by round."""
    from board_page import Board, start

    taken: dict[str, list[float]] = {"first usable table": []}
    driver = start(Path(tempfile.mkdtemp()))
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": MARK})
    board = Board(driver, folder.as_uri())
    for _ in range(ROUNDS):
        board.go()
        board.until(lambda: driver.execute_async_script(FIRST) is not None)
        taken["first usable table"].append(driver.execute_async_script(FIRST))
    for name, state in (("60 rows", ""), ("820 rows", "variants=1")):
        board.go(state)
        time.sleep(3)  # the numbers of views and tasks are read ahead while nothing else is to be done
        for group, value, also in (
            ("Language", "en", ""),
            ("Language", "en", "ja"),
            ("Suite", "NanoMIRACL", ""),
            ("Domain", "general", ""),
            ("Family", "dense", ""),
        ):
            if also:
                board.js("arguments[0].click()", box_of(board, group, also))
                board.settle()
            box = box_of(board, group, value)
            name_of = f"{group} = {value}{f' beside {also}' if also else ''}, {name}"
            for _ in range(ROUNDS):
                before = busy(driver)
                wall = driver.execute_async_script(PRESS, box)
                work = busy(driver) - before
                taken.setdefault(name_of, []).append(wall)
                taken.setdefault(f"{name_of}, work of the page's thread", []).append(work)
                board.settle()
                taken.setdefault(f"{name_of}, until every row is there", []).append(
                    driver.execute_async_script(ALL, box)
                )
                board.settle()
            if also:
                board.js("arguments[0].click()", box_of(board, group, also))
                board.settle()
    driver.quit()
    return taken


def main() -> None:
    """Write, look, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="where to leave the site")
    parser.add_argument("--look", action="store_true", help="only open what was kept")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (asked.keep or Path(temporary)).resolve()
        for key, value in ({} if asked.look else written(folder)).items():
            print(f"| {key} | {value if isinstance(value, str) else f'{value:.1f}'} |", flush=True)
        for name, taken in looked_at(folder).items():
            print(f"| {name} | {median(taken):.0f} ms (first {taken[0]:.0f}, worst {max(taken):.0f}) |")


if __name__ == "__main__":
    main()
