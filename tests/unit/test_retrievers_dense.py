from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from hakari.errors import InvalidInput
from hakari.retrievers import dense
from hakari.retrievers.dense import search

SEARCH = """
import hashlib
import numpy as np
from hakari.retrievers import dense
rng = np.random.default_rng(4)
names = lambda prefix, count: np.array([f"{prefix}{i:05d}" for i in range(count)], dtype=object)
queries, documents = names("q", 333), names("d", 3000)
vectors = [rng.normal(size=(len(ids), 384)).astype(np.float32) for ids in (queries, documents)]
dense.BLOCK_CELLS = 300_000
run = dense.search((queries, vectors[0]), (documents, vectors[1]), 100)
print(hashlib.sha256(run.documents.tobytes() + run.scores.tobytes()).hexdigest())
"""


def names(prefix: str, count: int) -> np.ndarray:
    return np.array([f"{prefix}{i:05d}" for i in range(count)], dtype=object)


def vectors(seed: int, count: int, width: int = 24) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


def brute_force(queries: np.ndarray, documents: np.ndarray, depth: int) -> list[list[int]]:
    scores = (queries.astype(np.float64) @ documents.astype(np.float64).T).astype(np.float32)
    return [sorted(range(len(documents)), key=lambda d: (-row[d], -d))[:depth] for row in scores]


def test_the_nearest_documents_are_found_in_order():
    q, d = vectors(1, 9), vectors(2, 60)
    run = search((names("q", 9), q), (names("d", 60), d), 7)
    assert run.documents.reshape(9, 7).tolist() == brute_force(q, d, 7)
    assert run.offsets.tolist() == list(range(0, 64, 7))


def test_cosine_compares_directions_only():
    q, d = vectors(1, 5), vectors(2, 40)
    lengths = np.random.default_rng(3).uniform(0.1, 9, size=(40, 1)).astype(np.float32)
    plain = search((names("q", 5), q), (names("d", 40), d), 40, cosine=True)
    scaled = search((names("q", 5), q), (names("d", 40), d * lengths), 40, cosine=True)
    assert plain.documents.tolist() == scaled.documents.tolist()
    assert plain.scores.max() <= 1 + 1e-6


def test_equal_scores_stand_in_descending_order_of_ids():
    d = np.ones((6, 4), np.float32)
    assert search((names("q", 1), d[:1]), (names("d", 6), d), 4).documents.tolist() == [5, 4, 3, 2]


@pytest.mark.parametrize("depth", [1, 5, 29, 30, 99])
def test_a_query_does_not_find_itself_where_that_is_excluded(depth):
    ids = names("d", 30)
    q_ids = np.array(sorted([*ids[3:9], "elsewhere"]), dtype=object)
    d = vectors(2, 30)
    q = np.concatenate([d[3:9], vectors(5, 1)])  # "elsewhere" sorts last
    run = search((q_ids, q), (ids, d), depth, exclude_self=True)
    expected = brute_force(q, d, 30)
    for i, query in enumerate(q_ids):
        found = run.documents[run.offsets[i] : run.offsets[i + 1]].tolist()
        assert found == [document for document in expected[i] if ids[document] != query][:depth]


def test_blocks_cover_every_query(monkeypatch):
    q, d = vectors(1, 50), vectors(2, 40)
    whole = search((names("q", 50), q), (names("d", 40), d), 10, exclude_self=True)
    monkeypatch.setattr(dense, "BLOCK_CELLS", 40 * 7)
    parts = search((names("q", 50), q), (names("d", 40), d), 10, exclude_self=True)
    assert whole.documents.tolist() == parts.documents.tolist()
    assert whole.offsets.tolist() == parts.offsets.tolist()


def test_no_queries_or_no_documents():
    assert len(search((names("q", 0), np.empty((0, 0), np.float32)), (names("d", 3), vectors(1, 3)), 5)) == 0
    run = search((names("q", 2), vectors(1, 2)), (names("d", 0), np.empty((0, 0), np.float32)), 5)
    assert run.offsets.tolist() == [0, 0, 0]


def test_a_vector_that_is_not_a_number_names_query_and_document():
    q, d = vectors(1, 2), vectors(2, 3)
    d[1, 0] = np.nan
    with pytest.raises(InvalidInput, match="query `q00000`, document `d00001`"):
        search((names("q", 2), q), (names("d", 3), d), 2)


def test_thread_counts_change_no_byte():
    seen = set()
    for blas, own in (("1", "1"), ("2", "1"), ("1", "3"), ("4", "2")):
        env = {**os.environ, "OPENBLAS_NUM_THREADS": blas, "OMP_NUM_THREADS": blas, "HAKARI_THREADS": own}
        done = subprocess.run(
            [sys.executable, "-c", SEARCH], env=env, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout.strip())
    assert len(seen) == 1
    assert len(seen.pop()) == len(hashlib.sha256().hexdigest())
