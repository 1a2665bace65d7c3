"""Sets that hakari pushed, read by the packages that read published ones, through their own clients.

mteb brings 1.9 GB, which is more than a test is worth: where it is installed its loader is tested, CI goes without.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from command import within
from hub_server import HubServer
from small import small_set

from hakari.io.candidates import load_candidates
from hakari.tasks.registry import resolve
from hakari.types import Task


def needs(package: str) -> pytest.MarkDecorator:
    """Skip where a package is not installed; it is not imported here, which would take longer than the tests."""
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")


pytestmark = [pytest.mark.peer, pytest.mark.slow, needs("datasets"), needs("huggingface_hub")]

# Two of the names that sentence-transformers has its list of.
SPLITS = {"NanoSciFact": "scifact", "NanoArguAna": "arguana"}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubServer]:
    """A hub with a set that was pushed to it, candidates included."""
    folder = tmp_path_factory.mktemp("pushed")
    with HubServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", server.url)
        patch.setenv("HF_HOME", str(folder / "hf"))
        patch.setenv("HAKARI_CACHE", str(folder / "cache"))
        path = small_set(folder, tuple(SPLITS))
        within("candidates", path, "--bm25")
        within("push", path, "hub:org/NanoTest")
        yield server


@pytest.fixture(scope="module")
def tasks(hub: HubServer) -> dict[str, Task]:
    """The same set as hakari reads it."""
    return {ref.split: ref.load() for ref in resolve("hub:org/NanoTest")}


def told_by(program: str, **environment: str) -> Any:
    """What a program in a process of its own prints as JSON: a client reads its settings when it is imported."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True, text=True, timeout=300, env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def texts(part: Any) -> dict[str, str]:
    return dict(zip(part.ids.tolist(), part.texts.tolist(), strict=True))


def judged(task: Task) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for query, name in enumerate(task.queries.ids):
        rows = slice(int(task.qrels.offsets[query]), int(task.qrels.offsets[query + 1]))
        ids = task.corpus.ids[task.qrels.documents[rows]].tolist()
        found[name] = dict(zip(ids, task.qrels.grades[rows].tolist(), strict=True))
    return found


DATASETS = """
import json
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
told = {"configs": get_dataset_config_names("org/NanoTest"), "splits": {}, "types": {}, "rows": {}}
for config in told["configs"]:
    told["splits"][config] = sorted(get_dataset_split_names("org/NanoTest", config))
    one = load_dataset("org/NanoTest", config, split="NanoSciFact")
    told["types"][config] = {name: str(kind) for name, kind in one.features.items()}
    told["rows"][config] = one.to_list()
print(json.dumps(told))
"""


def test_datasets_reads_every_configuration(hub: HubServer, tasks: dict[str, Task]) -> None:
    told, task = told_by(DATASETS), tasks["NanoSciFact"]
    assert set(told["configs"]) == {"corpus", "queries", "qrels", "bm25"}
    assert all(splits == sorted(SPLITS) for splits in told["splits"].values())
    assert told["types"]["qrels"]["score"] == "Value('int32')"
    for config, part in (("corpus", task.corpus), ("queries", task.queries)):
        assert {row["_id"]: row["text"] for row in told["rows"][config]} == texts(part)
    rows: dict[str, dict[str, int]] = {}
    for row in told["rows"]["qrels"]:
        rows.setdefault(row["query-id"], {})[row["corpus-id"]] = row["score"]
    assert rows == judged(task)
    run = load_candidates(task.candidates["bm25"], task)
    first = run.document_ids[run.documents[: run.offsets[1]]].tolist()
    assert next(r["corpus-ids"] for r in told["rows"]["bm25"] if r["query-id"] == run.query_ids[0]) == first


