"""A measure as a value, and the reading of its text form."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from hakari.errors import UnknownName, UsageError, nearest
from hakari.measures.kind import Kind
from hakari.measures.kinds import KINDS

LISTING = "hakari measures"
_FORM = re.compile(r"([A-Za-z]+)(?:@([1-9][0-9]{0,8}))?")
_LOOKS_LIKE_A_DIGIT = str.maketrans("OoIl", "0011")


@dataclass(frozen=True)
class Measure:
    """What to compute: a kind and its cut-off. `str(measure)` is its identity everywhere."""

    name: str
    cut: int | None = None

    def __post_init__(self) -> None:
        kind = KINDS.get(self.name.lower())
        if kind is None or kind.name != self.name:
            raise _unknown(str(self))
        if (self.cut is None and kind.cut_needed) or (self.cut is not None and self.cut < 1):
            raise _unknown(str(self))

    def __str__(self) -> str:
        return self.name if self.cut is None else f"{self.name}@{self.cut}"

    @property
    def kind(self) -> Kind:
        """How it is computed."""
        return KINDS[self.name.lower()]

    @property
    def last_rank(self) -> int:
        """The last rank that counts; the largest integer where all do."""
        return sys.maxsize if self.cut is None else self.cut

    @property
    def depth(self) -> int | None:
        """How deep a run must be for the measure to be what it says; None where deeper is always better."""
        return self.cut

    @property
    def summary(self) -> str:
        """One line for listings."""
        return self.kind.summary

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value of a query."""
        return self.kind.low, self.kind.high


def parse(text: str | Measure) -> Measure:
    """The measure that a text names, in any case: `ndcg@10` is `nDCG@10`."""
    if isinstance(text, Measure):
        return text
    form = _FORM.fullmatch(text.strip())
    kind = KINDS.get(form[1].lower()) if form else None
    if form is None or kind is None or (form[2] is None and kind.cut_needed):
        raise _unknown(text.strip())
    return Measure(kind.name, int(form[2]) if form[2] else None)


def parse_many(texts: str | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Measures from `nDCG@10,R@100` or from several texts, each once, in the order given."""
    parts = [part for part in texts.split(",") if part.strip()] if isinstance(texts, str) else list(texts)
    measures = tuple(dict.fromkeys(parse(part) for part in parts))
    if not measures:
        raise UsageError("no measure is named", "name some, such as `nDCG@10,R@100`")
    return measures


def known() -> tuple[Measure, ...]:
    """The measures in their usual forms, for listings; any other cut-off is as good."""
    return tuple(parse(form) for kind in KINDS.values() for form in kind.usual)


def deepest(measures: Iterable[Measure]) -> int | None:
    """The depth that a run needs for all of them, or None where no cut-off bounds it."""
    depths = [measure.depth for measure in measures]
    bounded = [depth for depth in depths if depth is not None]
    return max(bounded) if len(bounded) == len(depths) and bounded else None


def _unknown(text: str) -> UnknownName:
    """The error, with the nearest kind and the cut-off as far as it can be read as its hint."""
    error = UnknownName("measure", text, (), LISTING)
    name, _, rest = text.partition("@")
    if not rest:
        name, rest = _split_at_digits(name)
    digits = re.sub("[^0-9]", "", rest.translate(_LOOKS_LIKE_A_DIGIT)).lstrip("0") if "-" not in rest else ""
    known_as = {alias: kind for kind in KINDS.values() for alias in (kind.name, *kind.also_called)}
    near = nearest(name.strip(" _-"), known_as, count=1)
    if near:
        kind = known_as[near[0]]
        meant = f"{kind.name}@{digits[:9]}" if digits else kind.usual[0]
        error.hint = f"did you mean `{meant}`? List them with `{LISTING}`"
    return error


def _split_at_digits(text: str) -> tuple[str, str]:
    """`P_10` and `ndcg10`, as other tools write them."""
    digits = re.search(r"[0-9]+$", text)
    return (text[: digits.start()], digits[0]) if digits else (text, "")
