"""Twenty variants of one encoding, searched and measured, beside a loop that sorts all documents for each query.

    python benchmarks/variants.py                                # prints the first table of variants.md
    python benchmarks/variants.py --on SUITE/TASK --tasks-dir DIR   # and what each variant loses on real vectors

200 queries, 10,000 documents, 384 dimensions that vary less and less; four dimensions x float, int8, binary,
`int8>float@100` and `binary>float@400`; by each, the best 100 of all documents and 100 given candidates in order, and
of both all six measures that hakari stores. The loop does what is commonly written: for each variant and query one
product with all documents, one full sort, lists of ids, and measures in Python. Both start from the vectors.
Rankings and measures are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
from side_by_side import Table, figure, machine, markdown_table, ratio, timings, use_processor_time
from threadpoolctl import threadpool_limits

from hakari import measures
from hakari.bench import STORED_MEASURES
from hakari.retrievers.encode import thread_count
from hakari.retrievers.nearest import Nearest, Similarity
from hakari.retrievers.variant_names import FLOAT, VariantName, parse_specs
from hakari.retrievers.variants import quantise, rescore
from hakari.types import Qrels, Run

QUERIES, DOCUMENTS, WIDTH, DEPTH = 200, 10_000, 384, 100
DIMENSIONS = "dim=384,256,128,64"
SPECS = (f"{DIMENSIONS}+float,int8,binary", f"{DIMENSIONS}+int8>float@100", f"{DIMENSIONS}+binary>float@400")
LOSS_SPECS = ("int8,binary", "int8>float@100", "binary>float@100,400", "dim=256,128+float,int8,binary")
Sides = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Values = dict[str, np.ndarray]


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def made_up() -> tuple[Sides, Qrels]:
    """Vectors of decaying variance; each query lies near three documents, its positives."""
    rng = np.random.default_rng(20261118)
    spread = 1 / np.sqrt(1 + np.arange(WIDTH) / 20)
    documents = unit(rng.normal(size=(DOCUMENTS, WIDTH)) * spread)
    positives = np.stack([np.sort(rng.choice(DOCUMENTS, 3, replace=False)) for _ in range(QUERIES)])
    queries = unit(documents[positives].mean(axis=1) + 0.09 * rng.normal(size=(QUERIES, WIDTH)) * spread)
    query_ids = np.array([f"q{i:05d}" for i in range(QUERIES)], dtype=object)
    document_ids = np.array([f"d{i:06d}" for i in range(DOCUMENTS)], dtype=object)
    offsets = np.arange(0, 3 * QUERIES + 1, 3, dtype=np.int64)
    rows, grades = positives.ravel().astype(np.int32), np.ones(3 * QUERIES, np.int32)
    return ((query_ids, queries), (document_ids, documents)), Qrels(
        query_ids, document_ids, offsets, rows, grades
    )


def twenty() -> list[VariantName]:
    """The variants that are timed; `dim=384` stands for `float`."""
    return [name for name in parse_specs(SPECS) if name != FLOAT]


def candidates() -> np.ndarray:
    """A hundred documents a query to rerank, by their rows: any, as the work is the same."""
    rng = np.random.default_rng(7)
    return np.stack([np.sort(rng.choice(DOCUMENTS, DEPTH, replace=False)) for _ in range(QUERIES)]).astype(
        np.int32
    )


def ours(sides: Sides, qrels: Qrels) -> tuple[dict[str, Run], dict[str, Values]]:
    """The runs and their values as hakari makes them, from all documents and from candidates."""
    nearest = Nearest(*sides, (FLOAT, *twenty()), Similarity())
    runs = nearest.find(DEPTH).runs
    runs |= {f"{name} of candidates": run for name, run in reranked(nearest, sides).items()}
    wanted = [measures.parse(name) for name in STORED_MEASURES]
    values = {}
    for name in (name for name in runs if name != str(FLOAT)):
        measures.check_run(runs[name])
        scores = measures.score(runs[name], qrels, wanted)
        values[name] = {str(m): scores.of(m) for m in wanted}
    return runs, values


def reranked(nearest: Nearest, sides: Sides) -> dict[str, Run]:
    """The candidates in the order of each variant; of a rescored one in that of the form that has the last word."""
    asked, offsets = candidates(), np.arange(0, QUERIES * DEPTH + 1, DEPTH, dtype=np.int64)
    scores = {}
    # As hakari's search does it: pieces side by side, one thread of BLAS each.
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(thread_count()) as pool:
        for form, index in nearest.indexes.items():
            scores[form] = np.empty((QUERIES, DOCUMENTS), np.float32)
            list(pool.map(lambda piece: piece(), index.pieces(slice(0, QUERIES), scores[form])))
    found = {}
    for name in twenty():
        rows, values = rescore(asked, scores[name.rescored_by or name.form], DEPTH)
        found[str(name)] = Run(sides[0][0], sides[1][0], offsets, rows.ravel(), values.ravel())
    return found


def loop_scores(form: str, width: int, queries: np.ndarray, documents: np.ndarray):
    """A function from a query's number to its scores for all documents."""
    q, d = unit(queries[:, :width]), unit(documents[:, :width])
    if form == "int8":
        codes_q, codes_d = quantise(q), quantise(d)
        q, d = codes_q.dequantised(), codes_d.dequantised()
    if form == "binary":
        bits_q, bits_d = np.packbits(q > 0, axis=1), np.packbits(d > 0, axis=1)
        return lambda i: -np.bitwise_count(bits_q[i] ^ bits_d).sum(axis=1).astype(np.float32)
    return lambda i: d @ q[i]


