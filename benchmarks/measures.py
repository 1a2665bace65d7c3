"""Measures side by side with pytrec_eval, ir_measures and ranx, in one process, on the same rankings.

    python benchmarks/measures.py > benchmarks/measures.md

Prints a Markdown table. Every contender is timed in every round, and every other round goes backwards; the
figure is the median. Use the ratios: milliseconds are those of whatever machine ran it, and of its processor,
which other work on the machine does not stretch (nothing here waits, and only ranx uses threads). The scores
of the compiled way, of the fallback and of pytrec_eval are compared bit by bit before anything is timed.
pytrec_eval, ir_measures and ranx must be installed; hakari itself needs none of them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from hakari.measures import Scores, found, score
from hakari.rankings import order_keys, top_k
from hakari.types import Qrels, Run

OURS = "nDCG@10,R@100,RR,AP"
TREC_EVAL = {"ndcg_cut_10": "nDCG@10", "recall_100": "R@100", "recip_rank": "RR", "map": "AP"}
RANX = ["ndcg@10", "recall@100", "mrr", "map"]
DOCUMENTS, DEPTH, JUDGED = 10_000, 1_000, 20


@dataclass(frozen=True)
class Workload:
    """The same rankings in every form in which somebody wants them."""

    run: Run
    qrels: Qrels
    query_column: np.ndarray
    document_column: np.ndarray
    score_column: np.ndarray
    query_names: list[str]
    document_names: list[str]

    def run_dict(self) -> dict[str, dict[str, float]]:
        """What pytrec_eval, ir_measures and ranx take."""
        ids, scores = self.run.document_ids[self.run.documents].tolist(), self.run.scores.tolist()
        ends = self.run.offsets.tolist()
        return {
            query: dict(zip(ids[start:end], scores[start:end], strict=True))
            for query, start, end in zip(self.run.query_ids, ends, ends[1:], strict=False)
        }

    def qrels_dict(self) -> dict[str, dict[str, int]]:
        """As `run_dict`."""
        ids, grades = self.qrels.document_ids[self.qrels.documents].tolist(), self.qrels.grades.tolist()
        ends = self.qrels.offsets.tolist()
        return {
            query: dict(zip(ids[start:end], grades[start:end], strict=True))
            for query, start, end in zip(self.qrels.query_ids, ends, ends[1:], strict=False)
        }


def workload(queries: int) -> Workload:
    """Rankings with ties among scores, and graded judgements, half of them of documents near the top."""
    rng = np.random.default_rng(7)
    query_ids = np.array([f"q{i:06}" for i in range(queries)], dtype=object)
    document_ids = np.array([f"doc{i:06}" for i in range(DOCUMENTS)], dtype=object)
    documents, scores, judged = [], [], []
    for _ in range(queries):
        values = rng.integers(0, 30_000, DOCUMENTS).astype(np.float32)[None] / 1000
        best, kept = top_k(values, DEPTH)
        documents.append(best[0])
        scores.append(kept[0])
        near, anywhere = rng.choice(best[0, :300], JUDGED // 2), rng.integers(0, DOCUMENTS, JUDGED // 2)
        judged.append(np.unique(np.concatenate([near, anywhere])).astype(np.int32))
    run = Run(
        query_ids,
        document_ids,
        np.arange(queries + 1) * DEPTH,
        np.concatenate(documents),
        np.concatenate(scores),
    )
    sizes = np.cumsum([0, *map(len, judged)])
    grades = rng.choice([0, 0, 1, 1, 2, 3], sizes[-1]).astype(np.int32)
    qrels = Qrels(query_ids, document_ids, sizes, np.concatenate(judged), grades)
    shuffled = rng.permutation(len(run.documents))
    query_column = np.repeat(np.arange(queries, dtype=np.int32), DEPTH)[shuffled]
    document_column, score_column = run.documents[shuffled], run.scores[shuffled]
    names = query_ids[query_column].tolist(), document_ids[document_column].tolist()
    return Workload(run, qrels, query_column, document_column, score_column, *names)


def run_from_columns(work: Workload, queries: np.ndarray, documents: np.ndarray, scores: np.ndarray) -> Run:
    """The run of rows in no order at all: by query, then by score and id."""
    keys = order_keys(scores, documents)
    by_query = np.argsort(queries.astype(np.min_scalar_type(len(work.run.query_ids))), kind="stable")
    ranked = np.negative(keys)[by_query].reshape(-1, DEPTH)
    ranked.sort(axis=1)
    ranked = np.negative(ranked, out=ranked).ravel()
    bits = (ranked >> 32).astype(np.int32)
    values = np.where(bits < 0, bits ^ np.int32(0x7FFFFFFF), bits).view(np.float32)
    return Run(
        work.run.query_ids,
        work.run.document_ids,
        work.run.offsets,
        (ranked & 0xFFFFFFFF).astype(np.int32),
        values,
    )


def from_columns(work: Workload) -> Scores:
    """Sorting included, ids as row numbers."""
    run = run_from_columns(work, work.query_column, work.document_column, work.score_column)
    return score(run, work.qrels, OURS)


def from_names(work: Workload) -> Scores:
    """Sorting included, and finding the row number of every id."""
    query_row = {name: row for row, name in enumerate(work.run.query_ids)}
    document_row = {name: row for row, name in enumerate(work.run.document_ids)}
    count = len(work.score_column)
    queries = np.fromiter(map(query_row.__getitem__, work.query_names), np.int32, count)
    documents = np.fromiter(map(document_row.__getitem__, work.document_names), np.int32, count)
    return score(run_from_columns(work, queries, documents, work.score_column), work.qrels, OURS)


@contextmanager
def fallback() -> Iterator[None]:
    """Without the compiled loop."""
    kept, found.compiled = found.compiled, None
    try:
        yield
    finally:
        found.compiled = kept


def without_compiler(work: Workload) -> Scores:
    """As a machine without a compiler does it."""
    with fallback():
        return score(work.run, work.qrels, OURS)


def by_pytrec_eval(judged: dict, ranked: dict) -> dict[str, dict[str, float]]:
    """Scores per query."""
    import pytrec_eval

    asked = {"ndcg_cut.10", "recall.100", "recip_rank", "map"}
    return pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(ranked)


def by_ir_measures(judged: dict, ranked: dict) -> list:
    """Scores per query."""
    import ir_measures

    return list(
        ir_measures.iter_calc([ir_measures.parse_measure(m) for m in OURS.split(",")], judged, ranked)
    )


def by_ranx(judged: dict, ranked: dict) -> dict:
    """Scores per query, the conversion of the dicts included."""
    import ranx

    return ranx.evaluate(ranx.Qrels(judged), ranx.Run(ranked), RANX, return_mean=False)


def check_bits(work: Workload, judged: dict, ranked: dict) -> None:
    """All of our ways and pytrec_eval, bit by bit."""
    ours = score(work.run, work.qrels, OURS)
    for other in (without_compiler(work), from_columns(work), from_names(work)):
        assert other.values.tobytes() == ours.values.tobytes()
    theirs = by_pytrec_eval(judged, ranked)
    for name, form in TREC_EVAL.items():
        assert np.array([theirs[q][name] for q in work.qrels.query_ids]).tobytes() == ours.of(form).tobytes()


def contenders(work: Workload, judged: dict, ranked: dict) -> dict[str, Callable[[], object]]:
    """What is timed."""
    return {
        "hakari, run in memory": lambda: score(work.run, work.qrels, OURS),
        "hakari without a compiler, run in memory": lambda: without_compiler(work),
        "hakari, from unsorted columns of row numbers": lambda: from_columns(work),
        "hakari, from unsorted columns of ids (strings)": lambda: from_names(work),
        "building the dicts of run and judgements": lambda: (work.run_dict(), work.qrels_dict()),
        "pytrec_eval, dicts given": lambda: by_pytrec_eval(judged, ranked),
        "pytrec_eval, dicts built": lambda: by_pytrec_eval(work.qrels_dict(), work.run_dict()),
        "ir_measures, dicts given": lambda: by_ir_measures(judged, ranked),
        "ranx, dicts given": lambda: by_ranx(judged, ranked),
    }


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def medians(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name in list(calls)[:: 1 if number % 2 == 0 else -1]:
            times[name].append(timed(calls[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, nargs="+", default=[200, 10_000])
    parser.add_argument("--rounds", type=int, default=6)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if found.compiled is None:
        sys.exit("the compiled loops were not built: run `python setup.py build_ext --inplace` first")
    small = workload(20)
    first_ranx = timed(lambda: by_ranx(small.qrels_dict(), small.run_dict()))
    columns = {}
    for queries in options.queries:
        work = workload(queries)
        judged, ranked = work.qrels_dict(), work.run_dict()
        check_bits(work, judged, ranked)
        columns[queries] = medians(contenders(work, judged, ranked), options.rounds)
    print(f"# {OURS.replace(',', ', ')}: {DEPTH:,} results a query\n")
    print(
        f"Median of {options.rounds} rounds in one process, every other one backwards, processor "
        "time (`benchmarks/measures.py`)."
    )
    print(
        "The ratio is to pytrec_eval with its dicts built. Our scores and pytrec_eval's have the same bits.\n"
    )
    print("| | " + " | ".join(f"{q:,} queries, ms | ratio" for q in columns) + " |")
    print("| --- |" + " ---: | ---: |" * len(columns))
    for name in next(iter(columns.values())):
        cells = (
            f"{c[name] * 1e3:,.1f} | {c['pytrec_eval, dicts built'] / c[name]:.2f}x" for c in columns.values()
        )
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(
        f"\nranx's first call, on 20 queries, took {first_ranx:.1f} s (compilation); hakari compiles nothing."
    )


if __name__ == "__main__":
    main()
