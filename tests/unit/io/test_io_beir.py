from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from data_builders import CORPUS, JUDGEMENTS, QUERIES, write_beir, write_jsonl, write_nano

from hakari.errors import InvalidInput
from hakari.tasks.loaders import layout_of, load_split, splits_of
from hakari.types import Task


def load(folder: Path, split: str = "test") -> Task:
    layout = layout_of(folder)
    assert layout is not None
    assert layout.name == "beir"
    return load_split(folder, split, layout)


def test_a_beir_folder_is_the_same_task_as_its_nano_form(tmp_path: Path):
    beir, nano = write_beir(tmp_path / "beir-x"), write_nano(tmp_path / "NanoX", metadata=None)
    layout = layout_of(nano)
    assert layout is not None
    task = load(beir)
    assert task.name == "beir-x/test"
    assert task.content == load_split(nano, "Task", layout).content


def test_compressed_parts_read_the_same(tmp_path: Path):
    folder = write_beir(tmp_path / "beir-x")
    plain = load(folder)
    for path in [*folder.glob("*.jsonl"), folder / "qrels" / "test.tsv"]:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    layout = layout_of(folder)
    assert layout is not None
    assert splits_of(folder, layout) == ["test"]
    assert load(folder).content == plain.content


def test_each_split_has_the_queries_that_it_judges(tmp_path: Path):
    folder = write_beir(tmp_path / "beir-x")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td9\t3\n")
    assert load(folder, "dev").queries.ids.tolist() == ["q2"]
    assert len(load(folder, "test").queries) == len(QUERIES)


def test_titles_numbers_and_line_ends(tmp_path: Path):
    folder = write_beir(tmp_path / "beir-x", judgements=[("q1", "7", 1)])
    write_jsonl(
        folder / "corpus.jsonl", [{"_id": 7, "title": "T", "text": "x"}, {"_id": "8", "text": "y\u2028z"}]
    )
    path = folder / "qrels" / "test.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    task = load(folder)
    assert task.corpus.ids.tolist() == ["7", "8"]
    assert task.corpus.texts.tolist() == ["T x", "y\u2028z"]
    assert task.notes == ("corpus.jsonl: 1 ids are numbers, read as strings",)


def test_ids_that_a_csv_writer_quoted_are_unquoted(tmp_path: Path):
    folder = write_beir(tmp_path / "beir-x", judgements=[("q1", '"say ""hi"""', 1)])
    write_jsonl(folder / "corpus.jsonl", [{"_id": 'say "hi"', "text": "x"}])
    assert load(folder).corpus.ids.tolist() == ['say "hi"']


def test_every_broken_line_is_named(tmp_path: Path):
    folder = write_beir(tmp_path / "beir-x", judgements=[*JUDGEMENTS, ("q1", "nowhere", 1)])
    with open(folder / "corpus.jsonl", "ab") as file:
        file.write(b'{"_id": "x"\n\n{"_id": "y", "text": "\xff"}\n{"_id": 1.5, "text": "z"}\n')
    with pytest.raises(InvalidInput) as caught:
        load(folder)
    first = len(CORPUS) + 1
    rows = sorted((Path(f.file or "").name, f.row) for f in caught.value.faults)
    expected = [("corpus.jsonl", first), ("corpus.jsonl", first + 2), ("corpus.jsonl", first + 3)]
    assert rows == [*expected, ("test.tsv", len(JUDGEMENTS) + 2)]
