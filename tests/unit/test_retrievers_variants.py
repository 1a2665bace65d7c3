from __future__ import annotations

import warnings

import numpy as np
import pytest
from both_paths import needs_compiled, without_compiled
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari import native
from hakari.retrievers.variant_names import Form
from hakari.retrievers.variants import (
    EXACT_IN_FLOAT32,
    BinaryIndex,
    Int8Index,
    build,
    quantise,
    rescore,
    signs,
    truncate,
)


def vectors(seed: int, count: int, width: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


def decaying(seed: int, count: int, width: int = 384) -> np.ndarray:
    """Vectors whose dimensions vary less and less, as those of trained models do along their main directions."""
    return vectors(seed, count, width) / np.sqrt(1 + np.arange(width, dtype=np.float32) / 20)


shapes = st.tuples(st.integers(1, 9), st.integers(1, 40), st.integers(1, 200))


@pytest.mark.parametrize("kind", [Int8Index, BinaryIndex])
@given(shape=shapes, seed=st.integers(0, 99))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_both_paths_give_the_same_bytes(kind: type, shape: tuple[int, int, int], seed: int) -> None:
    queries, documents, width = shape
    q, d = vectors(seed, queries, width), vectors(seed + 1, documents, width)
    d[seed % documents] = 0
    fast = kind(q, d).scores(slice(0, queries))
    with without_compiled():
        slow = kind(q, d).scores(slice(0, queries))
    assert fast.dtype == slow.dtype == np.float32
    assert fast.tobytes() == slow.tobytes()


@pytest.mark.parametrize("width", [EXACT_IN_FLOAT32, EXACT_IN_FLOAT32 + 1, 4096])
def test_sums_that_float32_cannot_hold_are_exact_too(width: int) -> None:
    q = np.ones((2, width), np.float32)  # the largest sums there are
    d = np.concatenate([np.ones((1, width), np.float32), vectors(1, 20, width)])
    codes = quantise(d)
    exact = codes.codes.astype(np.int64).sum(axis=1) * 127
    expected = exact.astype(np.float32) * codes.scales * np.float32(np.float32(1) / np.float32(127))
    for index in both(Int8Index, q, d):
        np.testing.assert_array_equal(index.scores(slice(0, 1))[0], expected)


def both(kind: type, q: np.ndarray, d: np.ndarray) -> list:
    with without_compiled():
        slow = kind(q, d)
    return [kind(q, d), slow] if native.compiled is not None else [slow]


def test_int8_scores_are_those_of_dequantised_vectors() -> None:
    q, d = decaying(1, 40), decaying(2, 900)
    scores = Int8Index(q, d).scores(slice(0, 40))
    dequantised = (
        quantise(q).dequantised().astype(np.float64) @ quantise(d).dequantised().astype(np.float64).T
    )
    np.testing.assert_allclose(scores, dequantised, rtol=1e-5, atol=1e-5)


def test_no_number_moves_by_more_than_half_a_step() -> None:
    d = decaying(3, 200)
    codes = quantise(d)
    assert np.abs(codes.codes).max() == 127
    assert (np.abs(codes.dequantised() - d) <= codes.scales[:, None] * 0.5001).all()


def test_int8_keeps_at_least_98_of_the_100_nearest() -> None:
    q, d = decaying(4, 60), decaying(5, 5000)
    exact = np.argsort(-(q @ d.T), axis=1)[:, :100]
    found = np.argsort(-Int8Index(q, d).scores(slice(0, 60)), axis=1)[:, :100]
    kept = np.mean([len(set(a) & set(b)) / 100 for a, b in zip(exact, found, strict=True)])
    assert kept >= 0.98


@pytest.mark.parametrize("fill", [0.0, 1e-45, 1e-38, 3e38])
def test_vectors_at_the_edges_of_float32_are_quantised_without_a_warning(fill: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = quantise(np.full((2, 5), fill, np.float32))
    assert np.isfinite(codes.scales).all()
    assert len(set(codes.codes.ravel().tolist())) == 1


@pytest.mark.parametrize("width", [1, 7, 8, 9, 63, 64, 65, 384, 1000])
def test_packed_signs_agree_with_a_naive_hamming_distance(width: int) -> None:
    q, d = vectors(1, 8, width), vectors(2, 50, width)
    q[0, 0] = d[0, 0] = 0  # zero is not above zero
    naive = np.array([[sum((a > 0) != (b > 0) for a, b in zip(x, y, strict=True)) for y in d] for x in q])
    for index in both(BinaryIndex, q, d):
        np.testing.assert_array_equal(index.scores(slice(0, 8)), width - 2 * naive)
        assert index.bytes_per_document == -(-width // 8)
    assert signs(d).shape == (50, -(-width // 64))


def test_truncated_vectors_have_length_one_again_where_asked() -> None:
    d = vectors(1, 20, 16)
    d[3, :8] = 0
    assert truncate(d, None, True) is d
    assert truncate(d, 16, True) is d
    np.testing.assert_array_equal(truncate(d, 8, False), d[:, :8])
    lengths = np.linalg.norm(truncate(d, 8, True), axis=1)
    np.testing.assert_allclose(np.delete(lengths, 3), 1, rtol=1e-6)
    assert lengths[3] == 0


def test_rescored_candidates_stand_by_score_and_then_by_document() -> None:
    candidates = np.array([[4, 0, 2, 1], [0, 1, 2, 3]], np.int32)
    scores = np.array([[1, 5, 1, 9, 2], [0, 0, -0.0, -1, 7]], np.float32)
    documents, by = rescore(candidates, scores, 4)
    assert documents.tolist() == [[1, 4, 2, 0], [2, 1, 0, 3]]
    assert by.tolist() == [[5, 2, 1, 1], [0, 0, 0, -1]]
    assert rescore(candidates, scores, 1)[0].tolist() == [[1], [2]]


def test_bytes_a_document_are_what_an_index_would_keep() -> None:
    forms = [Form(), Form(64), Form(None, "int8"), Form(64, "int8"), Form(None, "binary"), Form(60, "binary")]
    built = build(forms, vectors(1, 2, 384), vectors(2, 3, 384), True)
    assert [built[form].bytes_per_document for form in forms] == [1536, 256, 388, 68, 48, 8]


@needs_compiled
def test_buffers_of_the_wrong_size_are_refused() -> None:
    words, scores = np.zeros((2, 3), np.uint64), np.zeros((2, 2), np.float32)
    for some, count, out in [
        (words[:1], 3, scores),
        (words, 0, scores),
        (words, 4, scores),
        (words, 3, scores[:1]),
    ]:
        with pytest.raises(ValueError):
            native.compiled.sign_scores(some, words, count, 64, out)
    good = [
        np.zeros((2, 8), np.uint8),
        np.zeros((1, 2, 16, 4), np.int8),
        np.zeros(16, np.int32),
        np.zeros(2, np.float32),
        np.zeros(16, np.float32),
    ]
    out = np.zeros((2, 5), np.float32)
    for place in range(5):
        bad = [a.ravel()[:-1] if i == place else a for i, a in enumerate(good)]
        with pytest.raises(ValueError):
            native.compiled.byte_scores(*bad, 2, 5, out)
    for groups, documents in [(0, 5), (2, -1), (3, 5), (2, 17), (2, 6)]:
        with pytest.raises(ValueError):
            native.compiled.byte_scores(*good, groups, documents, out)
