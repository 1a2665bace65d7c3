"""Make the catalog of published tasks from one file of facts about them.

    python benchmarks/build_catalog.py TASKS.jsonl            # writes src/hakari/tasks/catalog/<suite>/<dataset>.jsonl
    python benchmarks/build_catalog.py TASKS.jsonl --check    # says whether what is there is what would be written

Every row of TASKS.jsonl is a task with its names, sizes and published figures. What can be told from those is
added, and nothing else: the type of a source, from its address, and which task a duplicate repeats, from the
sizes and text lengths of both or, failing that, from its name. A duplicate that neither tells stays without.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

CATALOG = Path(__file__).resolve().parents[1] / "src" / "hakari" / "tasks" / "catalog"
FIGURES = ("bm25", "dense", "reranking_hybrid")
PAPER_HOSTS = (
    "arxiv.org",
    "aclanthology.org",
    "doi.org",
    "ceur-ws.org",
    "openreview.net",
    "neurips.cc",
    "ieeexplore.ieee.org",
    "nature.com",
    "springer.com",
    "biomedcentral.com",
    "ojs.aaai.org",
    "ssrn.com",
)
DATASET_HOSTS = ("kaggle.com", "zenodo.org")


def main() -> int:
    """Write or check the catalog."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    facts = [json.loads(line) for line in arguments.tasks.read_text(encoding="utf-8").splitlines()]
    files = catalog_files(facts)
    if arguments.check:
        there = {path.relative_to(CATALOG).as_posix(): path.read_text(encoding="utf-8") for path in written()}
        print("up to date" if there == files else "differs: write it again")
        return int(there != files)
    for folder in {path.parent for path in written()}:
        shutil.rmtree(folder)
    for name, text in files.items():
        path = CATALOG / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(facts)} tasks in {len(files)} files")
    return 0


def written() -> list[Path]:
    """The files of the catalog that are there."""
    return sorted(CATALOG.glob("*/*.jsonl"))


def catalog_files(facts: list[dict[str, Any]]) -> dict[str, str]:
    """The text of every file of the catalog, one a data set."""
    rows = defaultdict(list)
    for fact in facts:
        if fact["id"] != f"{fact['dataset']}/{fact['split']}" or fact["task"] != fact["split"]:
            raise SystemExit(f"error: {fact['id']} is not `dataset/split`")
        rows[f"{fact['suite']}/{fact['dataset']}.jsonl"].append((fact["split"], row_of(fact, facts)))
    return {
        name: "".join(
            json.dumps(row, ensure_ascii=False) + "\n" for _, row in sorted(rows[name], key=split_of)
        )
        for name in sorted(rows)
    }


def split_of(pair: tuple[str, dict[str, Any]]) -> str:
    """What rows are sorted by."""
    return pair[0]


def row_of(fact: dict[str, Any], facts: list[dict[str, Any]]) -> dict[str, Any]:
    """A task as a row: what is false, absent or told by the name of its file is left out."""
    row = {key: fact[key] for key in ("split", "hub_id", "language", "category")}
    if fact["shape"]:
        row["shape"] = fact["shape"]
    row |= {key: False for key in ("in_all", "in_overall") if not fact[key]}
    if fact["in_all"] and not fact["in_overall"]:
        row |= copy_of(fact, facts)
    for key in ("queries", "documents", "positives", "positives_per_query", "chars"):
        row[key] = fact[key]
    row["published"] = {key: fact[key] for key in FIGURES}
    if fact["leakage_audit"]:
        row["leakage_audit"] = fact["leakage_audit"]
    row["sources"] = [{**source, "type": source_type(source["url"])} for source in fact["sources"]]
    return row


def copy_of(fact: dict[str, Any], facts: list[dict[str, Any]]) -> dict[str, Any]:
    """The tasks of the Overall view that a duplicate repeats, and what tells so."""
    counted = [other for other in facts if other["in_overall"]]
    same = [other["id"] for other in counted if likeness(other) == likeness(fact)]
    if same:
        return {"copy_of": {"tasks": sorted(same), "told_by": "sizes"}}
    named = [
        other["id"]
        for other in counted
        if bare_name(other) == bare_name(fact) and other["language"] == fact["language"]
    ]
    if named:
        return {"copy_of": {"tasks": sorted(named), "told_by": "name"}}
    alike = [
        other["id"]
        for other in counted
        if bare_name(other).rstrip("0123456789") == bare_name(fact).rstrip("0123456789")
        and other["language"] == fact["language"]
        and {source["url"] for source in other["sources"]} & {source["url"] for source in fact["sources"]}
    ]
    return {"copy_of": {"tasks": sorted(alike), "told_by": "name and source"}} if alike else {}


def likeness(fact: dict[str, Any]) -> tuple[Any, ...]:
    """What two copies of a task share."""
    means = fact["chars"]["query_mean"], fact["chars"]["document_mean"]
    return fact["queries"], fact["documents"], fact["positives"], *means


def bare_name(fact: dict[str, Any]) -> str:
    """The name of a task without that of its data set: NanoIFIRScifact of NanoIFIR is `scifact`."""
    return fact["split"].removeprefix(fact["dataset"]).removeprefix("Nano").lower()


def source_type(url: str) -> str:
    """What kind of source an address leads to."""
    address = urlparse(url)
    host = address.netloc.removeprefix("www.")
    if host == "huggingface.co":
        return "dataset card" if address.path.startswith("/datasets/") else "web page"
    if host == "github.com":
        return "repository"
    if any(host == known or host.endswith("." + known) for known in PAPER_HOSTS) or url.endswith(".pdf"):
        return "paper"
    return "dataset page" if host in DATASET_HOSTS else "web page"


if __name__ == "__main__":
    sys.exit(main())
