"""What others know and measured, beside what was measured here."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from board_site import shard
from others_site import site_with_others

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_with_others(tmp_path_factory.mktemp("others"))


def test_a_first_stage_at_another_depth_is_no_system_of_its_own(site: Path) -> None:
    core = shard(site / "board/data/core.js")
    assert [s["name"] for s in core["systems"]] == [
        "bm25",
        "bm25-code",
        "random",
        "rerank(bm25,constant-reranker,depth=20)",
    ]
    assert len(list((site / "systems").glob("bm25-*.html"))) == 2


def test_the_board_knows_the_state_of_training_data(site: Path) -> None:
    systems = {s["name"]: s["training"] for s in shard(site / "board/data/core.js")["systems"]}
    assert systems["bm25"] == {"state": "untrained", "risk": None, "tasks": {"untrained": 2}}
    assert systems["bm25-code"] == {
        "state": "audited",
        "risk": "direct",
        "tasks": {"audited": 1, "unknown": 1},
    }
    assert systems["random"] == {"state": "unknown", "risk": None, "tasks": {}}


def test_the_page_of_a_system_says_what_is_on_record(site: Path) -> None:
    told = {
        p.stem.rpartition("-")[0]: p.read_text(encoding="utf-8") for p in (site / "systems").glob("*.html")
    }
    assert "org/mine" in told["bm25-code"]
    assert 'href="https://example.org/card"' in told["bm25-code"]
    assert "Tasks with something on record" in told["bm25-code"]
    assert "direct" in told["bm25-code"]
    assert "Nothing of it is trained" in told["bm25"]
    assert "is not known" in told["random"]


def test_figures_of_others_come_with_their_mark_and_only_for_tasks_of_the_site(site: Path) -> None:
    imported = shard(site / "board/data/core.js")["imported"]
    assert [(one["mark"], one["name"]) for one in imported] == [("published", "<b>org/other</b>")]
    tasks = [t["name"] for t in shard(site / "board/data/core.js")["tasks"]]
    assert {tasks[int(t)]: v for t, v in imported[0]["figures"]["nDCG@10"].items()} == {
        "NanoTest/First": 0.61,
        "NanoTest/Second": 0.43,
    }


def test_every_link_of_every_page_leads_somewhere(site: Path) -> None:
    anchors: dict[Path, set[str]] = {}
    for page in site.rglob("*.html"):
        anchors[page.resolve()] = set(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))
    links = 0
    for page in site.rglob("*.html"):
        for href in re.findall(r'(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8")):
            if href.startswith(("http:", "https:")):
                continue
            path, _, fragment = href.partition("#")
            target = (page.parent / unquote(path)).resolve() if path else page.resolve()
            assert target.is_file(), (page, href)
            assert not fragment or unquote(fragment) in anchors[target], (page, href)
            links += 1
    assert links > 5_000
