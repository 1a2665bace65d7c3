from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from data_builders import (
    CORPUS,
    JUDGEMENTS,
    QUERIES,
    write_candidates_file,
    write_judgements,
    write_nano,
    write_parquet,
    write_texts,
)

from hakari.errors import InvalidInput, UsageError
from hakari.io.candidates import load_candidates, write_candidates
from hakari.io.nano_write import write_nano_set
from hakari.rankings import run_from_matrix
from hakari.tasks.assemble import Traits, assemble
from hakari.tasks.loaders import layout_of, load_split, splits_of
from hakari.types import Task


def load(folder: Path, split: str = "Task") -> Task:
    layout = layout_of(folder)
    assert layout is not None
    assert layout.name == "nano"
    return load_split(folder, split, layout)


def test_a_task_of_the_flat_layout(tmp_path: Path):
    task = load(write_nano(tmp_path / "NanoX", candidates=True))
    assert task.name == "NanoX/Task"
    assert task.queries.ids.tolist() == ["q1", "q10", "q2"]
    assert task.corpus.ids.tolist() == ["d1", "d10", "d2", "d9"]
    assert task.corpus.texts.tolist() == [CORPUS[i] for i in task.corpus.ids]
    assert task.qrels.query_ids is task.queries.ids
    assert task.qrels.document_ids is task.corpus.ids
    assert task.qrels.offsets.tolist() == [0, 1, 3, 4]
    assert task.qrels.documents.tolist() == [0, 1, 3, 2]
    assert task.qrels.grades.tolist() == [2, -1, 1, 1]
    assert (task.language, task.category, task.shape) == ("en", "code", "text-to-code")
    assert set(task.origins.values()) == {"metadata"}
    assert list(task.candidates) == ["bm25"]
    assert task.source == tmp_path / "NanoX"


def test_the_sharded_layout_of_hubs_is_the_same_task(tmp_path: Path):
    flat = load(write_nano(tmp_path / "flat" / "NanoX", candidates=True))
    hub = tmp_path / "hub" / "NanoX"
    documents = list(CORPUS.items())
    write_texts(hub / "corpus" / "Task-00000-of-00002.parquet", documents[:1])
    write_texts(hub / "corpus" / "Task-00001-of-00002.parquet", documents[1:])
    write_texts(hub / "queries" / "Task-00000-of-00001.parquet", QUERIES)
    write_judgements(hub / "qrels" / "Task-00000-of-00001.parquet", JUDGEMENTS)
    write_candidates_file(hub / "bm25" / "Task-00000-of-00001.parquet")
    task = load(hub)
    assert task.content == flat.content
    runs = [load_candidates(t.candidates["bm25"], t) for t in (flat, task)]
    assert runs[0].documents.tolist() == runs[1].documents.tolist()


def test_a_fault_in_a_later_shard_names_that_shard_and_its_row(tmp_path: Path):
    folder = write_nano(tmp_path / "NanoX")
    (folder / "corpus" / "Task.parquet").unlink()
    write_texts(folder / "corpus" / "Task-00000-of-00002.parquet", CORPUS)
    write_texts(folder / "corpus" / "Task-00001-of-00002.parquet", [("n1", "a"), (None, "b"), ("d1", "c")])
    with pytest.raises(InvalidInput) as caught:
        load(folder)
    places = {(Path(f.file or "").name, f.row) for f in caught.value.faults}
    assert places == {("Task-00001-of-00002.parquet", 2), ("Task-00001-of-00002.parquet", 3)}


@pytest.mark.parametrize("kind", ["INTEGER", "UBIGINT", "USMALLINT", "DOUBLE", "FLOAT"])
def test_numbers_as_ids_are_read_as_strings_and_noted(tmp_path: Path, kind: str):
    folder = write_nano(
        tmp_path / "NanoX",
        judgements=[("q1", "7", 1), ("q2", "8", 1), ("q10", "7", 1)],
        corpus={"7": "a", "8": "b"},
    )
    strings = load(folder)
    write_texts(folder / "corpus" / "Task.parquet", [(8, "b"), (7, "a")], id_kind=kind)
    task = load(folder)
    assert task.corpus.ids.tolist() == ["7", "8"]
    assert task.content == strings.content
    assert any(kind in note for note in task.notes)
    assert strings.notes == ()


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [("BOOLEAN", True, "true"), ("DATE", "2020-01-31", "2020-01-31"), ("DECIMAL(5,2)", "1.50", "1.50")],
)
def test_other_types_of_ids_are_read_as_their_text(tmp_path: Path, kind: str, value: object, text: str):
    folder = write_nano(
        tmp_path / "NanoX", queries={"q1": "a"}, judgements=[("q1", text, 1)], corpus={text: "a"}
    )
    write_texts(folder / "corpus" / "Task.parquet", [(value, "a")], id_kind=kind)
    assert load(folder).corpus.ids.tolist() == [text]


