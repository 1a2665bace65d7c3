from __future__ import annotations

import hashlib
import threading

import numpy as np
import pytest

from hakari.errors import UsageError
from hakari.retrievers import encode
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.encode import encode_texts, thread_count
from hakari.retrievers.onnx import Encoding, unit


class HashEncoder:
    """A vector that depends on the text alone, and a record of what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.loaded = 0
        self._lock = threading.Lock()

    def settings(self):
        return {"hash": "sha256"}

    def load(self):
        self.loaded += 1

    def encode(self, text: str) -> Encoding:
        with self._lock:
            self.asked.append(text)
        if text == "bad":
            raise ValueError("bad text")
        vector = np.frombuffer(hashlib.sha256(text.encode()).digest(), np.uint8).astype(np.float32)
        return Encoding(vector, len(text), max(0, len(text) - 3), 0.25)


def test_vectors_stand_in_the_order_of_their_texts_whatever_the_threads(monkeypatch):
    texts = [f"text {i % 37} {'x' * (i % 11)}" for i in range(300)]
    seen = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("HAKARI_THREADS", threads)
        seen.add(encode_texts(HashEncoder(), texts).vectors.tobytes())
        back = encode_texts(HashEncoder(), texts[::-1]).vectors[::-1]
        seen.add(np.ascontiguousarray(back).tobytes())
    assert seen == {np.stack([HashEncoder().encode(text).vector for text in texts]).tobytes()}


def test_equal_texts_are_encoded_once_and_the_longest_first(monkeypatch):
    monkeypatch.setenv("HAKARI_THREADS", "1")
    encoder = HashEncoder()
    encoded = encode_texts(encoder, ["b", "aaa", "b", "cc"])
    assert encoder.asked == ["aaa", "cc", "b"]
    assert (encoded.distinct, encoded.fresh, encoded.thread_seconds) == (3, 3, 0.75)
    assert encoded.tokens.tolist() == [1, 3, 1, 2]


def test_the_cache_is_asked_first_and_the_model_not_loaded_for_nothing(tmp_path):
    with EmbeddingCache({}, tmp_path) as cache:
        first = encode_texts(HashEncoder(), ["a", "b"], cache)
    encoder = HashEncoder()
    with EmbeddingCache({}, tmp_path) as cache:
        again = encode_texts(encoder, ["b", "a"], cache)
        assert (encoder.asked, encoder.loaded) == ([], 0)
        more = encode_texts(encoder, ["b", "c", "a"], cache)
    assert encoder.asked == ["c"]
    assert again.vectors[::-1].tobytes() == first.vectors.tobytes()
    assert (again.fresh, more.fresh, more.thread_seconds) == (0, 1, 0.75)


def test_progress_counts_every_text_to_the_end(tmp_path):
    calls: list[tuple[int, int]] = []
    with EmbeddingCache({}, tmp_path) as cache:
        encode_texts(HashEncoder(), ["a"], cache)
        encode_texts(
            HashEncoder(), ["a", "b", "b", "c"], cache, lambda done, total: calls.append((done, total))
        )
    assert calls[0] == (1, 4)
    assert calls[-1] == (4, 4)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_what_was_encoded_before_a_failure_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARI_THREADS", "1")
    with EmbeddingCache({}, tmp_path) as cache, pytest.raises(ValueError, match="bad text"):
        encode_texts(HashEncoder(), ["long text", "bad", "c"], cache)
    with EmbeddingCache({}, tmp_path) as cache:
        assert set(cache.fetch(["long text", "bad"])) == {0}


@pytest.mark.parametrize("error", [IndexError("of the model"), KeyboardInterrupt()])
def test_whatever_a_model_raises_in_its_thread_is_raised_here(error, monkeypatch):
    class Failing(HashEncoder):
        def encode(self, text):
            if text == "text 7":
                raise error
            return super().encode(text)

    monkeypatch.setenv("HAKARI_THREADS", "3")
    with pytest.raises(type(error)):
        encode_texts(Failing(), [f"text {i}" for i in range(40)])


def test_a_slow_model_is_heard_of_before_it_is_done(monkeypatch):
    monkeypatch.setenv("HAKARI_THREADS", "1")
    monkeypatch.setattr(encode, "HAND_OVER_S", 0.0)
    encoder, heard = HashEncoder(), []
    encode_texts(encoder, ["a", "b", "c"], progress=lambda done, total: heard.append((done, total)))
    assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_facts_say_how_much_was_not_read():
    encoded = encode_texts(HashEncoder(), ["a", "abcdef", "abcdef", "abc"])
    assert encoded.facts("documents") == {
        "documents_truncated": 2,
        "documents_tokens": 16,
        "documents_tokens_cut_share": 0.375,
    }
    assert encode_texts(HashEncoder(), []).facts("queries")["queries_tokens_cut_share"] == 0.0


def test_threads_are_those_asked_for(monkeypatch):
    monkeypatch.delenv("HAKARI_THREADS", raising=False)
    assert thread_count() >= 1
    monkeypatch.setenv("HAKARI_THREADS", "7")
    assert thread_count() == 7
    for wrong in ("0", "-1", "many"):
        monkeypatch.setenv("HAKARI_THREADS", wrong)
        with pytest.raises(UsageError, match="HAKARI_THREADS"):
            thread_count()


def test_unit_vectors_leave_zeros_alone():
    scaled = unit(np.array([[3, 4], [0, 0]], np.float32))
    assert scaled.tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0]]
