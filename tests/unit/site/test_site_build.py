from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import within as hakari
from small import small_set

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A nano set of two tasks, and results of two retrievers on them."""
    folder = tmp_path_factory.mktemp("weighed")
    tasks, results = small_set(folder), folder / "results"
    hakari("run", "bm25", "bm25-code", "--on", tasks, "--results", results)
    return tasks, results


def build(weighed: tuple[Path, Path], out: Path, *options: str) -> dict[str, bytes]:
    tasks, results = weighed
    hakari("site", "--on", tasks, "--results", results, "--out", out, *options)
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


def test_built_twice_it_has_the_same_bytes(weighed: tuple[Path, Path], tmp_path: Path) -> None:
    first = build(weighed, tmp_path / "one", "--no-published")
    second = build(weighed, tmp_path / "two" / "deeper", "--no-published")
    assert first == second
    assert "tasks/NanoTest/First.html" in first
    told = json.loads(first["manifest.json"])
    assert set(told["files"]) == set(first) - {"manifest.json"}
    assert all(told["files"][name]["bytes"] == len(first[name]) for name in told["files"])


def test_a_build_that_fails_leaves_the_old_site(
    weighed: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hakari.site import build as builder

    out = tmp_path / "site"
    before = build(weighed, out, "--no-published")
    monkeypatch.setattr(builder, "_manifest", lambda folder: (_ for _ in ()).throw(KeyboardInterrupt))
    tasks, results = weighed
    hakari("site", "--on", tasks, "--results", results, "--out", out, "--no-published", code=130)
    after = {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}
    assert after == before
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


def test_what_a_killed_build_left_is_put_right(weighed: tuple[Path, Path], tmp_path: Path) -> None:
    from hakari.site.build import _sweep

    out = tmp_path / "site"
    dead = 2**22 + 1
    (tmp_path / f".site.{dead}.old").mkdir()
    (tmp_path / f".site.{dead}.old" / "manifest.json").write_text("{}", encoding="utf-8")
    (tmp_path / f".site.{dead}.tmp").mkdir()
    (tmp_path / f".site.{os.getpid()}.tmp").mkdir()
    _sweep(out)
    assert sorted(p.name for p in tmp_path.iterdir()) == [f".site.{os.getpid()}.tmp", "site"]


def test_a_folder_of_somebody_else_is_not_replaced(weighed: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work", encoding="utf-8")
    tasks, results = weighed
    told = hakari("site", "--on", tasks, "--results", results, "--out", out, code=2).stderr
    assert "was not built by hakari" in told
    assert (out / "thesis.tex").read_text(encoding="utf-8") == "years of work"
