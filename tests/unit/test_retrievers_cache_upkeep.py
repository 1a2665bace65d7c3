from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hakari.errors import UsageError
from hakari.retrievers.cache_upkeep import evict, limit, remove, spaces
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.onnx import Encoding

WIDE = Encoding(np.ones(4000, np.float32), 3, 0, 0.1)


def filled(folder: Path, model: str, texts: int = 40, used: float | None = None, **settings: str) -> Path:
    with EmbeddingCache({"model_sha256": model, **settings}, folder, used_by=f"the {model}") as cache:
        for i in range(texts):
            cache.put(f"text {i}", WIDE)
    if used is not None:
        os.utime(cache.path, (used, used))
    return cache.path


def texts_in(folder: Path, model: str, texts: int = 40) -> list[int]:
    with EmbeddingCache({"model_sha256": model}, folder) as cache:
        return sorted(cache.fetch([f"text {i}" for i in range(texts)]))


def test_what_lies_there_is_told_by_model(tmp_path):
    filled(tmp_path, "a", 5, used=10)
    filled(tmp_path, "b", 7, used=20, onnxruntime="0.0.1")
    (tmp_path / "c.sqlite").write_bytes(b"nothing of the kind" * 99)
    (tmp_path / "d.corrupt-1").write_bytes(b"set aside")
    by_name = {space.names[0] if space.names else space.path.name: space for space in spaces(tmp_path)}
    assert list(by_name)[-2:] == ["the b", "the a"]
    assert (by_name["the a"].texts, by_name["the b"].texts) == (5, 7)
    assert by_name["the a"].bytes > 5 * 16000
    assert by_name["the a"].settings == {"model_sha256": "a"}
    assert (by_name["the a"].outdated, by_name["the b"].outdated) == (False, True)
    assert by_name["c.sqlite"].damaged
    assert by_name["d.corrupt-1"].damaged
    assert spaces(tmp_path / "absent") == []


def test_what_is_longest_unused_goes_first(tmp_path):
    old, new = filled(tmp_path, "old", used=10), filled(tmp_path, "new", used=20)
    (tmp_path / "x.corrupt-9").write_bytes(b"x" * 5000)
    assert evict(2_000_000, tmp_path) == []
    assert evict(1_000_000, tmp_path) == [tmp_path / "x.corrupt-9", old]
    assert texts_in(tmp_path, "new") == list(range(40))
    assert not old.exists()
    assert new.exists()


def test_of_the_file_in_use_the_rows_that_came_first_go(tmp_path):
    path = filled(tmp_path, "one", 100)
    before = path.stat().st_size
    assert evict(before // 2, tmp_path, in_use=path) == [path]
    left = texts_in(tmp_path, "one", 100)
    assert 30 <= len(left) <= 50
    assert left == list(range(100 - len(left), 100))
    assert path.stat().st_size <= before // 2


def test_a_cache_keeps_itself_under_its_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARI_CACHE_LIMIT", "1MB")
    filled(tmp_path, "first", 40, used=10)
    filled(tmp_path, "second", 40)
    assert texts_in(tmp_path, "first") == []
    assert texts_in(tmp_path, "second") == list(range(40))
    filled(tmp_path, "third", 200)
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) < 1.1e6


def test_a_file_that_another_process_has_open_is_emptied_and_stays_of_use(tmp_path):
    path = filled(tmp_path, "shared")
    code = """
import sys
from pathlib import Path
import numpy as np
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.onnx import Encoding
with EmbeddingCache({"model_sha256": "shared"}, Path(sys.argv[1])) as cache:
    print(len(cache.fetch([f"text {i}" for i in range(40)])), flush=True)
    sys.stdin.readline()
    print(len(cache.fetch([f"text {i}" for i in range(40)])), flush=True)
    cache.put("text 0", Encoding(np.ones(4, np.float32), 1, 0, 0.1))
"""
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "40\n"
        assert not remove(path)
        other.stdin.write("\n")
        other.stdin.flush()
        assert other.stdout.readline() == "0\n"
    assert other.returncode == 0
    assert texts_in(tmp_path, "shared") == [0]
    assert remove(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5GB", 5 * 10**9),
        ("1.5 MB", 1_500_000),
        ("200k", 200_000),
        ("7", 7),
        ("2GiB", 2 * 10**9),
        ("none", None),
    ],
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert limit(text) == size


def test_a_limit_that_is_no_size_is_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.delenv("HAKARI_CACHE_LIMIT", raising=False)
    assert limit() == 20 * 10**9
    monkeypatch.setenv("HAKARI_CACHE_LIMIT", "plenty")
    with pytest.raises(UsageError, match="HAKARI_CACHE_LIMIT is `plenty`"):
        EmbeddingCache({}, tmp_path)
