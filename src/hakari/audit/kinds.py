"""The kinds of match: what each is, its thresholds, and the risk that it stands for.

The thresholds were chosen on planted leaks other than those that benchmarks/audit_recall.md measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.audit.compare import LONG, WHOLE, WHOLE_LINE, Shingle
from hakari.audit.similar import WORDS as SIMILAR_WORDS
from hakari.audit.similar import Similarity

Mask = npt.NDArray[np.bool_]

DIRECT, NEAR, SIMILAR, PARTIAL = "direct", "near", "similar", "partial"
NONE, NOT_AUDITED = "none found", "not audited"
RISKS = (DIRECT, NEAR, SIMILAR, PARTIAL, NONE, NOT_AUDITED)
"""From the worst on."""


@dataclass(frozen=True)
class Thresholds:
    """Where each kind begins; shares are of the evaluation text."""

    shingle: Shingle = field(default_factory=Shingle)
    code: bool = True
    """Whether code is compared a second time, without comments, layout and names."""
    containment: float = 0.5
    edited: float = 0.75
    reordered: float = 0.7
    line_words: int = 12
    fingerprint: float = 0.8
    windows: int = 20
    partial_run: float = 0.35
    partial_words: int = 12
    partial_covered: float = 0.4
    fragment_run: float = 0.12
    fragment_words: int = 16
    distinct: int = 5
    split: float = 0.8
    split_words: int = 24
    similar: Similarity | None = None
    """What is near enough for a paraphrase; None where nobody looked for any."""


@dataclass(frozen=True)
class Kind:
    """A way in which a row can hold an evaluation text."""

    name: str
    risk: str
    definition: Callable[[Thresholds], str]


KINDS = (
    Kind(
        "exact", DIRECT, lambda t: "a cell of the row, or a turn of its dialogue, is the text in normal form"
    ),
    Kind(
        "embedded",
        DIRECT,
        lambda t: (
            f"the whole text stands within a longer cell; one of fewer than {LONG} words, as a line of it"
        ),
    ),
    Kind(
        "shingle",
        NEAR,
        lambda t: f"the row holds at least {t.containment:g} of the text's shingles ({t.shingle})",
    ),
    Kind(
        "reordered",
        NEAR,
        lambda t: (
            f"lines or sentences that the row has too hold at least {t.reordered:g} of the words of the "
            f"text's lines of 3 words or more ({t.line_words} words or more in all), and no kind above applies"
        ),
    ),
    Kind(
        "edited",
        NEAR,
        lambda t: (
            f"runs of 4 words or more that the row has too cover at least {t.edited:g} of the text "
            f"({LONG} words or more), and no kind above applies"
        ),
    ),
    Kind(
        "fingerprint",
        NEAR,
        lambda t: (
            f"at least {t.fingerprint:g} of the text's different windows of code tokens stand in the row, names by "
            f"place, without comments and layout ({t.windows} windows or more)"
        ),
    ),
    Kind(
        "split",
        NEAR,
        lambda t: (
            f"runs of 12 words or more in several rows together cover at least {t.split:g} of a text of "
            f"{t.split_words} words or more that no single row holds by a kind above"
        ),
    ),
    Kind(
        "similar",
        SIMILAR,
        lambda t: (
            str(t.similar)
            if t.similar
            else "paraphrases, which nobody looked for (`hakari audit --similar MODEL` does)"
        ),
    ),
    Kind(
        "partial",
        PARTIAL,
        lambda t: (
            f"one run of at least {t.partial_run:g} of the text and {t.partial_words} words, or runs of "
            f"{LONG} words that cover {t.partial_covered:g} of it; the longest run has {t.distinct} different words, "
            "and no kind above applies"
        ),
    ),
    Kind(
        "fragment",
        PARTIAL,
        lambda t: (
            f"one run of at least {t.fragment_run:g} of the text and {t.fragment_words} words, {t.distinct} different "
            "ones, and no kind above applies"
        ),
    ),
    Kind(
        "identifier",
        PARTIAL,
        lambda t: (
            "the path of names that the text begins with (three parts, or 16 letters) stands in the row; "
            "for tasks about code"
        ),
    ),
    Kind(
        "origin",
        PARTIAL,
        lambda t: "the row declares the data set that the task was made from; no text is compared",
    ),
)
"""From the strongest on."""
BY_NAME = {kind.name: kind for kind in KINDS}
OF_ONE_ROW = tuple(kind.name for kind in KINDS if kind.name not in ("split", "similar", "origin"))
"""Kinds that the counts of one row and one text decide."""


def classify(found: npt.NDArray[Any], t: Thresholds) -> dict[str, Mask]:
    """Which kinds of match each count of a row and a text is."""
    words = found["words"]
    exact = (found["exact"] & WHOLE) > 0
    whole = np.where(words >= LONG, found["longest"] == words, (found["exact"] & WHOLE_LINE) > 0)
    embedded = whole & ~exact
    tokens = t.shingle.unit == "tokens"
    shared, of = ("windows", "window_total") if tokens else ("shared", "shingles")
    shingle = (found[of] > 0) & (found[shared] >= t.containment * found[of])
    held = exact | embedded | shingle
    lines = found["line_total"]
    reordered = (lines >= t.line_words) & (found["lines"] >= t.reordered * lines) & ~held
    edited = (words >= LONG) & (found["covered"] >= t.edited * words) & ~held & ~reordered
    windows = found["window_total"]
    fingerprint = t.code & (windows >= t.windows) & (found["windows"] >= t.fingerprint * windows)
    held = held | edited | reordered
    run = (found["longest"] >= t.partial_words) & (found["longest"] >= t.partial_run * words)
    varied = found["distinct"] >= t.distinct
    partial = varied & (run | ((words >= 24) & (found["covered_long"] >= t.partial_covered * words))) & ~held
    fragment = (found["longest"] >= t.fragment_words) & (found["longest"] >= t.fragment_run * words)
    masks = {
        "exact": exact,
        "embedded": embedded,
        "shingle": shingle,
        "reordered": reordered,
        "edited": edited,
        "fingerprint": fingerprint,
        "partial": partial,
        "fragment": fragment & varied & ~held & ~partial,
        "identifier": t.code & (found["path"] > 0),
    }
    return {name: np.asarray(masks[name], bool) for name in OF_ONE_ROW}


def strongest(masks: dict[str, Mask]) -> npt.NDArray[np.int8]:
    """The number of the strongest kind of each count, by `OF_ONE_ROW`; `len(OF_ONE_ROW)` for none."""
    count = len(next(iter(masks.values())))
    best = np.full(count, len(OF_ONE_ROW), np.int8)
    for number in range(len(OF_ONE_ROW) - 1, -1, -1):
        best[masks[OF_ONE_ROW[number]]] = number
    return best


def judged(counts: npt.NDArray[np.int32], kind: str, code: bool, t: Thresholds) -> Mask:
    """Which texts a kind can find, by their counts of words, words in lines and windows of code."""
    words, line_words, windows = counts[:, 0], counts[:, 1], counts[:, 2]
    width = t.shingle.width if t.shingle.unit == "words" else 1
    able = {
        "exact": words >= 1,
        "embedded": words >= 3,
        "shingle": words >= width,
        "edited": words >= LONG,
        "reordered": line_words >= t.line_words,
        "fingerprint": (windows >= t.windows) & t.code,
        "split": words >= t.split_words,
        "similar": (words >= SIMILAR_WORDS) & (t.similar is not None),
        "partial": words > t.partial_words,
        "fragment": words > t.fragment_words,
        "identifier": np.full(len(counts), code and t.code),
        "origin": np.full(len(counts), True),
    }
    return np.asarray(able[kind], bool)


def worst(risks: list[str]) -> str:
    """The worst of some risks."""
    return min(risks, key=RISKS.index, default=NOT_AUDITED)
