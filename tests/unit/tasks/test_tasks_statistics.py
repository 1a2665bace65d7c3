from __future__ import annotations

from pathlib import Path

import pytest

from hakari.tasks.assemble import assemble
from hakari.tasks.registry import load
from hakari.tasks.statistics import examples, statistics

QUERIES = {"a": "x", "b": "yy", "c": "zzz"}
CORPUS = {"d1": "12345", "d2": "123", "d3": "1" * 2_000, "d4": "1"}
JUDGED = [("a", "d1", 1), ("b", "d1", 2), ("b", "d2", 3), ("b", "d4", 0), ("c", "d3", 1)]


def test_numbers():
    found = statistics(assemble("X", "T", QUERIES, CORPUS, JUDGED))
    assert (found.queries, found.documents, found.judgements, found.positives) == (3, 4, 5, 4)
    per_query = found.positives_per_query
    assert (per_query.min, per_query.median, per_query.max) == (1, 1.0, 2)
    assert per_query.mean == pytest.approx(4 / 3)
    assert per_query.multiple == pytest.approx(1 / 3)
    assert found.grades == (0, 1, 2, 3)
    assert found.graded
    assert (found.query_lengths.mean, found.query_lengths.median, found.query_lengths.max) == (2, 2, 3)
    assert (found.document_lengths.median, found.document_lengths.max) == (4, 2_000)


def test_irrelevant_judgements_do_not_make_a_task_graded():
    assert not statistics(assemble("X", "T", {"q": "a"}, CORPUS, [("q", "d1", 1), ("q", "d2", 0)])).graded


def test_examples_cut_long_texts_and_show_the_best_positive():
    shown = {example.query.id: example for example in examples(assemble("X", "T", QUERIES, CORPUS, JUDGED))}
    assert set(shown) == set(QUERIES)
    assert shown["b"].positive.id == "d2"
    assert str(shown["a"].positive) == "12345 [5 chars]"
    assert shown["c"].positive.cut
    assert str(shown["c"].positive) == "1" * 1_000 + "... [1,000 / 2,000 chars]"
    assert len(examples(assemble("X", "T", QUERIES, CORPUS, JUDGED), 2)) == 2


@pytest.mark.parametrize(
    ("name", "published"),
    [
        (
            "NanoCoIR/NanoCosQA",
            [
                ("token to id python [18 chars]", "[244 chars]"),
                ("python 3 tkinter open file dialog [33 chars]", "[389 chars]"),
                ("python calc page align [22 chars]", "[323 chars]"),
            ],
        ),
        (
            "NanoCodeRAG/NanoCodeRAGLibraryDocumentationSolutions",
            [
                ("forward-mode autodiff. [102 chars]", "... [1,000 / 6,087 chars]"),
                (
                    "pseudorandom values. Inherits From: Dataset, Dataset [110 chars]",
                    "... [1,000 / 55,309 chars]",
                ),
                ("aliases for migration [132 chars]", "... [1,000 / 1,943 chars]"),
            ],
        ),
    ],
)
def test_the_draw_is_that_of_published_pages(real_data: Path, name: str, published: list[tuple[str, str]]):
    (task,) = load(name, real_data)
    shown = [(" ".join(str(e.query).split()), str(e.positive)) for e in examples(task)]
    assert len(shown) == len(published)
    for (query, positive), (query_end, positive_end) in zip(shown, published, strict=True):
        assert query.endswith(query_end)
        assert positive.endswith(positive_end)