def loop(sides: Sides, qrels: Qrels) -> tuple[dict[str, list[np.ndarray]], dict[str, Values]]:
    """The same, variant by variant and query by query."""
    (_, queries), (ids, documents) = sides
    asked = candidates()
    relevant = [set(ids[qrels.documents[a:b]]) for a, b in pairwise(qrels.offsets)]
    rankings: dict[str, list[np.ndarray]] = {}
    values: dict[str, Values] = {}
    for name in twenty():
        scores_of = loop_scores(name.form.code, name.form.dimensions or WIDTH, queries, documents)
        found, taken, again, values_again = [], [], [], []
        for i in range(len(queries)):
            scores = scores_of(i)
            order = len(ids) - 1 - np.argsort(-scores[::-1], kind="stable")  # of ties the last id first
            last = scores if name.rescored_by is None else documents @ queries[i]
            among = asked[i][::-1]
            among = among[np.argsort(-last[among], kind="stable")]
            again.append(among)
            values_again.append(by_hand([ids[d] for d in among], relevant[i]))
            if name.rescored_by is not None:
                among = order[: name.depth]
                order = among[np.argsort(-(documents[among] @ queries[i]), kind="stable")]
            found.append(order[:DEPTH])
            taken.append(by_hand([ids[d] for d in order[:DEPTH]], relevant[i]))
        rankings[str(name)] = found
        values[str(name)] = {m: np.array([v[m] for v in taken]) for m in STORED_MEASURES}
        rankings[f"{name} of candidates"] = again
        values[f"{name} of candidates"] = {m: np.array([v[m] for v in values_again]) for m in STORED_MEASURES}
    return rankings, values


def by_hand(ranking: list[str], relevant: set[str]) -> dict[str, float]:
    """The stored measures of one ranking, as they are commonly written."""
    hits = [rank for rank, document in enumerate(ranking, start=1) if document in relevant]
    top = [rank for rank in hits if rank <= 10]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), 10) + 1))
    return {
        "nDCG@10": sum(1 / math.log2(rank + 1) for rank in top) / ideal,
        "hit@10": float(bool(top)),
        "R@100": len(hits) / len(relevant),
        "RR@10": 1 / top[0] if top else 0.0,
        "AP@100": sum((i + 1) / rank for i, rank in enumerate(hits)) / len(relevant),
        "P@10": len(top) / 10,
    }


def check_same(sides: Sides, qrels: Qrels) -> None:
    """The rankings agree but for scores that differ in their last bits."""
    runs, values = ours(sides, qrels)
    rankings, theirs = loop(sides, qrels)
    for name in rankings:
        a, b = runs[str(name)].documents.reshape(QUERIES, DEPTH), np.array(rankings[str(name)])
        same = np.mean([len(np.intersect1d(x, y)) / DEPTH for x, y in zip(a, b, strict=True)])
        gap = max(abs(values[str(name)][m].mean() - theirs[str(name)][m].mean()) for m in STORED_MEASURES)
        if same < 0.999 or gap > 1e-3:
            sys.exit(
                f"{name}: the rankings differ: {same:.4f} of the top {DEPTH} are the same, measures by {gap:.4f}"
            )


def losses(references: list[str], tasks_dir: Path | None) -> str:
    """What each variant loses on tasks, by real vectors; texts are encoded unless the cache has them."""
    from hakari import api

    names = [str(name) for name in parse_specs(LOSS_SPECS)[1:]]
    rows = []
    for task in api.load(references, tasks_dir):
        plan, _ = api.planned("bge_small_en", LOSS_SPECS)
        found = plan.retrievers[0].retrieve_variants(task, 100, names).runs
        measure = [measures.parse("nDCG@10")]
        means = {
            name: measures.score(run, task.qrels, measure).mean(measure[0]) for name, run in found.items()
        }
        rows.append([f"{task.name}, nDCG@10 of float {means['float']:.4f}", *["" for _ in names]])
        rows.append(["change of nDCG@10", *[f"{means[n] - means['float']:+.4f}" for n in names]])
        rows.append(["overlap@100 with float", *[f"{overlap(found['float'], found[n]):.3f}" for n in names]])
    return markdown_table(["bge_small_en", *names], rows)


def overlap(a: Run, b: Run) -> float:
    """The share of the documents of one run that the other has too, query by query."""
    pairs = zip(pairwise(a.offsets), pairwise(b.offsets), strict=True)
    shares = [
        len(np.intersect1d(a.documents[s:t], b.documents[u:v])) / max(t - s, 1) for (s, t), (u, v) in pairs
    ]
    return float(np.mean(shares))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--on", action="append", default=[], metavar="TASK")
    parser.add_argument("--tasks-dir", type=Path)
    parser.add_argument("--cpu", action="store_true", help="processor seconds in place of the clock")
    given = parser.parse_args()
    if given.cpu:
        use_processor_time()
    sides, qrels = made_up()
    check_same(sides, qrels)
    taken = timings({"hakari": lambda: ours(sides, qrels), "loop": lambda: loop(sides, qrels)}, given.rounds)
    print(machine("numpy"), end="\n\n")
    print(Table("20 variants: searched, candidates reranked, measured", taken, "ms").markdown())
    print(f"\nloop / hakari: {figure(ratio(taken, 'loop', 'hakari').median)}")
    if given.on:
        print("\n" + losses(given.on, given.tasks_dir))


if __name__ == "__main__":
    main()
