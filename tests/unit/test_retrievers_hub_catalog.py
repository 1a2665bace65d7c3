"""The catalog of models of a hub: facts that hang together, and settings that stand between flags and the model."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import get_type_hints

import pytest
from command import within as hakari

import hakari.retrievers as package
from hakari.errors import UsageError
from hakari.retrievers.hub_catalog import USAGE, HubEntry, hub_catalog, settings_of
from hakari.retrievers.model_settings import DenseSettings
from hakari.retrievers.models import catalog
from hakari.retrievers.registry import known, parse

FILE = Path(package.__file__).parent / "data" / "hub_models.toml"
ASKED_FOR = """
    e5-small-v2 bge-m3 gte-modernbert-base all-MiniLM-L6-v2 snowflake-arctic-embed-m-v2.0 nomic-embed-text-v1.5
    jina-embeddings-v2-small-en Qwen3-Embedding-0.6B embeddinggemma-300m granite-embedding-english-r2
    harrier-oss-v1-270m potion-retrieval-32M splade-v3 opensearch-neural-sparse-encoding-doc-v3-distill colbertv2.0
    answerai-colbert-small-v1 GTE-ModernColBERT-v1 mxbai-edge-colbert-v0-32m ms-marco-MiniLM-L6-v2
    bge-reranker-v2-m3 jina-reranker-v2-base-multilingual mxbai-rerank-xsmall-v1 Qwen3-Reranker-0.6B
    ettin-reranker-32m-v1
"""


def test_the_models_that_the_field_compares_are_there_in_all_families() -> None:
    assert set(ASKED_FOR.split()) <= hub_catalog().keys()
    families = Counter(entry.family for entry in hub_catalog().values())
    assert families.keys() == {"dense", "sparse", "late", "rerank"}
    assert min(families.values()) >= 4


@pytest.mark.parametrize("entry", hub_catalog().values(), ids=lambda entry: entry.name)
def test_an_entry_is_whole(entry: HubEntry) -> None:
    assert entry.source == f"https://huggingface.co/{entry.repository}"
    assert entry.settings.keys() <= get_type_hints(DenseSettings).keys()
    assert entry.name not in catalog()
    for number in (entry.parameters, entry.dimensions, entry.max_tokens, entry.language_count):
        assert number is None or number > 0
    retriever = parse(entry.name)
    assert (retriever.family, retriever.name) == (entry.family, entry.name)


def test_no_field_of_the_file_is_passed_over() -> None:
    told = {key for entry in tomllib.loads(FILE.read_text(encoding="utf-8")).values() for key in entry}
    assert told <= {*HubEntry.__dataclass_fields__, *USAGE} - {"name", "settings"}


def test_the_catalog_stands_between_flags_and_the_model(tmp_path: Path) -> None:
    for spelling in ("e5-small-v2", "hf:intfloat/e5-small-v2", "hf:intfloat/e5-small-v2@v1"):
        asked = parse(spelling).asked
        assert asked.values["query_prompt"] == "query: "
    changed = parse("e5-small-v2(query_prompt='q: ',document_prompt='passage: ')")
    assert changed.name == 'e5-small-v2(query_prompt="q: ")'
    assert changed.asked.values == {
        "query_prompt": "q: ",
        "document_prompt": "passage: ",
        "similarity": "cosine",
    }
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "own: ", "web_search_query": "web: "}, "similarity_fn_name": "dot"})
    )
    named = parse("harrier-oss-v1-270m")
    named.asked.source.folder = lambda: tmp_path  # type: ignore[method-assign]
    told = named.asked.resolved().told()
    assert told["query_prompt"] == {"value": "web: ", "from": "catalog"}
    assert told["similarity"] == {"value": "cosine", "from": "catalog"}
    assert told["document_prompt"]["from"] == "default"


def test_models_outside_the_catalog_have_nothing_from_it() -> None:
    assert settings_of("org/name", "dense") == {}
    assert settings_of("intfloat/e5-small-v2", "late") == {}


def test_listing_tells_family_size_and_licence() -> None:
    shown = hakari("retrievers", "ettin-reranker-17m").stdout
    assert all(word in shown for word in ("ettin-reranker-17m-v1", "rerank", "17 M", "apache-2.0"))
    rows = {row["name"]: row for row in json.loads(hakari("retrievers", "--json").stdout)}
    assert rows["splade-v3"]["licence"] == "cc-by-nc-sa-4.0"
    assert rows["bge_small_en"]["licence"] == "MIT"
    assert all(row["parameters"] for row in rows.values() if row["name"].startswith("e5"))
    assert {entry.name for entry in known()} == rows.keys()


def test_a_misspelt_model_of_the_catalog_is_an_unknown_name() -> None:
    with pytest.raises(UsageError, match="unknown retriever `e5-smal-v2`") as told:
        parse("e5-smal-v2")
    assert "`e5-small-v2`" in str(told.value.hint)
