"""What is wrong with the candidates of a task: rankings, positives among them, safeguards, and their record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hakari.candidates import protocol
from hakari.candidates.make import recorded
from hakari.candidates.protocol import BM25, HYBRID, HYBRID_DEPTH, SOURCE_DEPTH
from hakari.candidates.quality import counts, fingerprint
from hakari.errors import InvalidInput
from hakari.io.candidates import load_candidates
from hakari.nano.findings import ERROR, NOTE, WARNING, Finding, finding, numbered
from hakari.types import Run, Task

_AGAIN = "make the candidates again with `hakari candidates --replace`"


def check_configs(task: Task) -> list[Finding]:
    """Every finding in the candidates of a task."""
    found: list[Finding] = []
    runs: dict[str, Run] = {}
    for config, path in sorted(task.candidates.items()):
        try:
            runs[config] = load_candidates(path, task)
        except InvalidInput as error:
            found += faults_as_findings(error, task.name)
    if not task.candidates:
        what = "there are no candidates, so rerankers cannot be weighed on it"
        hint = "make them with `hakari candidates SET --bm25 --dense MODEL --hybrid`"
        found.append(finding(NOTE, "candidates", task.name, what, hint))
    for config, run in runs.items():
        found += _rankings(task, config, run)
        found += _record(task, config, run)
    if HYBRID in runs:
        found += _safeguards(task, runs[HYBRID])
        found += _fusion(task, runs)
    for config in sorted(recorded(task).keys() - task.candidates.keys()):
        what = f"the metadata tell of candidates `{config}`, which are not there"
        found.append(finding(ERROR, "metadata", task.name, what, _AGAIN))
    return found


def faults_as_findings(error: InvalidInput, where: str) -> list[Finding]:
    """Faults of reading, each as a finding of its own."""
    found = []
    for fault in error.faults:
        row = "" if fault.row is None else f":{fault.row}"
        place = where if fault.file is None else f"{fault.file}{row}"
        found.append(Finding(ERROR, "files", place, fault.what, fault.hint or ""))
    return found


def _rankings(task: Task, config: str, run: Run) -> Iterator[Finding]:
    where, ids = f"{task.name} {config}", task.queries.ids
    lengths = np.diff(run.offsets)
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        what = f"{numbered(len(empty), 'query', 'queries')} without candidates"
        yield finding(ERROR, "candidates", where, what, _AGAIN, list(ids[empty]))
    depth = min(HYBRID_DEPTH if config == HYBRID else SOURCE_DEPTH, len(task.corpus) - task.exclude_self)
    short = np.flatnonzero((lengths > 0) & (lengths < depth))
    if len(short):
        what = f"{numbered(len(short), 'query', 'queries')} with fewer than {depth} candidates"
        yield finding(WARNING, "candidates", where, what, _AGAIN, list(ids[short]))
    if task.exclude_self:
        rankings = protocol.listed(run)
        own = [q for q, ranking in zip(ids, rankings, strict=True) if q in set(ranking)]
        if own:
            what = f"{numbered(len(own), 'query', 'queries')} with their own document among the candidates"
            yield finding(ERROR, "candidates", where, what, _AGAIN, own)
    lacking = [ids[query] for query in protocol.safeguards(run, task)]
    if lacking and config != HYBRID:
        what = f"{numbered(len(lacking), 'query', 'queries')} without a positive among the candidates"
        hint = "a reranker of these candidates cannot answer them; say so on the card"
        yield finding(NOTE, "candidates", where, what, hint, lacking)


def _safeguards(task: Task, run: Run) -> Iterator[Finding]:
    """Whether every query has a positive, and the one at rank 101 only where it is needed."""
    where = f"{task.name} {HYBRID}"
    missing, needless, wrong, other = [], [], [], []
    for query, ranking in enumerate(protocol.listed(run)):
        query_id, positives = task.queries.ids[query], protocol.positives_of(task, query)
        earned, appended = positives & set(ranking[:HYBRID_DEPTH]), ranking[HYBRID_DEPTH:]
        if not appended:
            missing += [query_id] if positives and not earned else []
        elif earned:
            needless.append(query_id)
        elif len(appended) > 1 or appended[0] not in positives:
            wrong.append(query_id)
        elif appended[0] != protocol.safeguard(task.split, query_id, positives):
            other.append(query_id)
    for severity, queries, what in (
        (ERROR, missing, "without a positive and without a safeguard"),
        (ERROR, needless, f"with more than {HYBRID_DEPTH} candidates though a positive is among the first"),
        (ERROR, wrong, f"with something else than one positive after rank {HYBRID_DEPTH}"),
        (WARNING, other, "with another safeguard than the published protocol draws"),
    ):
        if queries:
            told = f"{numbered(len(queries), 'query', 'queries')} {what}"
            yield finding(severity, "safeguard", where, told, _AGAIN, queries)
    guarded = int((np.diff(run.offsets) > HYBRID_DEPTH).sum())
    if guarded:
        what = f"{numbered(guarded, 'query has', 'queries have')} a safeguard at rank {HYBRID_DEPTH + 1}"
        hint = "report rerankers without it: it is not found by any retriever"
        yield Finding(NOTE, "safeguard", where, what, hint, guarded)


def _fusion(task: Task, runs: Mapping[str, Run]) -> Iterator[Finding]:
    """Whether the hybrid is what its sources give, where it is plain which these are."""
    dense = sorted(runs.keys() - {BM25, HYBRID})
    if BM25 not in runs or len(dense) != 1:
        return
    expected = protocol.listed(protocol.fused([runs[BM25], runs[dense[0]]]))
    given = [ranking[:HYBRID_DEPTH] for ranking in protocol.listed(runs[HYBRID])]
    differing = [q for q, a, b in zip(task.queries.ids, expected, given, strict=True) if a != b]
    if differing:
        what = f"{numbered(len(differing), 'ranking')} other than the fusion of `{BM25}` and `{dense[0]}`"
        yield finding(WARNING, "candidates", f"{task.name} {HYBRID}", what, _AGAIN, differing)


def _record(task: Task, config: str, run: Run) -> Iterator[Finding]:
    """Whether what the metadata say of candidates is true of them."""
    record = recorded(task).get(config)
    if record is None:
        return
    rankings = protocol.listed(run)
    true: dict[str, Any] = counts(rankings)
    true["rankings_sha256"] = fingerprint(task.queries.ids, rankings)
    if config == HYBRID:
        true["rows_with_101_candidates"] = sum(len(ranking) == HYBRID_DEPTH + 1 for ranking in rankings)
    false = [key for key, value in true.items() if record.get(key, value) != value]
    if false:
        what = (
            f"the metadata of `{config}` are not true of its file: {', '.join(f'`{key}`' for key in false)}"
        )
        yield finding(ERROR, "metadata", task.name, what, _AGAIN, false)
