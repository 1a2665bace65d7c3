"""Rerankers behind an endpoint: `rerank:http://host/v1`, as Cohere, Jina, vLLM, llama.cpp and TEI offer them.

A request holds one query and some of its candidates: `POST /rerank` with `query` and `documents` (`texts` for
servers that ask for those), answered with an index and a score for each.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from hakari.retrievers import http_client
from hakari.retrievers.cross_encoder import PairReranker, parted
from hakari.retrievers.endpoint import (
    OPENAI_KEY,
    Asked,
    Listed,
    batches,
    extra_fields,
    price,
    served_model,
    shares,
    tokens_used,
)
from hakari.retrievers.endpoint_dense import TOO_MUCH
from hakari.retrievers.http_client import Client, EndpointError, checked_url, key_of
from hakari.retrievers.onnx import Encoding
from hakari.retrievers.options import takes
from hakari.retrievers.rerank import Pairs, Rescored
from hakari.retrievers.side_by_side import side_by_side
from hakari.retrievers.spelling import spell
from hakari.types import Task

PATH = "/rerank"


@dataclass(frozen=True)
class RerankUsage(Asked):
    """Settings of a reranker behind an endpoint: those that decide its scores, and how it is asked."""

    fields: str = ""
    """Further fields of requests: `truncate:true;raw_scores:true`."""
    max_characters: int | None = None
    """Documents are cut to so many characters."""

    def __post_init__(self) -> None:
        super().__post_init__()
        extra_fields(self.fields, "fields")


class EndpointPairs:
    """Scores pairs by asking an endpoint, the candidates of a query in batches, side by side."""

    def __init__(self, client: Client, model: str, usage: RerankUsage) -> None:
        self.client, self.model, self.usage = client, model, usage
        self.fields = extra_fields(usage.fields, "fields")
        self._documents = "documents"
        """What the server calls them: learnt from its first refusal."""

    def settings(self) -> dict[str, Any]:
        """Everything that decides the score of a pair."""
        asked = {"fields": self.fields, "max_characters": self.usage.max_characters}
        return {"endpoint": self.client.url, "model": self.model, "texts": "pair", **asked}

    def encode_many(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoding]]:
        """The position and the score of each pair, as the answers come in."""
        pairs = [parted(text) for text in texts]
        lengths = [len(document.encode("utf-8", "replace")) for _, document in pairs]
        rows = sorted(range(len(pairs)), key=lambda row: (pairs[row][0], -lengths[row], row))
        asked = [
            batch
            for _, of_query in groupby(rows, key=lambda row: pairs[row][0])
            for batch in batches(list(of_query), lengths, self.usage.batch)
        ]
        work = partial(self._scored, pairs, lengths)
        for batch, encodings in side_by_side(work, asked, self.usage.concurrency):
            yield from zip(batch, encodings, strict=True)

    def _scored(
        self,
        pairs: Sequence[tuple[str, str]],
        lengths: Sequence[int],
        rows: tuple[int, ...],
        stop: threading.Event,
    ) -> list[Encoding]:
        start = time.perf_counter()
        query = pairs[rows[0]][0] or " "
        documents = [pairs[row][1][: self.usage.max_characters] or " " for row in rows]
        try:
            answer = self._answer(query, documents, stop)
        except EndpointError as error:
            if error.status not in TOO_MUCH or len(rows) == 1:
                raise
            half = len(rows) // 2
            parts = rows[:half], rows[half:]
            return [one for part in parts for one in self._scored(pairs, lengths, part, stop)]
        seconds = (time.perf_counter() - start) / len(rows)
        scores = self._checked(answer, len(rows))
        tokens = shares(tokens_used(answer), [lengths[row] for row in rows])
        return [
            Encoding(np.array([s], np.float32), t, 0, seconds) for s, t in zip(scores, tokens, strict=True)
        ]

    def _answer(self, query: str, documents: list[str], stop: threading.Event) -> Any:
        called = self._documents
        try:
            return self._post(called, query, documents, stop)
        except EndpointError as error:
            if called != "documents" or error.status not in TOO_MUCH or "texts" not in error.message:
                raise
        answer = self._post("texts", query, documents, stop)
        self._documents = "texts"
        return answer

    def _post(self, called: str, query: str, documents: list[str], stop: threading.Event) -> Any:
        body = {"model": self.model, "query": query, called: documents, **self.fields}
        return self.client.post(PATH, body, stop)

    def _checked(self, answer: Any, count: int) -> list[float]:
        """The scores of an answer in the order of the documents, if all is as it has to be."""
        results = answer
        if isinstance(answer, Mapping):
            results = answer.get("results", answer.get("data"))
        return Listed("results", "documents", "score").in_order(self.client.url, results, count, _score)


def _score(entry: Mapping[str, Any], index: int) -> tuple[float, str | None]:
    """The score of a document, and what is wrong with it."""
    score = entry.get("relevance_score", entry.get("score"))
    if not isinstance(score, int | float) or isinstance(score, bool) or not math.isfinite(score):
        return 0.0, f"the score of index {index} is no finite number"
    return float(score), None


class EndpointReranker(PairReranker):
    """Scores pairs with a model behind an endpoint."""

    packages = ()

    def __init__(self, name: str, url: str, model: str, usage: RerankUsage) -> None:
        self.name, self.usage = name, usage
        self._encoder = EndpointPairs(usage.client(url), model, usage)

    def settings(self) -> dict[str, Any]:
        """The address, the model, and what is asked of it; never a key."""
        return self._encoder.settings()

    def ready(self) -> None:
        """Raise where the package that asks, or a key, is missing."""
        http_client.require()
        variable = self._encoder.client.key_variable
        key_of(variable, required=bool(self.usage.key) or variable == OPENAI_KEY)

    def encoder(self) -> EndpointPairs:
        """What scores pairs."""
        return self._encoder

    def rescore(self, task: Task, pairs: Pairs) -> Rescored:
        """Score every pair; what an endpoint does not say of its reading is left out."""
        client = self._encoder.client
        before = client.requests, client.retries
        found = super().rescore(task, pairs)
        tokens = int(found.facts.get("pairs_tokens", 0))
        costs = {
            # Its batches overlap, so their seconds say nothing of a query that comes alone.
            **{k: v for k, v in found.costs.items() if k != "query_seconds"},
            "endpoint_requests": client.requests - before[0],
            "endpoint_retries": client.retries - before[1],
            **({"tokens": tokens} if tokens else {}),
            **price(client.url, self._encoder.model, tokens),
        }
        facts = {k: v for k, v in found.facts.items() if not k.startswith("pairs_t")}
        return replace(found, facts=facts, costs=costs)


@takes(RerankUsage)
def http(url: str, *, model: str = "", options: RerankUsage) -> EndpointReranker:
    """A reranker by the address of its endpoint; without `model`, the server is asked which one it offers."""
    return _reranker("http:" + url, model, options)


@takes(RerankUsage)
def https(url: str, *, model: str = "", options: RerankUsage) -> EndpointReranker:
    """The same, encrypted."""
    return _reranker("https:" + url, model, options)


def _reranker(url: str, model: str, usage: RerankUsage) -> EndpointReranker:
    url = checked_url(url).removesuffix(PATH)
    if not model:
        http_client.require()
        model = served_model(usage.client(url))
    changed = {
        name: getattr(usage, name)
        for name in ("fields", "max_characters")
        if getattr(usage, name) != getattr(RerankUsage(), name)
    }
    return EndpointReranker(spell(f"rerank:{url}", keywords={"model": model, **changed}), url, model, usage)
