"""Every kind of page in a real Chromium: from disk and loopback, both schemes, phone, paper, keyboard, no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from board_page import Board, start

pytestmark = [pytest.mark.peer, pytest.mark.slow]

KINDS = {
    "overview": "index.html",
    "tasks": "tasks/index.html",
    "task": "tasks/NanoTest/First.html",
    "hostile task": "tasks/NanoTest/Second.html",
    "published task": "tasks/NanoCoIR/NanoCodeFeedbackMT.html",
    "suites": "suites/index.html",
    "suite": "suites/NanoTest.html",
    "published suite": "suites/NanoCoIR.html",
    "systems": "systems/index.html",
    "system": "systems/words-*.html",
    "fold of a system": "systems/bm25-code-*.html",
    "comparisons": "compare/index.html",
    "comparison": "compare/bm25-code-*.html",
    "published": "published.html",
    "board": "board/index.html",
}
"""Every kind of page, by a page of it."""


@pytest.fixture(params=list(KINDS))
def page(request: pytest.FixtureRequest, site: Path) -> str:
    """The address of a page within the site."""
    found = sorted(site.glob(KINDS[request.param]))
    assert found, request.param
    return found[0].relative_to(site).as_posix()


@pytest.fixture
def seen(driver: Any, site: Path) -> Iterator[Board]:
    driver.get_log("browser")
    yield Board(driver, site.as_uri())
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def visit(seen: Board, page: str) -> None:
    seen.driver.get("about:blank")
    seen.driver.get(f"{seen.address}/{page}")
    if page.startswith("board/"):
        seen.until(lambda: seen.count("nav.views a") > 3)
        seen.settle()


def prefer(seen: Board, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    seen.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})


def open_all(seen: Board) -> None:
    seen.js("document.querySelectorAll('main details').forEach(d => d.open = true)")


def phone(seen: Board) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    seen.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(seen: Board, axe: str, page: str, scheme: str):
    prefer(seen, scheme)
    visit(seen, page)
    if not page.startswith("board/"):
        open_all(seen)
    assert seen.violations(axe) == []


def test_axe_finds_nothing_on_a_phone(seen: Board, axe: str, page: str):
    phone(seen)
    visit(seen, page)
    assert seen.violations(axe) == []


def test_a_page_is_the_same_from_disk_and_from_loopback_without_a_complaint(
    seen: Board, loopback: str, page: str
):
    visit(seen, page)
    text = seen.text("main")
    assert len(text) > 100
    served = Board(seen.driver, loopback)
    visit(served, page)
    assert served.text("main") == text
    assert seen.complaints() == []
    asked = seen.js("return performance.getEntriesByType('resource').map(e => new URL(e.name).host)")
    assert set(asked) <= {served.address.removeprefix("http://")}


def test_a_phone_scrolls_a_page_down_and_never_aside(seen: Board, page: str):
    phone(seen)
    visit(seen, page)
    open_all(seen)
    assert seen.js("return document.documentElement.scrollWidth") <= 390
    small = seen.js(
        "return [...document.querySelectorAll('main p, main li, main td')].filter(e => e.offsetParent"
        " && parseFloat(getComputedStyle(e).fontSize) < 11).length"
    )
    assert small == 0


def test_colours_follow_the_system_on_every_page(seen: Board, page: str):
    grounds = []
    for scheme in ("light", "dark"):
        prefer(seen, scheme)
        visit(seen, page)
        grounds.append(seen.js("return getComputedStyle(document.body).backgroundColor"))
    light, dark = ([int(v) for v in ground.strip("rgb()").split(",")] for ground in grounds)
    assert min(light) > 200
    assert max(dark) < 60


def test_on_paper_a_page_is_its_content(seen: Board, page: str):
    visit(seen, page)
    seen.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    visible = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).length"
    assert seen.js(visible, "header.site nav, nav.contents, .skip") == 0
    assert seen.js(visible, "h1") == 1
    wide = seen.js(
        "return [...document.querySelectorAll('main .scroll')]"
        ".filter(e => e.offsetParent && getComputedStyle(e).overflowX !== 'visible').length"
    )
    assert wide == 0, "what scrolls aside is cut off on paper"


def test_the_keyboard_reaches_everything(seen: Board, page: str):
    keys = pytest.importorskip("selenium.webdriver").Keys
    visit(seen, page)
    active = seen.driver.switch_to
    seen.js("document.activeElement.blur()")
    active.active_element.send_keys(keys.TAB)
    assert seen.js("return document.activeElement.className") == "skip"
    assert seen.js("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    active.active_element.send_keys(keys.ENTER)
    here = seen.js("return location.hash")
    assert here in ("#main", "#board", "")
    stuck = seen.js(
        "return [...document.querySelectorAll('.scroll, pre')].filter(e => e.offsetParent"
        " && e.scrollWidth > e.clientWidth && e.tabIndex < 0).length"
    )
    assert stuck == 0, "what scrolls aside can be scrolled by keyboard"


def test_what_folds_unfolds_by_keyboard(seen: Board):
    keys = pytest.importorskip("selenium.webdriver").Keys
    visit(seen, "tasks/NanoTest/First.html")
    folded = seen.js(
        "const s = document.querySelector('main details:not([open]) summary'); s.focus(); return s"
    )
    folded.send_keys(keys.ENTER)
    assert seen.js("return document.activeElement.parentElement.open") is True


def test_every_page_is_whole_without_javascript(site: Path, tmp_path: Path):
    driver = start(tmp_path, "--blink-settings=scriptEnabled=false")
    try:
        for name, pattern in KINDS.items():
            path = sorted(site.glob(pattern))[0]
            driver.get(path.as_uri())
            main = driver.find_element("css selector", "main")
            assert len(main.text) > 100, name
            assert driver.find_elements("css selector", "main table, main ul, main dl"), name
    finally:
        driver.quit()
