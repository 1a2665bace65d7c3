"""Segmenters: the words each language gets, and what happens without its library or with strange texts."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from hakari.errors import MissingPrerequisite, UnknownName, install_hint
from hakari.text import segmenters
from hakari.text.segmenters import LANGUAGES, PIECE, segment

LIBRARIES = {"ja": "fugashi", "ko": "kiwipiepy", "th": "pythainlp", "vi": "pyvi", "zh": "jieba"}
SENTENCES = {
    "ja": ("東京タワーは\nTOKYOにある。", ["東京", "タワー", "は", "TOKYO", "に", "ある", "。"]),
    "ko": ("나는 Kiwi를 좋아한다.", ["나", "는", "Kiwi", "를", "좋아하", "ᆫ다", "."]),
    "th": ("สวัสดีครับ Hakari 2.5", ["สวัสดี", "ครับ", " ", "Hakari", " ", "2.5"]),
    "vi": ("Trường đại học Hà Nội, Việt Nam.", ["trường", "đại_học", "hà_nội", "việt_nam"]),
    "zh": (
        "我来到北京清华大学 Python3.5。",
        ["我", "来到", "北京", "清华大学", " ", "Python3.5", "。"],
    ),
}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    if importlib.util.find_spec(LIBRARIES[request.param]) is None:
        pytest.skip(f"{LIBRARIES[request.param]} is not installed: pip install 'hakari[segment]'")
    return request.param


def test_words(language: str) -> None:
    sentence, words = SENTENCES[language]
    assert segment(language, [sentence, "", sentence]) == [words, [], words]


def test_texts_are_cut_into_pieces(language: str) -> None:
    sentence, _ = SENTENCES[language]
    long = sentence * (2 * PIECE // len(sentence))
    pieces = segment(language, [long[:PIECE], long[PIECE:]])
    assert segment(language, [long]) == [pieces[0] + pieces[1]]


def test_nul_and_surrogates_lose_no_text(language: str) -> None:
    assert "hakari" in [word.lower() for word in segment(language, ["2 \x00 \ud800 Hakari"])[0]]


def test_a_missing_library_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for language, library in LIBRARIES.items():
        for module in (library, f"{library}.tokenize"):
            monkeypatch.setitem(sys.modules, module, None)
        segmenters._load.cache_clear()
        with pytest.raises(MissingPrerequisite, match=library) as caught:
            segment(language, ["text"])
        assert caught.value.hint == install_hint("segment")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnknownName, match="`jp`"):
        segment("jp", ["text"])


def test_importing_loads_no_segmenter() -> None:
    code = (
        "import sys, hakari.text.segmenters\n"
        f"assert not {set(LIBRARIES.values())!r} & set(sys.modules), 'a segmenter was loaded'"
    )
    source = Path(segmenters.__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(source)})
