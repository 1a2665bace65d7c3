"""What the board says of systems and tasks beside their scores: family, size, cost, ceiling, what is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from hakari.display import one_line
from hakari.io.audits import recorded
from hakari.site.board.views import domains_of
from hakari.site.model import BASE, Listed, Opened, System
from hakari.store.files import Stored
from hakari.tasks.catalog import Entry

LONGEST_NAME = 160
PUBLISHED_MEASURES = ("ndcg_at_10", "hit_at_10", "recall_at_100")
"""Of each published profile, in the order in which the board has them."""
PROFILES = ("bm25", "dense", "reranking_hybrid")


class Told(NamedTuple):
    """What one result says beside its scores."""

    depth: int | None
    index_bytes: float | None
    """Bytes of the index, where these and the number of documents are known."""
    documents: int
    seconds: float | None
    """For one query."""
    parameters: int | None
    licence: str | None
    ceiling: tuple[tuple[str, float], ...] = ()
    """By measure, what no reranker of the same candidates can pass."""
    safeguards_left_out: int = 0


def told_by(stored: Stored, variants: Sequence[str]) -> list[Told]:
    """What a result says of some variants of its system."""
    manifest, whole = stored.manifest, stored.costs
    facts, forms = manifest.get("facts") or {}, whole.get("variants") or {}
    documents, queries = _whole(manifest.get("documents")) or 0, _whole(manifest.get("queries"))
    ceiling = facts.get("ceiling")
    told = Told(
        _whole(manifest.get("depth")),
        _index_bytes(whole, documents),
        documents,
        _latency(whole, queries),
        _whole(whole.get("parameters", facts.get("parameters"))),
        str(facts["licence"]) if facts.get("licence") else None,
    )
    made = []
    for variant in variants:
        own = forms.get(variant) or {}
        size, seconds = _index_bytes(own, documents), _latency(own, queries)
        one = told._replace(
            index_bytes=told.index_bytes if size is None else size,
            seconds=told.seconds if seconds is None else seconds,
        )
        if variant == BASE:
            one = one._replace(
                ceiling=_numbers(ceiling) if isinstance(ceiling, Mapping) else (),
                safeguards_left_out=_whole(facts.get("safeguards_left_out")) or 0,
            )
        made.append(one)
    return made


def _index_bytes(costs: Mapping[str, Any], documents: int) -> float | None:
    size, each = _number(costs.get("index_bytes")), _number(costs.get("index_bytes_per_document"))
    if not documents or (size is None and each is None):
        return None
    return size if size is not None else (each or 0.0) * documents


@dataclass
class SystemFacts:
    """What adds up about one system while tasks come by."""

    index_bytes: float = 0.0
    documents: int = 0
    latencies: list[float] = field(default_factory=list)
    """Seconds a query, one figure a task."""
    parameters: int | None = None
    licence: str | None = None
    depth: int | None = None
    ceilings: dict[str, dict[int, float]] = field(default_factory=dict)
    """By measure and task, what no reranker of the same candidates can pass."""
    safeguards_left_out: int = 0

    def add(self, task: int, told: Told) -> None:
        """Take in one result."""
        self.depth = told.depth or self.depth
        if told.index_bytes is not None:
            self.index_bytes += told.index_bytes
            self.documents += told.documents
        if told.seconds is not None:
            self.latencies.append(told.seconds)
        self.parameters = told.parameters or self.parameters
        self.licence = told.licence or self.licence
        for measure, value in told.ceiling:
            self.ceilings.setdefault(measure, {})[task] = value
        self.safeguards_left_out += told.safeguards_left_out

    def row(self, system: System, link: str | None, licences: Mapping[str, str]) -> dict[str, Any]:
        """What the browser is told of the system."""
        licence = self.licence or licences.get(system.retriever.partition("(")[0])
        return {
            "name": shown(system.label),
            "retriever": shown(system.retriever),
            "variant": shown(system.variant),
            "family": shown(system.family or "unknown"),
            "parameters": self.parameters,
            "licence": None if licence is None else shown(licence),
            "bytes": round(self.index_bytes / self.documents, 2) if self.documents else None,
            "latency": round(median(self.latencies) * 1000, 4) if self.latencies else None,
            "depth": self.depth,
            "ceiling": {m: {str(t): v for t, v in by.items()} for m, by in sorted(self.ceilings.items())},
            "safeguards": self.safeguards_left_out,
            "link": link,
        }


def task_row(listed: Listed, opened: Opened | None, link: str | None) -> dict[str, Any]:
    """What the browser is told of a task, measured or only published."""
    entry = listed.entry
    traits = opened.traits if opened is not None else _published_traits(entry)
    shape = traits.get("shape")
    return {
        "name": shown(listed.name),
        "suite": shown(listed.suite),
        "language": shown(traits.get("language") or "unknown"),
        "domains": domains_of(() if entry is None else entry.domains, traits.get("category")),
        "shape": shown(shape) if shape else None,
        "queries": _queries(entry, opened),
        "documents": _documents(entry, opened),
        "audited": _audited(entry, opened),
        "overall": bool(entry is None or entry.in_overall),
        "published": None if entry is None else published_of(entry),
        "link": link,
    }


def published_of(entry: Entry) -> dict[str, Any] | None:
    """The published figures of a task: three profiles, each nDCG@10, hit@10 and pooled recall@100."""
    told = entry.row.get("published") or {}
    found: dict[str, Any] = {}
    for profile in PROFILES:
        figures = told.get(profile)
        if figures:
            found[profile] = [_number(figures.get(m)) for m in PUBLISHED_MEASURES]
    dense = told.get("dense") or {}
    if found and dense.get("config"):
        found["dense_model"] = shown(str(dense["config"]))
    hybrid = told.get("reranking_hybrid") or {}
    if found and hybrid.get("safeguard_positive_rows"):
        found["safeguards"] = int(hybrid["safeguard_positive_rows"])
    return found or None


def shown(text: str) -> str:
    """A name on one line, its control and direction characters spelt out."""
    return one_line(str(text), LONGEST_NAME)


def _published_traits(entry: Entry | None) -> dict[str, str | None]:
    return {} if entry is None else {**entry.traits()}


def _audited(entry: Entry | None, opened: Opened | None) -> bool:
    """Whether an audit is published, or on record in the task's own metadata."""
    if entry is not None and entry.row.get("leakage_audit"):
        return True
    task = None if opened is None else opened.task
    return task is not None and bool(recorded(task.source, task.split))


def _queries(entry: Entry | None, opened: Opened | None) -> int | None:
    if opened is not None:
        return len(opened.query_ids)
    return None if entry is None else entry.counts["queries"]


def _documents(entry: Entry | None, opened: Opened | None) -> int | None:
    if opened is not None and opened.stored:
        return _whole(opened.stored[0].manifest.get("documents"))
    return None if entry is None else entry.counts["documents"]


def _latency(costs: Mapping[str, Any], queries: int | None) -> float | None:
    """Seconds for a query that comes alone where that was measured, else the search of all over their number.

    A variant of an encoder has costs of its own; the time of the whole retriever would not be that of the variant.
    """
    told = _number(costs.get("query_ms_p50"))
    if told is not None:
        return told / 1000
    alone = costs.get("query_seconds")
    if isinstance(alone, Mapping) and alone:
        taken = [value for value in map(_number, alone.values()) if value is not None]
        return median(taken) if taken else None
    search = _number(costs.get("search_s"))
    return search / queries if search is not None and queries else None


def _numbers(told: Mapping[Any, Any]) -> tuple[tuple[str, float], ...]:
    return tuple(
        (str(name), number) for name, value in told.items() if (number := _number(value)) is not None
    )


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return float(value) if abs(value) != float("inf") else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
