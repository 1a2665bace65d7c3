"""Endpoints, asked over a real socket: a server in another process, with every fault that servers have."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import endpoint_server
import numpy as np
import pytest
from command import hakari, within
from endpoint_process import Server
from small import small_set, small_task

from hakari.errors import InvalidInput, MissingPrerequisite, UsageError
from hakari.report.truncation import cuts
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.encode import encode_texts
from hakari.retrievers.http_client import EndpointError, checked_url
from hakari.retrievers.registry import parse

pytest.importorskip("urllib3", reason="pip install 'hakari[endpoints]'")
SECRET = "sk-Very-Secret-0123456789"


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def server(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("hakari.retrievers.http_client.FIRST_WAIT", 0.01)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HAKARI_ENDPOINT_KEY"):
        monkeypatch.delenv(name, raising=False)
    running.arm()
    return running


def spelt(server: Server, **settings: Any) -> str:
    inside = ",".join(
        f"{k}={v}" for k, v in ({"model": "m", "batch": 4, "concurrency": 2} | settings).items()
    )
    return f"{server.url}({inside})"


def documents_of(server: Server) -> set[str]:
    """The documents that a server was asked for since it was last given a fault."""
    return {text for text in server.log()["texts"] if text.startswith("def ")}


def test_vectors_come_back_whatever_the_order_of_the_answers(server: Server) -> None:
    server.arm(kind="slow", seconds=0.05)  # so that requests overlap
    task = small_task()
    found = parse(spelt(server)).retrieve(task, 20)
    vectors = {
        kind: np.array([endpoint_server.words(t) for t in texts.texts], np.float32)
        for kind, texts in (("q", task.queries), ("d", task.corpus))
    }
    unit = {kind: v / np.linalg.norm(v, axis=1, keepdims=True) for kind, v in vectors.items()}
    wanted = np.sort(unit["q"] @ unit["d"].T, axis=1)[:, ::-1][:, :20]
    np.testing.assert_allclose(found.runs["float"].scores.reshape(wanted.shape), wanted, atol=1e-6)
    log = server.log()
    assert max(log["sizes"]) == 4
    assert 1 < log["most"] <= 2
    assert found.costs["endpoint_requests"] == log["requests"]
    assert found.costs["tokens"] == sum(len(t.split()) for t in [*task.queries.texts, *task.corpus.texts])
    assert found.facts == {"dimensions": endpoint_server.WIDTH}


def test_nothing_is_asked_twice(server: Server) -> None:
    retriever = parse(spelt(server))
    first = retriever.retrieve(small_task(), 20)
    server.arm()
    again = parse(spelt(server, batch=3)).retrieve(small_task(), 20)
    assert server.log()["requests"] == 0
    assert again.runs["float"].scores.tobytes() == first.runs["float"].scores.tobytes()
    assert again.costs["tokens"] == first.costs["tokens"]


def test_base64_serves_as_well(server: Server) -> None:
    plain = parse(spelt(server)).model.encoder("query").encode_many(["a b", "c"])
    server.arm(base64=True)
    coded = parse(spelt(server)).model.encoder("query").encode_many(["a b", "c"])
    for (_, one), (_, other) in zip(sorted(plain), sorted(coded), strict=True):
        assert one.vector.tobytes() == other.vector.tobytes()


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"kind": "dimensions"}, "15 dimensions"),
        ({"kind": "nan"}, "NaN"),
        ({"kind": "null"}, "no list of numbers"),
        ({"kind": "zeros"}, "all zeros"),
        ({"kind": "fewer"}, "4 texts were sent and 1 have no vector"),
        ({"kind": "duplicate"}, "is there twice"),
        ({"kind": "stranger"}, "no index from 0 to 3"),
        ({"kind": "html"}, "no JSON: <html>"),
        ({"kind": "truncated"}, "broke before the whole answer"),
        ({"kind": "cut"}, "no JSON"),
        ({"kind": "status", "status": 500}, "answered 500"),
        ({"kind": "status", "status": 429, "headers": {"Retry-After": "0"}}, "answered 429"),
        ({"kind": "status", "status": 429, "headers": {"Retry-After": "4000"}}, "asks to wait 4000 s"),
        ({"kind": "status", "status": 401}, "refuses: it answered 401"),
        ({"kind": "status", "status": 404}, "check the address and the model"),
        ({"kind": "slow", "seconds": 2}, "no answer within 0.3 s"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_is_an_error_and_what_was_right_stays(
    server: Server, fault: dict[str, Any], told: str
) -> None:
    task = small_task()
    server.arm(after=10, **fault)  # six requests hold the queries
    timeout = 0.3 if fault["kind"] == "slow" else 30
    with pytest.raises(UsageError, match=told) as error:
        parse(spelt(server, retries=2, timeout=timeout, concurrency=1)).retrieve(task, 20)
    assert error.value.hint
    kept = set(server.log()["texts"][24:40])
    assert len(kept) == 16
    server.arm()
    found = parse(spelt(server)).retrieve(task, 20)
    # What was encoded is not asked again; queries are, when they are timed alone.
    assert set(server.log()["texts"]) - {*task.queries.texts} == {*task.corpus.texts} - kept
    fresh = parse(spelt(server, model="n")).retrieve(task, 20)
    assert found.runs["float"].scores.tobytes() == fresh.runs["float"].scores.tobytes()


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 429, "headers": {"Retry-After": "1"}},
        {"kind": "status", "status": 503},
        {"kind": "truncated"},
        {"kind": "cut"},
    ],
    ids=["429", "503", "truncated", "cut"],
)
def test_a_fault_that_passes_is_waited_for(server: Server, fault: dict[str, Any]) -> None:
    server.arm(after=2, times=2, **fault)
    start = time.monotonic()
    found = parse(spelt(server)).retrieve(small_task(), 20)
    assert found.costs["endpoint_retries"] == 2
    assert time.monotonic() - start >= (1 if "headers" in fault else 0)


def test_a_batch_that_is_too_large_is_halved(server: Server) -> None:
    server.arm(kind="most", most=3)
    found = parse(spelt(server, batch=16)).retrieve(small_task(), 20)
    assert len(found.runs["float"]) == 24 * 20


def test_a_text_that_is_too_long_is_named_and_can_be_cut(server: Server) -> None:
    task = small_task()
    server.arm(kind="long", characters=60)
    with pytest.raises(EndpointError, match=r"maximum context length.*that begins `def"):
        parse(spelt(server)).retrieve(task, 20)
    facts = parse(spelt(server, max_characters=60)).retrieve(task, 20).facts
    assert facts["documents_truncated"] == sum(len(t) > 60 for t in task.corpus.texts) > 0
    assert 0 < facts["documents_characters_cut_share"] < 1
    told = cuts({"task": "X/Y", "documents": 90, "facts": facts})
    assert any("of their characters" in str(cut) for cut in told)


def test_the_rate_is_kept(server: Server) -> None:
    encoder = parse(spelt(server, rate=1200, batch=1, concurrency=4)).model.encoder("query")
    list(encoder.encode_many([f"text {i}" for i in range(10)]))
    times = sorted(server.log()["times"])
    assert times[-1] - times[0] >= 9 * 60 / 1200 * 0.9


def test_prompts_and_further_fields_go_with_their_role(server: Server) -> None:
    name = spelt(server, query_prompt="'q: '", query_fields="input_type:query;truncate:true", dimensions=8)
    retriever = parse(name)
    retriever.retrieve(small_task(), 5)
    log = server.log()
    assert sum(text.startswith("q: ") for text in set(log["texts"])) == 24
    asked = [body for body in log["bodies"] if body.get("input_type") == "query"]
    assert len(asked) >= 6
    assert asked[0] == {
        "model": "m",
        "dimensions": 8,
        "encoding_format": "float",
        "input_type": "query",
        "truncate": True,
    }
    assert parse(retriever.name).settings() == retriever.settings()


@pytest.mark.parametrize("kept", [{"queries": 24, "documents": 24}, {"queries": 24, "documents": 40}])
def test_a_model_that_changed_under_its_name_is_noticed(server: Server, kept: dict[str, int]) -> None:
    """All queries are kept, and some documents or none: what comes now does not fit them."""
    task = small_task()
    encoder = parse(spelt(server)).model.encoder("document")
    with EmbeddingCache(encoder.settings()) as cache:
        first = [*task.queries.texts, *task.corpus.texts[: kept["documents"] - kept["queries"]]]
        encode_texts(encoder, first, cache)
    server.arm(short=True)
    with pytest.raises(InvalidInput, match="dimensions") as caught:
        parse(spelt(server)).retrieve(task, 20)
    assert "HAKARI_EMBEDDING_CACHE=0" in str(caught.value)


def test_the_server_says_which_model_it_has(server: Server) -> None:
    assert parse(server.url).name == f"{server.url}(model={endpoint_server.MODEL})"
    assert parse(server.url).settings()["model"] == endpoint_server.MODEL


def test_openai_by_name(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    retriever = parse("openai:text-embedding-3-small")
    retriever.require()
    retriever.retrieve(small_task(), 5)
    assert retriever.name == "openai:text-embedding-3-small"
    assert retriever.settings()["endpoint"] == server.url
    assert set(server.log()["keys"]) == {f"Bearer {SECRET}"}
    assert SECRET not in json.dumps(retriever.settings())


def test_a_key_goes_only_where_it_belongs(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    parse(spelt(server)).retrieve(small_task(), 5)
    assert set(server.log()["keys"]) == {None}
    monkeypatch.setenv("MY_KEY", SECRET)
    parse(spelt(server, key="MY_KEY", model="other")).retrieve(small_task(), 5)
    assert f"Bearer {SECRET}" in server.log()["keys"]


def test_without_a_key_openai_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingPrerequisite, match="OPENAI_API_KEY"):
        parse("openai:text-embedding-3-small").require()


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pw-secret@host/v1",
        "http://host/v1?key=pw-secret",
        "http:",
        "http://host:x/v1",
        "http:///v1",
    ],
)
def test_an_address_with_a_secret_or_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_url(url)
    assert "pw-secret" not in str(caught.value)


def test_a_key_in_the_place_of_its_variable_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        parse(f"http://127.0.0.1:9/v1(model=m,key={SECRET})")
    assert SECRET not in str(caught.value)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    start = time.monotonic()
    done = within("run", "http://127.0.0.1:9/v1(model=m)", "--on", small_set(tmp_path), cwd=tmp_path, code=3)
    assert "cannot be reached" in done.stderr
    assert time.monotonic() - start < 5


@pytest.mark.slow
def test_the_key_is_in_no_file_and_no_message(server: Server, tmp_path: Path) -> None:
    place, environment = small_set(tmp_path), {"HAKARI_ENDPOINT_KEY": SECRET}
    on = ("--on", place, "--results", tmp_path / "results")
    done = hakari("run", spelt(server), *on, **environment)
    server.arm(kind="status", status=401)
    refused = hakari("run", spelt(server, model="x"), *on, code=2, **environment)
    assert "401" in refused.stderr
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for text in (done.stdout, done.stderr, refused.stdout, refused.stderr, written.decode("latin-1")):
        assert SECRET not in text


@pytest.mark.slow
def test_killed_in_the_middle_the_same_command_goes_on(server: Server, tmp_path: Path) -> None:
    place = small_set(tmp_path, ("First",))
    server.arm(kind="slow", seconds=0.3)
    command = [sys.executable, "-m", "hakari", "run", spelt(server), "--on", str(place)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(server.log()["texts"]) < 85:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not list((tmp_path / "results").rglob("*.parquet"))
    server.arm()
    hakari("run", spelt(server), "--on", place, cwd=tmp_path)
    assert 0 < len(documents_of(server)) < 90 - 20


@pytest.mark.slow
def test_the_server_is_killed_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("hakari.retrievers.http_client.FIRST_WAIT", 0.01)
    server = Server()
    with contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        server.arm(kind="die", after=8)
        with pytest.raises(EndpointError, match="what was encoded is kept"):
            parse(spelt(server, retries=2, concurrency=1)).retrieve(small_task(), 20)
        again = Server(server.port)
        stack.callback(again.stop)
        parse(spelt(server)).retrieve(small_task(), 20)
        assert len(documents_of(again)) == 90 - 2 * 4


@pytest.mark.slow
def test_an_interrupt_ends_a_slow_run_at_once(server: Server, tmp_path: Path) -> None:
    server.arm(kind="slow", seconds=30)
    command = [sys.executable, "-m", "hakari", "run", spelt(server), "--on", str(small_set(tmp_path))]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while server.log()["requests"] < 1:
        time.sleep(0.05)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert time.monotonic() - start < 5
