"""The names of variants, parsed and spelt in this one place.

    float                        scores as the encoder gives them
    dim=256                      the first 256 dimensions, brought back to length one where the similarity is cosine
    int8, binary                 one byte or one bit a dimension
    dim=256+int8                 both
    binary>float@400             the 400 best of `binary`, ordered by `float`

A comma asks for each of several: `dim=256,128+int8,binary` names four variants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hakari.errors import UsageError, nearest
from hakari.retrievers.base import BASE_VARIANT

CODES = ("float", "int8", "binary")
EXAMPLES = ("dim=256", "int8", "binary", "dim=256+int8", "int8>float@100", "dim=256+binary>float@400")


@dataclass(frozen=True)
class Form:
    """One form of the vectors: how many dimensions are kept, and what each is kept in."""

    dimensions: int | None = None
    """The first so many; None for all."""
    code: str = "float"
    """`float`, `int8` or `binary`."""

    def __str__(self) -> str:
        if self.dimensions is None:
            return self.code
        return f"dim={self.dimensions}" + (f"+{self.code}" if self.code != "float" else "")


@dataclass(frozen=True)
class VariantName:
    """Documents found with one form of the vectors and, where it says so, the best of them ordered by another."""

    form: Form
    rescored_by: Form | None = None
    depth: int = 0
    """How many of the found documents are rescored."""

    def __str__(self) -> str:
        return str(self.form) if self.rescored_by is None else f"{self.form}>{self.rescored_by}@{self.depth}"

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms of the vectors that it needs an index of."""
        return (self.form,) if self.rescored_by is None else (self.form, self.rescored_by)


def parse_specs(specs: Iterable[str]) -> tuple[VariantName, ...]:
    """The variants that some specifications ask for, each once, in the order first met; `float` is always first."""
    asked = [VariantName(Form())]
    for spec in specs:
        asked += parse_spec(spec)
    return tuple(dict.fromkeys(asked))


def parse_spec(spec: str) -> list[VariantName]:
    """The variants that one specification asks for: one, or the grid that its commas span."""
    found, arrow, second = re.sub(r"\s+", "", spec).partition(">")
    first = _forms(found, spec)
    if not arrow:
        return [VariantName(form) for form in first]
    by, at, depths = second.rpartition("@")
    if ">" in second:
        raise _not_one(spec, "it rescores twice", "give one `--variants` for each")
    if not at:
        raise _not_one(spec, "it does not say how many documents are rescored", f"`{found}>{second}@100`")
    grid = product(first, _forms(by, spec), [_number(depth, spec) for depth in depths.split(",")])
    variants = [VariantName(form, other, depth) for form, other, depth in grid]
    for variant in variants:
        if variant.form == variant.rescored_by:
            raise _not_one(spec, f"`{variant}` is rescored by what found it", f"use `{variant.form}`")
    return variants


def _forms(text: str, spec: str) -> list[Form]:
    """The forms that a text such as `dim=256,128+int8,binary` stands for."""
    left, plus, right = text.partition("+")
    if not left.lower().startswith("dim="):
        if plus:
            raise _not_one(spec, f"`{left}` cannot be followed by `+`", "write it as `dim=256+int8`")
        return [Form(None, code) for code in _codes(left, spec)]
    dimensions = [_number(number, spec) for number in left[len("dim=") :].split(",")]
    codes = _codes(right, spec) if plus else ["float"]
    return [Form(number, code) for number, code in product(dimensions, codes)]


def _codes(text: str, spec: str) -> list[str]:
    codes = [code.lower() for code in text.split(",")]
    for code in codes:
        if code.startswith("dim="):
            each = " ".join(f"--variants {part}" for part in re.split("[,+](?=dim=)", spec.lower()))
            raise _not_one(spec, f"`{code}` stands behind something else", f"`{each}`")
        if code not in CODES:
            near = nearest(code, (*CODES, *EXAMPLES))
            hint = "did you mean " + " or ".join(f"`{n}`" for n in near) + "?" if near else _examples()
            raise _not_one(spec, f"`{code}` is not float, int8 or binary", hint)
    return codes


def _number(text: str, spec: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise _not_one(spec, f"`{text}` is not a whole number from 1", _examples())
    return int(text)


def _not_one(spec: str, why: str, hint: str) -> UsageError:
    return UsageError(f"`{spec}` is not a variant: {why}", hint)


def _examples() -> str:
    return "variants look like " + ", ".join(f"`{name}`" for name in EXAMPLES)


FLOAT = VariantName(Form())
"""What every retriever has."""
assert str(FLOAT) == BASE_VARIANT
