"""Runs made elsewhere, from TREC files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hakari.errors import UsageError
from hakari.io.trec import read_qrels, read_run
from hakari.measures import Measure
from hakari.report.results import Weighed, from_run


def score_files(runs: Sequence[Path], qrels: Path, measures: Sequence[Measure]) -> list[Weighed]:
    """Score run files against one file of judgements; the task is the stem of its name."""
    judgements = read_qrels(qrels)
    task = stem(qrels)
    scored: list[Weighed] = []
    for path in runs:
        run = read_run(path)
        if any(w.system.retriever == run.tag for w in scored):
            # Engines leave the same tag in every file; the file's name then tells the runs apart.
            run = replace(run, tag=f"{run.tag} ({stem(path)})")
        if any(w.system.retriever == run.tag for w in scored):
            raise UsageError(f"two runs are called `{run.tag}`", "give them different tags or file names")
        scored.append(from_run(run, judgements, task, measures))
    return scored


def stem(path: Path) -> str:
    """The name of a file without `.gz` and its last ending."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name
