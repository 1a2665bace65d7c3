"""The stemmer's rules, one word or more each; the oracle test compares whole vocabularies."""

from __future__ import annotations

import pytest

from hakari.text.porter import stem

EXPECTED = {
    # untouched: short words, irregular forms, no suffix
    "": "",
    "s": "s",
    "as": "as",
    "skies": "sky",
    "dying": "die",
    "news": "news",
    "tree": "tree",
    "2026": "2026",
    # plurals
    "caresses": "caress",
    "caress": "caress",
    "ponies": "poni",
    "ties": "tie",
    "cats": "cat",
    # past and participle
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "bled": "bled",
    "died": "die",
    "spied": "spi",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "troubled": "troubl",
    "sized": "size",
    "hopping": "hop",
    "falling": "fall",
    "hissing": "hiss",
    "failing": "fail",
    "filing": "file",
    "using": "use",
    # y
    "happy": "happi",
    "enjoy": "enjoy",
    "fly": "fli",
    "syzygy": "syzygi",
    # double suffixes
    "relational": "relat",
    "conditional": "condit",
    "rational": "ration",
    "digitizer": "digit",
    "conformably": "conform",
    "radically": "radic",
    "relationally": "relat",
    "vietnamization": "vietnam",
    "meaningfully": "meaning",
    "geology": "geolog",
    "sensibility": "sensibl",
    # inner and last suffixes
    "triplicate": "triplic",
    "formative": "form",
    "electrical": "electr",
    "goodness": "good",
    "revival": "reviv",
    "replacement": "replac",
    "adoption": "adopt",
    "onion": "onion",
    "bowdlerize": "bowdler",
    # tidying
    "probate": "probat",
    "rate": "rate",
    "cease": "ceas",
    "controll": "control",
    "roll": "roll",
}


@pytest.mark.parametrize(("word", "expected"), EXPECTED.items())
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_long_run_of_y_takes_linear_time() -> None:
    assert stem("y" * 100_001 + "ing") == "y" * 99_999 + "i"
