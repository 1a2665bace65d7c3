from __future__ import annotations

import pytest

from hakari.footprint import percentiles, settled, with_parts


def test_percentiles_are_those_of_numpy():
    import numpy as np

    seconds = np.random.default_rng(5).exponential(0.01, 31)
    found = percentiles({str(i): float(s) for i, s in enumerate(seconds)})
    assert found["query_ms_p50"] == pytest.approx(1000 * np.percentile(seconds, 50), abs=1e-5)
    assert found["query_ms_p95"] == pytest.approx(1000 * np.percentile(seconds, 95), abs=1e-5)
    assert percentiles({}) == {}
    assert percentiles({"q": 0.25}) == {"query_ms_p50": 250.0, "query_ms_p95": 250.0}


def test_measuring_is_left_out_and_what_the_cache_saved_is_counted():
    told = settled({"seconds": 3.0, "cached_s": 10.0, "measuring_s": 1.0, "index_bytes": 50}, 5)
    assert (told["seconds"], told["wall_s"], told["index_bytes_per_document"]) == (12.0, 3.0, 10)


def test_rates_follow_from_texts_and_seconds():
    told = settled({"seconds": 2.0, "encode_s": 2.0, "encoded_texts": 50, "encoded_tokens": 900}, 40)
    assert (told["texts_per_s"], told["tokens_per_s"]) == (25, 450)


def test_every_variant_has_percentiles_of_its_own_and_no_list():
    variants = {"float": {"query_seconds": {"a": 0.1}}, "int8": {"query_seconds": {"a": 0.3}}}
    told = settled({"seconds": 1.0, "query_seconds": {"a": 0.1}, "variants": variants}, 1)
    assert told["variants"]["int8"] == {"query_ms_p50": 300.0, "query_ms_p95": 300.0}
    assert told["query_seconds"] == {"a": 0.1}


def test_parts_add_up_one_after_the_other_and_side_by_side():
    own = {"seconds": 1.0, "query_seconds": {"a": 0.001, "b": 0.001, "c": 0.001}, "peak_bytes": 5}
    one = {"seconds": 2.0, "query_seconds": {"a": 0.01, "b": 0.03}, "index_bytes": 7, "peak_bytes": 9}
    two = {"seconds": 4.0, "query_seconds": {"b": 0.02, "a": 0.02}, "index_bytes": 8, "parameters": 33}
    told = with_parts(own, [one, two])
    assert told["seconds"] == 7.0
    assert (told["index_bytes"], told["parameters"], told["peak_bytes"]) == (15, 33, 9)
    assert told["query_seconds"] == pytest.approx({"a": 0.031, "b": 0.051})
    assert told["query_ms_p50"] == pytest.approx(41.0)
    assert told["parallel_query_ms_p50"] == pytest.approx(26.0)  # 21 and 31
    assert "parallel_query_ms_p50" not in with_parts(own, [one])


def test_a_part_without_times_leaves_none():
    told = with_parts(
        {"seconds": 1.0, "query_seconds": {"a": 0.1}, "query_ms_p50": 100.0}, [{"seconds": 1.0}]
    )
    assert "query_ms_p50" not in told
