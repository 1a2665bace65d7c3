"""What systems cost, as data and as a table beside their quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hakari.footprint import COSTS
from hakari.report.tables import Table

if TYPE_CHECKING:
    from hakari.report.results import Results, System, Weighed


def own_costs(w: Weighed) -> Mapping[str, Any]:
    """The costs of a system on a task: those of its run, with what its variant has of its own."""
    return {**w.costs, **w.costs.get("variants", {}).get(w.system.variant, {})}


def as_row(w: Weighed) -> dict[str, float | None]:
    """The costs of one system on one task; None where nothing is known."""
    costs = own_costs(w)
    return {name: costs.get(name) for name in COSTS}


def with_costs(results: Results) -> list[dict[str, Any]]:
    """The rows of results, each with what its system costs under `cost`; rows over all tasks with costs over all."""
    every = {system: [w for w in results.weighed if w.system == system] for system in results.systems}
    told = {(w.task, w.system): as_row(w) for w in results.weighed}
    told |= {("*", system): over_tasks(own) for system, own in every.items()}
    systems = {(s.retriever, s.variant): s for s in results.systems}
    return [
        {**row, "cost": told[row["task"], systems[row["retriever"], row["variant"]]]}
        for row in results.rows()
    ]


def over_tasks(weighed: Sequence[Weighed]) -> dict[str, float | None]:
    """The costs of one system over several tasks.

    Seconds, index bytes and prices are sums, rates and bytes a document are over all texts, peaks and parameters
    the largest, and times of single queries means over tasks.
    """
    every = [own_costs(w) for w in weighed]
    documents = sum(int(w.manifest.get("documents", 0)) for w in weighed)

    def of(name: str, by: Callable[[list[float]], float]) -> float | None:
        values = [float(costs[name]) for costs in every if costs.get(name) is not None]
        return by(values) if values else None

    def rate(name: str) -> float | None:
        amount, seconds = of(name, sum), of("encode_s", sum)
        return amount / seconds if amount and seconds else None

    index = of("index_bytes", sum)
    per_document = of("index_bytes_per_document", max) if len(every) == 1 else None
    told: dict[str, float | None] = {
        "seconds": of("seconds", sum),
        "texts_per_s": rate("encoded_texts"),
        "tokens_per_s": rate("encoded_tokens"),
        **{name: of(name, _mean) for name in COSTS if "query_ms" in name},
        "index_bytes": index,
        "index_bytes_per_document": per_document or (index / documents if index and documents else None),
        "peak_bytes": of("peak_bytes", max),
        "parameters": of("parameters", max),
        "price_usd": of("price_usd", sum),
    }
    return {name: told[name] for name in COSTS}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


_COLUMNS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("texts/s", "texts_per_s", lambda v: _short(v)),
    ("tokens/s", "tokens_per_s", lambda v: _short(v)),
    ("query ms", "query_ms_p50", lambda v: f"{v:.1f}" if v < 100 else f"{v:,.0f}"),
    ("p95", "query_ms_p95", lambda v: f"{v:.1f}" if v < 100 else f"{v:,.0f}"),
    ("bytes/doc", "index_bytes_per_document", lambda v: f"{v:,.0f}"),
    ("params", "parameters", lambda v: _short(v)),
    ("USD", "price_usd", lambda v: f"{v:.4f}"),
)
_BY_TASK = (
    ("seconds", "seconds", lambda v: f"{v:.2f}"),
    ("index MB", "index_bytes", lambda v: f"{v / 1e6:.1f}"),
    ("peak MB", "peak_bytes", lambda v: f"{v / 1e6:.0f}"),
)
NOTES = {
    "texts_per_s": "texts/s, tokens/s: encoding, or indexing for BM25, as if nothing had come from the cache.",
    "query_ms_p50": "query ms, p95: a query that comes alone, encoded and searched; median and 95th percentile.",
    "parallel_query_ms_p50": "Parts of a fusion answer one after the other here; side by side: {parallel}.",
}


def _short(value: float) -> str:
    for limit, unit in ((1e9, "B"), (1e6, "M"), (1e4, "k")):
        if value >= limit:
            scaled = value / {"B": 1e9, "M": 1e6, "k": 1e3}[unit]
            return f"{scaled:.1f}{unit}" if scaled < 100 else f"{scaled:.0f}{unit}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def cost_tables(results: Results, by_task: bool = False) -> list[Table]:
    """What each system costs, over all tasks or on each; nothing where nothing was measured."""
    kept = [w for w in results.weighed if any(own_costs(w).get(c[1]) is not None for c in _COLUMNS)]
    if not kept:
        return []
    rows: list[tuple[str, System, dict[str, float | None]]] = []
    if by_task:
        rows = [(w.task, w.system, over_tasks([w])) for w in kept]
    else:
        for system in results.systems:
            own = [w for w in kept if w.system == system]
            if own:
                rows.append(("", system, over_tasks(own)))
    columns = [c for c in (*(_BY_TASK if by_task else ()), *_COLUMNS) if any(r[2][c[1]] for r in rows)]
    cells = []
    for place, (task, system, costs) in enumerate(rows):
        values = [show(v) if (v := costs[name]) is not None else "–" for _, name, show in columns]
        first = task if not place or rows[place - 1][0] != task else ""
        cells.append([*([first] if by_task else []), str(system), *values])
    heads = [*(["task"] if by_task else []), "retriever", *(c[0] for c in columns)]
    return [Table("cost", heads, cells, texts=range(len(heads) - len(columns)), notes=_notes(rows))]


def _notes(rows: Sequence[tuple[str, System, Mapping[str, float | None]]]) -> list[str]:
    told = []
    for name, text in NOTES.items():
        having = [(system, costs) for _, system, costs in rows if costs[name] is not None]
        if not having:
            continue
        parallel = "; ".join(
            f"{system} {costs['parallel_query_ms_p50']:.1f} ms, p95 {costs['parallel_query_ms_p95']:.1f}"
            for system, costs in having[:3]
            if name.startswith("parallel")
        )
        told.append(text.format(parallel=parallel))
    return told
