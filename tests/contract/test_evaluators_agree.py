"""sentence-transformers' own evaluators, family by family: the same figures to 1e-6, with tied documents among them.

Both settle equal scores by id, the library by the smaller and hakari, like trec_eval, by the larger. So the library is
given ids in the opposite order, and is told to encode one text at a time as hakari does.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch_models
from minilm import minilm
from small import small_task

from hakari import measures
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

pytestmark = pytest.mark.peer

SHARED = {
    "nDCG@10": "ndcg@10",
    "RR@10": "mrr@10",
    "AP@100": "map@100",
    "hit@10": "accuracy@10",
    "R@10": "recall@10",
    "P@10": "precision@10",
}
FAMILIES = {
    "dense": ("SentenceTransformer", "sentence_transformer", "InformationRetrievalEvaluator", "cosine_"),
    "sparse": ("SparseEncoder", "sparse_encoder", "SparseInformationRetrievalEvaluator", "dot_"),
    "late": (
        "MultiVectorEncoder",
        "multi_vector_encoder",
        "MultiVectorInformationRetrievalEvaluator",
        "maxsim_",
    ),
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("models")
    return {
        "dense": minilm(),
        "sparse": torch_models.static_sparse(made / "words"),
        "late": torch_models.colbert(made / "colbert"),
        "rerank": torch_models.cross_encoder(made / "pairs"),
    }


def relevant(task: Task) -> dict[str, set[str]]:
    """The judged documents by query."""
    bounds = task.qrels.offsets
    return {
        q: {str(task.corpus.ids[d]) for d in task.qrels.documents[bounds[i] : bounds[i + 1]]}
        for i, q in enumerate(task.queries.ids)
    }


def tied_task() -> Task:
    """Every document stands in the corpus three times under ids in no order, so each judged one is tied."""
    plain = small_task(queries=16, documents=40)
    names = [f"{number:03}" for number in range(3 * len(plain.corpus))]
    random.Random(3).shuffle(names)
    given = dict(zip(plain.corpus.ids, plain.corpus.texts, strict=True))
    copies = {d: [names.pop() for _ in range(3)] for d in given}
    corpus = {name: given[d] for d, own in copies.items() for name in own}
    judged = [(q, copies[d][0], 1) for q, found in relevant(plain).items() for d in sorted(found)]
    queries = dict(zip(plain.queries.ids, plain.queries.texts, strict=True))
    return assemble("NanoTest", "Tied", queries, corpus, judged, traits=Traits("en", "code", "text-to-code"))


def library(kind: str, folder: Path) -> Any:
    """The model as sentence-transformers loads it by itself."""
    import sentence_transformers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(sentence_transformers, kind)(str(folder), device="cpu")


def theirs(task: Task, family: str, folder: Path, reverse: bool = True) -> dict[str, float]:
    """What the evaluator of the library says, with ids in the opposite order or as they are."""
    import importlib

    from hakari.retrievers.torch_model import one_thread

    kind, module, evaluator, prefix = FAMILIES[family]
    made = getattr(importlib.import_module(f"sentence_transformers.{module}.evaluation"), evaluator)
    order = sorted(map(str, task.corpus.ids), reverse=reverse)
    theirs_of = {d: f"{place:04}" for place, d in enumerate(order)}
    corpus = {theirs_of[d]: text for d, text in zip(task.corpus.ids, task.corpus.texts, strict=True)}
    judged = {q: {theirs_of[d] for d in found} for q, found in relevant(task).items()}
    queries = dict(zip(task.queries.ids, task.queries.texts, strict=True))
    with one_thread():
        found = made(
            queries, corpus, judged, ndcg_at_k=[10], mrr_at_k=[10], map_at_k=[100], accuracy_at_k=[10],
            precision_recall_at_k=[10], show_progress_bar=False, write_csv=False, batch_size=1,
        )(library(kind, folder))  # fmt: skip
    return {measure: float(found[prefix + key]) for measure, key in SHARED.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_their_evaluator_agrees_with_ties_and_without(folders, family) -> None:
    spelling = {"dense": "st:", "sparse": "sparse:st:", "late": "late:st:"}[family] + str(folders[family])
    for task in (small_task(queries=16, documents=40), tied_task()):
        run = parse(spelling).retrieve(task, len(task.corpus)).runs["float"]
        ours = measures.score(run, task.qrels, tuple(SHARED))
        if task.split == "Small":  # theirs has no grades
            ungraded = assembled_without_grades(task)
            ours = measures.score(run, ungraded.qrels, tuple(SHARED))
        found = theirs(task, family, folders[family])
        assert {m: ours.mean(m) for m in SHARED} == pytest.approx(found, abs=1e-6), task.split
    # It is the rule for ties that was put right, and not that there are none.
    assert theirs(task, family, folders[family], reverse=False) != pytest.approx(found, abs=1e-3)


def assembled_without_grades(task: Task) -> Task:
    """The same task with every judged document relevant alike."""
    judged = [(q, d, 1) for q, found in relevant(task).items() for d in sorted(found)]
    queries, corpus = (dict(zip(t.ids, t.texts, strict=True)) for t in (task.queries, task.corpus))
    return assemble(
        "NanoTest", task.split, queries, corpus, judged, traits=Traits("en", "code", "text-to-code")
    )


def test_their_evaluator_of_rerankers_agrees(folders) -> None:
    import torch
    from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator

    task = assembled_without_grades(small_task(queries=10, documents=12))
    texts = dict(zip(task.corpus.ids, task.corpus.texts, strict=True))
    samples = [
        {"query": text, "positive": [texts[d] for d in relevant(task)[q]], "documents": list(texts.values())}
        for q, text in zip(task.queries.ids, task.queries.texts, strict=True)
    ]
    evaluator = CrossEncoderRerankingEvaluator(samples, at_k=10, batch_size=1, write_csv=False)
    model = library("CrossEncoder", folders["rerank"])
    # As it comes, the model squeezes scores through a sigmoid, which makes ties of some.
    model.activation_fn = torch.nn.Identity()
    found = evaluator(model)
    run = parse(f"rerank(random,rerank:st:{folders['rerank']},depth=12)")
    first = parse("random").retrieve(task, 12).runs["float"]
    ours = measures.score(run.retrieve(task, 12, [first]).runs["float"], task.qrels, "nDCG@10,RR@10,AP")
    assert ours.mean("nDCG@10") == pytest.approx(found["ndcg@10"], abs=1e-6)
    assert ours.mean("RR@10") == pytest.approx(found["mrr@10"], abs=1e-6)
    assert ours.mean("AP") == pytest.approx(found["map"], abs=1e-6)
