"""Variants from the command to the file: what is asked for is made once, kept together, and found again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import hakari_json, within
from small import small_set, small_task

import hakari
from hakari import api, bench
from hakari.errors import UsageError
from hakari.retrievers.base import Retrieved, Retriever
from hakari.retrievers.nearest import Similarity, search_variants
from hakari.retrievers.variant_names import parse_specs
from hakari.store import files
from hakari.types import Run, Task


class Words(Retriever):
    """A dense retriever without weights: a text is the sum of fixed random vectors of its words."""

    family = "dense"
    name = "words"

    def __init__(self) -> None:
        self.made: list[list[str]] = []

    def settings(self) -> dict[str, object]:
        return {"dimensions": 32}

    def variants_among(self, asked: Sequence[str]) -> tuple[str, ...]:
        return tuple(asked)

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        return self.retrieve_variants(task, depth, ())

    def retrieve_variants(
        self, task: Task, depth: int, variants: Sequence[str], parts: Sequence[Run] = ()
    ) -> Retrieved:
        self.made.append(list(variants))
        sides = [
            (side.ids, np.stack([_vector(t) for t in side.texts])) for side in (task.queries, task.corpus)
        ]
        found = search_variants(sides[0], sides[1], depth, parse_specs(variants), Similarity(cosine=True))
        return Retrieved(found.runs, {}, {"index_bytes": 128.0 * len(task.corpus), "variants": found.costs})


def _vector(text: str) -> np.ndarray:
    words = text.replace("_", " ").replace("(", " ").split()
    seeds = [int.from_bytes(word.encode()[:6].ljust(6), "big") for word in words]
    return sum(np.random.default_rng(seed).normal(size=32) for seed in seeds).astype(np.float32)


@pytest.fixture
def words() -> Words:
    return Words()


def weigh(retriever: Retriever, folder: Path, *variants: str) -> hakari.Results:
    plan, _ = api.planned(retriever, variants)
    return api.weigh(replace(plan, depth=50, results=folder), small_task(), api.Where(folder), "nDCG@10")


def shown(results: hakari.Results) -> list[str]:
    return [str(system) for system in results.systems]


def stored(folder: Path) -> files.Stored:
    (one,) = files.scan(folder)
    return one


def test_float_alone_is_the_default_and_the_rest_is_asked_for(words, tmp_path):
    assert shown(weigh(words, tmp_path)) == ["words"]
    assert shown(weigh(words, tmp_path, "int8", "dim=8+binary,float")) == [
        "words",
        "words int8",
        "words dim=8+binary",
        "words dim=8",
    ]


def test_a_new_variant_is_made_with_those_that_are_there_and_fewer_are_read(words, tmp_path):
    weigh(words, tmp_path, "int8")
    weigh(words, tmp_path, "binary")
    assert words.made == [["float", "int8"], ["binary", "float", "int8"]]
    assert shown(weigh(words, tmp_path, "int8")) == ["words", "words int8"]
    assert shown(weigh(words, tmp_path)) == ["words"]
    assert len(words.made) == 2
    assert list(files.read_variants(stored(tmp_path))) == ["binary", "float", "int8"]
    assert stored(tmp_path).manifest["variants"] == ["binary", "float", "int8"]


def test_the_file_is_the_same_whichever_variant_was_asked_for_first(tmp_path):
    for folder, asked in (("a", ("int8", "binary")), ("b", ("binary", "int8")), ("c", ("binary,int8",))):
        for spec in asked:
            weigh(Words(), tmp_path / folder, spec)
    first, second, third = (stored(tmp_path / folder).path.read_bytes() for folder in "abc")
    assert first == second == third


def test_the_float_ranking_is_the_same_with_and_without_variants(tmp_path):
    plain = weigh(Words(), tmp_path / "a").weighed[0].run()
    among = weigh(Words(), tmp_path / "b", "dim=8+float,int8,binary", "int8>float@20").weighed[0].run()
    assert plain.documents.tobytes() == among.documents.tobytes()
    assert plain.scores.tobytes() == among.scores.tobytes()


def test_a_fresh_run_makes_what_is_asked_for_now(words, tmp_path):
    weigh(words, tmp_path, "int8")
    plan = bench.Plan([words], 50, tmp_path, fresh=True, variants=("float", "binary"))
    api.weigh(plan, small_task(), api.Where(tmp_path), "nDCG@10")
    assert stored(tmp_path).manifest["variants"] == ["binary", "float"]


def test_each_variant_shows_its_own_index(words, tmp_path):
    costs = {
        w.system.variant: w.costs["variants"][w.system.variant]
        for w in weigh(words, tmp_path, "int8").weighed
    }
    assert costs["float"]["index_bytes_per_document"] == 128
    assert costs["int8"]["index_bytes_per_document"] == 36
    table = repr(weigh(words, tmp_path, "int8"))
    assert "words int8" in table
    assert "come from one encoding" in table
    assert "come from one encoding" not in repr(weigh(words, tmp_path))


def test_comparisons_find_variants_by_the_name_that_tables_show(words, tmp_path):
    results = weigh(words, tmp_path, "int8", "binary")
    compared = results.compare("words", "words int8")
    assert [str(s) for s in compared.systems] == ["words", "words int8"]
    pairs = hakari.compare(words, "bm25", on=small_task(), results=tmp_path, depth=50)
    assert [str(s) for s in pairs.systems] == ["words", "bm25"]


def test_the_gate_judges_one_variant_against_another(words, tmp_path):
    weigh(words, tmp_path, "int8>float@20")
    verdict = hakari.gate("words", "words int8>float@20", results=tmp_path)
    assert str(verdict.candidate) == "words int8>float@20"


def test_parts_of_a_fusion_are_taken_as_float(words, tmp_path):
    from hakari.retrievers.fuse import Rrf
    from hakari.retrievers.registry import parse

    fused = Rrf(words, parse("bm25"))
    with pytest.raises(UsageError, match=r"`rrf\(words,bm25\)`: no variant `int8`"):
        weigh(fused, tmp_path, "int8")
    plan = replace(api.planned([fused, words], ["int8"])[0], results=tmp_path)
    results = api.weigh(plan, small_task(), api.Where(tmp_path), "nDCG@10")
    assert shown(results) == [fused.name, "words", "words int8"]


def test_a_retriever_that_breaks_its_word_is_named(tmp_path):
    class Promising(Words):
        def retrieve_variants(self, task, depth, variants, parts=()):
            return super().retrieve_variants(task, depth, ())

    with pytest.raises(UsageError, match="`words` gave no run named `int8`"):
        weigh(Promising(), tmp_path, "int8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "bm25", "--variants", "int8"], "`bm25`: no variant `int8`"),
        (["run", "bm25", "--variants", "in8"], "did you mean `int8`?"),
        (["run", "bm25", "--variants", "int8>float"], "`int8>float@100`"),
        (["compare", "bm25", "bm25 int8"], "`bm25`: no variant `int8`"),
        (["compare", "bm25", "bm25 float"], "two different retrievers"),
        (["compare", "bm25", "bm25-code", "--variants", "binary"], "no variant `binary`"),
    ],
)
def test_what_cannot_be_had_is_said_before_anything_runs(arguments, told, tmp_path):
    done = within(*arguments, "--on", small_set(tmp_path), "--results", tmp_path / "results", code=2)
    assert told in done.stderr
    assert not (tmp_path / "results").exists()


def test_float_may_be_asked_for_of_everybody(tmp_path):
    rows = hakari_json(
        "run", "bm25", "--variants", "float", "--on", small_set(tmp_path), "--results", tmp_path / "results"
    )
    assert {row["variant"] for row in rows} == {"float"}
    assert json.dumps(rows)
