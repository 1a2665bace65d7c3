"""A small site with a board, from real runs: two tasks, retrievers with variants, one of them incomplete."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from small import small_task

import hakari
from hakari import Retrieved, Retriever, run_from_matrix
from hakari.io.nano_write import write_nano_set
from hakari.site import build
from hakari.site.reading import read
from hakari.tasks.registry import resolve
from hakari.types import Task

HOSTILE = '<img src=x onerror="document.title=1">\u202egpj.exe{{7*7}}`x`=cmd()\0'
HOSTILE_TEXT = (
    "</pre></script><script>document.title='run'</script><svg onload=alert(1)>\u202eoverride\u2028"
    "[link](javascript:alert(1)) {{7*7}} {% raw %} \x1b[31m ]]> <!-- \ud7ff\ufdd0 "
)


class Words(Retriever):
    """Shared words, with a made-up cheaper form that drops a part of them."""

    family = "lexical"
    name = "words"

    def __init__(self, name: str = "words") -> None:
        self.name = name

    def settings(self) -> dict[str, Any]:
        return {"name": self.name}

    def variants_among(self, asked: Any) -> tuple[str, ...]:
        return tuple(v for v in asked if v in ("float", "int8", "dim=128", "dim=64", "int8>float@100"))

    def retrieve_variants(self, task: Task, depth: int, variants: Any, parts: Any = ()) -> Retrieved:
        runs = {}
        for skipped, variant in enumerate(sorted(variants)):
            queries = [set(t.lower().split()[skipped:]) for t in task.queries.texts]
            documents = [set(re.findall(r"\w+", t.lower().replace("_", " "))) for t in task.corpus.texts]
            scores = np.array([[len(q & d) for d in documents] for q in queries], dtype=np.float32)
            runs[variant] = run_from_matrix(task.queries.ids, task.corpus.ids, scores, depth)
        costs = {"variants": {v: {"index_bytes": 1000.0 * (9 - i)} for i, v in enumerate(sorted(runs))}}
        return Retrieved(runs, {}, {"search_s": 0.01, "parameters": 22_000_000, **costs})

    def retrieve(self, task: Task, depth: int, parts: Any = ()) -> Retrieved:
        return self.retrieve_variants(task, depth, ["float"], parts)


def hostile_set(folder: Path) -> Path:
    """The small set; the texts of one query and its positive in the second task are as bad as texts can be."""
    tasks = [small_task("First", seed=1), small_task("Second", seed=2)]
    task = tasks[1]
    query = int(np.flatnonzero(task.queries.ids == "q3")[0])
    document = int(task.qrels.documents[task.qrels.offsets[query]])
    task.queries.texts[query] = f"how to {task.queries.texts[query]} {HOSTILE_TEXT}"
    task.corpus.texts[document] = HOSTILE_TEXT + task.corpus.texts[document] + "x" * 10_000_000
    write_nano_set(folder / "NanoTest", tasks)
    return folder / "NanoTest"


def make_results(folder: Path) -> Path:
    """A set of two tasks, and results for it, below a folder."""
    tasks = hostile_set(folder)
    on, results = str(tasks), str(folder / "results")
    hakari.run(["bm25", "bm25-code", "random"], on=on, results=results)
    plan_variants = [Words(), "rerank(bm25,constant-reranker,depth=20)"]
    from hakari import api, bench

    plan = bench.Plan(
        api.retrievers_of(plan_variants),
        results=folder / "results",
        variants=("float", "int8", "dim=128", "dim=64", "int8>float@100"),
    )
    api.weigh(plan, on, api.Where(folder / "results"), "nDCG@10")
    hakari.run([Words(HOSTILE)], on=f"{on}/First", results=results)
    return tasks


def make_site(folder: Path) -> Path:
    """The site of those results."""
    tasks = make_results(folder)
    reading = read(resolve(str(tasks)), folder / "results")
    build.build(build.site_of(reading), folder / "site")
    return folder / "site"


@lru_cache
def shard(path: Path) -> Any:
    """What a file of data hands over."""
    text = path.read_text(encoding="utf-8")
    name, _, body = text.removeprefix("hakariBoard(").removesuffix(");\n").partition(",")
    assert json.loads(name) == path.stem
    return json.loads(body)
