"""Chinese words through BM25 give the figure recorded for XQuAD with the same segmenter."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from hakari.text.segmenters import segment

pytestmark = pytest.mark.peer


def column(path: Path, names: str) -> list[tuple[str, str]]:
    return duckdb.execute(f"select {names} from read_parquet(?) order by 1", [str(path)]).fetchall()


def test_xquad_zh(real_data: Path) -> None:
    bm25s = pytest.importorskip("bm25s")
    pytest.importorskip("jieba")
    manifest = json.loads((real_data / "manifest.json").read_text())
    expected = next(task for task in manifest if task["task"] == "XQuAD_zh")["bm25"]
    suite = real_data / "NanoOpen"
    corpus = column(suite / "corpus/XQuAD_zh.parquet", "_id, text")
    queries = column(suite / "queries/XQuAD_zh.parquet", "_id, text")
    positive = dict(column(suite / "qrels/XQuAD_zh.parquet", '"query-id", "corpus-id"'))

    index = bm25s.BM25(k1=1.5, b=0.75, method="robertson")
    index.index(segment("zh", [text for _, text in corpus]), show_progress=False)
    words = segment("zh", [text for _, text in queries])
    rows, _ = index.retrieve(words, k=100, show_progress=False)
    ranks = [
        [corpus[row][0] for row in ranking].index(positive[query]) + 1
        for (query, _), ranking in zip(queries, rows, strict=True)
    ]
    assert np.mean([1 / np.log2(rank + 1) for rank in ranks]) == pytest.approx(
        expected["ndcg_at_10"], abs=5e-4
    )
    assert max(ranks) <= 10
    assert expected["hit_at_10"] == expected["recall_at_100_mean"] == 1.0
