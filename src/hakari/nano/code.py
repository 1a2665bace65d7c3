"""Nano sets from Python code: sources, harvest, shapes and sampling, put together."""

from __future__ import annotations

from collections.abc import Sequence

from hakari.errors import UsageError
from hakari.nano.definitions import Harvest
from hakari.nano.draft import Draft, Stage
from hakari.nano.sampling import Sample, sample, stable_hash
from hakari.nano.shapes import SHAPES, Limits, Shape, make_pairs

DEFAULT_SEED = 20260524


def build_code(
    harvest: Harvest,
    dataset: str,
    *,
    max_queries: int = 200,
    max_documents: int = 2_000,
    seed: int = DEFAULT_SEED,
    shapes: Sequence[Shape] = SHAPES,
    limits: Limits | None = None,
) -> list[Draft]:
    """One task a shape from harvested code; a shape that finds no pair makes none."""
    if max_queries < 1 or max_documents < 1:
        raise UsageError(f"a task needs queries and documents, not {max_queries} and {max_documents}")
    drafts = []
    for shape in shapes:
        pairs, stage = make_pairs(harvest.definitions, shape, limits or Limits())
        # Every shape draws by itself, or all tasks would ask about the same few functions.
        chosen = sample(pairs, max_queries, max_documents, f"{seed}/{shape.task}")
        if chosen.queries:
            stages = (*harvest.stages, stage, *chosen.stages)
            drafts.append(_draft(dataset, shape, chosen, stages))
    return drafts


def _draft(dataset: str, shape: Shape, chosen: Sample, stages: tuple[Stage, ...]) -> Draft:
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
        shape=shape.name,
        stages=stages,
    )


def _id(side: str, shape: Shape, name: str) -> str:
    if shape.name_in_query != (side == "q"):
        return side + stable_hash(side, shape.task, name)
    return "".join(letter if letter.isascii() else f"~{ord(letter):x}~" for letter in name)
