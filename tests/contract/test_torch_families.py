"""Rerankers, late interaction and sparse encoders of sentence-transformers: its numbers, one a text, whatever else."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch_models
from command import within as hakari
from minilm import minilm
from small import long_task, small_set, small_task

from hakari.errors import HakariError, UsageError
from hakari.retrievers.cross_encoder import joined
from hakari.retrievers.encode import encode_each
from hakari.retrievers.late_variants import pooled
from hakari.retrievers.registry import parse
from hakari.types import Run

pytestmark = pytest.mark.peer

TASK = small_task(queries=4, documents=12)
TEXTS = [
    "def area(radius): return math.pi * radius ** 2",
    "",
    "x",
    "for line in open(path): yield line\n" * 30,
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    minilm()
    folder = tmp_path_factory.mktemp("models")
    return {
        name: getattr(torch_models, name)(folder / name)
        for name in ("colbert", "splade", "static_sparse", "cross_encoder")
    }


def library(kind: str, folder: Path) -> Any:
    """The model as sentence-transformers loads it by itself."""
    import sentence_transformers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(sentence_transformers, kind)(str(folder), device="cpu")


def bytes_of(run: Run) -> bytes:
    return run.documents.tobytes() + run.scores.tobytes()


def check_scores(run: Run, expected: np.ndarray, tolerance: float = 1e-5) -> None:
    """Every score of a run is the one of its pair in a matrix."""
    for row in range(len(TASK.queries)):
        ranked = slice(run.offsets[row], run.offsets[row + 1])
        np.testing.assert_allclose(
            run.scores[ranked], expected[row, run.documents[ranked]], rtol=tolerance, atol=tolerance
        )


@pytest.mark.parametrize(
    "name",
    ["late:st:{colbert}", "sparse:st:{splade}(max_length=64)", "rerank(bm25,rerank:st:{cross_encoder})"],
)
def test_a_text_gives_the_same_whatever_its_company(made, name, monkeypatch) -> None:
    retriever = parse(name.format(**made))
    reranks = name.startswith("rerank")
    encoder = retriever.reranker.encoder() if reranks else retriever.encoder("document")
    texts = [joined(a, b) for a in TEXTS for b in TEXTS] if reranks else TEXTS
    encoder.load()
    alone = [encoder.encode(text).vector.tobytes() for text in texts]
    for threads in ("1", "3"):
        monkeypatch.setenv("HAKARI_THREADS", threads)
        each = encode_each(encoder, texts[::-1])
        assert [e.vector.tobytes() for e in each.encodings[::-1]] == alone
    long = encode_each(encoder, texts).encodings[-1]
    assert long.tokens > long.cut > 100


def test_late_scores_are_those_of_the_library(made) -> None:
    model = library("MultiVectorEncoder", made["colbert"])
    queries = model.encode_query(list(TASK.queries.texts))
    scores = model.similarity(queries, model.encode_document(list(TASK.corpus.texts))).numpy()
    found = parse(f"late:st:{made['colbert']}").retrieve(TASK, 12)
    check_scores(found.runs["float"], scores)
    assert found.facts["tokens_projected"] is True
    assert found.facts["settings"]["query_prompt"] == {"value": "query: ", "from": "model"}
    other = parse(f"late:st:{made['colbert']}(query_prompt='')").retrieve(TASK, 12).runs["float"]
    assert bytes_of(other) != bytes_of(found.runs["float"])
    reranked = parse(f"rerank(bm25,late:st:{made['colbert']})").retrieve(TASK, 12)
    check_scores(reranked.runs["float"], scores)


def test_late_variants_come_from_the_vectors_that_are_there(made) -> None:
    retriever = parse(f"late:st:{made['colbert']}")
    plain = retriever.retrieve(TASK, 12)
    names = ["tokens=8", "pool=2", "tokens=16+pool=2"]
    found = parse(retriever.name).retrieve_variants(TASK, 12, names)
    assert found.costs["texts_encoded"] == 0
    assert bytes_of(found.runs["float"]) == bytes_of(plain.runs["float"])
    sizes = {name: found.costs["variants"][name]["index_bytes"] for name in ("float", *names)}
    assert sizes["tokens=8"] == 12 * 8 * 16 * 4
    assert sizes["tokens=16+pool=2"] < sizes["pool=2"] < 0.65 * sizes["float"]
    assert len({bytes_of(run) for run in found.runs.values()}) == 4
    assert retriever.variants_among(["int8", "pool=2", "float"]) == ("pool=2", "float")


def test_pooling_is_that_of_the_library() -> None:
    minilm()
    import torch
    from sentence_transformers.multi_vector_encoder.modules import HierarchicalTokenPooling

    vectors = np.random.default_rng(3).normal(size=(41, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for factor in (1, 2, 4, 100):
        theirs = HierarchicalTokenPooling(pool_factor=factor).pool([torch.from_numpy(vectors)])[0].numpy()
        ours = pooled(vectors, factor)
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(sorted(ours.tolist()), sorted(theirs.tolist()), atol=1e-6)


def test_a_model_without_a_projection_of_tokens_gets_no_random_one() -> None:
    spelling = f"late:st:{minilm()}(max_length=32)"
    first, again = (parse(spelling).retrieve(TASK, 12) for _ in range(2))
    assert first.facts["tokens_projected"] is False
    assert bytes_of(first.runs["float"]) == bytes_of(again.runs["float"])
    model = library("SentenceTransformer", minilm())
    model.max_seq_length = 32
    tokens = [
        model.encode([text], output_value="token_embeddings")[0].numpy()
        for text in (TASK.queries.texts[0], TASK.corpus.texts[3])
    ]
    query, document = (t / np.linalg.norm(t, axis=1, keepdims=True) for t in tokens)
    run = first.runs["float"]
    place = list(run.documents[:12]).index(3)
    assert run.scores[place] == pytest.approx((query @ document.T).max(axis=1).sum(), rel=1e-5)


@pytest.mark.parametrize("name", ["splade", "static_sparse"])
def test_sparse_scores_are_those_of_the_library(made, name) -> None:
    model = library("SparseEncoder", made[name])
    queries = model.encode_query(list(TASK.queries.texts))
    scores = model.similarity(queries, model.encode_document(list(TASK.corpus.texts)))
    found = parse(f"sparse:st:{made[name]}").retrieve(TASK, 12)
    check_scores(found.runs["float"], scores.to_dense().numpy())
    run = found.runs["float"]
    assert (run.scores > 0).all()
    assert found.facts["documents_active_dims"] > 5
    assert found.facts["settings"]["similarity"]["value"] == "dot"
    assert {"index_bytes", "query_seconds", "search_s"} <= found.costs.keys()


def test_active_dims_are_those_of_the_library(made) -> None:
    spelling, name = f"sparse:st:{made['splade']}", "active-dims:query=16,document=128"
    parse(spelling).retrieve(TASK, 12)
    found = parse(spelling).retrieve_variants(TASK, 12, [name, "active-dims:document=64"])
    assert found.costs["texts_encoded"] == 0
    model = library("SparseEncoder", made["splade"])
    queries = model.encode_query(list(TASK.queries.texts), max_active_dims=16)
    documents = model.encode_document(list(TASK.corpus.texts), max_active_dims=128)
    check_scores(found.runs[name], model.similarity(queries, documents).to_dense().numpy())
    sizes = [
        found.costs["variants"][v]["index_bytes_per_document"] for v in (name, "active-dims:document=64")
    ]
    assert sizes == [128 * 8, 64 * 8]


def test_reranker_scores_are_those_of_the_library_before_they_are_squeezed(made) -> None:
    import torch

    model = library("CrossEncoder", made["cross_encoder"])
    pairs = [[q, d] for q in TASK.queries.texts for d in TASK.corpus.texts]
    scores = model.predict(pairs, activation_fn=torch.nn.Identity()).reshape(4, 12)
    found = parse(f"rerank(bm25,rerank:st:{made['cross_encoder']})").retrieve(TASK, 12)
    check_scores(found.runs["float"], scores)
    assert found.facts["settings"]["max_length"] == {"value": 64, "from": "model"}
    again = parse(f"rerank(bm25,rerank:st:{made['cross_encoder']})").retrieve(TASK, 12)
    assert again.costs["pairs_scored"] == 0
    assert bytes_of(again.runs["float"]) == bytes_of(found.runs["float"])


@pytest.mark.parametrize("kept", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("stated", [True, False])
def test_the_type_of_numbers_that_is_told_is_the_one_a_model_is_run_in(made, tmp_path, kept, stated) -> None:
    import torch

    folder = tmp_path / "model"
    library("CrossEncoder", made["cross_encoder"]).to(getattr(torch, kept)).save_pretrained(str(folder))
    for path in folder.rglob("config.json"):
        config = {k: v for k, v in json.loads(path.read_text()).items() if stated or "dtype" not in k}
        path.write_text(json.dumps(config))
    reranker = parse(f"rerank(bm25,rerank:st:{folder})").reranker
    told, model = reranker.asked.told(TASK), reranker.pairs.model()
    assert told["dtype"] == {"value": kept, "from": "model"}
    assert {parameter.dtype for parameter in model.parameters()} == {getattr(torch, kept)}
    assert told["device"]["value"] == model.device.type == "cpu"


def test_the_prompt_that_a_reranker_has_of_its_own_is_told(made, tmp_path) -> None:
    model = library("CrossEncoder", made["cross_encoder"])
    model.prompts, model.default_prompt_name = {"web": "Given a query: "}, "web"
    model.save_pretrained(str(tmp_path / "model"))
    spelling = f"rerank:st:{tmp_path / 'model'}"
    found = parse(f"rerank(bm25,{spelling})").retrieve(TASK, 12)
    assert found.facts["settings"]["prompt"] == {"value": "Given a query: ", "from": "model"}
    given = parse(f"rerank(bm25,{spelling}(prompt='Given a query: '))").retrieve(TASK, 12)
    assert bytes_of(found.runs["float"]) == bytes_of(given.runs["float"])
    without = parse(f"rerank(bm25,rerank:st:{made['cross_encoder']})").retrieve(TASK, 12)
    assert bytes_of(found.runs["float"]) != bytes_of(without.runs["float"])


def test_one_of_several_labels_is_chosen(made, tmp_path) -> None:
    folder = torch_models.cross_encoder(tmp_path / "three", labels=3)
    runs = [
        parse(f"rerank(bm25,rerank:st:{folder}(label={n}))").retrieve(TASK, 12).runs["float"] for n in (0, 2)
    ]
    assert bytes_of(runs[0]) != bytes_of(runs[1])
    with pytest.raises(UsageError, match="gives 3 numbers a pair, and label is 3"):
        parse(f"rerank(bm25,rerank:st:{folder}(label=3))").require()


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("rerank(bm25,rerank:st:{minilm})", "is no reranker"),
        ("sparse:st:{minilm}", "is no sparse encoder"),
        ("sparse:st:{splade}(similarity=euclid)", "must be one of dot, cosine"),
    ],
)
def test_a_model_of_another_kind_is_refused_for_its_scores_would_be_random(made, spelling, told) -> None:
    with pytest.raises(HakariError, match=told):
        parse(spelling.format(minilm=minilm(), **made)).require()


@pytest.mark.parametrize(
    "spelling",
    [
        "st:{minilm}{}",
        "sparse:st:{splade}{}",
        "late:st:{colbert}{}",
        "rerank(bm25,rerank:st:{cross_encoder}{})",
    ],
)
def test_a_text_that_a_model_cannot_take_is_one_line_and_the_way_out(made, spelling) -> None:
    asked = spelling.format("(max_length=600)", minilm=minilm(), **made)
    with pytest.raises(UsageError, match=r"failed while it read a text: .*\nhint: max_length=512") as told:
        parse(asked).retrieve(long_task(), 2)
    assert len(str(told.value).splitlines()) == 2


def test_rerankers_named_alone_run_over_candidates(made, tmp_path) -> None:
    small_set(tmp_path, ("First",))
    name = f"rerank:st:{made['cross_encoder']}"
    on = ("--on", tmp_path / "NanoTest", "--results", tmp_path / "r")
    done = hakari("run", name, "--candidates", "bm25", "--depth", 10, "--measures", "nDCG@10", "--json", *on)
    assert {row["retriever"] for row in json.loads(done.stdout)} == {f"rerank(bm25,{name},depth=10)"}
    alone = hakari("run", name, *on, code=2).stderr.splitlines()[-1]
    assert alone == f"hint: add `--candidates bm25`, or write `rerank(bm25,{name})`"
