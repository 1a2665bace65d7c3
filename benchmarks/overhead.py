"""What a dense run of one task costs beside the model: loading, search, variants, measures, writing, the table.

    python benchmarks/overhead.py                            # NanoStdlib/DocstringToFunction, 20 variants
    python benchmarks/overhead.py --on SUITE/TASK --tasks-dir DIR --variants int8

The command line runs in this process, from its first import, with every text encoded and written to an empty cache.
Counted is processor time, of all threads, which other work on the same cores disturbs least. The model is what a text
takes to become a vector (tokenizer, session, pooling), in the threads that do it; queries that are encoded once more
to time them one at a time are counted as overhead. Claimed: less than 5 % of the whole.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

VARIANTS = (
    "dim=384,256,128,64+float,int8,binary",
    "dim=384,256,128,64+int8>float@100",
    "dim=384,256,128,64+binary>float@400",
)
MODEL = "the model"


class Stages:
    """Processor seconds by stage, each second in the innermost stage that it belongs to."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.lock = threading.Lock()
        self.alone = False
        """Whether queries are being timed one at a time, which is no part of the work."""

    def add(self, name: str, seconds: float) -> None:
        """Count seconds for a stage."""
        with self.lock:
            self.seconds[name] += seconds

    def model(self, owner: Any, name: str) -> None:
        """Count what a method takes in the thread that runs it as the model's."""
        work = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            start = time.thread_time()
            try:
                return work(*given, **named)
            finally:
                if not self.alone:
                    self.add(MODEL, time.thread_time() - start)

        setattr(owner, name, timed)

    def stage(self, owner: Any, name: str, told: str, alone: bool = False) -> None:
        """Count what a function takes in all threads as a stage, without what the model takes inside it."""
        work: Callable[..., Any] = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            start, before = time.process_time(), sum(self.seconds.values())
            self.alone = alone
            try:
                return work(*given, **named)
            finally:
                self.alone = False
                inner = sum(self.seconds.values()) - before
                self.add(told, time.process_time() - start - inner)

        setattr(owner, name, timed)


def watched() -> Stages:
    """The stages of a run, watched from now on."""
    from hakari import bench
    from hakari.report import summary
    from hakari.retrievers import dense, nearest, onnx
    from hakari.retrievers.embedding_cache import EmbeddingCache
    from hakari.tasks.refs import TaskRef

    stages = Stages()
    stages.model(onnx.TextEncoder, "encode")
    stages.stage(onnx.TextEncoder, "load", "loading the model")
    stages.stage(TaskRef, "load", "loading the task")
    for name in ("fetch", "put", "flush", "close"):
        stages.stage(EmbeddingCache, name, "the cache of encoded texts")
    stages.stage(nearest.Nearest, "__init__", "search, all variants")
    stages.stage(nearest.Nearest, "find", "search, all variants")
    stages.stage(nearest.Nearest, "seconds_alone", "timing queries one at a time")
    stages.stage(dense, "encoding_alone", "timing queries one at a time", alone=True)
    stages.stage(bench, "keep", "measures and writing")
    stages.stage(summary, "results_tables", "intervals and the table")
    return stages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--on", default="NanoStdlib/DocstringToFunction")
    parser.add_argument("--tasks-dir")
    parser.add_argument("--variants", action="append")
    given = parser.parse_args()
    from hakari import api
    from hakari.cli import execute

    api.references(
        given.on, api.Where(tasks_dir=given.tasks_dir)
    )  # NanoStdlib is built once, and not in a run
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HAKARI_RESULTS"] = f"{folder}/results"
        line = ["run", "bge_small_en", "--on", given.on]
        line += [part for spec in given.variants or VARIANTS for part in ("--variants", spec)]
        line += ["--tasks-dir", given.tasks_dir] if given.tasks_dir else []
        stages, out = watched(), io.StringIO()
        from hakari.retrievers import embedding_cache

        embedding_cache.cache_folder = lambda: __import__("pathlib").Path(folder)  # an empty one
        clock, start = time.perf_counter(), time.process_time()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = execute(line)
        assert code == 0, out.getvalue()
        taken, wall = time.process_time() - start, time.perf_counter() - clock
    report(stages, taken, wall, given.on)


def report(stages: Stages, taken: float, wall: float, task: str) -> None:
    """The table of stages."""
    from side_by_side import figure, machine, markdown_table

    before = IMPORTED - STARTED
    stages.add("imports", before)
    whole = taken + before
    stages.add("everything else", whole - sum(stages.seconds.values()))
    rows = [
        [name, figure(seconds), f"{seconds / whole:.2%}"]
        for name, seconds in sorted(stages.seconds.items(), key=lambda row: -row[1])
    ]
    print(f"{task}, bge_small_en; {machine('numpy', 'onnxruntime')}; {wall:.0f} s of the clock\n")
    print(markdown_table(["stage", "processor seconds", "of the whole"], rows))
    print(f"\noutside the model: {1 - stages.seconds[MODEL] / whole:.2%} of {whole:.1f} processor seconds")


STARTED = 0.0  # processor time counts from the start of the process
if __name__ == "__main__":
    import hakari.cli.run
    import hakari.report.summary
    import hakari.retrievers.dense  # noqa: F401

    IMPORTED = time.process_time()
    main()
