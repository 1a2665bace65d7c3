"""How much of the texts the models did not read: from the facts of results, as data and as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hakari.store import files, keys

if TYPE_CHECKING:
    from hakari.report.results import Results
    from hakari.types import Task

KINDS = ("documents", "queries", "pairs")
TOLD_TEXTS, TOLD_TOKENS = 0.01, 0.001
"""The shares of texts and of tokens cut from which on it is told beside the scores; facts have every one."""
OTHER_ENDS = {"tail": ", at their beginning", "turns": ", by turns"}


@dataclass(frozen=True)
class Cut:
    """What one model left out of the texts of one kind on one task."""

    task: str
    retriever: str
    limit: int | None
    """Tokens that the model reads."""
    kind: str
    """`documents`, `queries` or `pairs`."""
    texts: int
    truncated: int
    tokens: int
    tokens_cut_share: float
    truncate: str = "head"
    no_dialogues: int = 0
    """Texts too long that have no turns, so that their beginning was kept though `turns` was asked for."""
    unit: str = "tokens"
    """What `tokens` counts: tokens, or characters."""

    @property
    def matters(self) -> bool:
        """Whether it is told without being asked for."""
        return self.truncated > TOLD_TEXTS * self.texts or self.tokens_cut_share >= TOLD_TOKENS

    def __str__(self) -> str:
        end = OTHER_ENDS.get(self.truncate, "")
        share = f"{self.tokens_cut_share:.1%} of their {self.unit}"
        told = f"{self.truncated:,} of {self.texts:,} {self.kind}{end} ({share})"
        return told + (f", {self.no_dialogues:,} of them no dialogues" if self.no_dialogues else "")


def cuts(manifest: Mapping[str, Any]) -> list[Cut]:
    """What was left out in a result, by the retriever itself and by its parts."""
    return list(
        _cuts(
            manifest,
            str(manifest.get("retriever", "")),
            manifest.get("facts", {}),
            manifest.get("settings", {}),
        )
    )


def _cuts(
    manifest: Mapping[str, Any], name: str, facts: Mapping[str, Any], settings: Mapping[str, Any]
) -> Iterator[Cut]:
    inner = settings.get("reranker", {})
    usage = {**settings, **(inner.get("settings", {}) if isinstance(inner, Mapping) else {})}
    totals = {**manifest, "pairs": facts.get("pairs", 0)}
    for kind in KINDS:
        if facts.get(f"{kind}_truncated"):
            # Behind an endpoint only characters can be counted.
            unit = "characters" if f"{kind}_characters" in facts else "tokens"
            yield Cut(
                str(manifest["task"]),
                name,
                usage.get("max_length"),
                kind,
                int(facts.get(f"{kind}_texts", totals.get(kind, 0))),
                int(facts[f"{kind}_truncated"]),
                int(facts.get(f"{kind}_{unit}", 0)),
                float(facts.get(f"{kind}_{unit}_cut_share", 0.0)),
                str(usage.get("truncate", "head")),
                int(facts.get(f"{kind}_no_dialogues", 0)),
                unit,
            )
    for part in facts.get("parts", ()):
        yield from _cuts(manifest, part["retriever"], part["facts"], part["settings"])


def notes(results: Results) -> list[str]:
    """A line a model that left out enough to matter, with the task where it left out most."""
    every: dict[str, list[Cut]] = {}
    for w in results.weighed:
        for cut in cuts(w.manifest):
            if cut.matters and cut not in every.get(cut.retriever, ()):
                every.setdefault(cut.retriever, []).append(cut)
    return [_line(name, found) for name, found in every.items()]


def _line(name: str, found: list[Cut]) -> str:
    worst = max(found, key=lambda cut: cut.tokens_cut_share * cut.tokens)
    there = " and ".join(str(cut) for cut in found if cut.task == worst.task)
    others = len({cut.task for cut in found}) - 1
    more = f", less on {others} more task{'s' * (others > 1)}" if others else ""
    limit = f" reads up to {worst.limit} tokens and" if worst.limit else ""
    return f"Truncated: {name}{limit} cut {there} on {worst.task}{more}."


def of_task(task: Task, root: Path) -> list[Cut]:
    """What the finished results of a task say was left out; nothing is run."""
    pattern = f"*/{_literal(keys.safe(task.dataset))}/{_literal(keys.safe(task.split))}.parquet"
    stored: Iterable[files.Stored | None] = (files.read(path) for path in sorted(root.glob(pattern)))
    manifests = [s.manifest for s in stored if s is not None and s.manifest.get("content") == task.content]
    found = (cut for manifest in manifests for cut in cuts(manifest))
    return sorted(dict.fromkeys(found), key=lambda cut: (cut.retriever, KINDS.index(cut.kind)))


def _literal(name: str) -> str:
    import glob

    return glob.escape(name)
