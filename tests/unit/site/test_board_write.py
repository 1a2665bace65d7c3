from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from board_site import make_site, shard

import hakari
from hakari.site.board.numbers import Numbers, heads_of, pairs_of
from hakari.site.model import MEASURES, System


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_site(tmp_path_factory.mktemp("board"))


def core(site: Path) -> dict:
    return shard(site / "board/data/core.js")


def f32(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


def names(site: Path) -> list[str]:
    return [s["name"] for s in core(site)["systems"]]


def test_the_first_numbers_are_those_of_hakari_run(site: Path):
    results = hakari.run(
        ["bm25", "bm25-code", "random"],
        on=str(site.parent / "NanoTest"),
        measures="nDCG@10,R@100",
        results=site.parent / "results",
    )
    first = core(site)["first"][0]
    for system in results.systems:
        row = results.value("*", system, results.measures[0])
        at = names(site).index(str(system)) if str(system) in names(site) else None
        if at is None:  # a second depth of it is there, so its name says which one it is
            at = next(i for i, n in enumerate(names(site)) if n.startswith(f"{system} [depth 500"))
        for key, value in (("means", "value"), ("lows", "low"), ("highs", "high")):
            assert f32(first[key])[at] == pytest.approx(row[value], abs=1e-6), (system, key)


def test_incomplete_systems_have_no_number_over_all_tasks(site: Path):
    means = f32(core(site)["first"][0]["means"])
    hostile = next(i for i, n in enumerate(names(site)) if n.startswith("<img"))
    assert np.isnan(means[hostile])
    assert np.isfinite(means).sum() == len(means) - 1


def test_variants_point_at_their_retriever(site: Path):
    systems = core(site)["systems"]
    forms = [s for s in systems if s["retriever"] == "words"]
    assert {s["variant"] for s in forms} == {"float", "int8", "dim=128", "dim=64", "int8>float@100"}
    assert {systems[s["head"]]["name"] for s in forms} == {"words"}
    assert {s["parameters"] for s in forms} == {22_000_000}


def test_names_are_harmless_and_on_one_line(site: Path):
    text = (site / "board/data/core.js").read_text(encoding="utf-8")
    assert "<" not in text
    assert "\u202e" not in text
    assert "\0" not in text
    page = (site / "board/index.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "&lt;img" in page


def test_a_reranker_is_shown_with_its_ceiling(site: Path):
    (row,) = [s for s in core(site)["systems"] if s["name"].startswith("rerank")]
    assert set(row["ceiling"]) == {"R@20", "nDCG@10"}
    assert all(0 < v <= 1 for v in row["ceiling"]["nDCG@10"].values())


def test_published_figures_stand_beside_every_published_task(site: Path):
    tasks = core(site)["tasks"]
    published = [t for t in tasks if t["published"]]
    assert len(published) == 569
    assert sum(t["audited"] for t in tasks) == 2
    assert core(site)["measured"] == [i for i, t in enumerate(tasks) if t["suite"] == "NanoTest"]


def test_a_task_goes_down_to_its_queries(site: Path):
    (number, *_) = core(site)["measured"]
    told = shard(site / f"board/data/task-{number}.js")
    texts = shard(site / f"board/data/texts-{number}.js")
    tops = np.frombuffer(base64.b64decode(told["tops"]), "<u4").reshape(-1, len(told["queries"]), 10)
    values = np.frombuffer(base64.b64decode(told["values"]), "<u2")
    assert values.size == len(MEASURES) * tops.shape[0] * tops.shape[1]
    assert len(texts["documents"]) == len(told["documents"])
    assert len(told["positives"]) == len(told["queries"]) == len(texts["queries"])
    assert all(listed[0] < len(told["documents"]) for listed in told["positives"])
    assert tops[tops != 0xFFFFFFFF].max() < len(told["documents"])


def test_twice_the_same_bytes(tmp_path: Path, site: Path):
    again = make_site_again(tmp_path, site)
    for path in sorted((site / "board").rglob("*.js")):
        assert (again / path.relative_to(site)).read_bytes() == path.read_bytes(), path.name


def make_site_again(folder: Path, site: Path) -> Path:
    from hakari.site import build
    from hakari.site.reading import read
    from hakari.tasks.registry import resolve

    reading = read(resolve(str(site.parent / "NanoTest")), site.parent / "results")
    build.build(build.site_of(reading), folder / "site")
    return folder / "site"


def test_a_large_board_is_summarised_in_closed_form_with_nearly_the_same_numbers(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hakari.site.board.numbers.RESAMPLED_RESULTS", 3)
    other = make_site_again(tmp_path, site)
    assert core(site)["resampled"]
    assert not core(other)["resampled"]
    for micro in (0, 1):
        drawn, closed = core(site)["first"][micro], core(other)["first"][micro]
        for key in ("means", "lows", "highs"):
            assert np.allclose(f32(drawn[key]), f32(closed[key]), atol=0.012, equal_nan=True), key


def test_pairs_of_many_systems_are_retrievers_and_their_own_variants():
    systems = [System(f"r{i}", v, "k") for i in range(20) for v in ("binary", "dim=2", "float", "int8")]
    pairs = pairs_of(heads_of(systems))
    assert len(pairs) == 20 * 19 // 2 + 60
    assert len(pairs_of(heads_of(systems[:8]))) == 28
    assert Numbers(systems, 3).gaps.shape == (len(MEASURES), 3, len(pairs))
