from __future__ import annotations

import http.client
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hakari.errors import UsageError
from hakari.site import serve


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site, a secret beside it, and links that lead out of it."""
    root = tmp_path_factory.mktemp("served")
    site = root / "site"
    (site / "board").mkdir(parents=True)
    (site / "index.html").write_text("<p>first", encoding="utf-8")
    (site / "board" / "index.html").write_text("<p>board", encoding="utf-8")
    (site / "board" / "board.js").write_text("1", encoding="utf-8")
    (site / "a b.html").write_text("<p>space", encoding="utf-8")
    (site / "empty").mkdir()
    (root / "secret.txt").write_text("secret", encoding="utf-8")
    os.symlink(root / "secret.txt", site / "link.txt")
    os.symlink(root, site / "up")
    return site


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[tuple[str, int]]:
    with serve.server(folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield "127.0.0.1", server.server_address[1]
        server.shutdown()
        thread.join()


def ask(
    address: tuple[str, int], target: str, method: str = "GET", **headers: str
) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection(*address, timeout=10)
    try:
        connection.putrequest(method, target, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("/", "<p>first"),
        ("/index.html", "<p>first"),
        ("/board/", "<p>board"),
        ("/a%20b.html?x=1#y", "<p>space"),
    ],
)
def test_files_of_the_site_are_served(address: tuple[str, int], target: str, body: str) -> None:
    status, text, headers = ask(address, target)
    assert (status, text) == (200, body)
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_folder_leads_to_its_page_and_is_never_listed(address: tuple[str, int]) -> None:
    assert ask(address, "/board")[0] == 301
    assert ask(address, "/board")[2]["Location"] == "board/"
    assert ask(address, "/empty")[0] == ask(address, "/empty/")[0] == 404


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.txt", "/%2e%2e/secret.txt", "/board/../../secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt",
        "//secret.txt", "/link.txt", "/up/secret.txt", "/up/", "/..\\secret.txt", "/%00", "/a%00b", "/nothing",
        "http://127.0.0.1/../secret.txt", "/" + "a" * 5000, "/%ff%fe",
    ],
)  # fmt: skip
def test_nothing_outside_is_served(address: tuple[str, int], target: str) -> None:
    status, text, _ = ask(address, target)
    assert status == 404
    assert "secret" not in text


def test_other_names_and_other_methods_are_refused(address: tuple[str, int]) -> None:
    assert ask(address, "/", Host="evil.example:80")[0] == 403
    assert ask(address, "/", Host="evil.example")[0] == 403
    assert ask(address, "/", Host=f"localhost:{address[1]}")[0] == 200
    assert ask(address, "/", "POST")[0] == 501
    assert ask(address, "/", "HEAD")[:2] == (200, "")


def test_only_loopback_is_listened_on(folder: Path) -> None:
    with serve.server(folder) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_told(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="cannot be served from"):
            serve.server(folder, taken.getsockname()[1])
