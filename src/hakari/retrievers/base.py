"""What a retriever is: something that turns a task into runs, one a variant, from one encoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hakari.types import Run, Task

BASE_VARIANT = "float"
"""The variant that every retriever has: scores as its family computes them, nothing made cheaper."""


@dataclass(frozen=True, eq=False)
class Retrieved:
    """What a retriever found on one task, and what it cost."""

    runs: Mapping[str, Run]
    """One run a variant; `float` is always there."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was measured and does not differ between runs (such as how many texts were truncated): JSON."""
    costs: Mapping[str, Any] = field(default_factory=dict)
    """What differs between runs or machines: `index_s`, `search_s`, `encode_s`, `index_bytes`, ...; those of
    each variant under `variants`."""


class Retriever(ABC):
    """Turns a task into runs. Subclass it, give it `name` and `family`, and write `settings` and `retrieve`."""

    family: ClassVar[str]
    name: str
    """The canonical spelling, settings that differ from the defaults included: `bm25(k1=1.2)`."""
    packages: Sequence[str] = ()
    """Distributions whose versions may move its scores; recorded in the manifest of a result."""
    source_depth: int = 500
    """How deep the runs of its parts are made."""
    parts: Sequence[Retriever] = ()
    """Retrievers whose runs this one needs (fusion); the bench runs and stores them first."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Everything that decides its rankings, as JSON; hashed into the identity of its results."""

    def settings_for(self, task: Task) -> dict[str, Any]:
        """What follows from the task as well, such as the tokenizer of its language."""
        return {}

    def require(self) -> None:  # noqa: B027
        """Raise `MissingPrerequisite` where something it needs is not installed."""

    def variants_among(self, asked: Sequence[str]) -> tuple[str, ...]:
        """Of the names of variants asked for, those that `retrieve_variants` can give."""
        return tuple(name for name in asked if name == BASE_VARIANT)

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        """Like `retrieve`, with a run for each of these variants, all from one encoding."""
        return self.retrieve(task, depth, parts)

    @abstractmethod
    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Rank the documents of the task for each of its queries, `depth` deep."""
