from __future__ import annotations

import time

import numpy as np

from hakari.errors import UsageError
from hakari.retrievers import latency
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.onnx import Encoding


class Slow:
    """Sleeps as many milliseconds as the text says."""

    def __init__(self):
        self.asked = []

    def settings(self):
        return {"slow": True}

    def load(self):
        return self

    def encode(self, text):
        self.asked.append(text)
        time.sleep(int(text) / 1000)
        return Encoding(np.ones(2, np.float32), 1, 0, 0.0)


def test_a_sample_is_spread_over_all_queries():
    assert latency.sample(5) == [0, 1, 2, 3, 4]
    rows = latency.sample(320)
    assert rows == list(range(0, 320, 10))
    assert len(latency.sample(33)) == len(set(latency.sample(33))) == 32


def test_the_first_query_warms_up_and_each_is_timed_alone():
    encoder = Slow()
    found = latency.encoding_alone(encoder, {0: "5", 7: "1", 9: "9"}, None)
    assert encoder.asked == ["5", "5", "1", "9"]
    assert list(found) == [0, 7, 9]
    assert found[9] >= 0.009
    assert found[9] > found[7]


def test_measuring_ends_with_its_budget_but_not_before_three(monkeypatch):
    monkeypatch.setattr(latency, "BUDGET_S", 0.001)
    assert list(latency.seconds_each(range(10), lambda row: time.sleep(0.002))) == [0, 1, 2]
    assert latency.seconds_each([], lambda row: 1 / 0) == {}


def test_what_was_timed_before_is_not_timed_again(tmp_path):
    encoder, texts = Slow(), {3: "1", 5: "2", 6: "3"}
    with EmbeddingCache(encoder.settings(), tmp_path) as cache:
        first = latency.encoding_alone(encoder, texts, cache)
    with EmbeddingCache(encoder.settings(), tmp_path) as cache:
        again = latency.encoding_alone(encoder, texts, cache)
    assert again == first
    assert len(encoder.asked) == 4


def test_a_model_that_cannot_be_asked_any_more_has_no_latency(caplog):
    class Gone(Slow):
        def encode(self, text):
            raise UsageError("the endpoint is gone")

    assert latency.encoding_alone(Gone(), {0: "1"}, None) == {}
    assert "the endpoint is gone" in caplog.text


def test_only_queries_timed_by_every_part_are_told():
    ids = np.array(["a", "b", "c"], dtype=object)
    assert latency.by_query(ids, {0: 0.5, 2: 0.25}, {2: 0.25, 1: 9.0}) == {"c": 0.5}
    assert latency.by_query(ids) == {}
