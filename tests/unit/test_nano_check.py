from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small import small_task

from hakari.nano.check import check_texts, longer
from hakari.nano.findings import ERROR, NOTE, WARNING, Finding
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

BASE = {
    f"d{i}": f"document {i} about {word} and its own {word}{i} matter in detail"
    for i, word in enumerate("abcdefgh")
}
ASKED = {f"q{i}": f"what is there on topic {word * 3} for {i}" for i, word in enumerate("abcd")}
JUDGED = [(f"q{i}", f"d{i}", 1) for i in range(4)]
ENGLISH = Traits("en", "natural_language", origins={"language": "metadata", "category": "metadata"})


def task(
    queries: dict[str, str] | None = None,
    corpus: dict[str, str] | None = None,
    judged: list | None = None,
    **more: bool,
) -> Task:
    made = assemble(
        "NanoCheck",
        "T",
        ASKED | (queries or {}),
        BASE | (corpus or {}),
        JUDGED + (judged or []),
        traits=ENGLISH,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def of(found: list[Finding], check: str) -> list[tuple[str, int, list]]:
    return [(f.severity, f.count, [e for e in f.examples]) for f in found if f.check == check]


def test_a_sound_task_has_no_findings() -> None:
    assert check_texts(task()) == []


def test_duplicate_documents_with_their_pairs() -> None:
    found = check_texts(task(corpus={"x": BASE["d7"], "y": BASE["d7"] + "\n"}))
    assert of(found, "duplicate-documents") == [(WARNING, 2, [["d7", "x"], ["d7", "y"]])]
    assert not of(found, "near-duplicate-documents")
    assert not of(found, "false-negatives")


def test_the_twin_of_a_positive_is_an_error_and_a_near_one_a_warning() -> None:
    near = BASE["d1"] + " indeed"
    found = check_texts(task(corpus={"x": BASE["d0"].replace(" ", "  "), "y": near}))
    assert of(found, "false-negatives") == [
        (ERROR, 1, [["q0", "d0", "x"]]),
        (WARNING, 1, [["q1", "d1", "y"]]),
    ]
    judged = check_texts(task(corpus={"x": BASE["d0"], "y": near}, judged=[("q0", "x", 1), ("q1", "y", 0)]))
    assert not of(judged, "false-negatives")


def test_near_duplicates_of_both_kinds() -> None:
    found = check_texts(
        task(
            {"q9": ASKED["q0"] + " now"},
            {"x": BASE["d7"] + " too", "d9": "alone it stands here"},
            [("q9", "d9", 1)],
        )
    )
    ((severity, count, pairs),) = of(found, "near-duplicate-documents")
    assert (severity, count, pairs[0][:2]) == (WARNING, 1, ["d7", "x"])
    assert 0.7 <= pairs[0][2] < 1
    assert [row[:2] for row in of(found, "near-duplicate-queries")] == [(WARNING, 1)]


def test_duplicate_queries_are_worse_when_they_have_other_positives() -> None:
    found = check_texts(
        task({"q8": ASKED["q0"], "q9": ASKED["q1"]}, judged=[("q8", "d0", 1), ("q9", "d5", 1)])
    )
    assert of(found, "duplicate-queries") == [(ERROR, 1, [["q1", "q9"]]), (WARNING, 1, [["q0", "q8"]])]


def test_a_query_that_is_a_document() -> None:
    corpus = {"x": ASKED["q0"], "q1": ASKED["q1"], "y": ASKED["q2"]}
    found = check_texts(task(corpus=corpus, judged=[("q2", "y", 1)]))
    assert of(found, "self-retrieval") == [
        (WARNING, 2, [["q0", "x"], ["q1", "q1"]]),
        (WARNING, 1, [["q2", "y"]]),
    ]
    left_out = check_texts(task(corpus={"q1": ASKED["q1"]}, exclude_self=True))
    assert not of(left_out, "self-retrieval")


def test_lengths_that_tell_and_texts_of_nothing() -> None:
    longs = {f"l{i}": " ".join(f"word{i}x{j}" for j in range(200)) for i in range(60)}
    others = {f"s{i}": f"short {i}" for i in range(200)}
    judged = [("q0", name, 1) for name in longs]
    found = check_texts(task(corpus=longs | others | {"dots": "...", "vast": "v1 " * 9000}, judged=judged))
    lengths = of(found, "lengths")
    assert (NOTE, 1, ["vast"]) in lengths
    assert (WARNING, 1, ["dots"]) in lengths
    assert any("longer than other documents" in f.what and f.severity == WARNING for f in found)


@pytest.mark.parametrize("seed", range(5))
def test_longer_is_the_test_of_mann_and_whitney(seed: int) -> None:
    from scipy.stats import mannwhitneyu, norm

    rng = np.random.default_rng(seed)
    lengths, relevant = rng.integers(0, 12, 90), rng.random(90) < 0.4
    share, z = longer(lengths, relevant)
    whole = mannwhitneyu(lengths[relevant], lengths[~relevant], use_continuity=False, method="asymptotic")
    assert share == pytest.approx(whole.statistic / relevant.sum() / (~relevant).sum())
    assert 2 * norm.sf(abs(z)) == pytest.approx(whole.pvalue)
    assert longer(np.full(9, 4), np.arange(9) < 3) == (0.5, 0.0)
    assert longer(lengths, np.zeros(90, bool)) == (0.5, 0.0)


def test_traits_that_are_not_stated_and_traits_that_do_not_fit() -> None:
    pytest.importorskip("py3langid")
    code = small_task()
    stated = replace(
        code, category="natural_language", origins={"language": "metadata", "category": "metadata"}
    )
    assert any("category is stated as `natural_language`" in f.what for f in check_texts(stated))
    missing = replace(code, origins={"language": "metadata", "category": "detected"})
    assert any("do not state `category`" in f.what for f in check_texts(missing))
