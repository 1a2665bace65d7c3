"""Rerankers that are named alone, put behind candidates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hakari.errors import UsageError
from hakari.retrievers.registry import known, parse
from hakari.retrievers.rerank import Reranker
from hakari.retrievers.spelling import spell


def over_candidates(spellings: Sequence[str], candidates: str, depth: int) -> list[str]:
    """Spellings with each reranker among them put behind candidates: a run, a retriever, or what tasks come with."""
    names = {entry.name for entry in known()}
    if Path(candidates).is_file() or "{" in candidates:  # `runs/{dataset}/{split}.run`
        first = spell(f"run:{candidates}")
    elif candidates in names or any(mark in candidates for mark in "(:"):
        first = candidates
    else:
        first = f"candidates:{candidates}"
    parse(first)
    found = [isinstance(parse(spelling), Reranker) for spelling in spellings]
    if not any(found):
        raise UsageError(
            f"`--candidates {candidates}` is for rerankers, and none is named",
            "such as `hakari run reranker_en`",
        )
    return [
        spell("rerank", [first, spelling], {"depth": depth}) if reranks else spelling
        for spelling, reranks in zip(spellings, found, strict=True)
    ]
