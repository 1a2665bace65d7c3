"""Paraphrases: limits that a model gets from planted texts, the pass over training data, and what becomes of it."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from command import hakari
from command import within as quickly

from hakari.audit import run, similar_scan
from hakari.audit.index import build
from hakari.audit.kinds import RISKS
from hakari.audit.report import Report
from hakari.audit.similar import (
    OWN_SHARE,
    SIMILAR,
    Judge,
    calibrated,
    nearest,
    own_limits,
    planted,
)
from hakari.audit.similar_scan import Asked, parts_of
from hakari.errors import UsageError
from hakari.io.nano_write import write_nano_set
from hakari.retrievers.text_vectors import TextVectors
from hakari.tasks.assemble import Traits, assemble
from hakari.text.detect import is_code
from hakari.types import Task

WIDTH = 512
QUERIES = {
    "q0": "Write a function to find the first repeated character in a given string.",
    "q1": "Which of the invoices were paid before the end of the month?",
    "q2": "How does a glacier carve a valley into the mountains?",
    "q3": "hello there",
}
REWORDED = "Write a python function to find the first character that is repeated in a given string."
DOCUMENTS = {
    "d0": "def first_repeated(text):\n    seen = set()\n    for c in text:\n        if c in seen:\n"
    "            return c\n        seen.add(c)",
    "d1": "Invoices carry the date of payment in their last column, in the order in which they were received.",
    "d2": "Ice that moves downhill grinds the rock below it and leaves a trough with steep sides behind.",
    "d3": "A greeting.",
}


class Grams:
    """Words and pairs of words as a vector: near is who shares many of them."""

    name = "grams"
    identity = "1"

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.stop_after: int | None = None

    def require(self) -> None:
        pass

    def encode(
        self, texts: Sequence[str], keep: bool = True, progress: object = None
    ) -> tuple[npt.NDArray[np.float32], float]:
        vectors = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in enumerate(texts):
            if self.stop_after is not None and len(self.texts) >= self.stop_after:
                raise KeyboardInterrupt
            self.texts.append(text)
            words = text.lower().replace("?", "").replace(".", "").split()
            for gram in [*words, *pairwise(words)]:
                vectors[row, sum(repr(gram).encode()) * 7919 % WIDTH] += 1
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return (vectors / lengths).astype(np.float32), 0.001


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))


def task() -> Task:
    judged = [(f"q{i}", f"d{i}", 1) for i in range(4)]
    return assemble("NanoWords", "Words", QUERIES, DOCUMENTS, judged, traits=Traits("en", "natural_language"))


@pytest.fixture
def nano(tmp_path: Path) -> Path:
    write_nano_set(tmp_path / "NanoWords", [task()])
    return tmp_path / "NanoWords"


def training(tmp_path: Path, rows: int = 9000) -> Path:
    """Rows about the weather, one of which is a reworded query, and one a query as it is."""
    lines = [
        {"anchor": f"row {i} tells of the weather in town {i * 7}", "positive": f"rain {i}"}
        for i in range(rows)
    ]
    lines[5] = {"anchor": REWORDED, "positive": "nothing of it"}
    lines[7] = {"anchor": QUERIES["q2"], "positive": DOCUMENTS["d2"]}
    lines[rows - 1] = {"anchor": "user: hi\n\nassistant: " + REWORDED, "positive": ""}
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def audited(nano: Path, train: Path, asked: Asked, fresh: bool = False) -> Report:
    return run.audit([train], [str(nano)], settings=run.Settings(similar=asked, fresh=fresh))


def test_planted_texts_are_of_their_kind_and_differ() -> None:
    for one in planted():
        texts = [one[form] for form in ("text", "light", "same", "other") if form in one]
        assert len(set(texts)) == len(texts)
        assert ("light" in one) == (one["kind"] == "prose")
        if one["kind"] == "prose":
            assert not any(map(is_code, texts))
    assert {one["kind"] for one in planted()} == {"prose", "code"}


def test_the_limit_lets_one_planted_neighbour_in_twenty_pass_and_no_more() -> None:
    found = calibrated(Grams())
    for limit in (found.prose, found.code):
        assert limit.neighbours <= 0.05 * limit.planted
        assert 0 < limit.cosine <= 1
    given = calibrated(Grams(), 0.25)
    assert (given.prose.cosine, given.code.cosine, given.own) == (0.25, 0.25, False)
    assert given.prose.neighbours > found.prose.neighbours
    assert "0.250 for prose" in str(given)
    assert str(OWN_SHARE) in str(found)


def test_a_reworded_query_is_similar_and_a_verbatim_one_is_not(nano: Path, tmp_path: Path) -> None:
    report = audited(nano, training(tmp_path), Asked(Grams(), 0.6))
    counts = {(c.side, c.kind): c for c in report.counts}
    similar = counts["query", "similar"]
    assert (similar.matched, similar.rows, similar.risk) == (1, 2, "similar")
    assert counts["query", "exact"].matched == 1
    assert counts["positive", "similar"].risk == "none found"
    flagged = report.flagged()
    assert set(flagged) == {5, 7, 8999}
    (reason,) = [one for one in flagged[5] if one.kind == "similar"]
    assert reason.id == "q0"
    assert reason.cosine is not None
    assert reason.cosine >= 0.6
    # Partial and fragment do not count beside it.
    assert counts["query", "partial"].matched == 0
    assert RISKS.index("near") < RISKS.index("similar") < RISKS.index("partial")


def test_without_a_model_nobody_looked(nano: Path, tmp_path: Path) -> None:
    report = run.audit([training(tmp_path, 20)], [str(nano)])
    told = [c for c in report.counts if c.kind == "similar"]
    assert {c.risk for c in told} == {"not audited"}
    assert len(told) == 3


def test_pairs_count_in_the_weaker_of_both_kinds(nano: Path, tmp_path: Path) -> None:
    train = tmp_path / "train.jsonl"
    train.write_text(json.dumps({"query": REWORDED, "positive": DOCUMENTS["d0"]}) + "\n")
    report = audited(nano, train, Asked(Grams(), 0.6))
    pairs = {c.kind: c.matched for c in report.counts if c.side == "pair" and c.matched}
    assert pairs == {"similar": 1}


def test_an_interrupted_pass_goes_on_after_its_last_piece(nano: Path, tmp_path: Path) -> None:
    train = training(tmp_path)
    stopped = Grams()
    stopped.stop_after = 450 + 2 * 2 * similar_scan.PIECE
    with pytest.raises(KeyboardInterrupt):
        audited(nano, train, Asked(stopped, 0.6))
    (folder,) = (tmp_path / "cache" / "audit").glob("similar-*")
    assert {path.name for path in folder.iterdir()} == {"0.npy", "1.npy"}
    (folder / "1.npy").write_bytes(b"damaged")
    again = Grams()
    resumed = audited(nano, train, Asked(again, 0.6))
    assert "rain 4095" not in again.texts, "the first piece was kept"
    assert "rain 4096" in again.texts
    third = Grams()
    assert np.array_equal(audited(nano, train, Asked(third, 0.6)).similar, resumed.similar)
    assert not any(text.startswith("rain") for text in third.texts)
    anew = audited(nano, train, Asked(Grams(), 0.6), fresh=True)
    assert np.array_equal(anew.similar, resumed.similar)
    assert len(anew.similar) == 2


def test_rows_that_are_flagged_already_may_be_left_aside(nano: Path, tmp_path: Path) -> None:
    model = Grams()
    report = audited(nano, training(tmp_path, 50), Asked(model, 0.6, only_unflagged=True))
    trained = model.texts[-200:]
    assert QUERIES["q2"] not in trained[-90:]
    assert {c.rows for c in report.counts if (c.side, c.kind) == ("query", "similar")} == {2}
    assert report.similars is not None
    assert report.similars.only_unflagged


def test_what_is_found_does_not_depend_on_company(nano: Path) -> None:
    index = build([task()])
    judge = Judge(index, Grams(), 0.4)
    parts = [REWORDED, *(f"something else {i}" for i in range(700))]
    rows = [[i] for i in range(len(parts))]
    alone = judge.found(parts[:1], rows[:1], False)
    together = judge.found(parts, rows, False)
    backwards = judge.found(parts[::-1], rows[::-1], False)
    assert np.array_equal(together, backwards)
    assert np.array_equal(together[together["row"] == 0], alone)
    assert index.texts.index(QUERIES["q3"]) not in together["text"], "too short to be reworded"


def test_code_is_no_paraphrase_of_prose() -> None:
    index = build([task()])
    judge = Judge(index, Grams(), 0.01)
    (found,) = [set(judge.found([text], [[0]], False)["text"].tolist()) for text in [DOCUMENTS["d0"]]]
    assert found <= {index.texts.index(DOCUMENTS["d0"])}


def test_of_a_row_the_nearest_cell_counts() -> None:
    found = np.array([(3, 1, 0.5), (3, 1, 0.9), (2, 1, 0.7), (3, 0, 0.6)], SIMILAR)
    assert nearest(found).tolist() == [
        (2, 1, np.float32(0.7)),
        (3, 0, np.float32(0.6)),
        (3, 1, np.float32(0.9)),
    ]
    assert len(nearest(np.empty(0, SIMILAR))) == 0


def test_where_the_texts_of_a_side_are_all_alike_near_is_no_sign() -> None:
    queries = {f"q{i}": f"What is the attendance of the game on day {i} of the season?" for i in range(40)}
    documents = {f"d{i}": f"It was the number {i * 31} of all" for i in range(40)}
    alike = assemble("NanoA", "A", queries, documents, [(f"q{i}", f"d{i}", 1) for i in range(40)])
    index = build([alike])
    judge = Judge(index, Grams())
    able = np.arange(len(index.texts))
    limits = own_limits(index, able, Grams().encode(index.texts)[0])
    assert limits[index.tasks[0].queries].min() > judge.similarity.prose.cosine
    other = "What is the attendance of the game on day 77 of the season?"
    assert len(judge.found([other], [[0]], False)) == 0
    assert len(Judge(index, Grams(), judge.similarity.prose.cosine).found([other], [[0]], False)) > 20


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        (("one", None, " ", "two"), ["one", "two"]),
        (("first\x1esecond",), ["first", "second"]),
        (("user: how so?\nassistant: like this",), ["how so?", "like this"]),
        (("<|im_start|>user\nhow?<|im_end|>\n<|im_start|>assistant\nlike this<|im_end|>",), ["how?", "like this"]),
        (("[INST] how so? [/INST] like this",), ["how so?", "like this"]),
        (('[{"role": "user", "content": "how so?"}]',), ["how so?"]),
        (("### Human: how so?\n### Assistant: like this",), ["how so?", "like this"]),
    ],
)  # fmt: skip
def test_a_row_is_compared_cell_by_cell_and_turn_by_turn(
    cells: tuple[str | None, ...], parts: list[str]
) -> None:
    assert [part.strip() for part in parts_of(cells)] == parts


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--similar", "bm25"), "`bm25` does not give a text one vector"),
        (("--similar", "bge_smal_en"), "did you mean"),
        (("--cosine", "0.9"), "add `--similar MODEL`"),
        (("--similar-rows", "unflagged"), "add `--similar MODEL`"),
        (("--remove", "similar,near"), "nobody looks for"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_a_hint(
    nano: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = quickly("audit", training(tmp_path, 20), "--on", nano, *arguments, code=2)
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 2


static = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("wordllama", "safetensors", "tokenizers")),
    reason="needs pip install 'hakari[static]'",
)


@static
def test_the_command_finds_cleans_and_records_what_a_real_model_takes_for_a_paraphrase(
    nano: Path, tmp_path: Path
) -> None:
    train, out, manifest = training(tmp_path, 300), tmp_path / "clean.jsonl", tmp_path / "m.jsonl"
    asked = ("--on", nano, "--similar", "static:wordllama")
    told = json.loads(hakari("audit", train, *asked, "--json", "--record", "--name", "org/train").stdout)
    (count,) = [one for one in told if (one["side"], one["kind"]) == ("query", "similar")]
    assert (count["matched"], count["rows"], count["risk"]) == (1, 2, "similar")
    entry = json.loads((nano / "metadata" / "Words.json").read_text())["leakage_audits"][0]
    assert entry["similar"]["model"] == "static:wordllama"
    assert entry["similar"]["prose"]["planted"] == 60
    assert "static:wordllama" in entry["definitions"]["similar"]

    hakari("audit", train, *asked, "--clean", out)
    assert REWORDED in out.read_text(), "left out only if it is asked for"
    done = hakari("audit", "verify", out, *asked, code=1)
    assert "verified: similar" in done.stderr
    assert "cosine 0." in done.stdout
    remove = ("--remove", "direct,near,similar,partial", "--replace")
    hakari("audit", train, *asked, "--clean", out, "--manifest", manifest, *remove)
    assert REWORDED not in out.read_text()
    head, *lines = map(json.loads, manifest.read_text().splitlines())
    assert head["similar"]["rows"] == "all"
    assert [(one["row"], one["risk"]) for one in lines] == [(5, "similar"), (7, "direct"), (299, "similar")]
    assert "nearer than" in (tmp_path / "clean.jsonl.audit.md").read_text()
    hakari("audit", "verify", out, *asked)


@static
def test_vectors_are_those_of_the_retriever_and_need_one_a_text() -> None:
    model = TextVectors("static:wordllama")
    vectors, seconds = model.encode(["open the file", "close the window", "open the file"])
    assert np.array_equal(vectors[0], vectors[2])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert seconds >= 0
    assert model.identity != TextVectors("static:wordllama(max_length=3)").identity
    with pytest.raises(UsageError, match="several vectors"):
        TextVectors("static:wordllama(long=chunk:max)")
