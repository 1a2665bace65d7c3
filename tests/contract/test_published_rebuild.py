"""The published recipe, on the raw forms of two sources, makes the published tasks again.

The command lines are those of docs/build.md, so that the guide is tested too.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import hakari_json, within

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "build.md"
# Queries, documents, judgements, mean characters of a query and of a document.
COUNTS = {
    "NanoCoIR/NanoCosQA": (200, 6_267, 200, 36.1, 307.614489),
    "NanoRTEB/NanoMBPP": (200, 972, 200, 78.4, 180.803498),
}
BM25 = {
    "NanoCoIR/NanoCosQA": {"nDCG@10": 0.3048664558, "hit@10": 0.465, "R@100": 0.74},
    "NanoRTEB/NanoMBPP": {"nDCG@10": 0.087544128, "hit@10": 0.15, "R@100": 0.37},
}


def commands() -> Iterator[list[str]]:
    """The commands of the guide that build from the folder `raw`."""
    text = GUIDE.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"^hakari build .*raw/.*$", text, flags=re.MULTILINE):
        yield shlex.split(line)[1:]


@pytest.fixture(scope="module")
def built(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    (folder / "raw").symlink_to(real_data / "train")
    for command in commands():
        within(*command, cwd=folder)
    return folder


def report(built: Path, name: str) -> dict:
    suite, task = name.split("/")
    return json.loads((built / suite / "build.json").read_text(encoding="utf-8"))["tasks"][task]


@pytest.mark.parametrize("name", COUNTS)
def test_counts_and_lengths_are_the_published_ones(name: str, built: Path) -> None:
    told = report(built, name)
    lengths = told["mean_characters"]
    found = (told["queries"], told["documents"], told["judgements"], lengths["query"], lengths["document"])
    assert found == pytest.approx(COUNTS[name], abs=1e-6)


@pytest.mark.parametrize("name", COUNTS)
def test_texts_and_judgements_are_those_of_the_published_task(
    name: str, built: Path, real_data: Path
) -> None:
    import hakari

    def content(folder: Path) -> tuple[list[str], list[str], list[tuple[str, str]]]:
        (task,) = hakari.load(str(folder / name))
        queries, corpus = task.queries.texts.tolist(), task.corpus.texts.tolist()
        asked = [q for q, n in enumerate(task.qrels.offsets[1:] - task.qrels.offsets[:-1]) for _ in range(n)]
        pairs = [(queries[q], corpus[d]) for q, d in zip(asked, task.qrels.documents, strict=True)]
        return sorted(queries), sorted(corpus), sorted(pairs)

    assert content(built) == content(real_data)


@pytest.mark.parametrize("name", BM25)
def test_bm25_gives_the_published_figures(name: str, built: Path, tmp_path: Path) -> None:
    rows = hakari_json("run", "bm25", "--on", built / name, "--results", tmp_path / "results")
    found = {row["measure"]: row["value"] for row in rows}
    assert found == pytest.approx(BM25[name], abs=0.005)


def test_merged_documents_are_accounted_for(built: Path) -> None:
    stages = {stage["name"]: stage for stage in report(built, "NanoRTEB/NanoMBPP")["stages"]}
    assert stages["documents"]["seen"] == 974
    assert stages["documents"]["left_out"] == {"the same as another": 2}
