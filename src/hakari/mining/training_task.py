"""A table of training pairs as a task, so that every retriever can search it for hard negatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hakari.errors import UsageError
from hakari.mining.columns import Part, part_rows, words
from hakari.mining.rows import Account, Row, row_id, worth_training
from hakari.nano.draft import Stage
from hakari.nano.shapes import normalised
from hakari.tasks.assemble import Traits, assemble
from hakari.text.detect import detect
from hakari.types import Task

ANCHOR = Part("query", words("anchor query question title prompt intent nl utterance text1 sentence1 text"))
ANSWER = Part(
    "positive", words("positive answer document passage response output code solution text2 sentence2")
)
SAMPLE = 300


def training_task(
    files: Sequence[Path], given: Mapping[str, str | None], told: list[str], stages: list[Stage]
) -> Task:
    """Anchors as queries, positives as the corpus; equal texts are one, whatever their case and white space."""
    account = Account("training rows")
    queries: dict[str, str] = {}
    corpus: dict[str, str] = {}
    judged: set[tuple[str, str]] = set()
    for row in worth_training(_rows(files, given, told, account), account):
        query, document = _id("q", row.anchor), _id("d", row.positive)
        # Of equal texts the smallest stands for all, so the order of the rows leaves no trace.
        queries[query] = min(row.anchor, queries.get(query, row.anchor))
        corpus[document] = min(row.positive, corpus.get(document, row.positive))
        judged.add((query, document))
    stages.append(account.stage())
    if not judged:
        raise UsageError("no pair of the training rows can be used", str(account.stage()))
    language, category = detect(sorted(queries.values())[:SAMPLE], sorted(corpus.values())[:SAMPLE])
    origins = {"language": "detected", "category": "detected"}
    traits = Traits(language.value, category.value, origins=origins)
    return assemble(
        "training", "pairs", queries, corpus, ((q, d, 1) for q, d in sorted(judged)), traits=traits
    )


def _rows(
    files: Sequence[Path], given: Mapping[str, str | None], told: list[str], account: Account
) -> Iterable[Row]:
    for place, (anchor, positive) in part_rows(files, (ANCHOR, ANSWER), given, told):
        if isinstance(anchor, str) and isinstance(positive, str):
            yield Row(anchor, positive, "pair", str(place))
        else:
            account.seen += 1
            account.leave_out("no text")


def _id(kind: str, text: str) -> str:
    return kind + row_id(normalised(text), "")
