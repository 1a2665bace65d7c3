"""The board in a real Chromium, opened from disk and from loopback."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from board_page import VIEWS, Board, start
from others_site import site_with_others
from small import small_set

from hakari.site import build
from hakari.site.reading import read
from hakari.tasks.registry import resolve

pytestmark = [pytest.mark.peer, pytest.mark.slow]

STATES = (
    "view=table&measure=R%40100&q=bm&sort=-system&columns=suite&micro=1",
    "view=table&variants=1&alike=1&family=lexical",
    "view=tasks&colour=gap&task=NanoTest%2FFirst",
    "view=differences&baseline=random",
    "view=cost&cost=bytes",
    "view=variants&model=words&dim=64",
    "view=pair&a=random&b=words&on=NanoTest%2FSecond&query=q3",
    "view=published&language=ja&domain=general",
)


def rows(board: Board) -> list[list[str]]:
    return list(csv.reader(io.StringIO(board.saved())))


@pytest.mark.parametrize("where", ["disk", "loopback"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_without_a_complaint(board: Board, loopback: str, where: str, view: str):
    if where == "loopback":
        board = Board(board.driver, loopback)
    board.go(f"view={view}")
    assert board.count("tbody tr") > 1 or view == "variants"
    assert len(rows(board)) > 1
    assert board.complaints() == []


def test_the_best_system_comes_first_and_headings_sort(board: Board):
    board.go()
    names = board.all("tbody:first-of-type tbody th, tbody:nth-of-type(1) th[scope=row]")
    assert board.js("return document.querySelector('th[aria-sort]').innerText").startswith("nDCG@10")
    means = [float(v) for v in board.all("tbody:nth-of-type(1) td.number b")]
    assert means == sorted(means, reverse=True)
    board.click(".sorter", "System")
    assert board.all("tbody:nth-of-type(1) th[scope=row]") != names
    assert board.js("return document.querySelectorAll('th[aria-sort=ascending]').length") == 1
    board.click(".sorter", "System")
    assert board.hash() == "sort=-system"
    assert board.js("return document.querySelectorAll('th[aria-sort=descending]').length") == 1


def test_every_control_of_the_leaderboard_does_what_it_says(board: Board):
    board.go()
    board.choose("Measure", "R@100")
    assert "R@100" in board.all("thead th")[3]
    board.choose("Mean", "micro")
    board.choose("Columns", "by suite")
    assert "NanoTest" in board.all("thead th")[-1]
    assert "2 of 2" not in board.text("table")
    before = board.count("tbody tr")
    board.click(".fold")
    assert board.count("tr.marked") == 4
    board.click("label.switch", "Show variants")
    assert board.count("tbody tr") >= before + 4
    board.tick("Family", "control")
    assert board.all("tbody:nth-of-type(1) th[scope=row]") == ["random"]
    board.click("button", "Clear filters")
    board.tick("Task", "NanoTest/First")
    assert "1 task" in board.text(".about")
    assert "Incomplete" not in board.text("table")
    assert "task=NanoTest/First" in board.hash()
    board.js(
        "const e = document.getElementById('search'); e.value = 'code';"
        "e.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    board.settle()
    assert board.all("tbody:nth-of-type(1) th[scope=row]") == ["bm25-code"]


def test_incomplete_systems_stand_apart_until_compared_on_shared_tasks(board: Board):
    board.go()
    assert "Incomplete" in board.text("table")
    board.click("label.switch", "Shared tasks only")
    assert "Incomplete" not in board.text("table")
    assert "1 task" in board.text(".about")


def test_a_reranker_stands_beside_its_ceiling(board: Board):
    board.go()
    at = board.all("thead th").index("Ceiling")
    row = board.js(
        "return [...document.querySelectorAll('tbody tr')].find(r => r.innerText.startsWith('') &&"
        "r.innerText.includes('rerank(')).innerText"
    ).split("\t")
    assert float(row[at]) >= float(row[3])


@pytest.mark.parametrize("state", STATES)
def test_the_address_brings_back_what_it_was_taken_from(board: Board, state: str):
    board.go(state)
    shown, address, saved = board.text("#board"), board.state(), board.saved()
    assert set(address.split("&")) == {p for p in state.split("&") if p != "view=table"}
    board.go(address)
    assert board.text("#board") == shown
    assert board.saved() == saved


def test_two_systems_go_down_to_a_query_with_the_positive_marked(board: Board):
    board.go("view=pair&a=words&b=random")
    board.click("tbody .pick", "NanoTest/Second")
    board.click("table:last-of-type tbody .pick", "q")
    query = board.hash().rpartition("query=")[2]
    assert board.text("h2") == f"Query {query}"
    assert len(board.text(".asked")) > 5
    assert board.count(".pair > div") == 2
    assert all(
        n == 10
        for n in board.js("return [...document.querySelectorAll('.pair ol')].map(l => l.children.length)")
    )
    marked = board.all(".pair li.positive strong")
    assert len(marked) >= 2
    assert all(text.startswith("✓ relevant") for text in marked)
    first, second = board.all(".pair h3")
    board.click("button", "Swap")
    assert [first[3:], second[3:]] == [h[3:] for h in reversed(board.all(".pair h3"))]


def test_sliders_find_the_measured_forms(board: Board):
    board.go("view=variants&model=words")
    slide = (
        "const e = document.querySelectorAll('input[type=range]')[arguments[0]]; e.value = arguments[1];"
        "e.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert "whole retriever" in board.text("div[role=status]")
    board.js(slide, 0, 2)
    board.settle()
    assert "dim=64" in board.hash()
    assert "a document" in board.text("div[role=status]")
    board.js(slide, 1, 1)
    board.settle()
    assert "Not measured in this combination" in board.text("#board")
    board.js(slide, 0, 0)
    board.js(slide, 2, 1)
    board.settle()
    assert board.hash().endswith("precision=int8&rescore=100")
    assert "%" in board.text("div[role=status]")


def test_hostile_names_run_nothing_and_stay_readable(board: Board):
    board.go("view=table")
    shown = next(n for n in board.all("th[scope=row]") if n.startswith("<img"))
    assert "\\u{202e}" in shown
    assert "{{7*7}}" in shown
    assert "\\u{0}" in shown
    for view in VIEWS:
        board.go(f"view={view}&variants=1")
        assert board.count("main img, main script") == 0
        assert board.js("return document.title").endswith("hakari")
    board.go()
    line = next(line for line in board.saved().splitlines() if "onerror" in line)
    assert line.startswith('"<img src=x onerror=""document')
    assert board.complaints() == []


def test_hostile_texts_are_shown_cut_and_run_nothing(board: Board, site: Path):
    board.go("view=pair&a=words&b=random&on=NanoTest%2FSecond&query=q3")
    board.until(lambda: board.count("pre.asked") == 1)
    asked = board.text("pre.asked")
    assert "</pre></script><script>" in asked
    assert "\\u{202e}override" in asked
    assert "{{7*7}} {% raw %}" in asked
    assert board.js("return document.title").startswith("Side by side")
    assert board.count("main script, main svg[onload]") == 0
    positive = board.text(".pair li.positive pre")
    assert len(positive) < 800
    assert "10,000," in positive
    assert max(p.stat().st_size for p in (site / "board").rglob("*")) < 1_000_000
    assert board.complaints() == []


def test_markdown_is_copied(board: Board):
    board.go()
    board.js("document.execCommand = () => { window.copied = document.activeElement.value; return true }")
    board.js("Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject()}})")
    board.click("footer button", "Copy as Markdown")
    board.until(lambda: "copied" in board.text("footer [role=status]"))
    lines = board.js("return window.copied").splitlines()
    assert lines[0].startswith("| system | state | family |")
    assert len(lines) == len(rows(board)) + 1


def test_without_javascript_the_table_is_there(site: Path, tmp_path: Path):
    driver = start(tmp_path, "--blink-settings=scriptEnabled=false")
    try:
        driver.get(f"{site.as_uri()}/board/index.html")
        source: Any = driver.find_element("css selector", "table").text
        assert "bm25-code" in source
        assert "95 % interval" in source
        assert "need JavaScript" in driver.find_element("css selector", "main").text
    finally:
        driver.quit()


def test_a_board_without_results_says_so(driver: Any, tmp_path: Path):
    on = small_set(tmp_path)
    build.build(build.site_of(read(resolve(str(on)), tmp_path / "results")), tmp_path / "site")
    board = Board(driver, (tmp_path / "site").as_uri())
    driver.get_log("browser")
    for view in VIEWS:
        board.go(f"view={view}")
        assert ("Nothing is weighed yet" in board.text("#board")) == (view != "published")
    assert board.count("tbody tr") > 500
    assert board.complaints() == []


def test_figures_of_others_and_audits_of_training_stand_beside_ours(driver: Any, tmp_path: Path):
    board = Board(driver, site_with_others(tmp_path).as_uri())
    driver.get_log("browser")
    board.go()
    assert "Figures of others" in board.text("table")
    line = next(line for line in board.saved().splitlines() if "org/other" in line)
    assert line.startswith("<b>org/other</b>,published,published,,,0.52")
    at = board.all("thead th").index("Training data")
    row = board.js(
        "return [...document.querySelectorAll('tbody tr')].find(r => r.innerText.includes('bm25-code')).innerText"
    )
    assert row.split("\t")[at] == "direct, 1 audited"
    board.tick("Training data", "untrained")
    assert board.all("tbody:nth-of-type(1) th[scope=row]") == ["bm25"]
    assert "training=untrained" in board.hash()
    assert board.complaints() == []


def test_every_control_of_the_other_views_does_what_it_says(board: Board):
    board.go("view=tasks")
    painted = "return [...document.querySelectorAll('.strip')].map(c => c.toDataURL()).join()"
    before = board.js(painted)
    board.choose("Colour", "green above")
    assert board.js(painted) != before
    assert board.all(".line button")[-2:] == ["Earlier tasks", "Later tasks"]
    board.js(
        "const c = document.querySelector('.strip'), b = c.getBoundingClientRect();"
        "c.dispatchEvent(new MouseEvent('mousemove', {clientX: b.left + 2, clientY: b.top + 2, bubbles: true}))"
    )
    board.settle()
    assert "from the middle of the systems" in board.text("#board")
    board.go("view=differences")
    board.choose("Against", "random")
    assert "less that of random" in board.text("table caption")
    assert "baseline=random" in board.hash()
    board.click("label.switch", "Show variants")
    assert any("int8" in name for name in board.all("th[scope=row]"))
    board.go("view=cost")
    board.choose("Cost", "bytes")
    assert "bytes a document" in board.text("table caption")
    board.choose("Cost", "parameters")
    assert "22 M" in board.text("table")
    board.go("view=variants")
    board.choose("Retriever", "words")
    assert "Measured forms of words" in board.text("table caption")
    board.go("view=pair")
    board.choose("A", "random")
    board.choose("B", "bm25")
    assert "random less bm25" in board.text("table caption")
    board.go("view=published")
    board.choose("Measured here", "bm25-code")
    assert "a=bm25-code" in board.hash()
    board.tick("Language", "ja")
    assert all(row.split("\t")[1] == "ja" for row in board.all("tbody tr"))


def test_a_long_table_is_whole_and_can_be_searched_copied_and_printed(board: Board):
    board.go("view=published&variants=1")
    assert board.count("tbody tr") > 500
    assert board.count("table.coming") == 0
    assert board.js("return window.find('stack_overflow_qa')") or board.js(
        "return window.find('NanoStackOverflowQA')"
    )
    board.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    shown = board.js("return [...document.querySelectorAll('tbody tr')].filter(r => r.offsetParent).length")
    board.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert shown == board.count("tbody tr")
