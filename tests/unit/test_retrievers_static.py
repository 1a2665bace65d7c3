"""Static models: the numbers of the packages that carry them, read without running these."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small import small_task

from hakari.errors import MissingPrerequisite, UsageError
from hakari.retrievers.registry import parse

TASK = small_task(queries=5, documents=20)
WORDS = ["[UNK]", "open", "file", "the", "a"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


def lacks(*modules: str) -> bool:
    return any(importlib.util.find_spec(name) is None for name in modules)


packaged = pytest.mark.skipif(
    lacks("wordllama", "safetensors", "tokenizers"), reason="needs pip install 'hakari[static]'"
)
readable = pytest.mark.skipif(
    lacks("safetensors", "tokenizers"),
    reason="needs safetensors and tokenizers: pip install 'hakari[static]'",
)


@packaged
def test_vectors_are_those_of_the_package() -> None:
    import tokenizers
    from safetensors.numpy import load_file

    model = parse("static:wordllama(normalise=false,similarity=dot)").model
    root = Path(importlib.util.find_spec("wordllama").submodule_search_locations[0])  # type: ignore[union-attr, index]
    matrix = load_file(str(root / "weights/l2_supercat_256.safetensors"))["embedding.weight"].astype(
        np.float32
    )
    tokenizer = tokenizers.Tokenizer.from_file(str(root / "tokenizers/l2_supercat_tokenizer_config.json"))
    for text in ("open a file", "Grüße, 東京 🙂", "x"):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        np.testing.assert_allclose(model.encode(text).vector, matrix[ids].mean(axis=0), atol=1e-6)
    assert model.encode("").vector.tolist() == [0.0] * 256
    assert model.parameters() == 32_000 * 256


@packaged
def test_meaning_is_found_without_torch_or_the_package_being_loaded() -> None:
    program = """
import sys
from small import small_task
from hakari.retrievers.registry import parse
found = parse("static:wordllama").retrieve_variants(small_task(queries=5, documents=20), 20, ["int8"])
assert found.facts["dimensions"] == 256 and set(found.runs) == {"float", "int8"}
assert not {"torch", "wordllama", "sentence_transformers"} & sys.modules.keys()
"""
    path = str(Path(__file__).parents[1])
    subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{program}"], check=True)


@packaged
def test_lengths_prompts_and_long_texts_are_settings() -> None:
    short = parse("static:wordllama(max_length=3)")
    found = short.retrieve(TASK, 20)
    assert found.facts["documents_truncated"] == 20
    tail = parse("static:wordllama(max_length=3,truncate=tail)").retrieve(TASK, 20)
    assert tail.runs["float"].scores.tobytes() != found.runs["float"].scores.tobytes()
    assert parse("static:wordllama(query_prompt='q: ')").name == 'static:wordllama(query_prompt="q: ")'


def model2vec(folder: Path, **tensors: np.ndarray) -> Path:
    """A folder as model2vec writes it."""
    import tokenizers
    from safetensors.numpy import save_file

    folder.mkdir()
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(tensors, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps({"normalize": False, "seq_length": 3}))
    return folder


@readable
def test_a_folder_of_model2vec_is_read_as_it_declares(tmp_path: Path) -> None:
    vectors = np.arange(10, dtype=np.float16).reshape(5, 2)
    model = parse(f"static:{model2vec(tmp_path / 'plain', embeddings=vectors)}").model
    assert model.encode("open file").vector.tolist() == [3.0, 4.0]
    assert model.encode("open nowhere file").vector.tolist() == [3.0, 4.0], "unknown words are left out"
    assert (model.encode("open file the a a").tokens, model.encode("open file the a a").cut) == (5, 2)
    weighted = model2vec(
        tmp_path / "weighted",
        embeddings=vectors,
        weights=np.array([1, 2, 0, 1, 1], np.float32),
        mapping=np.array([0, 1, 2, 3, 3], np.int64),
    )
    model = parse(f"static:{weighted}").model
    assert model.encode("open file").vector.tolist() == [2.0, 3.0]
    assert model.encode("a").vector.tolist() == [6.0, 7.0]


@readable
def test_what_is_no_static_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"model.safetensors and tokenizer.json are not there"):
        parse(f"static:{tmp_path}")
    folder = model2vec(tmp_path / "other", something=np.zeros((2, 2), np.float32))
    with pytest.raises(UsageError, match="holds no matrix named embeddings"):
        parse(f"static:{folder}").require()
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(UsageError, match="cannot be read"):
        parse(f"static:{folder}").require()


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPrerequisite, match=r"pip install .*\[static\]") as told:
        parse("static:wordllama")
    assert told.value.exit_code == 3
