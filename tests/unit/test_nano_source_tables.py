from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from data_builders import write_parquet

from hakari.errors import InvalidInput, UsageError
from hakari.nano.sources_pairs import from_pairs
from hakari.nano.sources_parts import Files, Source, from_beir, from_tables, from_trec, in_folder

QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\n"


def read(source: Source) -> tuple[list, list, list]:
    items = [(item.id, item.text) for item in source.corpus()], [(i.id, i.text) for i in source.queries()]
    return *items, [tuple(judged[1:]) for judged in source.judgements()]


def table(path: Path, columns: dict[str, object]) -> Path:
    """One row as the kind of table that the name of the file says."""
    if path.suffix == ".parquet":
        return write_parquet(
            path, {k: ("VARCHAR" if isinstance(v, str) else "BIGINT", [v]) for k, v in columns.items()}
        )
    if ".jsonl" in path.name:
        data = json.dumps(columns).encode() + b"\n"
    else:
        mark = "," if ".csv" in path.name else "\t"
        data = (mark.join(columns) + "\n" + mark.join(map(str, columns.values())) + "\n").encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "jsonl.gz", "tsv", "tsv.gz", "csv"])
@pytest.mark.parametrize(
    "document", ["_id", "id", "docid", "doc_id", "corpus-id", "corpus_id", "DocID", "docno", "pid"]
)
@pytest.mark.parametrize("text", ["text", "contents", "content", "body", "passage", "code"])
def test_columns_are_found_by_the_names_people_use(
    kind: str, document: str, text: str, tmp_path: Path
) -> None:
    corpus = table(tmp_path / f"corpus.{kind}", {"extra": "e", text: "a text", document: "d1"})
    queries = table(tmp_path / f"queries.{kind}", {"query": "a query", "qid": "q1"})
    qrels = table(tmp_path / f"qrels.{kind}", {"rel": 2, document: "d1", "query_id": "q1"})
    if document in ("_id", "id", "pid"):
        qrels = table(tmp_path / f"qrels.{kind}", {"rel": 2, "doc": "d1", "query_id": "q1"})
    expected = ([("d1", "a text")], [("q1", "a query")], [("q1", "d1", 2.0)])
    assert read(from_tables(Files([corpus], [queries], [qrels]))) == expected
    assert read(from_tables(in_folder(tmp_path))) == expected


@pytest.mark.parametrize(
    "score", ["score", "relevance", "relevance_score", "Relevance-Label", "is_relevant", "rating", "judgment"]
)
@pytest.mark.parametrize(("query", "document"), [("query-id", "corpus-id"), ("q_id", "d_id"), ("qid", "pid")])
def test_judgements_are_read_by_the_names_people_use(
    score: str, query: str, document: str, tmp_path: Path
) -> None:
    corpus = table(tmp_path / "corpus.jsonl", {"_id": "d1", "text": "a text"})
    queries = table(tmp_path / "queries.jsonl", {"_id": "q1", "text": "a query"})
    qrels = table(tmp_path / "qrels.jsonl", {query: "q1", document: "d1", score: 0})
    assert read(from_tables(Files([corpus], [queries], [qrels])))[2] == [("q1", "d1", 0.0)]


def test_judgements_without_a_known_score_are_told_with_what_is_not_read(tmp_path: Path) -> None:
    corpus = table(tmp_path / "corpus.jsonl", {"_id": "d1", "text": "a text"})
    queries = table(tmp_path / "queries.jsonl", {"_id": "q1", "text": "a query"})
    qrels = table(tmp_path / "qrels.jsonl", {"qid": "q1", "pid": "d1", "howmuch": 0})
    told = from_tables(Files([corpus], [queries], [qrels])).roles[-1]
    assert told.endswith("no score: every row is relevant, `howmuch` not read")


def test_columns_may_be_named_and_a_title_goes_first(tmp_path: Path) -> None:
    corpus = table(tmp_path / "c.jsonl", {"_id": "d1", "text": "no", "title": "T", "mine": "yes"})
    queries = table(tmp_path / "q.jsonl", {"_id": "q1", "text": "a"})
    qrels = tmp_path / "r.tsv"
    qrels.write_text(QRELS)
    files = ([corpus], [queries], [qrels])
    assert read(from_tables(Files(*files)))[0] == [("d1", "T no")]
    assert read(from_tables(Files(*files, {"corpus.text": "mine"})))[0] == [("d1", "T yes")]
    assert read(from_tables(Files(*files, {"corpus.title": ""})))[0] == [("d1", "no")]
    with pytest.raises(UsageError, match="unknown role"):
        from_tables(Files(*files, {"corpus.txt": "mine"}))


def test_missing_scores_are_one_and_numbers_are_ids(tmp_path: Path) -> None:
    corpus = table(tmp_path / "c.parquet", {"id": 7, "text": "a"})
    queries = tmp_path / "q.jsonl"
    queries.write_text('{"id": 3.0, "text": "b"}\n')
    qrels = table(tmp_path / "r.parquet", {"query-id": 3, "corpus-id": 7})
    assert read(from_tables(Files([corpus], [queries], [qrels]))) == (
        [("7", "a")],
        [("3", "b")],
        [("3", "7", 1.0)],
    )


