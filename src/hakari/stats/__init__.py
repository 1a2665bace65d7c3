"""Intervals, paired tests and ranks: arrays in, arrays out.

Give scores by task, each an array (systems, queries) with queries in ascending order of id:

    summarise        means, intervals, rank ranges; per task and macro mean
    compare_pairs    differences, intervals, p-values, smallest difference; per task and macro mean
    pair_p_values    the p-values alone, of all pairs
    holm             correction over everything that is shown together
    decide           the gate: pass, fail or inconclusive
"""

from hakari.stats.bootstrap import mean_intervals, ratio_intervals
from hakari.stats.compare import Comparisons, Differences, compare_pairs, pair_p_values
from hakari.stats.draws import Resampling
from hakari.stats.gate import Decision, decide
from hakari.stats.paired import holm, paired_randomisation, resamples_needed, smallest_difference
from hakari.stats.ranks import not_distinguished_from_best, rank_ranges
from hakari.stats.scores import TaskInput
from hakari.stats.summary import Summaries, Summary, summarise

__all__ = [
    "Comparisons",
    "Decision",
    "Differences",
    "Resampling",
    "Summaries",
    "Summary",
    "TaskInput",
    "compare_pairs",
    "decide",
    "holm",
    "mean_intervals",
    "not_distinguished_from_best",
    "pair_p_values",
    "paired_randomisation",
    "rank_ranges",
    "ratio_intervals",
    "resamples_needed",
    "smallest_difference",
    "summarise",
]
