"""The words of a task: which texts hold which, and how rare each is in the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hakari.text.scan import Tokens
from hakari.text.stopwords import ENGLISH
from hakari.text.tokenizers import published_tokenizer, tokenizer
from hakari.types import Task

COMMON = 0.05
"""A word in more than this share of the documents is generic."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The distinct words of every query and document."""

    queries: Tokens
    documents: Tokens

    @cached_property
    def rarity(self) -> dict[str, float]:
        """The share of documents that hold each word."""
        texts = np.repeat(np.arange(len(self.documents)), np.diff(self.documents.offsets))
        pairs = np.unique(texts * len(self.documents.words) + self.documents.ids)
        held = np.bincount(pairs % max(len(self.documents.words), 1), minlength=len(self.documents.words))
        return dict(zip(self.documents.words, (held / max(len(self.documents), 1)).tolist(), strict=True))

    def query(self, number: int) -> set[str]:
        """The words of a query, without stop words."""
        return _words(self.queries, number)

    def document(self, number: int) -> set[str]:
        """The words of a document, without stop words."""
        return _words(self.documents, number)

    def generic(self, words: set[str]) -> set[str]:
        """Those of some words that much of the corpus holds."""
        return {word for word in words if self.rarity.get(word, 0.0) > COMMON}

    def overlap(self, query: int, document: int) -> float:
        """The share of a query's words that a document has."""
        words = self.query(query)
        return len(words & self.document(document)) / len(words) if words else 0.0


def _words(tokens: Tokens, text: int) -> set[str]:
    distinct = np.unique(tokens.ids[tokens.offsets[text] : tokens.offsets[text + 1]])
    return {tokens.words[word] for word in distinct.tolist()} - ENGLISH


def lexicon(task: Task) -> Lexicon:
    """The words of a task; in prose those of its language, unstemmed, and in code all that look like words."""
    name = published_tokenizer(task.language, task.category)
    plain = tokenizer(name if name.startswith("segment:") else "regex")
    return Lexicon(plain(task.queries.texts), plain(task.corpus.texts))
