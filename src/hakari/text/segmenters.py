"""Words of languages whose spaces do not separate words, by the segmenter each is published with.

The libraries are an extra: `pip install 'hakari[segment]'`. The words are those of the published BM25
protocol: texts are cut every 4,000 characters; Japanese, Chinese, Thai and Korean keep case, punctuation and
spaces as tokens, as their segmenters give them; Vietnamese is lower-cased after segmentation, because case
guides its segmenter, and loses tokens without a letter or digit. Measured on XQuAD in Chinese (BM25,
nDCG@10): 0.9736 this way, and just the same lower-cased, without spaces or without punctuation.
"""

from __future__ import annotations

import logging
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from hakari.errors import MissingPrerequisite, UnknownName, install_hint

Segmenter = Callable[[str], list[str]]

PIECE = 4_000
"""Characters that are segmented at a time; longer texts are cut."""

# Segmenters in C stop at a NUL without a word, and cannot encode half of a surrogate pair.
_UNSAFE = re.compile("[\x00\ud800-\udfff]")


def segment(language: str, texts: Sequence[str]) -> list[list[str]]:
    """The words of each text, in order.

    `language` is one of `LANGUAGES`. Raises `MissingPrerequisite` where its library is not installed.
    """
    if language not in LANGUAGES:
        raise UnknownName("language to segment", language, LANGUAGES, "hakari.text.segmenters.LANGUAGES")
    segmenter = _load(language)
    return [
        [word for start in range(0, len(text), PIECE) for word in segmenter(text[start : start + PIECE])]
        for text in (_UNSAFE.sub(" ", text) for text in texts)
    ]


@cache
def _load(language: str) -> Segmenter:
    build, library = _BUILDERS[language]
    try:
        # Some of these libraries warn while they are imported, of nothing that a user here can change.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return build()
    except ImportError as error:
        raise MissingPrerequisite(
            f"segmenting `{language}` needs {library}, which is not installed ({error})",
            install_hint("segment"),
        ) from error


def _japanese() -> Segmenter:
    import fugashi
    import unidic_lite

    # The dictionary is named: by itself fugashi takes a full UniDic where one is installed.
    tagger = fugashi.Tagger(f'-d "{unidic_lite.DICDIR}"')
    return lambda text: [word.surface for word in tagger(text) if word.surface]


def _chinese() -> Segmenter:
    import jieba

    logging.getLogger("jieba").setLevel(logging.WARNING)
    tokenizer: Any = jieba.Tokenizer()
    # jieba keeps its dictionary in the shared temporary folder under a name that anyone can write first,
    # and trusts what it finds there.
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return tokenizer.lcut


def _thai() -> Segmenter:
    from pythainlp.tokenize import word_tokenize

    return lambda text: [word for word in word_tokenize(text, engine="newmm") if word]


def _korean() -> Segmenter:
    from kiwipiepy import Kiwi

    kiwi = Kiwi(num_workers=1)
    return lambda text: [token.form for token in kiwi.tokenize(text) if token.form]


def _vietnamese() -> Segmenter:
    from pyvi import ViTokenizer

    def words(text: str) -> list[str]:
        tokens = ViTokenizer.tokenize(text).split()
        return [token.lower() for token in tokens if any(map(str.isalnum, token))]

    return words


_BUILDERS: dict[str, tuple[Callable[[], Segmenter], str]] = {
    "ja": (_japanese, "fugashi and unidic-lite"),
    "ko": (_korean, "kiwipiepy"),
    "th": (_thai, "pythainlp"),
    "vi": (_vietnamese, "pyvi"),
    "zh": (_chinese, "jieba"),
}

LANGUAGES: tuple[str, ...] = tuple(_BUILDERS)
"""Languages with a segmenter."""
