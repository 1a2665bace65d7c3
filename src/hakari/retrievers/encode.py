"""Many texts to vectors: each distinct text once, one at a time, side by side in threads.

Vectors are placed by the index of their text, so neither the number of threads nor the order of work
leaves a trace in the result.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.onnx import Encoding

Progress = Callable[[int, int], None]
"""Called with the number of texts done and of all texts, from the calling thread."""


HAND_OVER_S = 0.1
"""How long a thread keeps what it has made before it wakes the one that asked."""


class Encoder(Protocol):
    """What turns a text into a vector that depends on the text alone."""

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vector of a text."""

    def load(self) -> object:
        """Make ready for `encode`; called once, before the threads start."""

    def encode(self, text: str) -> Encoding:
        """The vector of a text; called from several threads."""


@runtime_checkable
class BatchEncoder(Protocol):
    """What is quicker with many texts at once, such as a framework that pads batches or an endpoint."""

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vector of a text."""

    def encode_many(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoding]]:
        """The position and the vector of each text, in any order, as they become ready."""


@dataclass(frozen=True)
class Work:
    """What encoding texts took, each distinct text once, as if none had come from the cache."""

    texts: int = 0
    tokens: int = 0
    """Tokens that the model read."""
    seconds: float = 0.0
    """Of the clock: of this call, and of earlier ones for what they put into the cache."""
    earlier: float = 0.0
    """The part of `seconds` that earlier calls took, spread over as many threads as there are now."""
    load: float = 0.0
    """Seconds to load the model, no part of `seconds`."""

    def __add__(self, other: Work) -> Work:
        return Work(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def costs(self) -> dict[str, float]:
        """By the names that a result keeps them under; rates follow from them."""
        return {
            "encoded_texts": self.texts,
            "encoded_tokens": self.tokens,
            "encode_s": self.seconds,
            "cached_s": self.earlier,
            "load_s": self.load,
        }


@dataclass(frozen=True, eq=False)
class Encoded:
    """The vectors of a list of texts in its order, and what they cost."""

    vectors: npt.NDArray[np.float32]
    tokens: npt.NDArray[np.int64]
    """Tokens of each text as a whole."""
    cut: npt.NDArray[np.int64]
    """Of these, the tokens that the model did not read."""
    thread_seconds: float
    """Seconds of one thread that the distinct texts cost when they were encoded, now or earlier."""
    wall_seconds: float
    """Seconds that this call took."""
    fresh: int
    """Distinct texts encoded by this call; the others came from the cache."""
    distinct: int
    work: Work
    each_seconds: npt.NDArray[np.float64]
    """Seconds of one thread that each text cost when it was encoded."""

    def facts(self, kind: str) -> dict[str, float]:
        """How much of the texts the model did not read: named, and the same in every run."""
        whole = int(self.tokens.sum())
        return {
            f"{kind}_truncated": int(np.count_nonzero(self.cut)),
            f"{kind}_tokens": whole,
            f"{kind}_tokens_cut_share": round(int(self.cut.sum()) / whole, 6) if whole else 0.0,
        }


def thread_count() -> int:
    """Threads to use: `HAKARI_THREADS`, else the cores that this process may run on."""
    asked = os.environ.get("HAKARI_THREADS", "")
    if asked:
        if not asked.isdecimal() or int(asked) < 1:
            raise UsageError(f"HAKARI_THREADS is `{asked}`", "set it to a whole number from 1, or unset it")
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def encode_texts(
    encoder: Encoder | BatchEncoder,
    texts: Sequence[str],
    cache: EmbeddingCache | None = None,
    progress: Progress | None = None,
) -> Encoded:
    """Encode texts to vectors of one width: what the cache has is taken from it, the rest is put there."""
    start = time.perf_counter()
    each = encode_each(encoder, texts, cache, progress)
    _check_one_width(each.encodings)
    return Encoded(
        vectors=np.stack([e.vector for e in each.encodings]) if texts else np.empty((0, 0), np.float32),
        tokens=np.array([e.tokens for e in each.encodings], dtype=np.int64),
        cut=np.array([e.cut for e in each.encodings], dtype=np.int64),
        thread_seconds=each.thread_seconds,
        wall_seconds=time.perf_counter() - start,
        fresh=each.fresh,
        distinct=each.distinct,
        work=each.work,
        each_seconds=np.array([e.seconds for e in each.encodings], dtype=np.float64),
    )


def _check_one_width(encodings: Sequence[Encoding]) -> None:
    """Raise where vectors differ in length, as when the model behind an endpoint changed after some were kept."""
    widths = sorted({encoding.vector.shape for encoding in encodings})
    if len(widths) > 1:
        told = " and ".join("x".join(map(str, width)) for width in widths)
        hint = "if the model has changed, run without what is kept of it: `HAKARI_EMBEDDING_CACHE=0`"
        raise InvalidInput("the vectors", [Fault(f"they have different dimensions: {told}", hint=hint)])


@dataclass(frozen=True, eq=False)
class Each:
    """What each of a list of texts was encoded to, in its order; vectors may differ in length."""

    encodings: Sequence[Encoding]
    thread_seconds: float
    fresh: int
    distinct: int
    work: Work


def encode_each(
    encoder: Encoder | BatchEncoder,
    texts: Sequence[str],
    cache: EmbeddingCache | None = None,
    progress: Progress | None = None,
) -> Each:
    """Encode texts: what the cache has is taken from it, the rest is encoded and put there."""
    row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    distinct = list(row_of)
    found: dict[int, Encoding] = {} if cache is None else cache.fetch(distinct)
    missing = [row for row in range(len(distinct)) if row not in found]
    repeats = np.bincount([row_of[text] for text in texts], minlength=len(distinct))
    done = sum(int(repeats[row]) for row in found)
    threads = 1 if isinstance(encoder, BatchEncoder) else thread_count()
    earlier = sum(encoding.seconds for encoding in found.values()) / threads
    start = time.perf_counter()
    if missing:
        getattr(encoder, "load", lambda: None)()
    load, start = time.perf_counter() - start, time.perf_counter()
    if progress is not None:
        progress(done, len(texts))
    for row, encoding in _encoded(encoder, distinct, missing):
        found[row] = encoding
        if cache is not None:
            cache.put(distinct[row], encoding)
        if progress is not None:
            done += int(repeats[row])
            progress(done, len(texts))
    if cache is not None:
        cache.flush()
    now = time.perf_counter() - start if missing else 0.0
    each = [found[row] for row in range(len(distinct))]
    seconds, read = float(sum(e.seconds for e in each)), sum(e.tokens - e.cut for e in each)
    work = Work(len(distinct), read, earlier + now, earlier, load)
    return Each([found[row_of[text]] for text in texts], seconds, len(missing), len(distinct), work)


def _encoded(
    encoder: Encoder | BatchEncoder, texts: Sequence[str], rows: Sequence[int]
) -> Iterator[tuple[int, Encoding]]:
    if not isinstance(encoder, BatchEncoder):
        yield from _encoded_side_by_side(encoder, texts, rows)
    elif rows:
        for position, encoding in encoder.encode_many([texts[row] for row in rows]):
            yield rows[position], encoding


def _encoded_side_by_side(
    encoder: Encoder, texts: Sequence[str], rows: Sequence[int]
) -> Iterator[tuple[int, Encoding]]:
    if not rows:
        return
    longest_first = sorted(rows, key=lambda row: -len(texts[row]))  # else one long text is left for the end
    waiting = deque(longest_first)
    done: SimpleQueue[list[tuple[int, Encoding]] | BaseException] = SimpleQueue()
    threads = min(thread_count(), len(rows))
    pool = ThreadPoolExecutor(threads, thread_name_prefix="hakari-encode")
    try:
        # A thread takes texts by itself: a call for each would cost more than some models take for a text.
        for _ in range(threads):
            pool.submit(_encode_waiting, encoder, texts, waiting, done)
        left = len(rows)
        while left:
            made = done.get()
            if isinstance(made, BaseException):
                raise made
            left -= len(made)
            yield from made
    finally:
        waiting.clear()
        pool.shutdown(wait=True)


def _encode_waiting(
    encoder: Encoder,
    texts: Sequence[str],
    waiting: deque[int],
    done: SimpleQueue[list[tuple[int, Encoding]] | BaseException],
) -> None:
    """Encode texts that wait until there are none left; what is made is handed over now and then."""
    made: list[tuple[int, Encoding]] = []
    handed_over = time.monotonic()
    try:
        while (row := _next(waiting)) is not None:
            made.append((row, encoder.encode(texts[row])))
            if time.monotonic() - handed_over >= HAND_OVER_S:
                done.put(made)
                made, handed_over = [], time.monotonic()
    except BaseException as error:  # raised in the thread that asked, after what was made before
        done.put(made)
        done.put(error)
    else:
        done.put(made)


def _next(waiting: deque[int]) -> int | None:
    with suppress(IndexError):
        return waiting.popleft()
    return None
