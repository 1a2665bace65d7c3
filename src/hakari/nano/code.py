"""Nano sets from code: sources, harvest, shapes and sampling, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hakari.errors import UsageError
from hakari.nano.definitions import Harvest
from hakari.nano.draft import Draft, Stage
from hakari.nano.pages import KIND as SECTIONS
from hakari.nano.sampling import Sample, sample, stable_hash
from hakari.nano.shapes import SHAPES, Kind, Limits, Pair, make_pairs
from hakari.nano.undertest import KIND as TESTS
from hakari.nano.undertest import test_pairs

DEFAULT_SEED = 20260524


def build_code(
    harvest: Harvest,
    dataset: str,
    *,
    max_queries: int = 200,
    max_documents: int = 2_000,
    seed: int = DEFAULT_SEED,
    pages: tuple[Sequence[Pair], tuple[Stage, ...]] | None = None,
) -> list[Draft]:
    """One task a shape from harvested code and the sections of pages; a shape that finds no pair makes none."""
    if max_queries < 1 or max_documents < 1:
        raise UsageError(f"a task needs queries and documents, not {max_queries} and {max_documents}")
    limits = Limits()
    made: list[_Made] = []
    for shape in SHAPES:
        pairs, stage = make_pairs(harvest.definitions, shape, limits)
        made.append(_Made(shape, pairs, (*harvest.stages, stage)))
    if harvest.tests is not None:
        pairs, others, stage = test_pairs(harvest, limits)
        made.append(_Made(TESTS, pairs, (*harvest.stages, harvest.tests, stage), others))
    if pages is not None:
        made.append(_Made(SECTIONS, *pages))
    drafts = []
    for one in made:
        # Every shape draws by itself, or all tasks would ask about the same few functions.
        own_seed = f"{seed}/{one.kind.task}"
        chosen = sample(one.pairs, max_queries, max_documents, own_seed, one.others)
        if chosen.queries:
            drafts.append(_draft(dataset, one.kind, chosen, (*one.stages, *chosen.stages)))
    return drafts


@dataclass(frozen=True)
class _Made:
    """What one task is drawn from."""

    kind: Kind
    pairs: Sequence[Pair]
    stages: tuple[Stage, ...]
    others: Mapping[str, str] = field(default_factory=dict)
    """Documents that no query asks for."""


def _draft(dataset: str, shape: Kind, chosen: Sample, stages: tuple[Stage, ...]) -> Draft:
    # An id may say what its text says already. Where the text does not give the name, the id must not either,
    # or whoever reads ids has the answer; and no query may share its id with a document.
    query_ids = {name: _id("q", shape, name) for name in chosen.queries}
    document_ids = {name: _id("d", shape, name) for name in chosen.documents}
    return Draft(
        dataset=dataset,
        split=shape.task,
        queries=dict(sorted((query_ids[name], text) for name, text in chosen.queries.items())),
        corpus=dict(sorted((document_ids[name], text) for name, text in chosen.documents.items())),
        judgements=sorted(
            (query_ids[query], document_ids[document], 1) for query, document in chosen.judgements
        ),
        category=shape.category,
        shape=shape.name,
        stages=stages,
    )


def _id(side: str, shape: Kind, name: str) -> str:
    if shape.name_in_query != (side == "q"):
        return side + stable_hash(side, shape.task, name)
    return "".join(letter if letter.isascii() else f"~{ord(letter):x}~" for letter in name)
