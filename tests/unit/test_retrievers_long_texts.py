from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from hakari.errors import UsageError
from hakari.retrievers.long_texts import Chunks, Reading, reads_long_texts


class Words:
    """Counts words, and tells so of itself."""

    room = 8

    def tokens(self, text):
        return [match.span() for match in re.finditer(r"\S+", text)]

    def ruler(self):
        return self


TEN = " ".join("abcdefghij")


def test_the_default_leaves_texts_to_the_encoder():
    fitted = Reading().documents([TEN], "p: ", object())
    assert list(fitted.texts) == [f"p: {TEN}"]
    assert fitted.facts("documents", {"documents_truncated": 3}) == {"documents_truncated": 3}
    assert Reading().settings() == {}


def test_the_end_is_kept_behind_the_prompt():
    fitted = Reading("tail").queries([TEN, "short one"], "ask: ", Words())
    assert list(fitted.texts) == ["ask: d e f g h i j", "ask: short one"]
    assert fitted.measured == {"truncated": 1, "tokens": 14, "tokens_cut_share": round(3 / 14, 6)}


def test_turns_are_kept_and_plain_texts_fall_back_to_their_beginning_and_are_counted():
    dialogue = "user: a b c d e\nassistant: f g h\nuser: last request"
    fitted = Reading("turns").queries([dialogue, TEN, "user: short"], "", Words())
    assert fitted.texts[0].endswith("user: last request")
    assert list(fitted.texts[1:]) == ["a b c d e f g h", "user: short"]
    assert fitted.measured["no_dialogues"] == 1
    assert fitted.measured["truncated"] == 2


def test_no_text_has_more_than_the_model_reads_whatever_joining_does():
    class Letters(Words):
        """A word of more than one letter has a token more where its first letter was cut away."""

        def tokens(self, text):
            return [(i, i + 1) for i, c in enumerate(text) if c != " "] + [
                (len(text), len(text))
            ] * text.count(" ")

    dialogue = "user: " + "x " * 20 + "\nassistant: y\nuser: z z z"
    for how in ("tail", "turns"):
        (text,) = Reading(how).queries([dialogue], "", Letters()).texts
        assert len(Letters().tokens(text)) <= 8


def test_pieces_overlap_and_hold_the_whole_text():
    fitted = Reading(chunks=Chunks.read("chunk:max:4:1")).documents([TEN, "", "x y"], "d: ", Words())
    assert list(fitted.texts) == ["d: a b c d", "d: d e f g", "d: g h i j", "d: ", "d: x y"]
    assert fitted.offsets.tolist() == [0, 3, 4, 5]
    assert fitted.measured["truncated"] == 0
    assert (fitted.measured["in_pieces"], fitted.measured["pieces"]) == (1, 5)


def test_pieces_are_as_long_as_the_model_reads_by_default():
    fitted = Reading(chunks=Chunks.read("chunk")).documents([TEN], "", Words())
    assert list(fitted.texts) == ["a b c d e f g h", "h i j"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "chunk:min",
        "chunk:max:0",
        "chunk:max:4:4",
        "chunk:max:x",
        "chunk:max:4:1:2",
        "chunks",
        "chunk:max:-4",
    ],
)
def test_what_says_no_way_is_refused(text):
    with pytest.raises(UsageError):
        Chunks.read(text)


@pytest.mark.parametrize("text", ["chunk:max", "chunk:mean", "chunk:max:256", "chunk:mean:256:64"])
def test_the_text_of_a_choice_is_its_identity(text):
    assert str(Chunks.read(text)) == text
    assert Reading(chunks=Chunks.read(text)).settings() == {"long": text}


def test_what_cannot_be_done_is_told():
    with pytest.raises(UsageError, match="does not say how it counts"):
        Reading("tail").queries([TEN], "", object())
    with pytest.raises(UsageError, match="leaves none"):
        Reading("tail").queries([TEN], "a b c d e f g h i", Words())
    with pytest.raises(UsageError, match="longer than the 8"):
        Reading(chunks=Chunks.read("chunk:max:9")).documents([TEN], "", Words())


def test_a_maker_gets_both_settings_and_its_retriever_another_name():
    class Made:
        name = "made(x=1)"
        reading = Reading()

    @reads_long_texts
    def make(path: str, *, x: int = 1) -> Made:
        return Made()

    assert make("p").reading == Reading()
    assert make("p", truncate="head").name == "made(x=1)"
    made = make("p", x=1, truncate="tail", long="chunk:max:9:3")
    assert made.name == "made(x=1,truncate=tail,long=chunk:max:9:3)"
    assert made.reading == Reading("tail", Chunks("max", 9, 3))


@pytest.mark.parametrize("fold", ["max", "mean"])
@pytest.mark.parametrize("exclude_self", [False, True])
def test_every_variant_scores_documents_by_their_pieces(fold, exclude_self):
    from hakari.retrievers.nearest import Nearest, Similarity
    from hakari.retrievers.variant_names import FLOAT, parse_specs

    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 9, 700)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    queries, pieces = (rng.normal(size=(n, 24)).astype(np.float32) for n in (9, offsets[-1]))
    ids = [np.array([f"{k}{i:03}" for i in range(n)], dtype=object) for k, n in (("d", 9), ("d", 700))]
    names = [FLOAT, *parse_specs(["int8", "binary", "dim=8", "binary>float@40"])]
    whole = Nearest((ids[0], queries), (ids[1], pieces), names, Similarity(), (offsets, fold))
    every = Nearest(
        (ids[0], queries),
        (np.array([f"p{i:06}" for i in range(offsets[-1])], dtype=object), pieces),
        names[:4],
        Similarity(),
    )
    found = whole.find(20, exclude_self)
    for name in names[:4]:
        index = every.indexes[name.form]
        scores = index.scores(slice(0, 9))
        parts = [scores[:, a:b] for a, b in pairwise(offsets)]
        folded = np.stack(
            [part.max(axis=1) if fold == "max" else part.mean(axis=1) for part in parts], axis=1
        )
        if exclude_self:
            folded[np.arange(9), np.arange(9)] = -np.inf
        run = found.runs[str(name)]
        best = -np.sort(-folded, axis=1)[:, :20]
        np.testing.assert_allclose(run.scores.reshape(9, 20), best, rtol=1e-4, atol=1e-5)
        assert found.costs[str(name)]["index_bytes"] == pytest.approx(
            index.bytes_per_document * offsets[-1], rel=1e-6
        )
    rescored = found.runs["binary>float@40"]
    assert set(rescored.scores[:5]) & set(found.runs["float"].scores[:20])
