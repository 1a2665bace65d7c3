"""Dense models of sentence-transformers, held against real weights: one vector a text, settings, errors, agreement."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command import within as hakari
from hub_server import HubServer
from minilm import minilm
from small import small_set, small_task

from hakari import bench, measures
from hakari.errors import HakariError, UsageError
from hakari.retrievers.encode import encode_texts
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

pytestmark = pytest.mark.peer

TEXTS = [
    "def area(radius): return math.pi * radius ** 2",
    "The city lies on the river and has two universities.",
    "",
    "x",
    "for line in open(path): yield line.rstrip()\n" * 60,
    "Grüße aus Köln, 東京 and القاهرة 🙂",
]
TASK = small_task(queries=5, documents=12)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def folder() -> Path:
    return minilm()


@pytest.fixture(scope="module")
def retriever(folder: Path):
    return parse(f"st:{folder}(max_length=128)")


@pytest.fixture(scope="module")
def alone(retriever) -> list[bytes]:
    encoder = retriever.model.encoder("document")
    encoder.load()
    return [encoder.encode(text).vector.tobytes() for text in TEXTS]


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_text_has_one_vector_whatever_its_company(retriever, alone, threads, order, monkeypatch) -> None:
    monkeypatch.setenv("HAKARI_THREADS", threads)
    encoded = encode_texts(retriever.model.encoder("document"), TEXTS[::order])
    assert [vector.tobytes() for vector in encoded.vectors[::order]] == alone
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors, axis=1), 1, rtol=1e-6)


def test_torch_has_its_threads_back_afterwards(retriever) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        retriever.model.encoder("query").encode("a text")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_batches_are_a_choice_that_is_recorded(folder, alone, monkeypatch) -> None:
    monkeypatch.setenv("HAKARI_EMBEDDING_CACHE", "0")
    batched = parse(f"st:{folder}(max_length=128,batch_size=4)")
    encoder = batched.model.encoder("document")
    assert encoder.settings()["batch_size"] == batched.settings()["batch_size"] == 4
    one = np.stack([np.frombuffer(vector, np.float32) for vector in alone])
    encoded = encode_texts(encoder, TEXTS)
    np.testing.assert_allclose(encoded.vectors, one, atol=1e-6)
    assert encoded.tokens.tolist()[2:4] == [0, 1]
    assert encoded.cut[4] == encoded.tokens[4] - 126 > 600


def test_a_cached_run_equals_the_first_and_encodes_nothing(folder) -> None:
    first, again = (parse(f"st:{folder}").retrieve(TASK, 5) for _ in range(2))
    assert first.costs["texts_encoded"] == 17
    assert again.costs["texts_encoded"] == 0
    assert again.facts == first.facts
    assert again.runs["float"].scores.tobytes() == first.runs["float"].scores.tobytes()


def test_scores_are_those_of_sentence_transformers(folder) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    run = parse(f"st:{folder}(query_prompt='query: ')").retrieve(TASK, 12).runs["float"]
    queries = model.encode_query(list(TASK.queries.texts), prompt="query: ")
    scores = model.similarity(queries, model.encode_document(list(TASK.corpus.texts))).numpy()
    for row in range(5):
        ranked = slice(run.offsets[row], run.offsets[row + 1])
        np.testing.assert_allclose(run.scores[ranked], scores[row, run.documents[ranked]], atol=1e-6)


def test_sentence_transformers_own_evaluator_agrees(folder) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    task = binary(small_task(queries=20, documents=60))
    queries, corpus = (dict(zip(t.ids, t.texts, strict=True)) for t in (task.queries, task.corpus))
    judged = {
        q: {
            task.corpus.ids[d]
            for d in task.qrels.documents[task.qrels.offsets[i] : task.qrels.offsets[i + 1]]
        }
        for i, q in enumerate(task.queries.ids)
    }
    evaluator = InformationRetrievalEvaluator(
        queries, corpus, judged, ndcg_at_k=[10], mrr_at_k=[10], map_at_k=[100], accuracy_at_k=[10],
        precision_recall_at_k=[10], show_progress_bar=False, write_csv=False,
    )  # fmt: skip
    theirs = evaluator(SentenceTransformer(str(folder), device="cpu"))
    run = parse(f"st:{folder}").retrieve(task, 60).runs["float"]
    pairs = {
        "nDCG@10": "cosine_ndcg@10",
        "RR@10": "cosine_mrr@10",
        "AP@100": "cosine_map@100",
        "hit@10": "cosine_accuracy@10",
        "R@10": "cosine_recall@10",
        "P@10": "cosine_precision@10",
    }
    ours = measures.score(run, task.qrels, tuple(pairs))
    for measure, key in pairs.items():
        assert ours.mean(measure) == pytest.approx(theirs[key], abs=1e-6), measure


def binary(task: Task) -> Task:
    judged = [
        (q, task.corpus.ids[d], 1)
        for i, q in enumerate(task.queries.ids)
        for d in task.qrels.documents[task.qrels.offsets[i] : task.qrels.offsets[i + 1]]
    ]
    queries, corpus = (dict(zip(t.ids, t.texts, strict=True)) for t in (task.queries, task.corpus))
    return assemble(
        "NanoTest", "Binary", queries, corpus, judged, traits=Traits("en", "code", "text-to-code")
    )


def test_a_result_that_is_there_is_read_without_torch(folder, tmp_path) -> None:
    code = (
        "import sys, hakari; from small import small_task\n"
        f"hakari.run({f'st:{folder}'!r}, on=small_task(), results={str(tmp_path)!r})\n"
        "print(sorted({'torch', 'sentence_transformers'} & sys.modules.keys()))"
    )
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(done.stdout.strip())
    assert told == ["['sentence_transformers', 'torch']", "[]"]


def test_the_manifest_says_what_was_used_and_who_said_it(folder, tmp_path) -> None:
    prompts = tmp_path / "prompts.toml"
    prompts.write_text('["NanoTest/*"]\nquery = "code for: "\n["*"]\nquery = "no"\n')
    spelling = f"st:{folder}(pooling=cls,max_length=64,prompts={prompts})"
    plan = bench.Plan([parse(spelling)], depth=10, results=tmp_path / "r")
    ((_, stored),) = bench.weigh(plan, [TASK], 1)
    told = stored.manifest["facts"]["settings"]
    assert told["pooling"] == {"value": "cls", "from": "flag"}
    assert told["max_length"] == {"value": 64, "from": "flag"}
    assert told["normalise"] == {"value": True, "from": "model"}
    assert told["similarity"]["value"] == "cosine"
    assert told["dtype"] == {"value": "float32", "from": "model"}
    for setting, value in {"device": "cpu", "batch_size": 1, "attention": "auto"}.items():
        assert told[setting] == {"value": value, "from": "default"}
    assert told["trust_remote_code"] == {"value": False, "from": "default"}
    assert told["query_prompt"] == {"value": "code for: ", "from": "prompts of the task"}
    assert stored.manifest["task_settings"] == {"query_prompt": "code for: "}
    assert stored.manifest["settings"]["pooling"] == "cls"
    assert {"torch", "sentence-transformers", "transformers"} <= stored.manifest["versions"].keys()


def test_settings_change_what_they_say(folder) -> None:
    runs = {
        settings: parse(f"st:{folder}({settings})").retrieve(TASK, 12).runs["float"].scores
        for settings in (
            "pooling=mean",
            "pooling=cls",
            "max_length=8",
            "normalise=false,similarity=dot",
            "dtype=bfloat16",
        )
    }
    plain = parse(f"st:{folder}").retrieve(TASK, 12).runs["float"].scores
    assert runs.pop("pooling=mean").tobytes() == plain.tobytes()
    assert all(scores.tobytes() != plain.tobytes() for scores in runs.values())
    assert runs["normalise=false,similarity=dot"].max() > 2
    np.testing.assert_allclose(np.sort(runs["dtype=bfloat16"]), np.sort(plain), atol=0.02)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_a_model_of_a_hub_is_the_folder_that_it_holds(folder, hub, tmp_path) -> None:
    commit = hub.commit("org/mini", folder)
    small_set(tmp_path, ("First",))
    on = ("--on", tmp_path / "NanoTest", "--results", tmp_path / "r", "--json")
    done = hakari("run", "hf:org/mini", f"st:{folder}", "--variants", "int8", *on)
    values = {
        (row["retriever"][:2], row["variant"], row["measure"]): row["value"]
        for row in json.loads(done.stdout)
    }
    assert {v for (_, v, _) in values} == {"float", "int8"}
    for (family, variant, measure), value in values.items():
        assert value == values["st" if family == "hf" else "hf", variant, measure]
    (manifest,) = (tmp_path / "r").glob("hf_org_mini-*/NanoTest/manifest.json")
    assert commit in manifest.read_text()
    asked = len(hub.requests)
    again = hakari("run", "hf:org/mini", *on)
    assert "running" not in again.stderr
    assert len(hub.requests) == asked + 1, "only the branch is asked for"


def corrupt(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to)
    weights = to / "model.safetensors"
    weights.write_bytes(struct.pack("<Q", 1 << 40) + weights.read_bytes()[8:5000])
    return to


def test_what_cannot_be_had_is_one_line_and_one_hint(folder, hub, tmp_path) -> None:
    hub.commit("org/mini", folder)
    small_set(tmp_path, ("First",))
    damaged = corrupt(folder, tmp_path / "damaged")
    wrong = {
        "hf:org/mimi": "there is no model `org/mimi`",
        "hf:org/mini@v9": "`org/mini` has no revision `v9`",
        f"st:{damaged}": "cannot be loaded",
        "st:no/such": "there is no folder `no/such`",
        "hf:org/mini(trust_remote_code=true)": "its revision must be a commit",
        "hf:org/mini(device=cuda:7)": "device `cuda:7` cannot be used",
    }
    for spelling, told in wrong.items():
        done = hakari("run", spelling, "--on", tmp_path / "NanoTest", "--results", tmp_path / "r", code=2)
        error, hint = done.stderr.strip().splitlines()[-2:]
        assert told in error, done.stderr
        assert error.startswith("error: ")
        assert hint.startswith("hint: ")


def test_code_of_a_model_is_run_only_from_a_commit(folder, tmp_path) -> None:
    other = tmp_path / "coded"
    shutil.copytree(folder, other)
    config = json.loads((other / "config.json").read_text())
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "org/code--configuration.Mine"}}
    (other / "config.json").write_text(json.dumps(config))
    with pytest.raises(HakariError, match=r"comes with code of its own|cannot be loaded"):
        parse(f"st:{other}").require()
    with pytest.raises(UsageError, match="runs code of another repository, `org/code`"):
        parse(f"st:{other}(trust_remote_code=true)").require()
    with pytest.raises(UsageError, match="code_revision is `main`, which is no commit"):
        parse(f"st:{other}(trust_remote_code=true,code_revision=main)")