def test_one_table_may_hold_queries_and_judgements(tmp_path: Path) -> None:
    corpus = table(tmp_path / "c.jsonl", {"corpus-id": "c1", "text": "a"})
    both = table(
        tmp_path / "b.jsonl", {"idx": "x1", "query": "b", "code": "a", "corpus-id": "c1", "label": "1"}
    )
    read_back = read(from_tables(Files([corpus], [both], [both])))
    assert read_back == ([("c1", "a")], [("x1", "b")], [("x1", "c1", 1.0)])


def test_tables_without_a_header_are_id_and_text(tmp_path: Path) -> None:
    corpus, queries, qrels = tmp_path / "c.tsv", tmp_path / "q.tsv", tmp_path / "r.tsv"
    corpus.write_text('1\tsay "hello" to it\n2\t"quoted ""as"" a whole"\n')
    queries.write_text("9\twhat is it\n")
    qrels.write_text("9\t1\n")
    assert read(from_tables(Files([corpus], [queries], [qrels]))) == (
        [("1", 'say "hello" to it'), ("2", 'quoted "as" a whole')],
        [("9", "what is it")],
        [("9", "1", 1.0)],
    )


def test_csv_cells_may_hold_lines_and_shards_are_one_table(tmp_path: Path) -> None:
    shards = tmp_path / "corpus"
    shards.mkdir()
    (shards / "b.csv").write_text('id,text\n2,"two\nlines, ""both"""\n')
    (shards / "a.csv").write_text("text,id\none,1\n")
    queries = table(tmp_path / "q.jsonl", {"_id": "q1", "text": "a"})
    qrels = table(tmp_path / "r.jsonl", {"query": "q1", "doc": "1"})
    documents = read(from_tables(Files([shards], [queries], [qrels])))[0]
    assert documents == [("1", "one"), ("2", 'two\nlines, "both"')]
    (shards / "b.csv").write_text("other,text\n2,b\n")
    with pytest.raises(InvalidInput, match="has no column `id`, which"):
        from_tables(Files([shards], [queries], [qrels]))


def test_the_split_of_a_beir_folder(tmp_path: Path) -> None:
    table(tmp_path / "corpus.jsonl.gz", {"_id": "d1", "title": "T", "text": "a"})
    table(tmp_path / "queries.jsonl", {"_id": "q1", "text": "b"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "train.tsv").write_text(QRELS)
    (tmp_path / "qrels" / "test.tsv.gz").write_bytes(gzip.compress(QRELS.replace("\t1", "\t2").encode()))
    assert read(from_beir(tmp_path)) == ([("d1", "T a")], [("q1", "b")], [("q1", "d1", 2.0)])
    assert read(from_beir(tmp_path, "train"))[2] == [("q1", "d1", 1.0)]


def test_trec_topics_in_both_forms(tmp_path: Path) -> None:
    corpus = table(tmp_path / "c.jsonl", {"docno": "D-1", "contents": "a"})
    topics, qrels = tmp_path / "topics.txt", tmp_path / "qrels.txt"
    qrels.write_text("301 0 D-1 2\n301 0\tD-2  0\n")
    topics.write_text(
        "<top>\n<num> Number: 301 \n<title> International\n Organized Crime \n\n<desc> Description: \nWho?\n</top>\n"
        "<top><num>302</num><title>Polio</title>\n<desc>Is it over?</desc></top>\n"
    )
    files = Files([corpus], [topics], [qrels])
    documents, queries, judged = read(from_trec(files))
    assert documents == [("D-1", "a")]
    assert queries == [("301", "International Organized Crime"), ("302", "Polio")]
    assert judged == [("301", "D-1", 2.0), ("301", "D-2", 0.0)]
    asked = read(from_trec(Files([corpus], [topics], [qrels], topic_field="desc")))[1]
    assert asked == [("301", "Who?"), ("302", "Is it over?")]
    topics.write_text("301\tone\ttab\n302\ttwo\n")
    assert read(from_trec(files))[1] == [("301", "one\ttab"), ("302", "two")]


def test_pairs_with_lists_and_negatives(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"anchor": "a", "pos": ["x", "y"], "neg": "z"},
        {"anchor": "a", "pos": ["x"], "neg": None},
        {"anchor": "b", "pos": ["z "], "neg": "x"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    documents, queries, judged = read(from_pairs([path], {}, ["neg"]))
    ids = {text.strip(): name for name, text in documents}
    assert [text for _, text in documents] == ["x", "y", "z", "x", "z ", "x"]
    assert len(set(ids.values())) == len({name for name, _ in documents}) == 3
    assert queries[0] == queries[1] != queries[2]
    first, last = queries[0][0], queries[2][0]
    assert judged == [
        (first, ids["x"], 1.0), (first, ids["y"], 1.0), (first, ids["z"], 0.0), (first, ids["x"], 1.0),
        (last, ids["z"], 1.0), (last, ids["x"], 0.0),
    ]  # fmt: skip
    rows_as_queries = read(from_pairs([path], {}, ["neg"], query_per_row=True))[1]
    assert [name for name, _ in rows_as_queries] == ["q000000001", "q000000002", "q000000003"]


def test_a_fault_is_told_once_however_often_its_row_is_read(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"query": "a b", "positive": "x"}\n{"query": 5, "positive": "y"}\n')
    source = from_pairs([rows], {"pairs.query": "query", "pairs.positive": "positive"})
    for stream in (source.corpus, source.queries, source.judgements):
        list(stream())
    assert [fault.row for fault in source.faults] == [2]
