"""Whoever reads the board, on whatever: axe-core, dark, phone, print, keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from board_page import VIEWS, Board

pytestmark = [pytest.mark.peer, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _as_it_was(driver: Any) -> Iterator[None]:
    yield
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def prefer(board: Board, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    board.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def phone(board: Board) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    board.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


DARK = ("table", "differences", "pair&query=q3")


@pytest.mark.parametrize(
    ("view", "scheme"), [*((v, "light") for v in (*VIEWS, "pair&query=q3")), *((v, "dark") for v in DARK)]
)
def test_axe_finds_nothing(board: Board, axe: str, scheme: str, view: str):
    prefer(board, scheme)
    board.go(f"view={view}&variants=1")
    assert board.violations(axe) == []


def test_axe_finds_nothing_on_a_phone_with_a_filter_open(board: Board, axe: str):
    phone(board)
    board.go()
    board.click(".filter summary", "Family")
    assert board.violations(axe) == []


@pytest.mark.parametrize("view", [*VIEWS, "pair&query=q3"])
def test_a_phone_scrolls_down_and_never_aside(board: Board, view: str):
    phone(board)
    board.go(f"view={view}&variants=1")
    assert board.js("return document.documentElement.scrollWidth") <= 390


def test_colours_follow_the_system_and_can_be_chosen(board: Board):
    ground = "return getComputedStyle(document.body).backgroundColor"
    prefer(board, "light")
    light = board.go().js(ground)
    prefer(board, "dark")
    dark = board.go().js(ground)
    assert light != dark
    board.click(".theme")
    assert board.js(ground) == light
    board.click(".theme")
    assert board.js(ground) == dark
    board.click(".theme")
    assert "system" in board.text(".theme")


def test_on_paper_only_the_numbers_are_left(board: Board):
    board.go()
    board.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    visible = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).length"
    assert board.js(visible, "main button:not(.sorter), main select, main input") == 0
    assert board.js(visible, "table") == 1


def test_the_keyboard_is_enough(board: Board):
    keys = pytest.importorskip("selenium.webdriver").Keys
    board.go()
    press = board.driver.switch_to.active_element.send_keys
    press("/")
    assert board.js("return document.activeElement.id") == "search"
    board.driver.switch_to.active_element.send_keys("bm25" + keys.TAB)
    board.settle()
    assert board.hash() == "q=bm25"
    reached = []
    for _ in range(40):
        board.driver.switch_to.active_element.send_keys(keys.TAB)
        reached.append(board.js("return document.activeElement.innerText.trim()"))
        if reached[-1] == "System":
            break
    assert "Family" in reached
    outline = board.js("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    board.driver.switch_to.active_element.send_keys(keys.ENTER)
    board.settle()
    assert "sort=system" in board.hash()
    board.js("document.activeElement.blur()")
    board.driver.find_element("tag name", "body").send_keys("3")
    board.settle()
    assert "view=differences" in board.hash()


def test_a_filter_opens_and_ticks_by_keyboard(board: Board):
    keys = pytest.importorskip("selenium.webdriver").Keys
    board.go()
    board.js(
        "[...document.querySelectorAll('.filter summary')].find(s => s.innerText.includes('Family')).focus()"
    )
    for key in (keys.ENTER, keys.TAB, keys.SPACE):
        board.driver.switch_to.active_element.send_keys(key)
    board.settle()
    assert board.hash().startswith("family=")
    board.driver.switch_to.active_element.send_keys(keys.ESCAPE)
    assert board.count(".filter[open]") == 0
    assert board.js("return document.activeElement.tagName") == "SUMMARY"
