"""Weights learned by cross-validation, against each part alone, equal weights and reciprocal rank fusion."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import hakari
from hakari.report.results import System

PARTS = ("bm25-code", "bge_small_en")
INSIDE = ",".join(PARTS)
NAMES = (*PARTS, f"rrf({INSIDE})", f"weighted({INSIDE},weights=1:1)", f"weighted({INSIDE})")
MEASURE = "nDCG@10"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--on", nargs="+", required=True, help="tasks")
    parser.add_argument("--output", type=Path, help="write the tables there as well")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = hakari.run(NAMES, on=asked.on, measures=MEASURE, results=folder)
        lines = [*values(results), "", *learned(results), "", *gains(results)]
    print("\n".join(lines))
    if asked.output:
        head = [
            "# Learned weights",
            "",
            f"`python benchmarks/weighted.py --on ...`. {__doc__} {MEASURE}.",
            "",
        ]
        asked.output.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def values(results: hakari.Results) -> list[str]:
    rows = results.rows()
    tasks = list(dict.fromkeys(r["task"] for r in rows))
    found = {(r["task"], r["retriever"]): f"{r['value']:.3f}" for r in rows}
    return [
        row("task", *(f"`{name}`" for name in NAMES)),
        row(*["---"] * (1 + len(NAMES))),
        *(row("mean" if task == "*" else task, *(found[task, name] for name in NAMES)) for task in tasks),
    ]


def learned(results: hakari.Results) -> list[str]:
    lines = [row("task", "weights of the folds", "seconds to learn"), row("---", "---", "---")]
    for one in results.weighed:
        told = one.manifest["facts"].get("weights_learned")
        if told:
            folds = ", ".join(":".join(f"{weight:g}" for weight in fold["weights"]) for fold in told["folds"])
            lines.append(row(one.task, folds, f"{one.costs['learn_s']:.1f}"))
    return lines


def gains(results: hakari.Results) -> list[str]:
    lines = [
        row("over all tasks, learned weights against", "difference [95 %]", "p Holm"),
        row("---", "---", "---"),
    ]
    learned_one = System(NAMES[-1], "float")
    for other in NAMES[:-1]:
        rows = results.compare(learned_one, System(other, "float")).rows()
        last = next((r for r in rows if r["task"] == "*"), rows[-1])
        lines.append(
            row(
                f"`{other}`",
                f"{last['diff']:+.3f} [{last['low']:.3f}, {last['high']:.3f}]",
                f"{last['p_holm']:.3f}",
            )
        )
    return lines


if __name__ == "__main__":
    main()
