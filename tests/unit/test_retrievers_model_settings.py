"""Who decides how a model is used, read from files alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hakari.errors import InvalidInput, UsageError
from hakari.retrievers.model_settings import own_settings, resolve, with_prompts
from hakari.retrievers.model_source import HubModel, LocalModel


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


MODULES = [
    {"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
    {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"},
]


def test_flags_come_before_the_catalog_before_the_model_before_defaults() -> None:
    layers = {
        "default": {"a": 0, "b": 0, "c": 0, "d": 0},
        "model": {"a": 1, "b": 1, "c": 1},
        "catalog": {"a": 2, "b": 2},
        "flag": {"a": 3, "b": None},
    }
    resolved = resolve(layers)
    assert dict(resolved.values) == {"a": 3, "b": 2, "c": 1, "d": 0}
    assert resolved.told()["c"] == {"value": 1, "from": "model"}
    assert dict(resolved.origins) == {"a": "flag", "b": "catalog", "c": "model", "d": "default"}


def test_what_a_model_says_of_itself_is_read(tmp_path: Path) -> None:
    assert own_settings(tmp_path) == {}
    write(
        tmp_path,
        {
            "modules.json": MODULES,
            "1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
            "sentence_bert_config.json": {"max_seq_length": 256},
            "tokenizer_config.json": {"model_max_length": 512},
            "config.json": {"max_position_embeddings": 512, "torch_dtype": "bfloat16"},
            "config_sentence_transformers.json": {
                "similarity_fn_name": "dot",
                "prompts": {"query": "q: ", "passage": "p: "},
            },
        },
    )
    assert own_settings(tmp_path) == {
        "query_prompt": "q: ",
        "document_prompt": "p: ",
        "similarity": "dot",
        "normalise": True,
        "pooling": "cls",
        "max_length": 256,
        "dtype": "bfloat16",
    }


@pytest.mark.parametrize(
    ("files", "length"),
    [
        (
            {
                "tokenizer_config.json": {"model_max_length": 8192},
                "config.json": {"max_position_embeddings": 512},
            },
            512,
        ),
        (
            {
                "tokenizer_config.json": {"model_max_length": 1e30},
                "config.json": {"max_position_embeddings": 512},
            },
            512,
        ),
        ({"tokenizer_config.json": {"model_max_length": 1e30}}, None),
        (
            {
                "sentence_bert_config.json": {"max_seq_length": None},
                "tokenizer_config.json": {"model_max_length": 9},
            },
            9,
        ),
    ],
)
def test_the_length_is_the_first_that_is_stated(tmp_path: Path, files: dict, length: int | None) -> None:
    assert own_settings(write(tmp_path, files)).get("max_length") == length


def test_newer_files_name_the_pooling(tmp_path: Path) -> None:
    write(tmp_path, {"modules.json": MODULES, "1_Pooling/config.json": {"pooling_mode": "lasttoken"}})
    assert own_settings(tmp_path)["pooling"] == "last"


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(InvalidInput, match=r"modules.json: not JSON"):
        own_settings(tmp_path)


def test_prompts_are_taken_by_name() -> None:
    own = {"query": "q: ", "web_search_query": "web: "}
    assert with_prompts({"query_prompt_name": "web_search_query"}, own, "m") == {"query_prompt": "web: "}
    assert with_prompts({"document_prompt": "d: "}, own, "m") == {"document_prompt": "d: "}
    with pytest.raises(UsageError, match="no prompt called `web_search`") as told:
        with_prompts({"query_prompt_name": "web_search"}, own, "m")
    assert told.value.hint == "query_prompt_name=web_search_query"
    with pytest.raises(UsageError, match="no prompts of its own"):
        with_prompts({"query_prompt_name": "web"}, {}, "m")
    with pytest.raises(UsageError, match="both query_prompt and query_prompt_name"):
        with_prompts({"query_prompt_name": "query", "query_prompt": ""}, own, "m")


def test_a_folder_is_what_is_in_it(tmp_path: Path) -> None:
    write(tmp_path / "a", {"modules.json": [], "config.json": {"x": 1}})
    write(tmp_path / "b", {"modules.json": [], "config.json": {"x": 1}})
    (tmp_path / "b" / "README.md").write_text("words")
    first, second = (LocalModel(str(tmp_path / name)).identity() for name in "ab")
    assert first == second
    write(tmp_path / "b", {"config.json": {"x": 22}})
    assert LocalModel(str(tmp_path / "b")).identity() != first


@pytest.mark.parametrize("name", ["mini", "a/b/c", "a b/c", "org/name@", "/name"])
def test_what_is_no_name_on_a_hub_is_said(name: str) -> None:
    with pytest.raises(UsageError, match=r"is no name of a model on a hub|names no revision"):
        HubModel.of(name)


def test_only_a_commit_is_pinned() -> None:
    assert HubModel.of(f"org/name@{'0a' * 20}").pinned
    assert not HubModel.of("org/name@v1.0").pinned
    assert not HubModel.of("org/name").pinned
    assert HubModel.of("org/name@main").spelling == "hf:org/name"


def test_a_folder_without_a_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"neither modules.json nor config.json"):
        LocalModel(str(tmp_path)).folder()
    with pytest.raises(UsageError, match="no folder") as told:
        LocalModel("org/name").folder()
    assert told.value.hint == "for a model of a hub write `hf:org/name`"
