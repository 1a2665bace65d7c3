"""Data sets of a hub as sources: the forms in which people put them there, and everything that may be wrong."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import Done, within
from data_builders import write_parquet
from hub_server import Cut, Flip, HubServer, Short, Status

import hakari
from hakari.io.hub_files import data_sets
from hakari.types import Task

pytest.importorskip("huggingface_hub")

REPO = "org/source"
DOCUMENTS = {f"d{i}": f"document number {i} is about {word}" for i, word in enumerate("abcdefgh")}
QUERIES = {f"q{i}": f"what is about {word}" for i, word in enumerate("abcd")}
TSV = "query-id\tcorpus-id\tscore\n" + "".join(f"q{i}\td{i}\t1\n" for i in range(4))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        monkeypatch.chdir(tmp_path)
        yield server


def lines(rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(place: Path, columns: Mapping[str, tuple[str, list[Any]]]) -> bytes:
    return write_parquet(place / "scratch.parquet", columns).read_bytes()


CORPUS_JSONL = lines({"_id": i, "title": "", "text": text} for i, text in DOCUMENTS.items())
QUERIES_JSONL = lines({"_id": i, "text": text} for i, text in QUERIES.items())
PAIRS = lines({"question": f"what is {i}", "answer": f"it is {i}", "wrong": f"no {i}"} for i in range(6))
BEIR = {"corpus.jsonl": CORPUS_JSONL, "queries.jsonl": QUERIES_JSONL, "qrels/test.tsv": TSV.encode()}


def build(*more: object, repo: str = REPO, code: int = 0, **environment: str) -> Done:
    return within("build", "hub", repo, "--name", "NanoX", "--out", "out", *more, code=code, **environment)


def task() -> Task:
    return hakari.load("out")[0]


def same_as_beir(made: Task) -> bool:
    ids, texts = made.corpus.ids.tolist(), made.corpus.texts.tolist()
    return dict(zip(ids, texts, strict=True)) == DOCUMENTS and len(made.qrels) == 4


def one_error(done: Done, *words: str) -> None:
    told = done.stderr[done.stderr.index("error: ") :]
    assert done.stdout == ""
    assert told.count("error: ") == told.count("hint: ") == 1, told
    assert all(word in told for word in words), told
    assert not Path("out").exists()


def test_a_collection_by_the_names_of_its_files(hub: HubServer) -> None:
    commit = hub.commit(REPO, BEIR)
    told = build()
    assert same_as_beir(task())
    assert f"collection of hub:{REPO}@{commit}: corpus/train, queries/train, qrels/test" in told.stderr
    account = json.loads(Path("out/build.json").read_text())
    assert account["source"] == f"hub:{REPO}@{commit}"


def test_a_collection_as_mteb_has_it(hub: HubServer, tmp_path: Path) -> None:
    columns = {"_id": ("VARCHAR", list(DOCUMENTS)), "text": ("VARCHAR", list(DOCUMENTS.values()))}
    asked = {"_id": ("VARCHAR", list(QUERIES)), "text": ("VARCHAR", list(QUERIES.values()))}
    judged = {
        "query-id": ("VARCHAR", [f"q{i}" for i in range(4)]),
        "corpus-id": ("VARCHAR", [f"d{i}" for i in range(4)]),
        "score": ("DOUBLE", [1.0] * 4),
    }
    card = """---
configs:
- config_name: corpus
  data_files:
  - split: corpus
    path: corpus/corpus-*
- config_name: queries
  data_files:
  - split: queries
    path: queries/queries-*
- config_name: default
  data_files:
  - split: train
    path: data/train-*
  - split: test
    path: data/test-*
