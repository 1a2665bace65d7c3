from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import UsageError
from hakari.retrievers.maxsim import TokenVectors, maxsim, maxsim_pairs

MANY = """
import hashlib
import numpy as np
from hakari.retrievers.maxsim import TokenVectors, maxsim_pairs
rng = np.random.default_rng(4)
def texts(count, most):
    return [rng.normal(size=(n, 96)).astype(np.float32) for n in rng.integers(1, most, count)]
queries, documents = TokenVectors.of(texts(30, 20)), TokenVectors.of(texts(80, 300))
scores = maxsim_pairs(queries, documents, [None] * 30, {threads})
print(hashlib.sha256(np.concatenate(scores).tobytes()).hexdigest())
"""


def texts(seed: int, lengths: list[int], width: int = 48) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(length, width)).astype(np.float32) for length in lengths]


def naive(query: np.ndarray, document: np.ndarray) -> float:
    return sum(max(float(q @ d) for d in document.astype(np.float64)) for q in query.astype(np.float64))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(1, 7), st.integers(1, 20))
def test_scores_are_those_of_the_definition(lengths, query_length, width):
    documents, query = texts(1, lengths, width), texts(2, [query_length], width)[0]
    found = maxsim(query, TokenVectors.of(documents))
    np.testing.assert_allclose(found, [naive(query, d) for d in documents], rtol=1e-5, atol=1e-4)


def test_a_pair_has_one_score_whatever_its_company():
    lengths = [3, 163, 1, 290, 64, 17, 163, 8]
    documents, (query,) = texts(1, lengths), texts(2, [14])
    alone = [maxsim(query, TokenVectors.of([document]))[0].tobytes() for document in documents]
    together = TokenVectors.of(documents)
    assert [score.tobytes() for score in maxsim(query, together)] == alone
    backwards = list(range(len(lengths)))[::-1]
    assert [score.tobytes() for score in maxsim(query, together, backwards)[::-1]] == alone
    assert [score.tobytes() for score in maxsim(query, together, [3, 3, 0])] == [alone[3], alone[3], alone[0]]


def test_thread_counts_change_no_byte():
    seen = set()
    for blas, own in (("1", 1), ("2", 1), ("1", 3), ("4", 2)):
        env = {**os.environ, "OPENBLAS_NUM_THREADS": blas, "OMP_NUM_THREADS": blas}
        program = MANY.format(threads=own)
        done = subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout.strip())
    assert len(seen) == 1
    assert len(seen.pop()) == len(hashlib.sha256().hexdigest())


def test_each_query_gets_the_documents_it_wants():
    queries, documents = TokenVectors.of(texts(2, [4, 9, 5])), TokenVectors.of(texts(1, [7, 3, 20]))
    none, two, everything = maxsim_pairs(queries, documents, [[], [2, 0], None], 2)
    assert len(none) == 0
    assert two.tolist() == maxsim(queries.text(1), documents, [2, 0]).tolist()
    assert everything.tolist() == maxsim(queries.text(2), documents).tolist()
    with pytest.raises(UsageError, match="3 queries and 1 lists"):
        maxsim_pairs(queries, documents, [None], 1)


def test_a_text_without_tokens_has_no_score():
    with pytest.raises(UsageError, match="without tokens"):
        maxsim(texts(2, [3])[0], TokenVectors.of(texts(1, [2, 0, 4])))
    assert len(maxsim(texts(2, [3])[0], TokenVectors.of([]))) == 0
