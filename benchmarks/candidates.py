"""Candidate subsets for open code tasks: counts, coverage, safeguards, and whether a second run gives the same bytes.

    python benchmarks/candidates.py --data ../shared/data --output benchmarks/candidates.md

Every task whose manifest says that it is code is copied to two temporary folders, and in each
`hakari candidates --bm25 --dense bge_small_en --hybrid` and `hakari check` are run. Then all files of the two are
compared. Vectors come from hakari's cache of encoded texts; `--fresh TASK` encodes one task again without it.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from side_by_side import machine

MODEL = "bge_small_en"
Rows = list[dict[str, Any]]


def code_tasks(data: Path) -> list[str]:
    manifest = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    return sorted(f"{task['suite']}/{task['task']}" for task in manifest if task["category"] == "code")


def run(*arguments: object, environment: dict[str, str] | None = None, codes: tuple[int, ...] = (0,)) -> Any:
    command = [sys.executable, "-m", "hakari", *map(str, arguments), "--json"]
    done = subprocess.run(
        command, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, text=True
    )
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout)


def made(data: Path, tasks: list[str], folder: Path, environment: dict[str, str] | None = None) -> Rows:
    rows: Rows = []
    for task in tasks:
        suite, name = task.split("/")
        asked = ["--bm25", "--dense", MODEL, "--hybrid", "--out", folder / suite]
        rows += run("candidates", data / suite / name, *asked, environment=environment)
        print(f"{folder.name}: {task}", file=sys.stderr, flush=True)
    return rows


def differing(one: Path, other: Path) -> tuple[int, list[str]]:
    """How many files there are in the first folder, and those that the second has not or has otherwise."""
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    there = sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    odd = {str(path) for path in set(files) ^ set(there)}
    odd |= {str(p) for p in set(files) & set(there) if not filecmp.cmp(one / p, other / p, shallow=False)}
    return len(files), sorted(odd)


def line(task: str, rows: Rows) -> str:
    of = {row["config"]: row for row in rows}
    hybrid = of["reranking_hybrid"]
    cells = [task.partition("/")[2], f"{of['bm25']['candidate_count_min']}"]
    for config in ("bm25", MODEL, "reranking_hybrid"):
        row = of[config]
        cells.append(f"{row['ndcg_at_10']:.3f} {row['hit_at_10']:.3f} {row['recall_at_100']:.3f}")
    covered = [f"{of[config]['recall_at_500']:.3f}" for config in ("bm25", MODEL)]
    cells += [*covered, str(hybrid["safeguard_positive_rows"]), str(hybrid["rows_with_101_candidates"])]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--fresh", default="NanoOpen/RosettaPythonToCpp", help="task to encode twice")
    arguments = parser.parse_args()
    tasks = code_tasks(arguments.data)
    with tempfile.TemporaryDirectory() as place:
        first, second, fresh = (Path(place, name) for name in ("first", "second", "fresh"))
        start = time.monotonic()
        rows = made(arguments.data, tasks, first)
        seconds = time.monotonic() - start
        made(arguments.data, tasks, second)
        count, odd = differing(first, second)
        made(arguments.data, [arguments.fresh], fresh, {"HAKARI_EMBEDDING_CACHE": "0"})
        again = [
            path.relative_to(fresh)
            for path in fresh.rglob("*")
            if path.is_file() and path.read_bytes() != (first / path.relative_to(fresh)).read_bytes()
        ]
        findings = [
            f for suite in sorted(first.iterdir()) for f in run("check", suite, codes=(0, 1))["findings"]
        ]
    errors = [
        f
        for f in findings
        if f["severity"] == "error" and f["check"] in ("candidates", "safeguard", "metadata")
    ]
    report = [
        f"{len(tasks)} tasks; {machine('onnxruntime')}. In each cell: nDCG@10, hit@10, recall@100 pooled.\n",
        "| task | candidates | bm25 | "
        + MODEL
        + " | hybrid | R@500 bm25 | R@500 dense | safeguards | rows with 101 |",
        "| --- | ---: | --- | --- | --- | ---: | ---: | ---: | ---: |",
        *(line(task, [row for row in rows if row["task"] == task]) for task in tasks),
        "",
        f"A second run from nothing: {count} files, {len(odd)} of them with other bytes. {', '.join(odd)}".rstrip(),
        f"{arguments.fresh} encoded anew, without the cache: {len(again)} files with other bytes.",
        f"`hakari check` finds {len(errors)} errors in candidates, safeguards and what the metadata say of them.",
        f"The first run took {seconds:.0f} s with encoded texts from the cache.",
    ]
    text = "\n".join(report) + "\n"
    if arguments.output:
        arguments.output.write_text("# Candidates of the open code tasks\n\n" + text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
