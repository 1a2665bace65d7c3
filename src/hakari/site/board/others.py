"""What the board says that others measured or know: imported figures, and audits of training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from hakari.site.board.facts import shown
from hakari.store.imported import Imported
from hakari.tasks.training_audits import RISKS, STATES, UNKNOWN, TrainingAudit


def training_of(audits: Mapping[int, TrainingAudit]) -> dict[str, Any]:
    """Of a system how many tasks are in which state, the state that says most, and the worst risk on record."""
    counts = Counter(audit.state for audit in audits.values())
    risks = [audit.risk for audit in audits.values() if audit.risk in RISKS]
    return {
        "state": next((state for state in STATES if counts[state]), UNKNOWN),
        "risk": min(risks, key=RISKS.index, default=None),
        "tasks": {state: counts[state] for state in STATES if counts[state]},
    }


def imported_of(sources: Iterable[Imported], tasks: Mapping[str, int]) -> list[dict[str, Any]]:
    """Figures of others on tasks of the board: one entry a source and system, its means by measure and task."""
    found: dict[tuple[str, str, str], dict[str, dict[str, float]]] = {}
    for source in sources:
        for figure in source.figures:
            # Figures of a part of a task are not those of the task.
            if figure.task in tasks and not figure.subset and 0 <= figure.value <= 1:
                of_system = found.setdefault((source.mark, source.source, figure.system), {})
                of_system.setdefault(figure.measure, {})[str(tasks[figure.task])] = figure.value
    return [
        {"mark": mark, "source": shown(source), "name": shown(system), "figures": figures}
        for (mark, source, system), figures in sorted(found.items())
    ]
