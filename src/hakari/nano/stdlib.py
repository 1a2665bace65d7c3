"""NanoStdlib: a nano set of real code that every machine with Python has, the standard library it runs."""

from __future__ import annotations

from hakari.nano.code import DEFAULT_SEED, build_code
from hakari.nano.draft import Draft
from hakari.nano.harvest import harvest
from hakari.nano.sources import standard_library


def build_stdlib(
    dataset: str, max_queries: int = 200, max_documents: int = 2_000, seed: int = DEFAULT_SEED
) -> list[Draft]:
    """The four tasks of NanoStdlib: the same bytes for the same Python version, other ones for another."""
    return build_code(
        harvest(standard_library()), dataset, max_queries=max_queries, max_documents=max_documents, seed=seed
    )
