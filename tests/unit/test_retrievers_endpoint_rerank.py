"""Rerank endpoints in the dialects that servers speak, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import endpoint_server
import pytest
from endpoint_process import Server
from small import small_task

from hakari.errors import UsageError
from hakari.retrievers.registry import parse

pytest.importorskip("urllib3", reason="pip install 'hakari[endpoints]'")


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def server(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("hakari.retrievers.http_client.FIRST_WAIT", 0.01)
    running.arm()
    return running


def reranked(server: Server, **settings: Any) -> Any:
    inside = ",".join(f"{k}={v}" for k, v in ({"model": "m", "batch": 4} | settings).items())
    return parse(f"rerank(bm25,rerank:{server.url}({inside}),depth=10)").retrieve(small_task(), 10)


DIALECTS = [
    {},
    {"score": "score", "bare": True, "field": "texts"},  # TEI
    {"kind": "most", "most": 3},
]


@pytest.mark.parametrize("dialect", DIALECTS, ids=["Cohere", "TEI", "small batches"])
def test_candidates_are_ordered_by_the_scores_of_the_endpoint(
    server: Server, dialect: dict[str, Any]
) -> None:
    server.arm(**dialect)
    task, found = small_task(), reranked(server)
    run = found.runs["float"]
    text_of = dict(zip(task.corpus.ids, task.corpus.texts, strict=True))
    for q in range(len(task.queries)):
        rows = run.documents[run.offsets[q] : run.offsets[q + 1]]
        scores = [endpoint_server.overlap(task.queries.texts[q], text_of[run.document_ids[d]]) for d in rows]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == 10
    assert "pairs_tokens" not in found.facts
    assert found.facts["pairs"] == 240
    server.arm(**dialect)
    again = reranked(server)
    assert server.log()["requests"] == 0
    assert again.runs["float"].scores.tobytes() == run.scores.tobytes()


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("nan", "no finite number"),
        ("fewer", "documents were sent and 1 have no score"),
        ("duplicate", "is there twice"),
        ("html", "no JSON"),
        ("truncated", "broke before the whole answer"),
    ],
)
def test_a_fault_is_an_error(server: Server, kind: str, told: str) -> None:
    server.arm(kind=kind, after=2)
    with pytest.raises(UsageError, match=told) as error:
        reranked(server, retries=1)
    assert error.value.hint


def test_settings_are_spelt_and_sent(server: Server) -> None:
    reranker = parse(f"rerank:{server.url}(model=m,fields=truncate:true,max_characters=9,batch=3,timeout=5)")
    assert reranker.name == f"rerank:{server.url}(model=m,fields=truncate:true,max_characters=9)"
    assert parse(reranker.name).settings() == reranker.settings()
    parse(f"rerank(bm25,{reranker.name},depth=5)").retrieve(small_task(), 5)
    log = server.log()
    assert {len(text) for text in log["texts"]} == {9}
    assert all(body["truncate"] is True for body in log["bodies"])
