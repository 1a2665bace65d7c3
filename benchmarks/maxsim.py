"""MaxSim of 200 queries with 100 candidates each: hakari, padded products, and sentence-transformers' own.

    python benchmarks/maxsim.py                  # prints the tables of maxsim.md

Token vectors are made up and of length one; documents have 40 to 290 tokens, 163 on average. Each contender
starts from token vectors as it keeps them and ends with a score for each of the pairs, which are checked against
each other first. Two lengths of query: 14 tokens as questions have them, and 32 as ColBERT pads them to.

torch and sentence-transformers are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from side_by_side import Table, machine, timings, use_processor_time
from threadpoolctl import threadpool_limits

from hakari.retrievers.encode import thread_count
from hakari.retrievers.maxsim import TokenVectors, maxsim_pairs

CANDIDATES, DOCUMENTS, WIDTH = 100, 3000, 384
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Case:
    """What is to be scored."""

    queries: list[Floats]
    documents: list[Floats]
    wanted: npt.NDArray[np.int64]


def made_up(count: int, query_tokens: int) -> Case:
    """Queries, documents and candidates by chance."""
    rng = np.random.default_rng(20261118)

    def texts(lengths: npt.NDArray[np.int64]) -> list[Floats]:
        vectors = rng.standard_normal((int(lengths.sum()), WIDTH), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.split(vectors, np.cumsum(lengths)[:-1])

    queries = texts(np.full(count, query_tokens))
    documents = texts(rng.integers(40, 287, DOCUMENTS))
    wanted = np.stack([rng.choice(DOCUMENTS, CANDIDATES, replace=False) for _ in range(count)])
    return Case(queries, documents, wanted)


def hakari(case: Case) -> Callable[[], Floats]:
    """A product a pair, where the tokens lie."""
    queries, documents = TokenVectors.of(case.queries), TokenVectors.of(case.documents)
    return lambda: np.stack(maxsim_pairs(queries, documents, list(case.wanted), thread_count()))


def gathered(case: Case) -> Callable[[], Floats]:
    """The tokens of a query's candidates copied together, one product, maxima by document."""
    documents = TokenVectors.of(case.documents)
    lengths = np.diff(documents.offsets)

    def score(query: int) -> Floats:
        rows = case.wanted[query]
        tokens = np.concatenate([documents.text(row) for row in rows])
        starts = np.concatenate([[0], np.cumsum(lengths[rows])[:-1]])
        products = tokens @ case.queries[query].T
        return np.maximum.reduceat(products, starts, axis=0).sum(axis=1)

    def run() -> Floats:
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(thread_count()) as pool:
            return np.stack(list(pool.map(score, range(len(case.queries)))))

    return run


def padded(case: Case) -> Callable[[], Floats]:
    """Candidates padded to the longest among them, one product for all, maxima where there are tokens."""

    def score(query: int) -> Floats:
        some = [case.documents[row] for row in case.wanted[query]]
        longest = max(len(document) for document in some)
        block, mask = (
            np.zeros((CANDIDATES, longest, WIDTH), np.float32),
            np.zeros((CANDIDATES, longest), bool),
        )
        for i, document in enumerate(some):
            block[i, : len(document)], mask[i, : len(document)] = document, True
        products = block @ case.queries[query].T
        products[~mask] = -np.inf
        return products.max(axis=1).sum(axis=1)

    return lambda: np.stack([score(query) for query in range(len(case.queries))])


def padded_torch(case: Case) -> Callable[[], Floats]:
    """The same with torch and einsum."""
    import torch

    queries = [torch.from_numpy(query) for query in case.queries]
    documents = [torch.from_numpy(document) for document in case.documents]

    def score(query: int) -> Floats:
        some = [documents[row] for row in case.wanted[query]]
        block = torch.nn.utils.rnn.pad_sequence(some, batch_first=True)
        lengths = torch.tensor([len(document) for document in some])
        mask = torch.arange(block.shape[1])[None, :] < lengths[:, None]
        products = torch.einsum("qw,dtw->dqt", queries[query], block)
        products.masked_fill_(~mask[:, None, :], float("-inf"))
        return products.amax(dim=2).sum(dim=1).numpy()

    return lambda: np.stack([score(query) for query in range(len(case.queries))])


def sentence_transformers(case: Case) -> Callable[[], Floats]:
    """sentence-transformers' own function for one query and its candidates."""
    import torch
    from sentence_transformers.util import maxsim

    queries = [torch.from_numpy(query) for query in case.queries]
    documents = [torch.from_numpy(document) for document in case.documents]

    def score(query: int) -> Floats:
        some = [documents[row] for row in case.wanted[query]]
        return maxsim([queries[query]], some)[0].numpy()

    return lambda: np.stack([score(query) for query in range(len(case.queries))])


def contenders(case: Case) -> dict[str, Callable[[], Floats]]:
    """Those that can run here."""
    found = {"hakari": hakari(case), "gathered": gathered(case), "padded numpy": padded(case)}
    if importlib.util.find_spec("torch"):
        found["padded torch"] = padded_torch(case)
    if importlib.util.find_spec("sentence_transformers"):
        found["sentence-transformers"] = sentence_transformers(case)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[14, 32], help="lengths of queries")
    parser.add_argument("--cpu", action="store_true", help="processor seconds in place of the clock")
    arguments = parser.parse_args()
    if arguments.cpu:
        use_processor_time()
    packages = [
        name
        for name in ("torch", "sentence-transformers")
        if importlib.util.find_spec(name.replace("-", "_"))
    ]
    print(machine("numpy", *packages))
    for query_tokens in arguments.tokens:
        case = made_up(arguments.queries, query_tokens)
        works = contenders(case)
        expected = works["hakari"]()
        for name, work in works.items():
            assert np.allclose(work(), expected, atol=1e-4), name
        taken = timings(works, arguments.rounds)
        title = f"{arguments.queries} queries of {query_tokens} tokens"
        print(f"\n{Table(title, taken).markdown()}", flush=True)


if __name__ == "__main__":
    main()