---
"""
    files = {
        "corpus/corpus-00000-of-00001.parquet": parquet(tmp_path, columns),
        "queries/queries-00000-of-00001.parquet": parquet(tmp_path, asked),
        "data/test-00000-of-00001.parquet": parquet(tmp_path, judged),
        "data/train-00000-of-00001.parquet": b"not asked for",
        "README.md": card.encode(),
    }
    hub.commit(REPO, files)
    build()
    assert same_as_beir(task())
    assert not any("train" in request for request in hub.requests if "GET /cdn" in request)


def test_one_configuration_of_several_languages(hub: HubServer) -> None:
    sets = {}
    for language in ("en", "de"):
        sets |= {
            f"{language}-corpus/test.jsonl": CORPUS_JSONL,
            f"{language}-queries/test.jsonl": QUERIES_JSONL,
        }
        sets[f"{language}-qrels/test.tsv"] = TSV.encode()
    hub.commit(REPO, sets)
    build("--config", "de", "--language", "de")
    assert same_as_beir(task())
    assert not any("en-" in request for request in hub.requests if "resolve" in request)


def test_judgements_in_a_repository_of_their_own(hub: HubServer) -> None:
    gzipped = {
        f"{part}.jsonl.gz": gzip.compress(BEIR[f"{part}.jsonl"], mtime=0) for part in ("corpus", "queries")
    }
    hub.commit(REPO, gzipped)
    hub.commit("org/source-qrels", {"test.tsv": TSV.encode(), "train.tsv": TSV.encode()})
    one_error(build("--kind", "collection", code=2), "no configuration `qrels`", "--qrels ORG/NAME")
    build("--qrels", "org/source-qrels")
    assert same_as_beir(task())


def test_pairs_with_splits_in_shards(hub: HubServer, tmp_path: Path) -> None:
    shards = {
        f"data/{split}-{n:05d}-of-00002.parquet": parquet(
            tmp_path,
            {
                "question": ("VARCHAR", [f"{split} {n} {i}" for i in range(3)]),
                "answer": ("VARCHAR", list("xyz")),
            },
        )
        for split in ("train", "validation")
        for n in range(2)
    }
    hub.commit(REPO, shards)
    build()
    assert sorted(task().queries.texts) == [f"validation {n} {i}" for n in range(2) for i in range(3)]


@pytest.mark.parametrize(
    ("files", "more", "queries"),
    [
        ({"train.jsonl": PAIRS}, (), 6),
        ({"data.jsonl": PAIRS}, ("--query", "question", "--positive", "answer", "--negative", "wrong"), 6),
        ({"en/test.jsonl": PAIRS, "de/test.jsonl": b""}, ("--config", "en"), 6),
        ({"en/test/0000.jsonl": PAIRS}, (), 6),
        ({"train.csv": b"question,answer\nwhy,so\n"}, (), 1),
        ({"train.jsonl": PAIRS}, ("--kind", "qa", "--recipe", "published", "--queries", 2), 2),
        ({"train.jsonl": lines([{"question": "how many", "sql": "SELECT 1"}])}, ("--kind", "sql"), 1),
        (
            {
                "train.jsonl": lines(
                    [{"turns": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}]
                )
            },
            ("--kind", "chat", "--turn", "each"),
            1,
        ),
    ],
)
def test_tables_of_every_kind(
    hub: HubServer, files: dict[str, bytes], more: tuple[object, ...], queries: int
) -> None:
    hub.commit(REPO, files)
    build(*more)
    assert len(task().queries) == queries
    kind = more[more.index("--kind") + 1] if "--kind" in more else None
    assert task().shape == {"qa": "qa", "sql": "text-to-sql", "chat": "dialogue"}.get(str(kind))


def test_a_nano_set_is_a_collection_too(hub: HubServer, tmp_path: Path) -> None:
    from small import small_set

    hub.commit(REPO, small_set(tmp_path / "mine"))
    one_error(build(code=2), "several splits: `First`, `Second`", "--split First")
    build("--split", "Second", "--queries", 5)
    assert len(task().queries) == 5


def test_a_revision_counts_and_files_are_fetched_once(hub: HubServer) -> None:
    old = hub.commit(REPO, {"train.jsonl": PAIRS})
    hub.commit(REPO, {"train.jsonl": lines([{"question": "new", "answer": "newer"}])})
    build("--revision", old)
    assert len(task().queries) == 6
    fetched = [request for request in hub.requests if "GET" in request and "train.jsonl" in request]
    for spelling in (f"{REPO}@{old}", f"hub:{REPO}@{old}"):
        within("build", "hub", spelling, "--name", "NanoX", "--out", f"again-{len(spelling)}")
    assert [r for r in hub.requests if "GET" in r and "train.jsonl" in r] == fetched


@pytest.mark.parametrize("failure", [Short(40), Flip(30), Status(500), Status(404)])
def test_a_download_that_fails_is_never_used(hub: HubServer, tmp_path: Path, failure: object) -> None:
    rows = {"question": ("VARCHAR", ["why"]), "answer": ("VARCHAR", ["so"])}
    hub.commit(REPO, {"train.parquet": parquet(tmp_path, rows)})
    hub.fail("GET", "cdn", failure, times=9)
    one_error(build(code=3), "`train.parquet` of `org/source`")
    assert not list((tmp_path / "cache").rglob("train.parquet"))
    hub.heal()
    build()
    assert task().queries.texts.tolist() == ["why"]


def test_a_download_that_is_cut_goes_on_where_it_was(hub: HubServer, tmp_path: Path) -> None:
    asked, said = ([f"{word} {i}" for i in range(400)] for word in ("why", "so"))
    rows = {"question": ("VARCHAR", asked), "answer": ("VARCHAR", said)}
    hub.commit(REPO, {"train.parquet": parquet(tmp_path, rows)})
    hub.fail("GET", "cdn", Cut(500))
    build()
    assert len(task().queries) == 200
    assert sum("GET" in request and "cdn" in request for request in hub.requests) == 2


MALFORMED: dict[str, tuple[dict[str, bytes], tuple[object, ...], str]] = {
    "nothing-there": ({"README.md": b"# x"}, (), "holds no tables"),
    "only-a-program": ({"source.py": b"print()", "data.zip": b"PK"}, (), "holds no tables"),
    "names-that-climb": ({"../../x/train.jsonl": PAIRS, "a/../../train.jsonl": PAIRS}, (), "holds no tables"),
    "hidden-names": ({".hidden/train.jsonl": PAIRS}, (), "holds no tables"),
    "several-configs": (
        {"en/test.jsonl": PAIRS, "de/test.jsonl": PAIRS},
        (),
        "several configurations: `de`, `en`",
    ),
    "unknown-config": ({"en/test.jsonl": PAIRS}, ("--config", "fr"), "unknown configuration"),
    "unknown-config-of-a-collection": (BEIR, ("--config", "fr"), "unknown configuration"),
    "unknown-config-of-what-is-called-a-collection": (
        BEIR,
        ("--config", "fr", "--kind", "collection"),
        "unknown configuration",
    ),
    "unknown-split": ({"train.jsonl": PAIRS}, ("--split", "tset"), "unknown split"),
    "unknown-split-of-qrels": (BEIR, ("--split", "dev"), "unknown split of `qrels`"),
    "other-columns": ({"train.jsonl": lines([{"a": 1}])}, (), "with `--query NAME`"),
    "unknown-column": ({"train.jsonl": PAIRS}, ("--query", "nope"), "has no column `nope`"),
    "empty-file": ({"train.jsonl": b""}, (), "is empty"),
    "not-json": ({"train.jsonl": b"<html>\n"}, (), "train.jsonl:1: is not JSON"),
    "an-array-of-texts": ({"train.json": b'["why", "so"]'}, (), "train.json:1: is a JSON str, not an object"),
    "not-parquet": ({"train.parquet": b"PAR1"}, (), "cannot be read as Parquet"),
    "cut-gz": ({"train.jsonl.gz": gzip.compress(PAIRS)[:-12]}, (), "cannot be decompressed"),
    "mixed-types": ({"train.jsonl": lines([{"question": 5, "answer": "b"}])}, (), "`question` is"),
    "dangling": ({**BEIR, "qrels/test.tsv": TSV.encode() + b"q9\td1\t1\n"}, (), "queries that are not there"),
    "card-that-lies": (
        {
            "README.md": b"---\nconfigs:\n- config_name: x\n  data_files: nothing/*.parquet\n---\n",
            "a.jsonl": PAIRS,
        },
        (),
        "holds no tables",
    ),
    "chat-that-is-none": ({"train.jsonl": PAIRS}, ("--kind", "chat"), "looks like chat.messages"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_data_set_is_one_error_and_leaves_nothing(
    hub: HubServer, tmp_path: Path, case: str
) -> None:
    files, more, said = MALFORMED[case]
    hub.commit(REPO, files)
    one_error(build(*more, code=2), said)
    assert {path.name for path in tmp_path.iterdir()} <= {"cache", "scratch.parquet"}


@pytest.mark.parametrize(
    ("repo", "code", "said"),
    [
        ("source", 2, "does not name a repository"),
        ("../../x", 2, "does not name a repository"),
        ("org/../x", 2, "does not name a repository"),
        ("https://huggingface.co/datasets/a/b", 2, "does not name a repository"),
        ("org/none", 2, "there is no data set `org/none`"),
        ("org/source@nope", 2, "no revision `nope`"),
    ],
)
def test_what_is_not_on_the_hub(hub: HubServer, repo: str, code: int, said: str) -> None:
    hub.commit(REPO, BEIR)
    one_error(build(repo=repo, code=code), said)


def test_a_hub_that_is_not_there(hub: HubServer) -> None:
    one_error(build(code=3, HF_ENDPOINT="http://127.0.0.1:9"), "cannot be fetched from http://127.0.0.1:9")
    one_error(build(code=3, HF_HUB_OFFLINE="1"), "HF_HUB_OFFLINE")


@pytest.mark.parametrize(
    ("path", "config", "split"),
    [
        ("data/train-00000-of-00002.parquet", "default", "train"),
        ("train.jsonl", "default", "train"),
        ("my_dev_set.csv", "default", "dev"),
        ("en/test/0000.parquet", "en", "test"),
        ("en/validation.jsonl.gz", "en", "validation"),
        ("qrels/test.tsv", "qrels", "test"),
        ("corpus.jsonl", "corpus", "train"),
        ("corpus/NanoX.parquet", "corpus", "NanoX"),
        ("anything.json", "default", "train"),
    ],
)
def test_configuration_and_split_by_name(path: str, config: str, split: str) -> None:
    assert data_sets([path, "README.md", "x.bin"], None) == {config: {split: [path]}}
