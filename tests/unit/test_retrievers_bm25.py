import numpy as np
import pytest

from hakari.errors import UnknownName, UsageError
from hakari.retrievers.bm25 import Bm25, Bm25Code
from hakari.types import Qrels, Task, Texts


def make_task(corpus: dict[str, str], queries: dict[str, str], **more: object) -> Task:
    def texts(given: dict[str, str]) -> Texts:
        ids = sorted(given)
        return Texts(np.array(ids, object), np.array([given[i] for i in ids], object))

    q, c = texts(queries), texts(corpus)
    empty = np.empty(0, np.int32)
    qrels = Qrels(q.ids, c.ids, np.zeros(len(q) + 1, np.int64), empty, empty)
    return Task("Set", "Task", q, c, qrels, "0" * 64, **more)  # type: ignore[arg-type]


CORPUS = {"a": "read a file", "b": "writeFile to disk", "c": "open socket", "d": "close socket", "e": "parse"}


@pytest.mark.parametrize(
    ("retriever", "name"),
    [
        (Bm25(), "bm25"),
        (Bm25(k1=1.5, b=0.75, method="robertson"), "bm25"),
        (Bm25(k1=1.2), "bm25(k1=1.2)"),
        (Bm25(b=1, k1=2), "bm25(k1=2,b=1)"),
        (Bm25(method="bm25+", tokenizer="regex"), "bm25(method=bm25+,tokenizer=regex)"),
        (Bm25(method="bm25+", delta=1), "bm25(method=bm25+)"),
        (Bm25(method="bm25l", delta=1), "bm25(method=bm25l,delta=1)"),
        (Bm25Code(), "bm25-code"),
        (Bm25Code(k1=1.5, method="robertson"), "bm25-code(k1=1.5,method=robertson)"),
        (Bm25Code(tokenizer="regex"), "bm25-code(tokenizer=regex)"),
    ],
)
def test_names_say_what_differs_from_the_defaults(retriever: Bm25, name: str) -> None:
    assert retriever.name == name


def test_settings_say_everything() -> None:
    assert Bm25(method="bm25l").settings() == {
        "family": "bm25",
        "k1": 1.5,
        "b": 0.75,
        "method": "bm25l",
        "delta": 0.5,
        "tokenizer": None,
        "protocol": 1,
    }
    task = make_task(CORPUS, {"q": "file"}, language="de", category="natural_language")
    assert Bm25().settings_for(task) == {"tokenizer": "snowball:german"}
    assert Bm25Code().settings_for(task) == {"tokenizer": "code"}
    assert Bm25(tokenizer="whitespace").settings_for(task) == {"tokenizer": "whitespace"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"k1": -1},
        {"k1": float("nan")},
        {"k1": float("inf")},
        {"b": 1.1},
        {"b": float("nan")},
        {"delta": 1.0},
        {"method": "bm25+", "delta": -1.0},
        {"method": "bm25+", "delta": float("inf")},
    ],
)
def test_settings_out_of_range(arguments: dict) -> None:
    with pytest.raises(UsageError):
        Bm25(**arguments)


@pytest.mark.parametrize("arguments", [{"method": "bm26"}, {"tokenizer": "nonsense"}])
def test_unknown_names(arguments: dict) -> None:
    with pytest.raises(UnknownName):
        Bm25(**arguments)


def test_a_run_and_its_costs() -> None:
    task = make_task(CORPUS, {"q1": "FILE", "q2": "socket", "q3": "nothing"}, language="en", category="code")
    retrieved = Bm25().retrieve(task, 10)
    run = retrieved.runs["float"]
    assert run.query_ids is task.queries.ids
    assert run.document_ids is task.corpus.ids
    assert run.offsets.tolist() == [0, 1, 3, 3]
    assert [run.document_ids[d] for d in run.documents] == ["a", "d", "c"]
    assert run.scores[1] == run.scores[2] > 0
    assert run.tag == "bm25"
    assert {"index_s", "search_s", "index_bytes", "encoded_texts", "encoded_tokens"} <= retrieved.costs.keys()
    assert all(cost for cost in retrieved.costs.values())
    assert all(seconds > 0 for seconds in retrieved.costs["query_seconds"].values())


def test_code_finds_words_inside_identifiers() -> None:
    task = make_task(CORPUS, {"q": "files"}, language="en", category="code")
    run = Bm25Code().retrieve(task, 10).runs["float"]
    assert {run.document_ids[d] for d in run.documents} == {"a", "b"}


def test_depth() -> None:
    task = make_task(CORPUS, {"q": "socket file parse"}, category="code")
    assert len(Bm25().retrieve(task, 2).runs["float"]) == 2
    with pytest.raises(UsageError):
        Bm25().retrieve(task, 0)


def test_a_query_does_not_find_itself_where_the_task_says_so() -> None:
    corpus = {"a": "read file", "b": "file", "c": "x", "d": "y", "e": "z"}
    queries = {"a": "read file", "zz": "file"}
    for own, expected in [(True, [["b"], ["b", "a"]]), (False, [["a", "b"], ["b", "a"]])]:
        run = Bm25(tokenizer="regex").retrieve(make_task(corpus, queries, exclude_self=own), 10).runs["float"]
        ids = [run.document_ids[d] for d in run.documents]
        assert [ids[a:b] for a, b in zip(run.offsets[:-1], run.offsets[1:], strict=True)] == expected


def test_empty_sides() -> None:
    for corpus, queries in [({}, {}), ({}, {"q": "a"}), (CORPUS, {}), ({"a": ""}, {"q": ""})]:
        for retriever in (Bm25(), Bm25Code()):
            run = retriever.retrieve(make_task(corpus, queries), 10).runs["float"]
            assert run.offsets.tolist() == [0] * (len(queries) + 1)
            assert len(run.documents) == len(run.scores) == 0