def test_titles_go_before_texts_in_the_corpus_only(tmp_path: Path):
    folder = write_nano(tmp_path / "NanoX", queries={"q": "a"}, judgements=[("q", "b", 1)])
    columns = {
        "_id": ("VARCHAR", ["a", "b", "c", "d"]),
        "text": ("VARCHAR", ["x", "y", None, ""]),
        "title": ("VARCHAR", ["T", None, "U", "V"]),
    }
    write_parquet(folder / "corpus" / "Task.parquet", columns)
    write_parquet(
        folder / "queries" / "Task.parquet",
        {k: (t, [v[0]]) for k, (t, v) in columns.items()} | {"_id": ("VARCHAR", ["q"])},
    )
    task = load(folder)
    assert task.corpus.texts.tolist() == ["T x", "y", "U", "V"]
    assert task.queries.texts.tolist() == ["x"]


def test_without_scores_every_judgement_is_one(tmp_path: Path):
    folder = write_nano(tmp_path / "NanoX")
    rows = [(q, d) for q, d, grade in JUDGEMENTS if grade > 0]
    write_judgements(folder / "qrels" / "Task.parquet", rows, score_kind=None)
    assert load(folder).qrels.grades.tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", ["DOUBLE", "TINYINT", "VARCHAR", "BIGINT"])
def test_whole_grades_of_any_type_are_integers(tmp_path: Path, kind: str):
    folder = write_nano(tmp_path / "NanoX")
    sound = load(folder)
    write_judgements(folder / "qrels" / "Task.parquet", JUDGEMENTS, score_kind=kind)
    assert load(folder).content == sound.content


def test_folders_with_odd_names_are_taken_literally(tmp_path: Path):
    for name in ("a[1]*?", "lang=en", "it's", "a b,c", "ünï"):
        task = load(write_nano(tmp_path / name / "NanoX", "Ta[s]k"), "Ta[s]k")
        assert len(task.corpus) == len(CORPUS)


def test_missing_metadata_is_no_fault(tmp_path: Path):
    task = load(write_nano(tmp_path / "NanoX", metadata=None))
    assert (task.language, task.category, task.shape, task.exclude_self) == (None, None, None, False)
    assert task.origins == {}


def test_exclude_self_comes_from_metadata(tmp_path: Path):
    assert load(write_nano(tmp_path / "NanoX", metadata={"exclude_self": True})).exclude_self


def test_all_faults_of_all_parts_come_at_once(tmp_path: Path):
    folder = write_nano(tmp_path / "NanoX", metadata={"category": "poetry"})
    write_texts(folder / "corpus" / "Task.parquet", [*CORPUS.items(), ("d1", "again"), ("e", "")])
    write_texts(folder / "queries" / "Task.parquet", [*QUERIES.items(), (None, "lost")])
    write_judgements(folder / "qrels" / "Task.parquet", [*JUDGEMENTS, ("q1", "nowhere", 1)])
    with pytest.raises(InvalidInput) as caught:
        load(folder)
    places = [
        (Path(fault.file or "").relative_to(folder).as_posix(), fault.row) for fault in caught.value.faults
    ]
    assert sorted(places, key=str) == [
        ("corpus/Task.parquet", 5),
        ("corpus/Task.parquet", 6),
        ("metadata/Task.json", None),
        ("qrels/Task.parquet", 5),
        ("queries/Task.parquet", 4),
    ]


