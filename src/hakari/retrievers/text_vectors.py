"""Texts to vectors by any dense retriever, for whoever wants vectors and no ranking."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.retrievers.dense import Dense
from hakari.retrievers.encode import Progress, encode_texts
from hakari.retrievers.registry import parse


class TextVectors:
    """A dense retriever's encoder of documents: both sides of a comparison of like with like go through it."""

    def __init__(self, spelling: str) -> None:
        dense = parse(spelling)
        if not isinstance(dense, Dense):
            raise UsageError(
                f"`{spelling}` does not give a text one vector",
                "name a dense retriever, such as `bge_small_en` or `static:wordllama`",
            )
        if dense.reading.chunks is not None:
            raise UsageError(f"`{spelling}` gives a long text several vectors", "leave `long` away")
        self._dense = dense
        self.name = dense.name
        """Its canonical spelling."""

    @property
    def identity(self) -> str:
        """A hash of everything that decides the vectors."""
        told = json.dumps(self._dense.settings(), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()

    def require(self) -> None:
        """Raise where its weights or the packages that run them are missing."""
        self._dense.require()

    def encode(
        self, texts: Sequence[str], keep: bool = True, progress: Progress | None = None
    ) -> tuple[npt.NDArray[np.float32], float]:
        """The vectors of texts, of length one, and the seconds that they cost now or cost when they were kept.

        With `keep` they are taken from the cache of embeddings where they are there, and put into it.
        """
        usage, encoder = self._dense.usage, self._dense.model.encoder("document")
        fitted = self._dense.reading.queries(list(texts), usage.document_prompt, encoder).texts
        if keep:
            with self._dense.cache(encoder) as cache:
                encoded = encode_texts(encoder, fitted, cache, progress)
        else:
            encoded = encode_texts(encoder, fitted, None, progress)
        lengths = np.linalg.norm(encoded.vectors, axis=1, keepdims=True)
        vectors = encoded.vectors / np.maximum(lengths, np.float32(1e-12))
        return np.ascontiguousarray(vectors, np.float32), encoded.work.seconds
