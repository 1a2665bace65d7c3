"""Statistics beside ranx and scipy: seconds, coverage of intervals, error rates and power of the test.

    python benchmarks/stats.py > benchmarks/stats.md

Everything runs in one process. Times are medians of five rounds, every other round in reverse order. ranx's
compilation and all imports are left out of the times.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
import scipy
from scipy import stats

from hakari.stats import (
    Resampling,
    compare_pairs,
    mean_intervals,
    paired_randomisation,
    smallest_difference,
    summarise,
)

ROUNDS = 5
TRIALS = 2_000
RESAMPLES = 2_000
Array = np.ndarray
Sampler = Callable[[np.random.Generator, tuple[int, int]], Array]


# Speed


def speed() -> list[str]:
    from ranx.statistical_tests import compute_statistical_significance

    scores = system_scores(systems=20, queries=200)
    named = {f"s{number}": {"ndcg@10": row} for number, row in enumerate(scores)}
    first = scores[0] - scores[1]

    def by_ranx() -> None:
        compute_statistical_significance(list(named), named, "fisher", n_permutations=10_000)

    def by_scipy() -> None:
        stats.permutation_test(
            (first,),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            n_resamples=10_000,
            vectorized=True,
        )

    pairs = [scores[a] - scores[b] for a in range(20) for b in range(a + 1, 20)]
    contestants: dict[str, Callable[[], object]] = {
        "p-values": lambda: paired_randomisation(pairs),
        "compare": lambda: compare_pairs({"task": scores}),
        "summarise": lambda: summarise({"task": scores}),
        "scipy": by_scipy,
        "ranx": by_ranx,
    }
    compute_statistical_significance(list(named)[:2], named, "fisher", n_permutations=10)
    seconds = measure(contestants)
    seconds["scipy"] *= 190
    rows = [
        (f"ranx {version('ranx')}, Fisher's randomisation", "ranx"),
        (f"scipy {scipy.__version__}, `permutation_test`, one pair, times 190", "scipy"),
        ("hakari, p-values alone (`paired_randomisation`)", "p-values"),
        ("hakari, p-values, intervals, smallest differences, wins (`compare_pairs`)", "compare"),
        ("hakari, means, intervals and rank ranges of the systems (`summarise`)", "summarise"),
    ]
    lines = [
        "| 20 systems, 190 pairs, 200 queries, 10,000 resamples | seconds | ranx / this |",
        "| --- | --: | --: |",
    ]
    for label, key in rows:
        lines.append(f"| {label} | {seconds[key]:.3f} | {seconds['ranx'] / seconds[key]:.1f} |")
    return [
        *lines,
        "",
        "ranx tests each pair twice, as (a, b) and as (b, a); without that it would need half its time.",
    ]


def measure(contestants: dict[str, Callable[[], object]]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for name in contestants:
        if name != "ranx":
            contestants[name]()
    for turn in range(ROUNDS):
        for name in list(contestants)[:: -1 if turn % 2 else 1]:
            start = time.perf_counter()
            contestants[name]()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def system_scores(systems: int, queries: int) -> Array:
    rng = np.random.default_rng(0)
    ease = rng.normal(0, 1, queries)
    skill = rng.normal(0, 0.3, (systems, 1))
    return np.clip(0.5 + 0.25 * (ease + skill + rng.normal(0, 0.7, (systems, queries))), 0, 1)


# Populations with known means


def hits(rate: float) -> tuple[Sampler, float]:
    return lambda rng, shape: (rng.random(shape) < rate).astype(np.float64), rate


def graded(zeros: float, ones: float, a: float, b: float) -> tuple[Sampler, float]:
    def sample(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        kind, between = rng.random(shape), rng.beta(a, b, shape)
        return np.where(kind < zeros, 0.0, np.where(kind < zeros + ones, 1.0, between))

    return sample, ones + (1 - zeros - ones) * a / (a + b)


def reciprocal(rate: float) -> tuple[Sampler, float]:
    def sample(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        rank = rng.geometric(rate, shape)
        return np.where(rank <= 10, 1.0 / rank, 0.0)

    ranks = np.arange(1, 11)
    return sample, float(np.sum((1 - rate) ** (ranks - 1) * rate / ranks))


def changes(lost: float, won: float, whole: bool) -> tuple[Sampler, float]:
    def sample(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        kind = rng.random(shape)
        size = np.ones(shape) if whole else rng.beta(0.7, 1.5, shape)
        return np.where(kind < lost, -size, np.where(kind < lost + won, size, 0.0))

    return sample, (won - lost) * (1.0 if whole else 0.7 / 2.2)


SCORES = {
    "hit, 2 %": hits(0.02),
    "hit, 50 %": hits(0.5),
    "hit, 90 %": hits(0.9),
    "hit, 98 %": hits(0.98),
    "hit, 99.5 %": hits(0.995),
    "nDCG, hard": graded(0.6, 0.05, 1, 2),
    "nDCG, middling": graded(0.25, 0.25, 1.5, 1.5),
    "nDCG, easy": graded(0.03, 0.7, 3, 1),
    "nDCG, nearly all 1": graded(0.01, 0.93, 3, 1),
    "RR, mean 0.07": reciprocal(0.03),
    "RR, mean 0.95": reciprocal(0.9),
}
DIFFERENCES = {
    "90 % of queries change, even": changes(0.45, 0.45, whole=False),
    "30 % change, 20 to 10 worse": changes(0.2, 0.1, whole=False),
    "5 % change, 3 to 2 worse": changes(0.03, 0.02, whole=False),
    "hits: 10 % change, 6 to 4 worse": changes(0.06, 0.04, whole=True),
    "hits: 3 % change, 2 to 1 worse": changes(0.02, 0.01, whole=True),
}


# Coverage


def coverage() -> list[str]:
    lines: list[str] = []
    for title, group, ours in (
        ("scores", SCORES, own_scores),
        ("differences", DIFFERENCES, own_differences),
    ):
        lines += [
            f"| {title} | queries | percentile | BCa | bootstrap-t | Student's t | hakari |",
            "| --- | --: | --: | --: | --: | --: | --: |",
        ]
        for queries in (10, 50, 200):
            for name, (sampler, truth) in group.items():
                values = sampler(np.random.default_rng([queries, 5]), (TRIALS, queries))
                found = [*textbook_intervals(values), ours(values)]
                cells = " | ".join(covered(low, high, truth) for low, high in found)
                lines.append(f"| {name} | {queries} | {cells} |")
        lines.append("")
    return lines


def covered(low: Array, high: Array, truth: float) -> str:
    share = np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high))
    return f"{100 * share:.1f} ({np.mean(high - low):.3f})"


def own_scores(values: Array) -> tuple[Array, Array]:
    return mean_intervals(values, Resampling(resamples=RESAMPLES))


def own_differences(values: Array) -> tuple[Array, Array]:
    trials = len(values)
    systems = np.vstack([np.maximum(values, 0), np.maximum(-values, 0)])
    pairs = np.arange(trials)[:, None] + [0, trials]
    found = compare_pairs({"task": systems}, pairs, Resampling(resamples=RESAMPLES)).macro
    return found.low, found.high


def textbook_intervals(values: Array) -> list[tuple[Array, Array]]:
    """Percentile, BCa, bootstrap-t and Student's t, for all rows at once."""
    queries = values.shape[1]
    counts = np.random.default_rng(1).multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES)
    means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(queries)
    resampled = counts @ values.T / queries
    squares = np.maximum(counts @ np.square(values).T / queries - resampled**2, 0) / (queries - 1)
    own_errors = np.sqrt(squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        studentised = (resampled - means) / own_errors
    studentised = np.where(own_errors > 1e-9, studentised, np.sign(np.round(resampled - means, 12)) * 1e9)
    below, above = np.quantile(studentised, [0.025, 0.975], axis=0)
    floor = 0.0 if values.min() >= 0 else -1.0
    reach = stats.t.ppf(0.975, queries - 1) * errors
    return [
        tuple(np.quantile(resampled, [0.025, 0.975], axis=0)),
        bias_corrected(values, np.sort(resampled, axis=0)),
        (np.maximum(means - above * errors, floor), np.minimum(means - below * errors, 1.0)),
        (means - reach, means + reach),
    ]


def bias_corrected(values: Array, resampled: Array) -> tuple[Array, Array]:
    means = values.mean(axis=1)
    deviations = values - means[:, None]
    spread = np.maximum(np.square(deviations).sum(axis=1), 1e-30)
    acceleration = (deviations**3).sum(axis=1) / spread**1.5 / 6
    share = ((resampled < means).mean(axis=0) + (resampled <= means).mean(axis=0)) / 2
    bias = stats.norm.ppf(np.clip(share, 1 / RESAMPLES, 1 - 1 / RESAMPLES))

    def end(quantile: float) -> Array:
        moved = bias + stats.norm.ppf(quantile)
        level = stats.norm.cdf(bias + moved / (1 - acceleration * moved))
        rank = np.clip((level * RESAMPLES).astype(int), 0, RESAMPLES - 1)
        return np.take_along_axis(resampled, rank[None], axis=0)[0]

    return end(0.025), end(0.975)


def macro_coverage() -> list[str]:
    sizes = {"a": (20, 0.95), "b": (50, 0.5), "c": (200, 0.8), "d": (200, 0.05)}
    rng = np.random.default_rng(11)
    truth, inside = float(np.mean([rate for _, rate in sizes.values()])), []
    for _ in range(TRIALS // 100):
        tasks = {name: rng.random((100, queries)) < rate for name, (queries, rate) in sizes.items()}
        macro = summarise(tasks, Resampling(resamples=RESAMPLES)).macro
        inside.append(np.mean((macro.lows <= truth) & (truth <= macro.highs)))
    return [
        f"Macro mean of hits over four tasks of 20, 50, 200 and 200 queries: {100 * np.mean(inside):.1f} %."
    ]


# Error rates and power of the test


def error_rates() -> list[str]:
    lines = ["| no true difference | queries | p <= 0.05 in |", "| --- | --: | --: |"]
    cases = {
        "90 % of queries change": changes(0.45, 0.45, whole=False),
        "20 % change": changes(0.1, 0.1, whole=False),
        "hits: 4 % change": changes(0.02, 0.02, whole=True),
    }
    for queries in (10, 50, 200):
        for name, (sampler, _) in cases.items():
            values = sampler(np.random.default_rng([queries, 6]), (TRIALS, queries))
            lines.append(f"| {name} | {queries} | {rejected(values)} |")
    return lines


def power() -> list[str]:
    """How often a true difference as large as `smallest_difference` says is found; 80 % is promised."""
    lines = ["| a true difference of the smallest size | queries | found in |", "| --- | --: | --: |"]
    for queries in (20, 50, 200):
        sampler, _ = changes(0.45, 0.45, whole=False)
        values = sampler(np.random.default_rng([queries, 7]), (TRIALS, queries))
        moved = values + known(sampler, queries)
        lines.append(f"| all queries move alike, spread known | {queries} | {rejected(moved)} |")
        moved = values + smallest_difference(values)[:, None]
        lines.append(f"| all queries move alike, spread estimated | {queries} | {rejected(moved)} |")
        for share in (0.2, 0.04):
            truth = known(changes(share / 2, share / 2, whole=True)[0], queries)
            won = (share + truth) / 2 if truth <= share else truth
            tilted, _ = changes(max(share - won, 0.0), won, whole=True)
            values = tilted(np.random.default_rng([queries, 8]), (TRIALS, queries))
            label = f"hits: {100 * share:.0f} % of queries change, more of them up"
            lines.append(f"| {label} | {queries} | {rejected(values)} |")
    return lines


def known(sampler: Sampler, queries: int) -> float:
    """The smallest difference for the spread of the population, by scipy's distributions."""
    changes_of_many = sampler(np.random.default_rng(9), (1, 200_000))
    reach = stats.t.ppf(0.975, queries - 1) + stats.t.ppf(0.8, queries - 1)
    by_count = stats.gamma(6).ppf(0.8) * np.abs(changes_of_many[changes_of_many != 0]).mean() / queries
    return max(float(reach * changes_of_many.std() / np.sqrt(queries)), float(by_count))


def rejected(differences: Array) -> str:
    p = paired_randomisation(differences, Resampling(resamples=RESAMPLES))
    return f"{100 * np.mean(p <= 0.05):.1f} %"


def main() -> None:
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print("# Statistics\n")
    print(
        f"Written by `benchmarks/stats.py`: Python {platform.python_version()}, numpy {np.__version__}, "
        f"{cpus} cores.\n"
    )
    print("## Seconds\n")
    print("\n".join(speed()))
    print("\n## Coverage of 95 % intervals\n")
    print(
        f"Per cent of {TRIALS:,} samples whose interval holds the true mean (mean width in brackets);",
        end=" ",
    )
    print(f"{RESAMPLES:,} resamples. The standard error of a figure is 0.5.\n")
    print("\n".join(coverage() + macro_coverage()))
    print("\n## Randomisation test\n")
    print("\n".join([*error_rates(), "", *power()]))


if __name__ == "__main__":
    main()
