"""The names of variants of every family, told apart here; those of vectors are in `variant_names`.

dim=256+int8                             dense, see `variant_names`
active-dims:query=16,document=128        sparse: the 16 heaviest numbers of a query, the 128 of a document
tokens=64, pool=2, tokens=64+pool=2      late interaction: the first 64 vectors of a document, one in two, both
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hakari.errors import UsageError
from hakari.retrievers.variant_names import FLOAT, VariantName
from hakari.retrievers.variant_names import parse_spec as parse_vectors

ACTIVE = "active-dims:"
ROLES = ("query", "document")
KEPT = ("tokens", "pool")


@dataclass(frozen=True)
class ActiveDims:
    """How many numbers of a sparse vector are kept, the heaviest; None for all."""

    query: int | None = None
    document: int | None = None

    def __str__(self) -> str:
        told = [f"{role}={getattr(self, role)}" for role in ROLES if getattr(self, role) is not None]
        return ACTIVE + ",".join(told) if told else str(FLOAT)


@dataclass(frozen=True)
class TokenForm:
    """Which token vectors of a document are kept; None for all."""

    tokens: int | None = None
    """The first so many."""
    pool: int | None = None
    """About one in so many, each the mean of some that are alike."""

    def __str__(self) -> str:
        told = [f"{key}={getattr(self, key)}" for key in KEPT if getattr(self, key) is not None]
        return "+".join(told) or str(FLOAT)


Variant = VariantName | ActiveDims | TokenForm


def parse_specs(specs: Iterable[str]) -> tuple[Variant, ...]:
    """The variants that some specifications ask for, each once, in the order first met; `float` is always first."""
    asked: list[Variant] = [FLOAT]
    for spec in specs:
        asked += parse_spec(spec)
    return tuple(dict.fromkeys(asked))


def parse_spec(spec: str) -> list[Variant]:
    """The variants that one specification asks for: one, or the grid that its commas span."""
    text = re.sub(r"\s+", "", spec).lower()
    if text.startswith(ACTIVE.rstrip(":")):
        return [_active_dims(text.removeprefix(ACTIVE), spec)]
    if re.match("(tokens|pool)=", text):
        return list(_token_forms(text, spec))
    return list(parse_vectors(spec))


def parse_one(name: str) -> Variant:
    """The variant of a name that stands for one."""
    return parse_spec(name)[0]


def part_variants(name: str) -> tuple[str, list[str]]:
    """`bge_small_en int8` as a retriever's spelling and the names of variants that follow it, if any do."""
    spelling, space, spec = name.strip().rpartition(" ")
    try:
        return (spelling.strip(), [str(v) for v in parse_spec(spec)]) if space else (name, [])
    except UsageError:
        return name, []


def _active_dims(text: str, spec: str) -> ActiveDims:
    kept: dict[str, int] = {}
    for item in text.split(","):
        role, _, number = item.partition("=")
        if role not in ROLES or role in kept:
            raise _not_one(spec, f"`{item}` is not query=N or document=N", f"{ACTIVE}query=16,document=128")
        kept[role] = _number(number, spec)
    return ActiveDims(**kept)


def _token_forms(text: str, spec: str) -> Iterable[TokenForm]:
    kept: dict[str, list[int]] = {}
    for item in text.split("+"):
        key, _, numbers = item.partition("=")
        if key not in KEPT or key in kept:
            raise _not_one(
                spec, f"`{item}` is not tokens=N or pool=N", "tokens=64, pool=2 or tokens=64+pool=2"
            )
        kept[key] = [_number(number, spec) for number in numbers.split(",")]
    for values in product(*kept.values()):
        yield TokenForm(**dict(zip(kept, values, strict=True)))


def _number(text: str, spec: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise _not_one(spec, f"`{text}` is not a whole number from 1", "pool=2, or active-dims:document=128")
    return int(text)


def _not_one(spec: str, why: str, hint: str) -> UsageError:
    return UsageError(f"`{spec}` is not a variant: {why}", hint)
