"""Measures: what a run is worth on each query, with trec_eval's rules and its bits.

    parse("nDCG@10")                 a measure; its text form is its identity everywhere
    score(run, qrels, measures)      every measure on every query of the judgements
    check_run(run)                   a run made elsewhere: no document twice, the one order, finite scores
    chance.expected(qrels, n, m)     what a random order would score

The expensive half, finding the judged documents in the rankings, is done once for all measures (`found`).
A measure is then a few lines of numpy over their ranks and grades: one file in `kinds`.
"""

from hakari.measures.check import check_run
from hakari.measures.kind import Kind
from hakari.measures.measure import Measure, deepest, known, parse, parse_many
from hakari.measures.scores import Scores, score

__all__ = ["Kind", "Measure", "Scores", "check_run", "deepest", "known", "parse", "parse_many", "score"]
