"""A real Chromium with the board in it, and ways to ask what is on the page."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)
VIEWS = ("table", "tasks", "differences", "cost", "variants", "pair", "published")


def start(profile: Path, *flags: str) -> Any:
    """A driver of a Chromium with an empty profile."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if not (CHROMIUM and CHROMEDRIVER):
        pytest.skip("no chromium with chromedriver here (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={profile}", *flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))


class Board:
    """The board as a reader has it before the eyes."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver, self.address = driver, address

    def go(self, state: str = "", wait: bool = True) -> Board:
        """Open the board afresh, in a state as its address has it."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}/board/index.html{f'#{state}' if state else ''}")
        if wait:
            self.until(lambda: self.count("nav.views a") > 3)
            self.settle()
        return self

    def settle(self) -> None:
        """Until nothing is read any more."""
        self.until(
            lambda: (
                not self.js(
                    "return document.querySelector('table.coming') !== null"
                    " || /Reading |…\\s*$/.test(document.getElementById('board').innerText)"
                )
            )
        )
        time.sleep(0.12)

    def until(self, done: Callable[[], bool], seconds: float = 10) -> None:
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f"waited in vain: {self.text('body')[:600]}"
            time.sleep(0.03)

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def count(self, selector: str) -> int:
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def text(self, selector: str) -> str:
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def all(self, selector: str) -> list[str]:
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText.trim())", selector
        )

    def click(self, selector: str, text: str = "") -> None:
        found = self.js(
            "const e = [...document.querySelectorAll(arguments[0])].find(e => e.innerText.includes(arguments[1]));"
            "if (e) e.scrollIntoView({block: 'center', behavior: 'instant'}); return e",
            selector,
            text,
        )
        assert found is not None, (selector, text)
        found.click()
        self.settle()

    def choose(self, label: str, value: str) -> None:
        """Choose a value of a list, by the label of the list and the text of the value."""
        done = self.js(
            "const all = [...document.querySelectorAll('label.choice')];"
            "const l = all.find(l => l.firstChild.innerText === arguments[0]);"
            "const s = l.querySelector('select'), o = [...s.options].find(o => o.text.startsWith(arguments[1]));"
            "s.value = o.value; s.dispatchEvent(new Event('change', {bubbles: true})); return true",
            label,
            value,
        )
        assert done
        self.settle()

    def tick(self, group: str, value: str) -> None:
        """Tick a value of a filter."""
        self.click(".filter summary", group)
        self.click(".filter[open] label", value)
        self.js("document.querySelectorAll('.filter[open]').forEach(d => d.open = false)")

    def hash(self) -> str:
        return self.js("return decodeURIComponent(location.hash.slice(1))")

    def state(self) -> str:
        """The address as it stands, to come back to."""
        return self.js("return location.hash.slice(1)")

    def saved(self) -> str:
        """What the button for CSV hands over."""
        self.js(
            "window.saved = undefined; URL.createObjectURL = b => { b.text().then(t => window.saved = t);"
            "return 'about:blank#saved' }; HTMLAnchorElement.prototype.click = function () {}"
        )
        self.click("footer button", "Save as CSV")
        self.until(lambda: self.js("return window.saved !== undefined"))
        return self.js("return window.saved")

    def complaints(self) -> list[str]:
        """What the browser had to say of the page since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def violations(self, axe: str) -> list[str]:
        """What axe-core finds wrong."""
        self.js(axe)
        told = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then(r => done(JSON.stringify(r.violations)))"
        )
        return [
            f"{v['id']}: {v['help']}: {[n['html'][:120] for n in v['nodes']][:3]}" for v in json.loads(told)
        ]
