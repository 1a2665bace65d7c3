"""Models of a hub, fetched by the real client from a small hub on this machine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import Flip, HubServer, Status

from hakari.errors import MissingPrerequisite, UsageError
from hakari.io import hub_models
from hakari.retrievers.model_source import HubModel
from hakari.retrievers.registry import parse

pytest.importorskip("huggingface_hub")
FILES = {
    "config.json": b"{}",
    "model.safetensors": b"weights" * 100,
    "pytorch_model.bin": b"a pickle",
    "onnx/model.onnx": b"another framework",
    "1_Pooling/config.json": b"{}",
}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield server


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_weights_come_as_safetensors_and_nothing_is_fetched_twice(hub: HubServer) -> None:
    commit = hub.commit("org/once", FILES)
    assert hub_models.commit_of("org/once") == commit
    folder = hub_models.snapshot("org/once", commit)
    assert names(folder) == {"config.json", "model.safetensors", "1_Pooling/config.json"}
    before = len([r for r in hub.requests if r.startswith("GET /cdn")])
    assert hub_models.snapshot("org/once", commit) == folder
    assert len([r for r in hub.requests if r.startswith("GET /cdn")]) == before == 1


def test_a_branch_moves_and_a_commit_stays(hub: HubServer) -> None:
    first = hub.commit("org/moves", FILES)
    second = hub.commit("org/moves", {**FILES, "config.json": b'{"new": 1}'})
    assert hub_models.commit_of("org/moves") == second
    asked = len(hub.requests)
    assert hub_models.commit_of("org/moves", first) == first
    assert len(hub.requests) == asked


def test_wrong_names_and_revisions_are_told_apart(hub: HubServer) -> None:
    hub.commit("org/there", FILES)
    with pytest.raises(UsageError, match="there is no model `org/theer`"):
        hub_models.commit_of("org/theer")
    with pytest.raises(UsageError, match="`org/there` has no revision `v9`"):
        hub_models.commit_of("org/there", "v9")
    with pytest.raises(UsageError, match="has no revision"):
        hub_models.snapshot("org/there", "0" * 40)


def test_a_damaged_file_is_removed_and_fetched_again(hub: HubServer) -> None:
    commit = hub.commit("org/damaged", FILES)
    hub.fail("GET", "cdn", "model.safetensors", Flip(5))
    with pytest.raises(UsageError, match=r"`model.safetensors` of `org/damaged` is damaged"):
        hub_models.snapshot("org/damaged", commit)
    folder = hub_models.snapshot("org/damaged", commit)
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_what_was_fetched_serves_without_a_network(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.commit("org/offline", FILES)
    folder = hub_models.snapshot("org/offline", hub_models.commit_of("org/offline"))
    hub.fail("api/models/org/offline", Status(503), times=20)
    assert hub_models.commit_of("org/offline") == commit
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert hub_models.commit_of("org/offline") == commit
    assert hub_models.snapshot("org/offline", commit) == folder
    with pytest.raises(MissingPrerequisite, match="was never fetched"):
        hub_models.commit_of("org/never")


def test_a_misspelt_name_is_told_the_nearest_that_hakari_knows(hub: HubServer) -> None:
    with pytest.raises(UsageError, match="there is no model `intfloat/e5-smal-v2`") as told:
        assert HubModel.of("intfloat/e5-smal-v2").commit
    assert told.value.hint == "did you mean `hf:intfloat/e5-small-v2`?"


@pytest.mark.parametrize(
    "spelling", ["e5-small-v2", "sparse:hf:org/x", "late:hf:org/x", "rerank(bm25,rerank:hf:org/x)"]
)
def test_without_sentence_transformers_the_extra_is_named_first(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name, *a: None if name == "sentence_transformers" else find(name, *a),
    )
    with pytest.raises(
        MissingPrerequisite, match="needs sentence-transformers, which is not installed"
    ) as told:
        parse(spelling).require()
    assert "[torch]" in str(told.value.hint)
    assert told.value.exit_code == 3
    assert not hub.requests
