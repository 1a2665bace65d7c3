from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hakari.retrievers.embedding_cache import EmbeddingCache, cache_folder, cache_wanted
from hakari.retrievers.onnx import Encoding

SETTINGS = {"model_sha256": "m", "max_length": 8}


def encoding(seed: int) -> Encoding:
    return Encoding(np.random.default_rng(seed).normal(size=16).astype(np.float32), seed + 9, seed, 0.5)


def filled(folder: Path, texts: list[str]) -> Path:
    with EmbeddingCache(SETTINGS, folder) as cache:
        for i, text in enumerate(texts):
            cache.put(text, encoding(i))
    return cache.path


def test_what_is_put_is_found_by_the_next_cache(tmp_path):
    texts = [f"text {i} \ud800é" for i in range(1200)]
    filled(tmp_path, texts)
    with EmbeddingCache(SETTINGS, tmp_path) as cache:
        found = cache.fetch(["other", *reversed(texts)])
    assert sorted(found) == list(range(1, 1201))
    for i in (0, 700, 1199):
        kept = found[1200 - i]
        assert kept.vector.tobytes() == encoding(i).vector.tobytes()
        assert kept[1:] == encoding(i)[1:]


def test_other_settings_find_nothing(tmp_path):
    filled(tmp_path, ["a"])
    with EmbeddingCache({**SETTINGS, "max_length": 9}, tmp_path) as cache:
        assert cache.fetch(["a"]) == {}


def test_two_caches_share_a_file(tmp_path):
    with EmbeddingCache(SETTINGS, tmp_path) as one, EmbeddingCache(SETTINGS, tmp_path) as two:
        one.put("a", encoding(1))
        two.put("b", encoding(2))
        one.flush()
        two.flush()
        assert set(one.fetch(["a", "b"])) == set(two.fetch(["a", "b"])) == {0, 1}


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough " * 100, b"SQLite format 3\0" + b"\7" * 9000]
)
def test_a_corrupt_file_is_set_aside_with_a_warning(tmp_path, caplog, content):
    path = filled(tmp_path, ["a"])
    path.write_bytes(content)
    with EmbeddingCache(SETTINGS, tmp_path) as cache:
        assert cache.fetch(["a"]) == {}
        cache.put("a", encoding(3))
    assert "set aside" in caplog.text
    aside = [other for other in tmp_path.iterdir() if "corrupt" in other.name]
    assert [other.read_bytes() for other in aside] == [content]
    with EmbeddingCache(SETTINGS, tmp_path) as cache:
        assert set(cache.fetch(["a"])) == {0}


def test_a_file_cut_short_is_never_fatal(tmp_path, caplog):
    path = filled(tmp_path, [f"t{i}" for i in range(400)])
    os.truncate(path, path.stat().st_size // 2)
    with EmbeddingCache(SETTINGS, tmp_path) as cache:
        found = cache.fetch([f"t{i}" for i in range(400)])
        assert all(kept.vector.tobytes() == encoding(i).vector.tobytes() for i, kept in found.items())
        cache.put("t0", encoding(0))
    assert "corrupt" in caplog.text


def test_a_vector_that_lost_a_bit_is_not_served(tmp_path):
    path = filled(tmp_path, ["a", "b"])
    with sqlite3.connect(path) as connection:
        blob = connection.execute("SELECT vector FROM vectors WHERE tokens = 9").fetchone()[0]
        connection.execute(
            "UPDATE vectors SET vector = ? WHERE tokens = 9", (bytes([blob[0] ^ 1]) + blob[1:],)
        )
    connection.close()
    with EmbeddingCache(SETTINGS, tmp_path) as cache:
        assert set(cache.fetch(["a", "b"])) == {1}


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with EmbeddingCache(SETTINGS, tmp_path / "file" / "sub") as cache:
        cache.put("a", encoding(1))
        cache.flush()
        assert cache.fetch(["a"]) == {}
    assert caplog.text.count("going on without it") == 1


def test_a_warning_reaches_stderr_where_no_logging_is_set_up(tmp_path):
    (tmp_path / "file").write_text("")
    code = (
        "import sys; from pathlib import Path; from hakari.retrievers.embedding_cache import EmbeddingCache;"
        "EmbeddingCache({}, Path(sys.argv[1])).close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "file")], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "going on without it" in done.stderr


def test_a_killed_run_leaves_what_it_flushed(tmp_path):
    code = """
import sys, time
from pathlib import Path
import numpy as np
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.onnx import Encoding
cache = EmbeddingCache({"a": 1}, Path(sys.argv[1]))
for i in range(100000):
    cache.put(f"t{i}", Encoding(np.full(16, i, np.float32), 1, 0, 0.0))
    if i % 10 == 9:
        cache.flush()
    if i == 500:
        print("far enough", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with EmbeddingCache({"a": 1}, tmp_path) as cache:
        found = cache.fetch([f"t{i}" for i in range(500)])
    assert len(found) == 500
    assert all((kept.vector == i).all() for i, kept in found.items())


def test_where_the_cache_lies_and_how_it_is_switched_off(tmp_path, monkeypatch):
    monkeypatch.delenv("HAKARI_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "hakari"
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    assert cache_wanted()
    monkeypatch.setenv("HAKARI_EMBEDDING_CACHE", "0")
    assert not cache_wanted()
