"""Reciprocal rank fusion of two top-500 lists for 200 queries: hakari, a plain dict loop, and ranx.

    python benchmarks/fusion.py            # prints the table of fusion.md
    python benchmarks/fusion.py --rounds 9

Each contender starts from the form that it keeps rankings in and ends with ordered rankings; a dict loop and
ranx leave tied scores in the order in which they meet them, hakari settles them by best rank and then id.
Medians over rounds whose order alternates. Only the ratios mean anything.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from hakari.rankings import run_from_matrix
from hakari.retrievers.fuse import rrf
from hakari.types import Run

QUERIES, DOCUMENTS, DEPTH, K = 200, 10_000, 500, 100
Rankings = dict[str, list[str]]


def make_runs() -> list[Run]:
    """Two runs that agree in part, as a lexical and a dense retriever do."""
    rng = np.random.default_rng(20261118)
    query_ids = np.array([f"q{i:05d}" for i in range(QUERIES)], dtype=object)
    document_ids = np.array([f"d{i:06d}" for i in range(DOCUMENTS)], dtype=object)
    common = rng.normal(size=(QUERIES, DOCUMENTS))
    scores = [common + rng.normal(size=common.shape) for _ in range(2)]
    return [run_from_matrix(query_ids, document_ids, matrix.astype(np.float32), DEPTH) for matrix in scores]


def as_lists(run: Run) -> Rankings:
    """`{query: [documents, best first]}`."""
    return {
        query: run.document_ids[run.documents[run.offsets[i] : run.offsets[i + 1]]].tolist()
        for i, query in enumerate(run.query_ids)
    }


def dict_loop(runs: list[Rankings]) -> dict[str, list[tuple[str, float]]]:
    """Fusion as it is commonly written."""
    fused = {}
    for query in runs[0]:
        scores: dict[str, float] = {}
        for run in runs:
            for rank, document in enumerate(run[query], start=1):
                scores[document] = scores.get(document, 0.0) + 1.0 / (K + rank)
        fused[query] = sorted(scores.items(), key=lambda pair: -pair[1])
    return fused


def dict_loop_with_tie_rule(runs: list[Rankings]) -> dict[str, list[tuple[str, float]]]:
    """The same with hakari's rule for ties, to compare orders with."""
    fused = {}
    for query in runs[0]:
        scores: dict[str, float] = {}
        best: dict[str, int] = {}
        for run in runs:
            for rank, document in enumerate(run[query], start=1):
                scores[document] = scores.get(document, 0.0) + 1.0 / (K + rank)
                best[document] = min(rank, best.get(document, rank))
        key = {document: (-round(score, 14), best[document], document) for document, score in scores.items()}
        fused[query] = [(document, scores[document]) for document in sorted(scores, key=key.__getitem__)]
    return fused


def ranx_contender(runs: list[Run]) -> Callable[[], object] | None:
    """Ranx's own RRF on its own runs, compiled before it is timed; None where it is not installed."""
    try:
        import ranx
    except ImportError:
        return None
    lists = [as_lists(run) for run in runs]
    theirs = [
        ranx.Run({q: {d: float(DEPTH - i) for i, d in enumerate(docs)} for q, docs in ranking.items()})
        for ranking in lists
    ]
    return lambda: ranx.fuse(runs=theirs, norm=None, method="rrf", params={"k": K})


def medians(contenders: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median seconds of each contender; every second round runs them in reverse."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        contender()
    for i in range(rounds):
        for name in list(contenders)[:: 1 if i % 2 == 0 else -1]:
            start = time.perf_counter()
            contenders[name]()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def check_same(run: Run, expected: dict[str, list[tuple[str, float]]]) -> None:
    """The same documents in the same order, and the same scores but for float32."""
    for query, ranking in as_lists(run).items():
        if ranking != [document for document, _ in expected[query]]:
            sys.exit(f"the fused rankings of {query} differ")
    theirs = np.array([score for ranking in expected.values() for _, score in ranking])
    np.testing.assert_allclose(run.scores, theirs, rtol=1e-5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    runs = make_runs()
    lists = [as_lists(run) for run in runs]
    check_same(rrf(runs, k=K), dict_loop_with_tie_rule(lists))
    contenders: dict[str, Callable[[], object]] = {
        "hakari": lambda: rrf(runs, k=K),
        "dict loop": lambda: dict_loop(lists),
        "dict loop with the tie rule": lambda: dict_loop_with_tie_rule(lists),
    }
    theirs = ranx_contender(runs)
    if theirs is not None:
        contenders["ranx"] = theirs
    seconds = medians(contenders, rounds)
    print("| | ms | times hakari |\n| --- | --- | --- |")
    for name, value in seconds.items():
        print(f"| {name} | {value * 1e3:.1f} | {value / seconds['hakari']:.1f} |")


if __name__ == "__main__":
    main()
