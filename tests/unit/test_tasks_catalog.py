"""The catalog of published tasks: complete, consistent, quick, and exactly what the published facts say."""

from __future__ import annotations

import fnmatch
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from command import within
from small import small_task

from hakari.io.nano import CATEGORIES
from hakari.tasks import catalog
from hakari.tasks.assemble import Traits, assemble
from hakari.tasks.listing import Wanted, listed
from hakari.tasks.traits import fill_traits

ROOT = Path(__file__).resolve().parents[2]

TASKS, STANDARD_RUN, OVERALL, SUITES, DATASETS = 569, 563, 550, 38, 50


def test_it_has_every_published_task_once() -> None:
    entries = catalog.entries()
    assert len(entries) == TASKS
    assert sum(entry.in_all for entry in entries) == STANDARD_RUN
    assert sum(entry.in_overall for entry in entries) == OVERALL
    assert len({entry.name for entry in entries}) == TASKS
    assert len(catalog.datasets()) == DATASETS
    assert len(set(catalog.datasets().values())) == SUITES


def test_names_agree_with_each_other() -> None:
    for entry in catalog.entries():
        assert entry.hub_id == f"hakari-bench/{entry.dataset}"
        translated = entry.dataset.startswith("NanoBEIR-") and entry.dataset != "NanoBEIR-en"
        assert entry.suite == ("MNanoBEIR" if translated else entry.dataset)
        assert entry.category in CATEGORIES
        assert "/" not in entry.split
        assert catalog.find(entry.name) is entry


def test_rows_hold_sizes_figures_and_sources() -> None:
    for entry in catalog.entries():
        assert min(entry.counts.values()) > 0
        assert entry.counts["positives"] >= entry.counts["queries"]
        published = entry.row["published"]
        assert set(published) == {"bm25", "dense", "reranking_hybrid"}
        for figures in published.values():
            assert {"ndcg_at_10", "hit_at_10", "recall_at_100", "config", "top_k"} <= figures.keys()
            assert all(0 <= figures[key] <= 1 for key in ("ndcg_at_10", "hit_at_10", "recall_at_100"))
        hybrid = published["reranking_hybrid"]
        assert hybrid["rows_with_101_candidates"] <= entry.counts["queries"]
        assert entry.row["sources"], entry.name
        assert all(set(source) == {"title", "url", "year", "type"} for source in entry.row["sources"])
    kinds = Counter(source["type"] for entry in catalog.entries() for source in entry.row["sources"])
    assert set(kinds) == {"paper", "dataset card", "dataset page", "repository", "web page"}


def test_a_known_row() -> None:
    entry = catalog.find("NanoCoIR/NanoCosQA")
    assert entry is not None
    assert (entry.language, entry.category, entry.shape) == ("en", "code", "text-to-code")
    assert entry.counts == {"queries": 200, "documents": 6267, "positives": 200}
    audited = catalog.find("NanoCoIR/NanoCodeFeedbackMT")
    assert audited is not None
    assert audited.row["leakage_audit"]["source_dataset"] == "m-a-p/Code-Feedback"


def test_what_overall_leaves_out_is_named() -> None:
    left_out = [entry for entry in catalog.entries() if entry.in_all and not entry.in_overall]
    assert len(left_out) == STANDARD_RUN - OVERALL
    counted = {entry.name: entry for entry in catalog.entries() if entry.in_overall}
    for entry in left_out:
        for other in entry.copy_of:
            assert other in counted
            if entry.row["copy_of"]["told_by"] == "sizes":
                assert counted[other].counts == entry.counts
    assert all(entry.copy_of for entry in left_out)
    assert not any(entry.copy_of for entry in catalog.entries() if entry not in left_out)


def test_one_set_is_found_without_reading_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog.of_dataset.cache_clear()
    opened: list[str] = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (opened.append(path.name), read(path))[1])
    assert len(catalog.of_dataset("NanoCoIR")) == 10
    assert opened == ["NanoCoIR.jsonl"]
    assert catalog.of_dataset("NanoNone") == ()


def test_it_says_what_the_facts_say(real_data: Path) -> None:
    facts = real_data.parent / "published" / "tasks.jsonl"
    if not facts.exists():
        pytest.skip("the published facts are not here")
    script = ROOT / "benchmarks" / "build_catalog.py"
    done = subprocess.run([sys.executable, script, facts, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_traits_fall_back_to_the_catalog() -> None:
    made = small_task()
    queries = dict(zip(made.queries.ids, made.queries.texts, strict=True))
    corpus = dict(zip(made.corpus.ids, made.corpus.texts, strict=True))
    pairs = [(query, made.corpus.ids[0], 1) for query in queries]
    bare = fill_traits(assemble("NanoCoIR", "NanoStackOverflowQA", queries, corpus, pairs))
    assert (bare.language, bare.category, bare.shape) == ("en", "code", "qa")
    assert set(bare.origins.values()) == {"catalog"}
    stated = assemble(
        "NanoCoIR", "NanoStackOverflowQA", queries, corpus, pairs, traits=Traits("de", None, "x-y")
    )
    filled = fill_traits(stated, category="natural_language")
    assert (filled.language, filled.category, filled.shape) == ("de", "natural_language", "x-y")
    assert filled.origins["category"] == "flag"


def test_every_glob_of_a_domain_is_over_published_tasks() -> None:
    names = [entry.name for entry in catalog.entries()]
    unused = [g for globs in catalog.domains().values() for g in globs if not fnmatch.filter(names, g)]
    assert not unused
    assert {entry.category for entry in catalog.entries() if "programming" in entry.domains} == set(
        CATEGORIES
    )
    assert all("programming" in entry.domains for entry in catalog.entries() if entry.category == "code")


def test_every_claim_about_the_catalog_is_in_its_listing() -> None:
    """What `hakari tasks --json` tells of each task is what was published of it."""
    rows = {row["task"]: row for row in listed(Wanted(suite="NanoCoIR"))}
    row = rows["NanoCoIR/NanoCodeFeedbackMT"]
    assert (row["suite"], row["dataset"], row["split"]) == ("NanoCoIR", "NanoCoIR", "NanoCodeFeedbackMT")
    assert row["hub_id"] == "hakari-bench/NanoCoIR"
    assert row["card"] == "https://huggingface.co/datasets/hakari-bench/NanoCoIR"
    assert (row["language"], row["shape"], row["domains"]) == ("en", "dialogue", ["programming"])
    assert (row["queries"], row["documents"], row["positives"]) == (200, 10_000, 200)
    assert row["leakage_audit"]["normalized_exact_query_matches"] == 200
    assert {source["type"] for source in row["sources"]} <= {"paper", "dataset card", "repository"}
    (copy,) = listed(Wanted(text="NanoIFIR/NanoIFIRFiQA"))
    assert (copy["in_all"], copy["in_overall"]) == (True, False)
    assert copy["copy_of"] == {"tasks": ["NanoBEIR-en/NanoFiQA2018"], "told_by": "name and source"}
    told = within("tasks", "Overall").stdout.splitlines()[-1]
    assert told.count(";") == 12
    assert "NanoIFIR/NanoIFIRFiQA (NanoBEIR-en/NanoFiQA2018)" in told
