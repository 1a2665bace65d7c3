from __future__ import annotations

from types import SimpleNamespace

from hakari.report.truncation import cuts, notes


def manifest(task: str = "NanoX/A", name: str = "m", limit: int = 512, **facts) -> dict:
    return {
        "task": task,
        "retriever": name,
        "queries": 50,
        "documents": 2000,
        "settings": {"max_length": limit},
        "facts": facts,
    }


def told(*manifests: dict) -> list[str]:
    return notes(SimpleNamespace(weighed=[SimpleNamespace(manifest=one) for one in manifests]))


LONG = {"documents_truncated": 37, "documents_tokens": 100_000, "documents_tokens_cut_share": 0.041}


def test_one_line_a_model_names_the_task_where_it_cut_most():
    much, little = manifest(**LONG), manifest("NanoX/B", **{**LONG, "documents_tokens_cut_share": 0.01})
    assert told(little, much, much) == [
        "Truncated: m reads up to 512 tokens and cut 37 of 2,000 documents (4.1% of their tokens) on NanoX/A, "
        "less on 1 more task."
    ]


def test_nothing_is_said_of_what_does_not_matter():
    assert told(manifest(documents_truncated=0, queries_truncated=0)) == []
    assert (
        told(manifest(documents_truncated=2, documents_tokens=90_000, documents_tokens_cut_share=0.0004))
        == []
    )
    (line,) = told(manifest(queries_truncated=2, queries_tokens=9000, queries_tokens_cut_share=0.0004))
    assert "2 of 50 queries (0.0% of their tokens)" in line


def test_queries_and_documents_of_a_task_stand_in_one_line():
    both = manifest(**LONG, queries_truncated=9, queries_tokens=500, queries_tokens_cut_share=0.5)
    (line,) = told(both)
    assert "37 of 2,000 documents (4.1% of their tokens) and 9 of 50 queries (50.0% of their tokens)" in line


def test_what_parts_and_rerankers_cut_is_told_under_their_names():
    part = {"retriever": "inner", "settings": {"max_length": 128}, "facts": LONG}
    (cut,) = cuts(manifest(name="rrf(bm25,inner)", parts=[part]))
    assert (cut.retriever, cut.limit, cut.truncated, cut.texts) == ("inner", 128, 37, 2000)
    rerank = manifest(
        name="rerank(bm25,x)", pairs=400, pairs_truncated=8, pairs_tokens=9, pairs_tokens_cut_share=0.2
    )
    rerank["settings"] = {"depth": 2, "reranker": {"name": "x", "settings": {"max_length": 64}}}
    (cut,) = cuts(rerank)
    assert (cut.kind, cut.limit, str(cut)) == ("pairs", 64, "8 of 400 pairs (20.0% of their tokens)")
