"""Texts longer than a model reads: which part of them it gets, or in how many pieces. A choice, and never silent.

Cutting works on texts, so it serves every encoder that says how it counts tokens. A prompt stays in front of what
is kept. Without a choice the encoder cuts the end of a text away by itself (`head`), and nothing here is done.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.retrievers.spelling import read_spelling, spell
from hakari.text import turns

Truncate = Literal["head", "tail", "turns"]
Fold = Literal["max", "mean"]
OVERLAP = 8
"""By default pieces overlap by one part in so many."""
_FORM = "chunk:max, chunk:mean, or with tokens a piece and tokens of overlap chunk:max:256:64"


class Ruler(Protocol):
    """How an encoder counts tokens."""

    room: int
    """Tokens of a text that it reads, those that the tokenizer adds left out."""

    def tokens(self, text: str) -> Sequence[tuple[int, int]]:
        """Where each token of a text begins and ends."""


class TokenizerRuler:
    """Counts with a tokenizer of the package tokenizers."""

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        import tokenizers

        self._tokenizer = tokenizers.Tokenizer.from_str(tokenizer.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.room = max_length - self._tokenizer.num_special_tokens_to_add(False)

    def tokens(self, text: str) -> Sequence[tuple[int, int]]:
        """Where each token of a text begins and ends."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)


@dataclass(frozen=True)
class Chunks:
    """How documents are taken in pieces."""

    fold: Fold
    """Whether a document scores as its best piece or as the mean of its pieces."""
    size: int | None = None
    """Tokens a piece; None is as many as the model reads."""
    overlap: int | None = None
    """Tokens that a piece shares with the one before; None is an eighth."""

    @classmethod
    def read(cls, text: str) -> Chunks:
        """The choice that a text such as `chunk:max:256:64` stands for."""
        head, fold, *numbers = [*text.split(":"), ""][:5] if text.count(":") <= 3 else ["", ""]
        numbers = [number for number in numbers if number]
        if (
            head != "chunk"
            or (fold or "max") not in get_args(Fold)
            or not all(n.isdecimal() for n in numbers)
        ):
            raise UsageError(f"`{text}` says no way to read long texts", _FORM)
        size, overlap = ([int(number) for number in numbers] + [None, None])[:2]  # type: ignore[list-item]
        if size == 0 or (size is not None and overlap is not None and overlap >= size):
            raise UsageError(f"`{text}`: a piece must be longer than its overlap with the next", _FORM)
        return cls("mean" if fold == "mean" else "max", size, overlap)

    def __str__(self) -> str:
        numbers = [str(number) for number in (self.size, self.overlap) if number is not None]
        return ":".join(["chunk", self.fold, *numbers])


@dataclass(frozen=True)
class Fitted:
    """Texts as an encoder gets them, prompts in front, and what was measured on the way."""

    texts: Sequence[str]
    measured: dict[str, Any] | None = None
    """Facts by their names without the kind of text; None where the encoder counts itself."""
    offsets: npt.NDArray[np.int64] | None = None
    """The pieces of document `i` are `offsets[i]:offsets[i + 1]`; None where each text is one."""

    def facts(self, kind: str, encoded: dict[str, Any]) -> dict[str, Any]:
        """What is told of the texts: as measured here where that was done, else as the encoder counted."""
        return {**encoded, **{f"{kind}_{name}": value for name, value in (self.measured or {}).items()}}


@dataclass(frozen=True)
class Reading:
    """How texts are read that are longer than the model reads."""

    truncate: Truncate = "head"
    """Which end is kept: the beginning, the end, or of a dialogue the last request and the latest code."""
    chunks: Chunks | None = None

    def settings(self) -> dict[str, Any]:
        """What differs from how a model reads by itself; part of the identity of results."""
        told: dict[str, Any] = {} if self.truncate == "head" else {"truncate": self.truncate}
        return told if self.chunks is None else {**told, "long": str(self.chunks)}

    def queries(self, texts: Sequence[str], prompt: str, encoder: Any) -> Fitted:
        """Queries as the encoder gets them."""
        if self.truncate == "head" or not len(texts):
            return Fitted([prompt + text for text in texts])
        return _cut(texts, prompt, ruler_of(encoder), self.truncate)

    def documents(self, texts: Sequence[str], prompt: str, encoder: Any) -> Fitted:
        """Documents as the encoder gets them, in pieces where that was chosen."""
        if self.chunks is None or not len(texts):
            return self.queries(texts, prompt, encoder)
        return _in_pieces(texts, prompt, ruler_of(encoder), self.chunks)


def ruler_of(encoder: Any) -> Ruler:
    """How an encoder counts tokens; an error where it cannot say."""
    make = getattr(encoder, "ruler", None)
    ruler = make() if make is not None else None
    if ruler is None:
        raise UsageError(
            "this model does not say how it counts tokens, so texts cannot be cut or parted for it",
            "leave `--truncate` and `--long` away for it",
        )
    return ruler  # type: ignore[no-any-return]


