"""From a source to a training file: rows worth training on, chosen, audited, written with an account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hakari import __version__
from hakari.mining.rows import Account, Row, worth_training
from hakari.mining.write import Target, write
from hakari.nano.draft import Stage
from hakari.nano.sampling import stable_hash

if TYPE_CHECKING:
    from hakari.mining.audited import Audited

NOT_AUDITED = "not audited"


@dataclass
class Story:
    """What a source tells of itself while it is read."""

    source: str
    """What was read, by name: no path of a machine."""
    recipe: Mapping[str, Any]
    """The kind of source and every setting that decides the rows."""
    stages: list[Stage] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """Such as which columns were taken."""


@dataclass(frozen=True)
class Made:
    """A training file that was written."""

    target: Target
    rows: int
    manifest: Mapping[str, Any]


def make(
    rows: Iterable[Row],
    story: Story,
    target: Target,
    *,
    limit: int | None = None,
    negatives: int = 0,
    audit: Audited | None = None,
) -> Made:
    """Write the rows that are worth training on; with a limit, those with the smallest hashes."""
    account = Account("rows")
    kept: Iterator[Row] = worth_training(rows, account)
    if audit is not None:
        kept = audit(kept)
    if limit is not None:
        kept = _chosen(kept, limit)
    made: dict[str, Any] = {}

    def stages() -> list[Stage]:
        return [*story.stages, account.stage(), *([] if audit is None else [audit.stage()])]

    def manifest() -> Mapping[str, Any]:
        made.update(
            hakari=__version__,
            source=story.source,
            recipe=dict(story.recipe) | {"limit": limit},
            told=list(story.told),
            stages=[stage_json(stage) for stage in stages()],
            audit=NOT_AUDITED if audit is None else audit.told(),
        )
        return made

    def nothing_left() -> str:
        return "; ".join(map(str, stages()))

    count = write(kept, target, negatives, manifest, nothing_left)
    return Made(target, count, {**made, "rows": count})


def _chosen(rows: Iterable[Row], limit: int) -> Iterator[Row]:
    """So many rows, whichever order the source has; they keep it."""
    numbered = list(enumerate(rows))
    best = sorted(numbered, key=lambda item: (stable_hash("limit", item[1].id), item[0]))[:limit]
    yield from (row for _, row in sorted(best, key=lambda item: item[0]))


def stage_json(stage: Stage) -> dict[str, Any]:
    """The account of a step as JSON."""
    return {"name": stage.name, "seen": stage.seen, "kept": stage.kept, "left_out": dict(stage.left_out)}
