"""BM25 gives the same bytes compiled or not, under any hash seed, on real text."""

import hashlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from both_paths import needs_compiled, without_compiled

from hakari.retrievers.bm25 import METHODS, Bm25, Bm25Code
from hakari.types import Qrels, Run, Task, Texts


def standard_library_task(files: int = 120) -> Task:
    """Pieces of the standard library as documents, and lines of them as queries."""
    root = Path(sysconfig.get_path("stdlib"))
    corpus, queries = {}, {}
    for path in sorted(root.glob("*.py"))[:files]:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for start in range(0, len(lines), 30):
            corpus[f"{path.stem}:{start}"] = "\n".join(lines[start : start + 30])
        queries[f"{path.stem}:0"] = "\n".join(lines[30:33])

    def texts(given: dict[str, str]) -> Texts:
        ids = sorted(given)
        return Texts(np.array(ids, object), np.array([given[i] for i in ids], object))

    q, c = texts(queries), texts(corpus)
    empty = np.empty(0, np.int32)
    qrels = Qrels(q.ids, c.ids, np.zeros(len(q) + 1, np.int64), empty, empty)
    return Task("Stdlib", "Lines", q, c, qrels, "0" * 64, category="code", exclude_self=True)


def digest(run: Run) -> str:
    return hashlib.sha256(run.offsets.tobytes() + run.documents.tobytes() + run.scores.tobytes()).hexdigest()


RETRIEVERS = [*(Bm25(method=method) for method in METHODS), Bm25Code(), Bm25(tokenizer="snowball:russian")]


@needs_compiled
@pytest.mark.parametrize("retriever", RETRIEVERS, ids=lambda retriever: retriever.name)
def test_compiled_and_fallback_give_the_same_bytes(retriever: Bm25) -> None:
    task = standard_library_task()
    fast = retriever.retrieve(task, 100).runs["float"]
    with without_compiled():
        plain = retriever.retrieve(task, 100).runs["float"]
    assert len(fast) > 50 * len(fast.query_ids)
    assert digest(fast) == digest(plain)


def test_the_hash_seed_and_the_number_of_threads_leave_no_trace() -> None:
    program = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}\n"
        "from test_bm25_bytes import Bm25, Bm25Code, digest, standard_library_task\n"
        "task = standard_library_task(40)\n"
        "print([digest(r.retrieve(task, 50).runs['float']) for r in (Bm25(), Bm25Code())])"
    )
    outputs = set()
    for seed, threads, compiled in [("0", "1", "1"), ("1", "4", "1"), ("2", "1", "0"), ("3", "4", "0")]:
        changed = {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "HAKARI_NATIVE": compiled}
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