TRANSFORMERS = """
import json, sys
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.cross_encoder.evaluation import CrossEncoderNanoBEIREvaluator
from sentence_transformers.sentence_transformer.evaluation import NanoBEIREvaluator
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers

names = ["scifact", "arguana"]
dense = NanoBEIREvaluator(names, dataset_id="org/NanoTest", write_csv=False)
told = {"dense": {}, "rerank": {}}
words = set()
for one in dense.evaluators:
    corpus = dict(zip(one.corpus_ids, one.corpus)); queries = dict(zip(one.queries_ids, one.queries))
    words |= {word for text in [*one.corpus, *one.queries] for word in text.split()}
    relevant = {query: sorted(documents) for query, documents in one.relevant_docs.items()}
    told["dense"][one.name] = {"corpus": corpus, "queries": queries, "relevant": relevant}
torch.manual_seed(7)
tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["[UNK]", *sorted(words)])}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=64)], device="cpu")
told["scores"] = {key: value for key, value in dense(model).items() if key.endswith("cosine_ndcg@10")}
for one in CrossEncoderNanoBEIREvaluator(names, dataset_id="org/NanoTest", write_csv=False).evaluators:
    told["rerank"][one.name] = [{k: v for k, v in sample.items() if k != "query_id"} for sample in one.samples]
print(json.dumps(told))
"""


@needs("sentence_transformers")
def test_the_nano_evaluators_of_sentence_transformers_read_it(hub: HubServer, tasks: dict[str, Task]) -> None:
    told = told_by(TRANSFORMERS)
    for split, task in tasks.items():
        read = told["dense"][split]
        assert read["corpus"] == texts(task.corpus)
        assert read["queries"] == texts(task.queries)
        assert read["relevant"] == {query: sorted(documents) for query, documents in judged(task).items()}
        (samples,) = (told["rerank"][name] for name in told["rerank"] if name.startswith(split))
        assert {sample["query"] for sample in samples} == set(task.queries.texts)
        positives = {text for sample in samples for text in sample["positive"]}
        assert positives <= set(task.corpus.texts)
    assert set(told["scores"]) == {f"{name}_cosine_ndcg@10" for name in [*SPLITS, "NanoBEIR_mean"]}
    assert all(0 < value < 1 for value in told["scores"].values())


MTEB = """
import json
from mteb.abstasks.retrieval_dataset_loaders import RetrievalDatasetLoader
told = {}
for split in ("NanoSciFact", "NanoArguAna"):
    read = RetrievalDatasetLoader("org/NanoTest", "main", split=split).load()
    told[split] = {part: {row["id"]: row["text"] for row in read[part]} for part in ("corpus", "queries")}
    told[split]["judged"] = read["relevant_docs"]
print(json.dumps(told))
"""


@needs("mteb")
def test_the_loader_of_mteb_reads_it(hub: HubServer, tasks: dict[str, Task]) -> None:
    told = told_by(MTEB)
    for split, task in tasks.items():
        assert told[split]["corpus"] == texts(task.corpus)
        assert told[split]["queries"] == texts(task.queries)
        assert told[split]["judged"] == judged(task)


CLIENT = """
import json, sys
from pathlib import Path
from huggingface_hub import HfApi, snapshot_download
place = Path(snapshot_download("org/NanoTest", repo_type="dataset"))
api = HfApi()
api.create_repo("org/NanoCopy", repo_type="dataset", exist_ok=True)
done = api.upload_folder(folder_path=place, repo_id="org/NanoCopy", repo_type="dataset")
print(json.dumps({"commit": done.oid, "files": sorted(p.relative_to(place).as_posix() for p in place.rglob("*.*"))}))
"""


def test_the_client_downloads_it_and_what_the_client_uploads_is_read(
    hub: HubServer, tasks: dict[str, Task]
) -> None:
    # Without xet, the newer protocol of uploads, of which the server here knows nothing.
    told = told_by(CLIENT, HF_HUB_DISABLE_XET="1")
    assert "corpus/NanoSciFact.parquet" in told["files"]
    for ref in resolve(f"hub:org/NanoCopy@{told['commit']}"):
        assert ref.load().content == tasks[ref.split].content