def _cut(texts: Sequence[str], prompt: str, ruler: Ruler, how: Truncate) -> Fitted:
    room = _room(prompt, ruler)
    fitted, whole, cut, plain = [], [], [], 0
    for text in texts:
        spoken = turns.as_text(text) if how == "turns" else text
        tokens = ruler.tokens(spoken)
        short, is_plain = spoken if len(tokens) > room else text, False
        if len(tokens) > room:
            short, is_plain = _shortened(spoken, tokens, room, how, ruler)
        plain += is_plain
        fitted.append(prompt + short)
        whole.append(len(tokens))
        cut.append(max(0, len(tokens) - len(ruler.tokens(short))) if len(tokens) > room else 0)
    of_prompt = len(ruler.tokens(prompt)) * len(texts)
    told = {
        "truncated": int(np.count_nonzero(cut)),
        "tokens": sum(whole) + of_prompt,
        "tokens_cut_share": round(sum(cut) / max(1, sum(whole) + of_prompt), 6),
    }
    return Fitted(fitted, {**told, "no_dialogues": plain} if how == "turns" else told)


def _shortened(
    text: str, tokens: Sequence[tuple[int, int]], room: int, how: Truncate, ruler: Ruler
) -> tuple[str, bool]:
    """What is kept of a text, and whether it is no dialogue where one was looked for."""
    spare = 0
    while True:
        allowed = max(1, room - spare)
        spans = turns.kept(text, tokens, allowed) if how == "turns" else None
        if how == "tail":
            short = text[tokens[-allowed][0] :]
        elif spans is not None:
            short = "\n".join(text[start:end].strip("\n") for start, end in spans)
        else:
            short = text[: tokens[allowed - 1][1]]
        # Cut within a word, or joined, a text may have some tokens more than were counted.
        beyond = len(ruler.tokens(short)) - room
        if beyond <= 0 or allowed == 1:
            return short, how == "turns" and spans is None
        spare += beyond


def _in_pieces(texts: Sequence[str], prompt: str, ruler: Ruler, chunks: Chunks) -> Fitted:
    room = _room(prompt, ruler)
    size = room if chunks.size is None else chunks.size
    if size > room:
        raise UsageError(
            f"pieces of {size} tokens are longer than the {room} that the model reads of a document", _FORM
        )
    overlap = size // OVERLAP if chunks.overlap is None else chunks.overlap
    if overlap >= size:
        raise UsageError(f"pieces of {size} tokens cannot overlap by {overlap}", _FORM)
    pieces, lengths, whole = [], [], 0
    for text in texts:
        tokens = ruler.tokens(text)
        whole += len(tokens)
        mine = [text] if len(tokens) <= size else _pieces(text, tokens, size, overlap, ruler)
        pieces += [prompt + piece for piece in mine]
        lengths.append(len(mine))
    told = {
        "truncated": 0,
        "tokens": whole + len(ruler.tokens(prompt)) * len(texts),
        "tokens_cut_share": 0.0,
        "in_pieces": sum(length > 1 for length in lengths),
        "pieces": len(pieces),
    }
    return Fitted(pieces, told, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def _pieces(text: str, tokens: Sequence[tuple[int, int]], size: int, overlap: int, ruler: Ruler) -> list[str]:
    """Overlapping pieces that together hold the whole text."""
    found, at = [], 0
    while True:
        last = min(at + size, len(tokens))
        while True:
            piece = text[tokens[at][0] : tokens[last - 1][1]]
            if last - at <= 1 or len(ruler.tokens(piece)) <= size:
                break
            last -= 1  # cut within a word, a piece may have more tokens than were counted
        found.append(piece)
        if last >= len(tokens):
            return found
        at = max(at + 1, last - overlap)


def _room(prompt: str, ruler: Ruler) -> int:
    room = ruler.room - len(ruler.tokens(prompt))
    if room < 1:
        raise UsageError(
            f"the model reads {ruler.room} tokens, and the prompt leaves none of them for a text",
            "choose a shorter prompt or a larger max_length",
        )
    return room


def reads_long_texts(make: Callable[..., Any]) -> Callable[..., Any]:
    """Give the maker of a dense retriever the settings `truncate` and `long`."""

    @functools.wraps(make)
    def made(*given: Any, truncate: Truncate | None = None, long: str | None = None, **settings: Any) -> Any:
        retriever = make(*given, **settings)
        reading = Reading(truncate or "head", None if long is None else Chunks.read(long))
        changed = reading.settings()
        if changed:
            retriever.reading = reading
            spelled = read_spelling(retriever.name)
            retriever.name = spell(spelled.name, keywords={**dict(spelled.keywords), **changed})
        return retriever

    signature = inspect.signature(make)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in (("truncate", Truncate | None), ("long", str | None))
    ]
    own = list(signature.parameters.values())
    rest = [p for p in own if p.kind is p.VAR_KEYWORD]
    made.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*(p for p in own if p not in rest), *added, *rest]
    )
    made.__annotations__ = {**make.__annotations__, **{p.name: p.annotation for p in added}}
    return made
