"""Search itself, beside faiss, usearch, numkong and the bare matrix product: float, int8, binary, rescoring.

    python benchmarks/search.py            # prints the tables of search.md
    python benchmarks/search.py --rounds 15 --width 768

Top 100 of 10,000 documents for 200 queries, on vectors whose dimensions vary less and less. What each contender
keeps between searches (indexes, codes, packed bits) is made before anything is timed; each has two threads where it
has threads at all. Rankings are compared with hakari's before anything is timed. Without torch, the algorithm of
sentence-transformers' `semantic_search` stands for it in numpy: a product of 100 queries at a time, a partial
sort, and lists of dictionaries.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from side_by_side import Table, figure, machine, ratio, readings, timed, use_processor_time

from hakari.retrievers.encode import thread_count
from hakari.retrievers.nearest import Nearest, Similarity
from hakari.retrievers.variant_names import parse_specs
from hakari.retrievers.variants import quantise

QUERIES, DOCUMENTS, DEPTH = 200, 10_000, 100
DIMENSIONS = "dim=384,256,128,64"
PLAIN = (f"{DIMENSIONS}+float,int8,binary",)
RESCORED = (f"{DIMENSIONS}+int8>float@100", f"{DIMENSIONS}+binary>float@400")
Works = dict[str, Callable[[], object]]


def made_up(width: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries and documents of length one."""
    rng = np.random.default_rng(20261118)
    spread = 1 / np.sqrt(1 + np.arange(width) / 20)
    sides = [rng.normal(size=(count, width)) * spread for count in (QUERIES, DOCUMENTS)]
    queries, documents = ((v / np.linalg.norm(v, axis=1, keepdims=True)).astype(np.float32) for v in sides)
    return queries, documents


def nearest(queries: np.ndarray, documents: np.ndarray, specs: tuple[str, ...]) -> Nearest:
    """Hakari's indexes for these variants, `float` only where it is asked for."""
    ids = [
        np.array([f"{kind}{i:06d}" for i in range(n)], object)
        for kind, n in (("q", QUERIES), ("d", DOCUMENTS))
    ]
    names = parse_specs(specs)
    wanted = names if "float" in specs else names[1:]
    return Nearest((ids[0], queries), (ids[1], documents), wanted, Similarity())


def partial_sort(scores: np.ndarray) -> np.ndarray:
    """The best columns of each row, best first, as numpy users write it."""
    some = np.argpartition(-scores, DEPTH, axis=1)[:, :DEPTH]
    return np.take_along_axis(some, np.argsort(-np.take_along_axis(scores, some, axis=1), axis=1), axis=1)


def semantic_search(queries: np.ndarray, documents: np.ndarray) -> list[list[dict[str, float]]]:
    """What sentence-transformers does, with numpy for torch."""
    results = []
    for start in range(0, len(queries), 100):
        scores = queries[start : start + 100] @ documents.T
        for row, best in zip(scores, partial_sort(scores), strict=True):
            results.append([{"corpus_id": int(d), "score": float(row[d])} for d in best])
    return results


def semantic_search_of_sentence_transformers(queries: np.ndarray, documents: np.ndarray) -> Works:
    """The function itself where torch is there, else its algorithm."""
    try:
        import torch
        from sentence_transformers.util import dot_score
        from sentence_transformers.util import semantic_search as theirs
    except ImportError:
        return {"semantic_search without torch": lambda: semantic_search(queries, documents)}
    torch.set_num_threads(thread_count())
    q, d = torch.from_numpy(queries), torch.from_numpy(documents)
    return {"semantic_search": lambda: theirs(q, d, top_k=DEPTH, score_function=dot_score)}


def float_search(queries: np.ndarray, documents: np.ndarray) -> Works:
    import faiss
    from usearch.index import MetricKind
    from usearch.index import search as usearch

    flat = faiss.IndexFlatIP(documents.shape[1])
    flat.add(documents)
    own = nearest(queries, documents, ("float",))
    check("faiss", own, flat.search(queries, DEPTH)[1], 0.999)
    return {
        "bare product": lambda: queries @ documents.T,
        "hakari": partial(own.find, DEPTH),
        "product and partial sort in numpy": lambda: partial_sort(queries @ documents.T),
        "faiss IndexFlatIP": lambda: flat.search(queries, DEPTH),
        "usearch exact": lambda: usearch(
            documents, queries, DEPTH, MetricKind.IP, exact=True, threads=thread_count()
        ),
        **semantic_search_of_sentence_transformers(queries, documents),
    }


