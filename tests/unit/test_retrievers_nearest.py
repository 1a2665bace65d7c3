from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from both_paths import without_compiled

from hakari.errors import InvalidInput, UsageError
from hakari.retrievers import nearest
from hakari.retrievers.nearest import Similarity, search, search_variants
from hakari.retrievers.variant_names import VariantName, parse_specs
from hakari.retrievers.variants import Int8Index
from hakari.types import Run

SEARCH = """
import hashlib
import numpy as np
from hakari.retrievers import nearest
rng = np.random.default_rng(4)
names = lambda prefix, count: np.array([f"{prefix}{i:05d}" for i in range(count)], dtype=object)
queries, documents = names("q", 333), names("d", 3000)
vectors = [rng.normal(size=(len(ids), 384)).astype(np.float32) for ids in (queries, documents)]
nearest.BLOCK_CELLS = 600_000
from hakari.retrievers.variant_names import parse_specs
variants = parse_specs(["dim=256+float,int8,binary", "int8>float@100"])
found = nearest.search_variants((queries, vectors[0]), (documents, vectors[1]), 100, variants, nearest.Similarity())
told = b"".join(run.documents.tobytes() + run.scores.tobytes() for run in found.runs.values())
print(hashlib.sha256(told).hexdigest())
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
    monkeypatch.setattr(nearest, "BLOCK_CELLS", 40 * 7)
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


GRID = (
    "dim=16,8+float,int8,binary",
    "int8,binary",
    "int8>float@20",
    "dim=8+binary>float@30",
    "dim=8>dim=16+int8@12",
    "float>int8@9",
)


def by_hand(name: VariantName, q: np.ndarray, d: np.ndarray, depth: int) -> list[list[int]]:
    """Rankings of a variant, each form of the vectors scored and sorted anew, slowly and in plain sight."""

    def scores(form) -> np.ndarray:
        a, b = (unit(v[:, : form.dimensions]) if form.dimensions else v for v in (q, d))
        if form.code == "int8":
            return Int8Index(a, b).scores(slice(0, len(a)))
        if form.code == "binary":
            return np.array([[np.sum((x > 0) == (y > 0)) for y in b] for x in a])
        return a @ b.T

    def ranked(row: np.ndarray, among: list[int]) -> list[int]:
        return sorted(among, key=lambda document: (-row[document], -document))

    found = [ranked(row, list(range(len(d)))) for row in scores(name.form)]
    if name.rescored_by is not None:
        again = scores(name.rescored_by)
        found = [ranked(again[i], ranking[: name.depth]) for i, ranking in enumerate(found)]
    return [ranking[:depth] for ranking in found]


def unit(v: np.ndarray) -> np.ndarray:
    return (v / np.linalg.norm(v, axis=1, keepdims=True)).astype(np.float32)


def lists(run: Run) -> list[list[int]]:
    return [run.documents[a:b].tolist() for a, b in pairwise(run.offsets)]


@pytest.mark.parametrize("depth", [5, 60, 100])
def test_every_variant_finds_what_it_would_find_alone(depth):
    q, d = unit(vectors(1, 9)), unit(vectors(2, 60))
    given = (names("q", 9), q), (names("d", 60), d)
    variants = parse_specs(GRID)
    found = search_variants(*given, depth, variants, Similarity())
    assert list(found.runs) == [str(name) for name in variants]
    for name in variants:
        assert lists(found.runs[str(name)]) == by_hand(name, q, d, depth), str(name)
        alone = search_variants(*given, depth, [name], Similarity()).runs[str(name)]
        assert alone.scores.tobytes() == found.runs[str(name)].scores.tobytes()


def test_rescoring_ends_where_its_candidates_end():
    q, d = vectors(1, 4), vectors(2, 60)
    found = search_variants(
        (names("q", 4), q), (names("d", 60), d), 50, parse_specs(["int8>float@20"]), Similarity()
    )
    assert np.diff(found.runs["int8>float@20"].offsets).tolist() == [20] * 4
    assert np.diff(found.runs["float"].offsets).tolist() == [50] * 4


@pytest.mark.parametrize("depth", [3, 29, 30, 50])
def test_no_variant_lets_a_query_find_itself_where_that_is_excluded(depth):
    ids = names("d", 30)
    d = unit(vectors(2, 30))
    variants = parse_specs(GRID)
    found = search_variants((ids[3:9], d[3:9]), (ids, d), depth, variants, Similarity(), exclude_self=True)
    for name in variants:
        # One more candidate is looked at by hand, for the query's own document takes no place.
        deeper = replace(name, depth=name.depth + 1)
        expected = by_hand(deeper if name.rescored_by else name, d[3:9], d, 30)
        for i, ranking in enumerate(lists(found.runs[str(name)])):
            assert i + 3 not in ranking
            if name.rescored_by is None:
                assert ranking == [document for document in expected[i] if document != i + 3][:depth]
            assert len(ranking) == min(depth, 29, name.depth or 29)


def test_costs_tell_what_each_variant_keeps():
    q, d = vectors(1, 4), vectors(2, 60)
    variants = parse_specs(["int8", "dim=8+binary>float@5"])
    costs = search_variants((names("q", 4), q), (names("d", 60), d), 5, variants, Similarity()).costs
    assert [costs[str(v)]["index_bytes_per_document"] for v in variants] == [96, 28, 97]
    assert all(cost["search_s"] > 0 for cost in costs.values())


def test_cosine_is_that_of_the_dimensions_kept_and_dot_is_not():
    q, d = vectors(1, 4), vectors(2, 60)
    given = (names("q", 4), q), (names("d", 60), d)
    cosine = search_variants(*given, 5, parse_specs(["dim=8"]), Similarity(cosine=True)).runs["dim=8"]
    np.testing.assert_allclose(
        cosine.scores.reshape(4, 5).max(1), (unit(q[:, :8]) @ unit(d[:, :8]).T).max(1), rtol=1e-5
    )
    dot = search_variants(*given, 5, parse_specs(["dim=8"]), Similarity(normalise_cut=False)).runs["dim=8"]
    np.testing.assert_allclose(dot.scores.reshape(4, 5).max(1), (q[:, :8] @ d[:, :8].T).max(1), rtol=1e-5)


def test_more_dimensions_than_there_are_is_said():
    given = (names("q", 2), vectors(1, 2)), (names("d", 3), vectors(2, 3))
    search_variants(*given, 2, parse_specs(["dim=24"]), Similarity())
    with pytest.raises(UsageError, match=r"`int8>dim=25@2` asks for 25 dimensions, and the vectors have 24"):
        search_variants(*given, 2, parse_specs(["int8>dim=25@2"]), Similarity())


def test_bytes_and_bits_hide_no_infinite_number():
    q, d = vectors(1, 2), vectors(2, 3)
    d[1, 0] = np.inf
    with pytest.raises(InvalidInput, match="document `d00001`: its vector has NaN"):
        search_variants((names("q", 2), q), (names("d", 3), d), 2, parse_specs(["int8"]), Similarity())


def test_no_documents_gives_every_variant_an_empty_run():
    none = np.empty((0, 0), np.float32)
    found = search_variants(
        (names("q", 2), vectors(1, 2)), (names("d", 0), none), 5, parse_specs(GRID), Similarity()
    )
    assert all(len(run) == 0 and len(run.offsets) == 3 for run in found.runs.values())
    assert len(found.runs) == len(parse_specs(GRID))


def test_small_blocks_and_no_compiler_change_no_byte_of_integer_scores(monkeypatch):
    q, d = unit(vectors(1, 50)), unit(vectors(2, 40))
    variants = parse_specs(["int8,binary", "dim=8+int8,binary", "binary>int8@9"])
    given = (names("q", 50), q), (names("d", 40), d)
    whole = search_variants(*given, 10, variants, Similarity()).runs
    monkeypatch.setattr(nearest, "BLOCK_CELLS", 40 * 7)
    with without_compiled():
        parts = search_variants(*given, 10, variants, Similarity()).runs
    for name in map(str, variants[1:]):
        assert whole[name].documents.tobytes() == parts[name].documents.tobytes()
        assert whole[name].scores.tobytes() == parts[name].scores.tobytes()
