from __future__ import annotations

import gzip
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from data_builders import JUDGEMENTS, write_trec_qrels, write_trec_run
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import InvalidInput, UsageError
from hakari.io.trec import read_qrels, read_run, write_qrels, write_run
from hakari.io.trec_scan import scan_run
from hakari.rankings import run_from_mapping
from hakari.types import Run

SETTINGS = settings(derandomize=True, deadline=None, max_examples=60)
ids = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\v\f\0\ufeff"), min_size=1, max_size=6
)
scores = st.floats(width=32, allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1.0000001])
rankings = st.dictionaries(ids, st.dictionaries(ids, scores, min_size=1, max_size=8), min_size=1, max_size=4)


def ranked(run: Run) -> dict[str, list[str]]:
    return {
        query: run.document_ids[run.documents[start:end]].tolist()
        for query, (start, end) in zip(run.query_ids, pairwise(run.offsets), strict=True)
    }


def test_rankings_are_by_score_and_then_by_id_and_ranks_are_ignored(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d9 1 0.5 t\nq1 Q0 d10 2 0.5 t\nq1\tQ0  d1 3\t 2e0 t \r\n\nq0 Q0 d1 9 -1 t\n")
    run = read_run(path)
    assert ranked(run) == {"q0": ["d1"], "q1": ["d1", "d9", "d10"]}
    assert run.tag == "t"
    assert run.scores.dtype == np.float32


def test_scores_that_are_equal_as_float32_tie(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 0.500000001 t\nq Q0 b 2 0.5 t\n")
    assert ranked(read_run(path)) == {"q": ["b", "a"]}


def test_compressed_files_read_the_same(tmp_path: Path):
    plain = write_trec_run(tmp_path / "a.run")
    zipped = tmp_path / "a.run.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    assert ranked(read_run(zipped)) == ranked(read_run(plain))
    judged = write_trec_qrels(tmp_path / "a.qrels")
    (tmp_path / "b.qrels.gz").write_bytes(gzip.compress(judged.read_bytes()))
    assert len(read_qrels(tmp_path / "b.qrels.gz")) == len(read_qrels(judged)) == len(JUDGEMENTS)


def test_all_faults_of_a_run_are_named_with_their_rows(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 0.5 t\nq Q0 a 2 0.4 t\nq Q0 b 3 nan t\nq Q0 c 4 t\n")
    with pytest.raises(InvalidInput) as caught:
        read_run(path)
    assert [(fault.row, fault.file) for fault in caught.value.faults] == [(i, str(path)) for i in (2, 3, 4)]
    assert "first at row 1" in caught.value.message
    assert "NaN" in caught.value.message


def test_qrels_keep_grades_and_sort_by_id(tmp_path: Path):
    path = tmp_path / "a.qrels"
    path.write_text("q2 0 d2 1\nq1  0\td9 -2\nq1 0 d10 0\n")
    qrels = read_qrels(path)
    assert qrels.query_ids.tolist() == ["q1", "q2"]
    assert qrels.document_ids.tolist() == ["d10", "d2", "d9"]
    assert qrels.offsets.tolist() == [0, 2, 3]
    assert qrels.documents.tolist() == [0, 2, 1]
    assert qrels.grades.tolist() == [0, -2, 1]


@SETTINGS
@given(rankings)
def test_a_written_run_reads_in_the_same_order_with_falling_scores(tmp_path_factory, rankings):
    run = run_from_mapping(rankings, tag="t")
    path = tmp_path_factory.mktemp("trec") / "a.run"
    write_run(run, path)
    again = read_run(path)
    assert ranked(again) == ranked(run)
    for start, end in pairwise(again.offsets):
        assert (np.diff(again.scores[start:end]) < 0).all()
    ranks: dict[str, list[int]] = {}
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        query, _, _, rank, _, _ = line.split(" ")
        ranks.setdefault(query, []).append(int(rank))
    assert all(found == list(range(1, len(found) + 1)) for found in ranks.values())


@SETTINGS
@given(rankings, st.randoms(use_true_random=False))
def test_row_order_leaves_no_trace(tmp_path_factory, rankings, rng: random.Random):
    folder = tmp_path_factory.mktemp("trec")
    write_run(run_from_mapping(rankings, tag="t"), folder / "a.run")
    lines = (folder / "a.run").read_text(encoding="utf-8").split("\n")[:-1]
    rng.shuffle(lines)
    (folder / "b.run").write_text("\n".join(lines), encoding="utf-8")
    one, other = read_run(folder / "a.run"), read_run(folder / "b.run")
    assert ranked(one) == ranked(other)
    assert one.scores.tobytes() == other.scores.tobytes()


@settings(derandomize=True, deadline=None, max_examples=25)
@given(
    rankings,
    st.lists(st.sampled_from([" ", "  ", "\t", " \t ", "\f"]), min_size=1, max_size=5),
    st.booleans(),
)
def test_the_fast_way_reads_what_the_careful_way_reads(tmp_path_factory, rankings, spaces, zipped):
    folder = tmp_path_factory.mktemp("trec")
    lines = []
    for query, ranking in rankings.items():
        for rank, (document, score) in enumerate(ranking.items()):
            fields = [query, "Q0", document, str(rank), repr(score), "t"]
            lines.append(
                "".join(f + spaces[i % len(spaces)] for i, f in enumerate(fields))[
                    : -len(spaces[5 % len(spaces)])
                ]
            )
    path = folder / ("a.run.gz" if zipped else "a.run")
    data = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    careful, fast = read_run(path), scan_run(path, small=0)
    if any(np.isinf(careful.scores)):
        assert fast is None
        return
    assert fast is not None
    assert fast.query_ids.tolist() == careful.query_ids.tolist()
    assert fast.document_ids.tolist() == careful.document_ids.tolist()
    assert fast.documents.tolist() == careful.documents.tolist()
    assert fast.scores.tobytes() == careful.scores.tobytes()
    assert fast.tag == careful.tag


@pytest.mark.parametrize(
    "line",
    [
        "q Q0 b 1 t",
        "q Q0 b 1 0.5 t t",
        "q  b 1 0.5 t",
        "q Q0  1 0.5 t",
        "q Q0 a 1 0.5 t",
        "q Q0 b 1 nan t",
        "q Q0 b 1 high t",
        "q Q0 b 1 1_0 t",
        "q Q0 b\t1 2 0.5 t",
        "q Q0 \0 2 0.5 t",
        "q Q0 b 2 0x10 t",
        "q Q0 b 2 1d t",
        "q Q0 b 2 1e t",
    ],
)
def test_the_fast_way_steps_aside_for_faults(tmp_path: Path, line: str):
    path = tmp_path / "a.run"
    path.write_text(f"q Q0 a 1 9 t\n{line}\nq Q0 z 1 8 t\n")
    assert scan_run(path, small=0) is None
    with pytest.raises(InvalidInput, match=r"a\.run:2"):
        read_run(path)


@SETTINGS
@given(st.dictionaries(st.tuples(ids, ids), st.integers(-5, 5), min_size=1, max_size=12))
def test_qrels_survive_a_round_trip(tmp_path_factory, judged):
    folder = tmp_path_factory.mktemp("trec")
    write_trec_qrels(folder / "a.qrels", [(q, d, grade) for (q, d), grade in judged.items()])
    qrels = read_qrels(folder / "a.qrels")
    write_qrels(qrels, folder / "b.qrels.gz")
    again = read_qrels(folder / "b.qrels.gz")
    found = {
        (qrels.query_ids[q], again.document_ids[again.documents[row]]): int(again.grades[row])
        for q in range(len(again.query_ids))
        for row in range(again.offsets[q], again.offsets[q + 1])
    }
    assert found == judged


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\nb", "", "a\rb", "a\0b"])
def test_ids_that_columns_cannot_hold_are_errors_and_leave_nothing(tmp_path: Path, name: str):
    run = run_from_mapping({"q": {name: 1.0}})
    with pytest.raises(InvalidInput) as caught:
        write_run(run, tmp_path / "a.run")
    assert caught.value.hint
    with pytest.raises(InvalidInput):
        write_run(run_from_mapping({name: {"d": 1.0}}), tmp_path / "a.run")
    with pytest.raises(InvalidInput):
        write_run(run_from_mapping({"q": {"d": 1.0}}, tag=name), tmp_path / "a.run")
    assert list(tmp_path.iterdir()) == []


def test_writing_where_nothing_can_be_written_is_an_error(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_run(run_from_mapping({"q": {"d": 1.0}}), tmp_path / "missing" / "a.run")


def test_compressed_runs_have_the_same_bytes_every_time(tmp_path: Path):
    run = run_from_mapping({"q": {"d": 1.0, "e": 1.0}})
    write_run(run, tmp_path / "a.run.gz")
    write_run(run, tmp_path / "b.run.gz")
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()


def test_real_runs_and_judgements_read(real_data: Path):
    for path in sorted((real_data / "trec" / "generated").glob("*.run.gz")):
        run, fast = read_run(path), scan_run(path, small=0)
        assert fast is not None
        assert fast.scores.tobytes() == run.scores.tobytes()
        assert fast.documents.tobytes() == run.documents.tobytes()
        qrels = read_qrels(path.with_name(path.name.replace(".run.gz", ".qrels")))
        assert set(run.query_ids) <= set(qrels.query_ids)
    run = read_run(real_data / "trec" / "trec_eval" / "results.test")
    assert (len(run.query_ids), len(run), run.tag) == (3, 1500, "STANDARD")