def int8_search(queries: np.ndarray, documents: np.ndarray) -> Works:
    import faiss
    import numkong
    from usearch.index import MetricKind
    from usearch.index import search as usearch

    own = nearest(queries, documents, ("int8",))
    q, d = quantise(queries), quantise(documents)
    packed = numkong.dots_pack(d.codes)
    scaled = faiss.IndexScalarQuantizer(
        documents.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    scaled.train(documents)
    scaled.add(documents)
    check("faiss scalar quantiser", own, scaled.search(queries, DEPTH)[1], 0.95)
    return {
        "hakari": partial(own.find, DEPTH),
        "usearch exact": lambda: usearch(
            d.codes, q.codes, DEPTH, MetricKind.IP, exact=True, threads=thread_count()
        ),
        "numkong (one thread) and partial sort in numpy": lambda: partial_sort(
            np.asarray(numkong.dots_packed(q.codes, packed))
        ),
        "faiss scalar quantiser, 8 bits": lambda: scaled.search(queries, DEPTH),
    }


def binary_search(queries: np.ndarray, documents: np.ndarray) -> Works:
    import faiss
    import numkong

    own = nearest(queries, documents, ("binary",))
    bits_q, bits_d = np.packbits(queries > 0, axis=1), np.packbits(documents > 0, axis=1)
    flat = faiss.IndexBinaryFlat(documents.shape[1])
    flat.add(bits_d)
    packed = numkong.hammings_pack(bits_d)
    width = documents.shape[1]
    distances = np.sort((width - own.find(DEPTH).runs["binary"].scores.reshape(QUERIES, DEPTH)) / 2, axis=1)
    if not np.array_equal(distances, np.sort(flat.search(bits_q, DEPTH)[0], axis=1)):
        sys.exit("the Hamming distances of hakari and faiss differ")
    return {
        "hakari": partial(own.find, DEPTH),
        "faiss IndexBinaryFlat": lambda: flat.search(bits_q, DEPTH),
        "numkong (one thread) and partial sort in numpy": lambda: partial_sort(
            -np.asarray(numkong.hammings_packed(bits_q, packed)).astype(np.int32)
        ),
    }


def rescoring(queries: np.ndarray, documents: np.ndarray) -> Works:
    plain = nearest(queries, documents, ("float", *PLAIN))
    every = nearest(queries, documents, ("float", *PLAIN, *RESCORED))
    return {"13 variants": partial(plain.find, DEPTH), "with 8 rescored": partial(every.find, DEPTH)}


def settled(work: Callable[[], object]) -> Callable[[], float]:
    """The work as a reading, taken when the threads of whoever came before have stopped waiting for more."""

    def take() -> float:
        time.sleep(0.15)
        return timed(work)()

    return take


def check(peer: str, own: Nearest, theirs: np.ndarray, least: float) -> None:
    """The peer's top 100 holds at least this share of hakari's."""
    ((_, run),) = own.find(DEPTH).runs.items()
    ranked = run.documents.reshape(QUERIES, DEPTH)
    same = np.mean([len(np.intersect1d(a, b)) / DEPTH for a, b in zip(ranked, theirs, strict=True)])
    if same < least:
        sys.exit(f"the rankings of hakari and {peer} differ: {same:.4f} of the top {DEPTH} are the same")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--cpu", action="store_true", help="processor seconds in place of the clock")
    given = parser.parse_args()
    if given.cpu:
        use_processor_time()
    import faiss

    faiss.omp_set_num_threads(thread_count())
    queries, documents = made_up(given.width)
    print(machine("numpy", "faiss-cpu", "usearch", "numkong") + f"; {given.width} dimensions")
    taken = {}
    for title, works in (
        ("float", float_search),
        ("int8", int8_search),
        ("binary", binary_search),
        ("rescoring", rescoring),
    ):
        takers = {name: settled(work) for name, work in works(queries, documents).items()}
        taken[title] = readings(takers, given.rounds, warm_ups=2)
        print("\n" + Table(title, taken[title], "ms").markdown())
    more = [
        (float(a - b) * 1e3)
        for a, b in zip(taken["rescoring"]["with 8 rescored"], taken["rescoring"]["13 variants"], strict=True)
    ]
    over = [
        (a - 1.1 * b) * 1e3
        for a, b in zip(taken["float"]["hakari"], taken["float"]["bare product"], strict=True)
    ]
    print(f"\nfloat beyond 1.1 times the bare product: {np.median(over):.1f} ms")
    print(f"usearch int8 / hakari int8: {figure(ratio(taken['int8'], 'usearch exact', 'hakari').median)}")
    print(
        f"faiss binary / hakari binary: {figure(ratio(taken['binary'], 'faiss IndexBinaryFlat', 'hakari').median)}"
    )
    print(f"all 8 rescored variants together: {np.median(more):.1f} ms")


if __name__ == "__main__":
    main()
