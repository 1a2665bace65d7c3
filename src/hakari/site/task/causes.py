"""Why a wrong document may stand above a right one: how it passes for it, by the rules of `hakari.text.lookalikes`.

The same rules choose hard negatives for training. They find what is there to be seen in three texts; none of them
proves what a model was led by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hakari.site import texts
from hakari.text.lookalikes import KINDS, Likeness, LookAlikes
from hakari.types import Task

LOOKED_AT = 2_000
"""Documents from which it is known what words are common; of larger corpora as many, at even distances."""
NOT_SEEN = "none-seen"
MEANINGS = {**KINDS, NOT_SEEN: "resembles the positive and the query by none of these rules"}
"""Every cause with what it says of the document that was put first, the most telling first."""


@dataclass(frozen=True, eq=False)
class Case:
    """A query, one of its positives, and the document that a profile puts first instead; all by number."""

    query_number: int
    positive_number: int
    wrong_number: int
    query: str
    positive: str
    wrong: str
    looks: LookAlikes

    @cached_property
    def likenesses(self) -> list[Likeness]:
        """Every way in which the wrong document passes for the positive, the most telling first."""
        return self.looks.between(self.query, self.positive, self.wrong) or [Likeness(NOT_SEEN)]

    @property
    def cause(self) -> str:
        """The most telling of them."""
        return self.likenesses[0].kind


def look_alikes(task: Task) -> LookAlikes:
    """What judges the texts of a task."""
    looked_at, _ = texts.every_so_many(list(task.corpus.texts), LOOKED_AT)
    return LookAlikes(str(text) for text in looked_at)


def told(likeness: Likeness) -> str:
    """The kind in words."""
    return likeness.kind.replace("-", " ")
