from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("huggingface_hub")
pytest.importorskip("jinja2")

from command import within as hakari
from hub_server import HubServer
from small import small_set


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("published")
    tasks, results = small_set(folder, ("First",)), folder / "results"
    hakari("run", "bm25", "--on", tasks, "--results", results)
    return (
        "site",
        "--on",
        str(tasks),
        "--results",
        str(results),
        "--no-published",
        "--out",
        str(folder / "site"),
    )


def test_a_space_is_private_unless_told_otherwise(hub: HubServer, built: tuple[str, ...]) -> None:
    told = hakari(*built, "--publish", "org/board", HF_ENDPOINT=hub.url)
    assert "for its members only" in told.stderr
    assert "org/board" in hub.private
    _, files = hub.resolve("org/board", "main") or ("", {})
    out = Path(built[-1])
    sent = {path: data for path, data in files.items() if path not in ("README.md", ".gitattributes")}
    assert sent == {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert b"sdk: static" in files["README.md"]


def test_what_is_there_already_is_not_sent_again_and_what_is_gone_is_removed(
    hub: HubServer, built: tuple[str, ...]
) -> None:
    hakari(*built, "--publish", "org/board", HF_ENDPOINT=hub.url)
    commit, files = hub.resolve("org/board", "main") or ("", {})
    hakari(*built, "--publish", "org/board", HF_ENDPOINT=hub.url)
    assert (hub.resolve("org/board", "main") or ("", {}))[0] == commit
    hub.commit("org/board", {**files, "tasks/old.html": b"old"})
    hakari(*built, "--publish", "org/board", HF_ENDPOINT=hub.url)
    assert "tasks/old.html" not in (hub.resolve("org/board", "main") or ("", {}))[1]


def test_a_public_space_takes_only_what_is_meant_for_everybody(
    hub: HubServer, built: tuple[str, ...]
) -> None:
    hakari(*built, "--publish", "org/open", "--public", HF_ENDPOINT=hub.url)
    assert "org/open" not in hub.private
    told = hakari(*built, "--publish", "org/open", HF_ENDPOINT=hub.url, code=2).stderr
    assert "is public" in told


def test_public_without_a_place_is_refused(built: tuple[str, ...]) -> None:
    assert "--publish ORG/NAME" in hakari(*built, "--public", code=2).stderr
