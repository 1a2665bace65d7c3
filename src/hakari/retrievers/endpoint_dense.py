"""Dense models behind an OpenAI-compatible endpoint: `openai:MODEL`, `http://host/v1`, `https://host/v1`."""

from __future__ import annotations

import base64
import binascii
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hakari.display import one_line
from hakari.errors import Fault, InvalidInput, UsageError
from hakari.retrievers import http_client
from hakari.retrievers.base import Retrieved
from hakari.retrievers.dense import Dense, Role
from hakari.retrievers.endpoint import (
    OPENAI,
    Asked,
    Listed,
    batches,
    extra_fields,
    known_model,
    openai_url,
    price,
    served_model,
    shares,
    tokens_used,
)
from hakari.retrievers.http_client import Client, EndpointError, checked_url, key_of
from hakari.retrievers.onnx import Encoding
from hakari.retrievers.options import takes
from hakari.retrievers.side_by_side import side_by_side
from hakari.retrievers.spelling import spell
from hakari.types import Run, Task

TOO_MUCH = (400, 413, 422)
"""How servers refuse a request with too many texts; each half is then tried alone."""
PATH = "/embeddings"


@dataclass(frozen=True)
class EndpointUsage(Asked):
    """Settings of a model behind an endpoint: those that decide its vectors, and how it is asked."""

    dimensions: int | None = None
    """Asked of the model, where it can give fewer, and checked."""
    query_prompt: str = ""
    document_prompt: str = ""
    query_fields: str = ""
    """Further fields of requests with queries: `input_type:query;truncate:true`."""
    document_fields: str = ""
    similarity: Literal["cosine", "dot"] = "cosine"
    max_characters: int | None = None
    """Texts are cut to so many characters, as endpoints refuse what is too long for the model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("dimensions", "max_characters"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise UsageError(f"{name} must be at least 1, not {value}")
        for name in ("query_fields", "document_fields"):
            extra_fields(getattr(self, name), name)


@dataclass(frozen=True)
class Compared:
    """How the vectors are compared; cosine whatever their lengths, so nothing has to be known of them."""

    query_prompt: str
    document_prompt: str
    similarity: str
    normalise: bool = False


class EndpointEncoder:
    """Turns texts into vectors by asking an endpoint, in batches side by side."""

    def __init__(self, client: Client, model: str, usage: EndpointUsage, role: Role) -> None:
        self.client, self.model, self.usage = client, model, usage
        setting = f"{role}_fields"
        self.fields = extra_fields(getattr(usage, setting), setting)
        self.dimensions = usage.dimensions or known_model(client.url, model).get("dimensions")
        self._lock = threading.Lock()

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vector of a text."""
        asked = {"dimensions": self.usage.dimensions, "fields": self.fields}
        return {
            "endpoint": self.client.url,
            "model": self.model,
            **asked,
            "max_characters": self.usage.max_characters,
        }

    def encode_many(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoding]]:
        """The position and the vector of each text, as the answers come in."""
        # An empty text is refused by most; a space is the same to the tokenizers of all.
        sent = [text[: self.usage.max_characters] or " " for text in texts]
        lengths = [len(text.encode("utf-8", "replace")) for text in sent]
        order = sorted(range(len(sent)), key=lambda row: (-lengths[row], row))  # servers pad to the longest
        work = partial(self._encoded, sent, lengths)
        for rows, encodings in side_by_side(
            work, batches(order, lengths, self.usage.batch), self.usage.concurrency
        ):
            yield from zip(rows, encodings, strict=True)

    def _encoded(
        self, texts: Sequence[str], lengths: Sequence[int], rows: tuple[int, ...], stop: threading.Event
    ) -> list[Encoding]:
        start = time.perf_counter()
        body: dict[str, Any] = {"model": self.model, "input": [texts[row] for row in rows]}
        if self.usage.dimensions is not None:
            body["dimensions"] = self.usage.dimensions
        try:
            answer = self.client.post(PATH, {**body, "encoding_format": "float", **self.fields}, stop)
        except EndpointError as error:
            if error.status not in TOO_MUCH:
                raise
            if len(rows) == 1:
                raise _text_refused(error, texts[rows[0]]) from None
            half = len(rows) // 2
            parts = rows[:half], rows[half:]
            return [one for part in parts for one in self._encoded(texts, lengths, part, stop)]
        seconds = (time.perf_counter() - start) / len(rows)
        vectors = self._checked(answer, [texts[row] for row in rows])
        tokens = shares(tokens_used(answer), [lengths[row] for row in rows])
        return [Encoding(v, t, 0, seconds) for v, t in zip(vectors, tokens, strict=True)]

    def _checked(self, answer: Any, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """The vectors of an answer in the order of the texts, if all is as it has to be."""
        data = answer.get("data") if isinstance(answer, Mapping) else None
        listed = Listed("data", "texts", "vector", in_place=True)

        def read(entry: Mapping[str, Any], index: int) -> tuple[npt.NDArray[np.float32], str | None]:
            return _vector(entry.get("embedding"), texts[index])

        vectors = listed.in_order(self.client.url, data, len(texts), read)
        self._one_width(vectors)
        return vectors

    def _one_width(self, vectors: Sequence[npt.NDArray[np.float32]]) -> None:
        with self._lock:
            for vector in vectors:
                if self.dimensions is None:
                    self.dimensions = len(vector)
                elif len(vector) != self.dimensions:
                    told = f"a vector has {len(vector)} dimensions, and {self.dimensions} are expected"
                    hint = "the model of the endpoint may have changed: look at it, then run with `--fresh`"
                    raise InvalidInput(f"the answer of `{self.client.url}`", [Fault(told, hint=hint)])


def _vector(given: Any, text: str) -> tuple[npt.NDArray[np.float32], str | None]:
    """The vector of a text, and what is wrong with it."""
    try:
        if isinstance(given, str):
            vector = np.frombuffer(base64.b64decode(given, validate=True), "<f4").astype(np.float32)
        else:
            vector = np.array(given, dtype=np.float64).astype(np.float32)
    except (ValueError, TypeError, OverflowError, binascii.Error):
        vector = np.empty(0, np.float32)
    told = None
    if vector.ndim != 1 or not vector.size:
        told = "is no list of numbers"
    elif not np.isfinite(vector).all():
        told = "has NaN or infinite numbers"
    elif not vector.any() and text.strip():
        told = "is all zeros"
    return vector, told and f"the vector of `{one_line(text, 60)}` {told}"


class EndpointModel:
    """An embedding model behind an endpoint."""

    packages: Sequence[str] = ()

    def __init__(self, url: str, model: str, usage: EndpointUsage, key_required: bool = False) -> None:
        self.client = usage.client(url)
        self.model, self.usage = model, usage
        self._key_required = key_required
        self._encoders: dict[Role, EndpointEncoder] = {}

    def settings(self) -> dict[str, Any]:
        """The address, the model, and what is asked of it; never a key."""
        usage = self.usage
        asked = {"dimensions": usage.dimensions, "max_characters": usage.max_characters}
        fields = {"query_fields": usage.query_fields, "document_fields": usage.document_fields}
        return {"endpoint": self.client.url, "model": self.model, **asked, **fields}

    def require(self) -> None:
        """Raise where the package that asks, or a key, is missing."""
        http_client.require()
        key_of(self.client.key_variable, self._key_required or bool(self.usage.key))

    def encoder(self, role: Role) -> EndpointEncoder:
        """The encoder of queries or of documents."""
        if role not in self._encoders:
            self._encoders[role] = EndpointEncoder(self.client, self.model, self.usage, role)
        return self._encoders[role]


class EndpointDense(Dense):
    """Dense retrieval with vectors that an endpoint gives; tokens and their price are told with its costs."""

    model: EndpointModel

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Rank by `float` and by each of these variants, all from one encoding."""
        client = self.model.client
        before = client.requests, client.retries
        found = super().retrieve_variants(task, depth, variants, parts)
        # An endpoint does not say how much it read of a text; tokens are shares of what batches were billed.
        facts = {k: v for k, v in found.facts.items() if not k.startswith(("documents_t", "queries_t"))}
        limit = self.model.usage.max_characters
        if limit is not None:
            facts |= _cut("documents", self.usage.document_prompt, task.corpus.texts, limit)
            facts |= _cut("queries", self.usage.query_prompt, task.queries.texts, limit)
        tokens = int(found.facts.get("documents_tokens", 0) + found.facts.get("queries_tokens", 0))
        costs = {
            **found.costs,
            "endpoint_requests": client.requests - before[0],
            "endpoint_retries": client.retries - before[1],
            **({"tokens": tokens} if tokens else {}),
            **price(client.url, self.model.model, tokens),
        }
        return Retrieved(found.runs, facts, costs)


def _cut(kind: str, prompt: str, texts: npt.NDArray[np.object_], limit: int) -> dict[str, float]:
    lengths = np.array([len(prompt) + len(text) for text in texts], np.int64)
    whole, cut = int(lengths.sum()), int(np.maximum(lengths - limit, 0).sum())
    return {
        f"{kind}_truncated": int(np.count_nonzero(lengths > limit)),
        f"{kind}_characters": whole,
        f"{kind}_characters_cut_share": round(cut / whole, 6) if whole else 0.0,
    }


def _text_refused(error: EndpointError, text: str) -> EndpointError:
    hint = f"if it is too long for the model, cut texts: `max_characters={max(1, len(text) // 2)}`"
    told = f"{error.message}, for the text of {len(text):,} characters that begins `{one_line(text, 60)}`"
    return EndpointError(told, hint if len(text) > 200 else error.hint, error.status)


@takes(EndpointUsage)
def openai(model: str, *, options: EndpointUsage) -> Dense:
    """A model of OpenAI, or of the service that `OPENAI_BASE_URL` names."""
    url = openai_url()
    return _dense(f"openai:{model}", EndpointModel(url, model, options, key_required=url == OPENAI), {})


@takes(EndpointUsage)
def http(url: str, *, model: str = "", options: EndpointUsage) -> Dense:
    """An endpoint by its address; without `model`, the server is asked which one it offers."""
    return _endpoint("http:" + url, model, options)


@takes(EndpointUsage)
def https(url: str, *, model: str = "", options: EndpointUsage) -> Dense:
    """The same, encrypted."""
    return _endpoint("https:" + url, model, options)


def _endpoint(url: str, model: str, usage: EndpointUsage) -> Dense:
    url = checked_url(url).removesuffix(PATH)
    if not model:
        http_client.require()
        model = served_model(usage.client(url))
    return _dense(url, EndpointModel(url, model, usage), {"model": model})


def _dense(head: str, model: EndpointModel, named: Mapping[str, str]) -> Dense:
    usage, declared = model.usage, EndpointUsage()
    decisive = (
        *vars(Compared("", "", "")),
        "dimensions",
        "query_fields",
        "document_fields",
        "max_characters",
    )
    changed = {
        name: getattr(usage, name)
        for name in vars(usage)
        if name in decisive and getattr(usage, name) != getattr(declared, name)
    }
    compared = Compared(usage.query_prompt, usage.document_prompt, usage.similarity)
    return EndpointDense(spell(head, keywords={**named, **changed}), model, compared)
