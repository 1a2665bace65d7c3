"""What was weighed: per-query values of systems on tasks, and the numbers derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hakari import measures as _measures
from hakari.errors import UsageError
from hakari.measures import Measure
from hakari.store import files
from hakari.types import Ids, Qrels, Run, Task

if TYPE_CHECKING:
    import pandas

    from hakari.report.comparison import Comparison
    from hakari.stats import Resampling


class System(NamedTuple):
    """One retriever in one variant."""

    retriever: str
    variant: str

    def __str__(self) -> str:
        return self.retriever if self.variant == "float" else f"{self.retriever} {self.variant}"


@dataclass(frozen=True, eq=False)
class Weighed:
    """One system on one task."""

    task: str
    system: System
    query_ids: Ids
    values: Mapping[Measure, npt.NDArray[np.float64]]
    weights: Mapping[Measure, npt.NDArray[np.float64]]
    """What each query counts for in the mean of a measure; 1 but for pooled measures."""
    run: Callable[[], Run]
    """The ranking, read when it is asked for."""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Any] = field(default_factory=dict)

    def mean(self, measure: Measure) -> float:
        """The mean over queries, 0 where nothing counts."""
        weights = self.weights[measure]
        total = float(weights.sum())
        return float((weights * self.values[measure]).sum()) / total if total else 0.0


class Results:
    """Systems on tasks: a list of `Weighed`, with intervals, tables and comparisons."""

    def __init__(self, weighed: Iterable[Weighed], measures: Sequence[Measure], seed: int = 0) -> None:
        self.weighed = tuple(weighed)
        self.measures = tuple(measures)
        self.seed = seed
        self._at = {(w.task, w.system): w for w in self.weighed}

    @cached_property
    def resampling(self) -> Resampling:
        """How intervals and tests of these results resample; its random numbers are drawn once for all of them."""
        from hakari.stats import Resampling

        return Resampling(self.seed)

    def __len__(self) -> int:
        return len(self.weighed)

    @cached_property
    def tasks(self) -> list[str]:
        """The names of the tasks, in the order they were given."""
        return list(dict.fromkeys(w.task for w in self.weighed))

    @cached_property
    def systems(self) -> list[System]:
        """The systems, in the order they were given."""
        return list(dict.fromkeys(w.system for w in self.weighed))

    def at(self, task: str, system: System) -> Weighed:
        """One system on one task."""
        return self._at[task, system]

    def has(self, task: str, system: System) -> bool:
        """Whether there is a result of the system for the task."""
        return (task, system) in self._at

    def complete(self) -> list[System]:
        """The systems that have a result for every task; only these have an aggregate."""
        return [s for s in self.systems if all(self.has(t, s) for t in self.tasks)]

    def rows(self) -> list[dict[str, Any]]:
        """One row a task, system and measure, with its interval; aggregates last, with task `*`."""
        return self._rows

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        from hakari.report.summary import summarise

        return summarise(self)

    def value(self, task: str, system: System, measure: Measure) -> dict[str, Any]:
        """The row of one number."""
        return self._by_key[task, system, str(measure)]

    @cached_property
    def _by_key(self) -> dict[tuple[str, System, str], dict[str, Any]]:
        return {(r["task"], System(r["retriever"], r["variant"]), r["measure"]): r for r in self.rows()}

    def compare(self, *systems: str | System) -> Comparison:
        """Compare systems pairwise: those named, or all; of two, the second against the first."""
        from hakari.report.comparison import Comparison

        return Comparison(self, [self.find(s) for s in systems] if systems else self.systems)

    def find(self, name: str | System) -> System:
        """The system of a retriever's spelling, or of a spelling and a variant (`bge_small_en int8`)."""
        if isinstance(name, System):
            return name
        for system in self.systems:
            if name in (str(system), f"{system.retriever} {system.variant}"):
                return system
        raise UsageError(f"no system `{name}` here", "there are " + ", ".join(f"`{s}`" for s in self.systems))

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas data frame."""
        from hakari.report.frames import frame

        return frame(self.rows())

    def __repr__(self) -> str:
        from hakari.report.summary import results_tables
        from hakari.report.tables import plain

        return plain(*results_tables(self))

    def _repr_html_(self) -> str:
        from hakari.report.summary import results_tables
        from hakari.report.tables import html

        return html(*results_tables(self))


def from_stored(stored: files.Stored, wanted: Sequence[Measure], task: Task | None) -> list[Weighed]:
    """The systems (one a variant) in a stored result; measures it does not keep need the task."""
    kept = files.read_values(stored)
    whole: dict[str, files.Variant] = {}
    found = []
    for variant, (query_ids, by_name) in kept.items():
        values = {m: by_name[str(m)] for m in wanted if str(m) in by_name}
        weights = {m: np.ones(len(query_ids)) for m in values}
        missing = [m for m in wanted if m not in values]

        def run(variant: str = variant) -> Run:
            return files.read_variants(stored)[variant].run

        if missing:
            if task is None:
                raise UsageError(
                    f"`{missing[0]}` is not kept in the results for `{stored.task}`, so it needs the task",
                    "`hakari run` and `hakari compare` compute it from the task; kept are "
                    + ", ".join(f"`{n}`" for n in by_name),
                )
            whole = whole or files.read_variants(stored, task.corpus.ids)
            scores = _measures.score(whole[variant].run, task.qrels, missing)
            for m in missing:
                values[m], weights[m] = scores.of(m), scores.weights_of(m)
        system = System(stored.retriever, variant)
        found.append(
            Weighed(stored.task, system, query_ids, values, weights, run, stored.manifest, stored.costs)
        )
    return found


def from_run(run: Run, qrels: Qrels, task: str, wanted: Sequence[Measure]) -> Weighed:
    """A run made elsewhere, scored against judgements."""
    scores = _measures.score(run, qrels, wanted)
    facts = {
        "unanswered": {"float": len(scores.unanswered)},
        "extra": len(scores.extra),
        "ties": {"float": {str(cut): share for cut, share in scores.ties.items()}},
    }
    return Weighed(
        task,
        System(run.tag, "float"),
        scores.query_ids,
        {m: scores.of(m) for m in wanted},
        {m: scores.weights_of(m) for m in wanted},
        lambda: run,
        facts,
    )
