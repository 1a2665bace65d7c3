"""A model beside an audit: what is on record of the data that it was trained on, for one task.

A model names its training data, an audit names the data that it compared with a task: where both mean the same,
the audit is the model's. Where they do not, nothing is known, which is a state of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.io.audits import recorded
from hakari.tasks.catalog import Entry
from hakari.tasks.origins import declared_names, stem, upstream

AUDITED, SAME_SOURCE, UNTRAINED, UNKNOWN = "audited", "same source", "untrained", "unknown"
STATES = (AUDITED, SAME_SOURCE, UNTRAINED, UNKNOWN)
RISKS = ("direct", "near", "similar", "partial", "none found", "not audited")
"""The words of audits, from the worst on."""


@dataclass(frozen=True)
class TrainedOn:
    """What a model says that it was trained on."""

    data: tuple[str, ...]
    """Names of data sets, as its card or a registry has them; none at all for what is not trained."""
    source: str
    """Who says so: the address or the path of a card."""


@dataclass(frozen=True)
class TrainingAudit:
    """What is on record of a model's training data and a task."""

    state: str
    """`audited`, `same source` (named like what the task was made from, and not compared), `untrained`, `unknown`."""
    why: str
    """The state in one sentence."""
    risk: str | None = None
    """Of what is audited the worst risk."""
    audits: tuple[Mapping[str, Any], ...] = ()
    """The entries on record for data that the model names, in the form of `hakari.io.audits`."""
    same_source: tuple[str, ...] = ()
    """Names of training data that the task was made from, too."""
    not_audited: tuple[str, ...] = ()
    """Names of training data that were never compared with the task, as far as is on record."""


def audits_on_record(entry: Entry | None, folder: Path | None, split: str) -> list[Mapping[str, Any]]:
    """The audits of a task, the published one first; one that states no risk gets it from its counts."""
    published = entry.row.get("leakage_audit") if entry is not None else None
    found: list[Mapping[str, Any]] = [{"risk": _risk_of(published), **published}] if published else []
    return [*found, *recorded(folder, split)]


def training_audit(
    trained: TrainedOn | None, task: str, audits: Sequence[Mapping[str, Any]], sources: Iterable[Any] = ()
) -> TrainingAudit:
    """What is known of one model on one task.

    `audits` are those of the task (`audits_on_record`), `sources` what its own metadata say of its sources.
    """
    if trained is None:
        return TrainingAudit(UNKNOWN, "What this model was trained on is not known.")
    if not trained.data:
        return TrainingAudit(UNTRAINED, "Nothing of it is trained.")
    of_audits = [(audit, declared_names(str(audit["source_dataset"]))) for audit in audits]
    mine = tuple(a for a, names in of_audits if any(names & declared_names(d) for d in trained.data))
    compared = set().union(*(names for a, names in of_audits if a in mine)) if mine else set()
    left = tuple(d for d in trained.data if not declared_names(d) & compared)
    same = tuple(d for d in left if is_source(d, task, sources))
    told = f"{len(trained.data) - len(left)} of {len(trained.data)} training sets that it names"
    if mine:
        risk = min((str(audit["risk"]) for audit in mine), key=_severity)
        rest = f"; {_listed(same)} has the task's own name or source and was not compared" if same else ""
        return TrainingAudit(AUDITED, f"Compared: {told}{rest}.", risk, mine, same, left)
    if same:
        why = f"It names {_listed(same)}, what the task was made from; their texts were not compared."
        return TrainingAudit(SAME_SOURCE, why, None, (), same, left)
    why = f"None of the {len(trained.data)} training sets that it names was compared with this task."
    return TrainingAudit(UNKNOWN, why, None, (), (), left)


def is_source(data: str, task: str, sources: Iterable[Any] = ()) -> bool:
    """Whether a data set is called like what a task was made from, or like the task itself."""
    dataset, _, split = task.partition("/")
    own = {stem(dataset), stem(split)} - {""}
    return stem(data) in own or bool(declared_names(data) & upstream(task, sources))


def _risk_of(published: Mapping[str, Any]) -> str:
    """The risk that published counts stand for: they were made without a word for it."""
    for risk, begins in (("direct", "normalized_exact"), ("near", "high_shingle")):
        if any(value for key, value in published.items() if key.startswith(begins)):
            return risk
    return "none found"


def _severity(risk: str) -> int:
    return RISKS.index(risk) if risk in RISKS else len(RISKS)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
