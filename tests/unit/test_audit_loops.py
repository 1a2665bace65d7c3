"""The compiled loops of the audit against Python: every character, and texts that meet the edges of blocks."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest
from both_paths import needs_compiled

from hakari import native
from hakari.audit import plain
from hakari.audit.compare import Shingle
from hakari.audit.index import KEYED, Index, build, keys_of
from hakari.audit.letters import letters
from hakari.audit.normal import fold
from hakari.audit.scan import scanner
from hakari.tasks.assemble import assemble

_SOLID = (
    "a b_c return def user assistant os.path.join x::y inst [INST] [/INST] <|im_start|> user: ; { } ( ) = [ ] . .. :: "
    "' \" \\ /* */ // # -- ''' \"\"\" ` | / é 東 0x1 12.5 sixteen_letters_ seventeen_letters eightlet , -"
)
_SPACED = ("\n", "! ", ". ", "?\n", "\x1e", "\t", "\r\n", "\x00", "\x7f", " -- ")
PIECES = [*_SOLID.split(), *_SPACED, "averyverylongname" * 5]
WIDTHS = ("", "narrow", "none")


def folded(texts: list[str]) -> tuple[list[bytes], int]:
    """What the compiled loops make of texts, and how many of them were left to Python."""
    assert native.compiled is not None
    left: list[str] = []

    def whole(text: str) -> bytes:
        left.append(text)
        return fold(text)

    return native.compiled.audit_fold(texts, whole, letters), len(left)


def in_company(character: str) -> Iterator[str]:
    yield f"Z{character}z"
    yield f"é\u0323{character}"
    yield f"가{character}\u0301\u05b0"


@needs_compiled
def test_every_character_is_folded_as_python_folds_it() -> None:
    every = [chr(code) for code in range(0x110000)]
    together = ["".join(every[start : start + 60]) for start in range(0, len(every), 60)]
    used = [c for c in every if unicodedata.category(c) not in ("Cn", "Co", "Cs", "Lo")]
    syllables = [chr(code) for code in range(0xA00, 0x1200)] + [chr(code) for code in range(0xAC00, 0xAD00)]
    texts = together + [text for c in used + syllables for text in in_company(c)]
    texts += [unicodedata.normalize("NFD", text) for text in together]
    got, left = folded(texts)
    assert got == [fold(text) for text in texts]
    assert left < len(texts) / 2


@needs_compiled
def test_characters_that_act_on_each_other_are_folded_as_python_folds_them() -> None:
    rng = random.Random(5)
    marks = [c for c in map(chr, range(0x30000)) if unicodedata.combining(c)]
    others = list("aeiouAEIOU <=>東ア가ᄀ") + [chr(code) for code in range(0x900, 0xE00)]
    texts = [
        "".join(rng.choice(rng.choice((marks, others))) for _ in range(rng.randrange(1, 14))) + "é"
        for _ in range(20_000)
    ]
    assert folded(texts)[0] == [fold(text) for text in texts]


@needs_compiled
def test_common_scripts_are_not_left_to_python() -> None:
    texts = [
        "Ёлка, ещё раз: Москва — 2026.",
        "東京は日本の首都であり、人口は多い。",
        "서울은 한국의 수도이다.",
        "यह एक हिन्दी वाक्य है।",
        "ประเทศไทยมีเมืองหลวงคือกรุงเทพ",
        "مُدَرِّسَةٌ جديدة",
        "בְּרֵאשִׁית",
        "Ｆｕｌｌ ｗｉｄｔｈ ① ﬁ Straße",
    ]
    got, left = folded(texts)
    assert got == [fold(text) for text in texts]
    assert left <= 1


@needs_compiled
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("window", [16, 4])
def test_every_width_of_the_loops_takes_texts_apart_alike(
    width: str, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAKARI_VECTORS", width)
    rng = random.Random(window)
    texts = []
    for _ in range(1500):
        some = rng.choices(PIECES, k=rng.choice((2, 10, 40, 150)))
        text = "".join(piece + rng.choice(("", "", " ")) for piece in some)
        size = rng.choice((63, 64, 65, 127, 128, 129, 4096, 10_000))
        texts.append(text.encode()[:size])
    keyed, counts = keys_of(texts, _Settings(window))
    plainly, plain_counts = plain.keys_of(texts, window)
    order = ["text", "kind", "key"]
    assert np.array_equal(np.sort(keyed, order=order), np.sort(np.array(plainly, KEYED), order=order))
    assert counts.tolist() == plain_counts


class _Settings:
    shingle = Shingle()

    def __init__(self, window: int) -> None:
        self.window = window


@needs_compiled
def test_every_width_of_the_loops_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(8)
    words = [f"{letter}{number}" for letter in "abcdefgh" for number in range(200)]
    corpus = {f"d{i}": " ".join(rng.choices(words, k=rng.randrange(9, 90))) for i in range(3000)}
    task = assemble("NanoA", "T", {"q": "what is it"}, corpus, [("q", name, 1) for name in corpus])
    rows = [
        (" ".join(rng.choices(words, k=30)) + " " + text[rng.randrange(40) :], None)
        for text in list(corpus.values())[::7]
    ]
    found = []
    for width in WIDTHS:
        monkeypatch.setenv("HAKARI_VECTORS", width)
        index: Index = build([task])
        found.append(scanner(index)(rows, 0)[0].tobytes())
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 300 * 64