def test_candidates_keep_their_order_whatever_their_scores(tmp_path: Path):
    folder = write_nano(tmp_path / "NanoX")
    names = [["d1", "d9", "d2"], ["d1", "d9"], ["d2", "d1"]]
    path = write_parquet(
        folder / "dense" / "Task.parquet",
        {
            "query-id": ("VARCHAR", ["q10", "q1", "q2"]),
            "corpus-ids": ("VARCHAR[]", names),
            "scores": ("DOUBLE[]", [[1.0, 1.0, 0.5], [0.1, 0.9], [0.75, 0.25]]),
        },
    )
    task = load(folder)
    run = load_candidates(path, task)
    found = {
        q: run.document_ids[run.documents[run.offsets[i] : run.offsets[i + 1]]].tolist()
        for i, q in enumerate(run.query_ids)
    }
    assert found == {"q10": names[0], "q1": names[1], "q2": names[2]}
    assert run.tag == "dense"
    assert run.query_ids is task.queries.ids
    by_query = {
        q: run.scores[run.offsets[i] : run.offsets[i + 1]].tolist() for i, q in enumerate(run.query_ids)
    }
    assert by_query["q1"] == [2, 1]  # the scores rise, so ranks take their place
    assert by_query["q2"] == [0.75, 0.25]
    assert by_query["q10"] == [1.0, float(np.nextafter(np.float32(1), np.float32(0))), 0.5]


def test_written_candidates_read_back(tmp_path: Path):
    task = load(write_nano(tmp_path / "NanoX"))
    scores = np.random.default_rng(0).random((3, 4)).round(1)
    run = run_from_matrix(task.queries.ids, task.corpus.ids, scores, 3, tag="bm25")
    path = tmp_path / "NanoX" / "bm25" / "Task.parquet"
    write_candidates(path, run)
    again = load_candidates(load(tmp_path / "NanoX").candidates["bm25"], task)
    assert again.documents.tobytes() == run.documents.tobytes()
    assert again.scores.tobytes() == run.scores.tobytes()
    before = path.read_bytes()
    write_candidates(path, run)
    assert path.read_bytes() == before


def make_task(split: str = "Task", language: str | None = "en") -> Task:
    traits = Traits(language, "code", None, exclude_self=True)
    return assemble("NanoY", split, QUERIES, CORPUS, JUDGEMENTS, traits=traits)


def test_a_set_is_written_whole_with_the_same_bytes(tmp_path: Path):
    tasks = [make_task("A"), make_task("B", None)]
    write_nano_set(tmp_path / "NanoY", tasks)
    write_nano_set(tmp_path / "again" / "NanoY", tasks[::-1])
    files = sorted(p.relative_to(tmp_path / "NanoY") for p in (tmp_path / "NanoY").rglob("*") if p.is_file())
    assert len(files) == 8
    assert all(
        (tmp_path / "NanoY" / f).read_bytes() == (tmp_path / "again" / "NanoY" / f).read_bytes()
        for f in files
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["NanoY", "again"]
    assert splits_of(tmp_path / "NanoY", layout_of(tmp_path / "NanoY")) == ["A", "B"]
    again = load(tmp_path / "NanoY", "A")
    assert again.content == tasks[0].content
    assert again.exclude_self
    assert load(tmp_path / "NanoY", "B").language is None


def test_what_is_there_is_replaced_only_when_asked(tmp_path: Path):
    write_nano_set(tmp_path / "NanoY", [make_task("A")])
    with pytest.raises(UsageError, match="there already"):
        write_nano_set(tmp_path / "NanoY", [make_task("B")])
    write_nano_set(tmp_path / "NanoY", [make_task("B")], replace=True)
    assert splits_of(tmp_path / "NanoY", layout_of(tmp_path / "NanoY")) == ["B"]
    assert [p.name for p in tmp_path.iterdir()] == ["NanoY"]


@pytest.mark.parametrize("split", ["a/b", ".hidden", "x\n", "Task-00000-of-00001", "x" * 300])
def test_names_that_files_cannot_have_are_errors_and_leave_nothing(tmp_path: Path, split: str):
    try:
        task = make_task(split)
    except InvalidInput:
        return
    with pytest.raises(InvalidInput):
        write_nano_set(tmp_path / "NanoY", [task])
    assert list(tmp_path.iterdir()) == []


def test_a_set_that_cannot_be_written_leaves_nothing(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError):
        write_nano_set(tmp_path / "file" / "NanoY", [make_task()])
    with pytest.raises(InvalidInput):
        write_nano_set(tmp_path / "NanoY", [make_task(), make_task()])
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
