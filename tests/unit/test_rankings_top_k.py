import numpy as np
import pytest
from both_paths import needs_compiled, without_compiled
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hakari import native
from hakari.rankings import top_k

scores = st.tuples(st.integers(0, 4), st.integers(0, 30)).flatmap(
    lambda shape: arrays(
        np.float32,
        shape,
        elements=st.one_of(
            st.sampled_from([0.0, -0.0, 1.0, 1.5, -1.0, np.inf, -np.inf, np.nan, 1e-45]),
            st.floats(width=32),
        ),
    )
)


@given(matrix=scores, k=st.integers(0, 40))
@settings(derandomize=True, deadline=None, max_examples=500)
def test_both_paths_give_the_same_bytes(matrix: np.ndarray, k: int) -> None:
    with without_compiled():
        documents, kept = top_k(matrix, k)
    fast_documents, fast_kept = top_k(matrix, k)
    assert (documents.dtype, kept.dtype) == (fast_documents.dtype, fast_kept.dtype)
    assert documents.shape == fast_documents.shape
    assert documents.tobytes() == fast_documents.tobytes()
    assert kept.tobytes() == fast_kept.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ties_go_to_the_larger_document(dtype: type) -> None:
    matrix = np.array([[0, 2, 1, 2, -0.0], [3, 3, 3, 3, 3]], dtype)
    documents, kept = top_k(matrix, 4)
    assert documents.tolist() == [[3, 1, 2, 4], [4, 3, 2, 1]]
    assert kept.tolist() == [[2, 2, 1, 0], [3, 3, 3, 3]]


def test_scores_tie_as_float32() -> None:
    documents, _ = top_k(np.array([[0.5 + 1e-9, 0.5]]), 2)
    assert documents.tolist() == [[1, 0]]


@given(
    rows=st.integers(1, 5), columns=st.integers(1, 3000), k=st.integers(1, 600), levels=st.integers(1, 2000)
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_wide_rows_equal_a_full_sort(rows: int, columns: int, k: int, levels: int) -> None:
    generator = np.random.default_rng(rows * columns + k)
    matrix = generator.integers(0, levels, (rows, columns)).astype(np.float32)
    documents, kept = top_k(matrix, k)
    for row in range(rows):
        order = np.lexsort((np.arange(columns), matrix[row]))[::-1][:k]
        assert documents[row].tolist() == order.tolist()
        assert kept[row].tolist() == matrix[row][order].tolist()


@needs_compiled
def test_buffers_of_the_wrong_size_are_refused() -> None:
    scores, documents, kept = np.zeros((2, 3), np.float32), np.zeros(4, np.int32), np.zeros(4, np.float32)
    for rows, columns, depth in [(2, 3, 0), (2, 3, 4), (3, 3, 2), (2, 4, 2), (2, 3, 1), (-1, 3, 2)]:
        with pytest.raises(ValueError):
            native.compiled.top_k(scores, rows, columns, depth, documents, kept)
    with pytest.raises(TypeError, match="read-write"):
        native.compiled.top_k(scores, 2, 3, 2, bytes(16), kept)
