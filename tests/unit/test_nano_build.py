from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import hakari_json, within

import hakari
from hakari.errors import HakariError
from hakari.nano import build
from hakari.nano.build import Target, build_from_code

FUNCTION = '''
def join_{name}(left, right):
    """Join the {name} on the left to the {name} on the right.{odd}

    Both are read as sequences of {name}, and whatever the left one lacks is taken from the right one, in order.
    """
    joined = list(left)
    for item_of_{name} in right:
        if item_of_{name} not in joined:
            joined.append(item_of_{name})
    return {name}_of(joined)
'''
NAMES = ("parsers", "streams", "cursors", "tokens", "packets", "windows")


def code(folder: Path, odd: str = "") -> Path:
    folder.mkdir()
    (folder / "joins.py").write_text("".join(FUNCTION.format(name=name, odd=odd) for name in NAMES))
    return folder


def test_a_set_of_code_loads_under_its_name_with_an_account(tmp_path: Path) -> None:
    code(tmp_path / "mine")
    told = hakari_json(
        "build", "code", tmp_path / "mine", "--name", "NanoMine", "--out", tmp_path / "NanoMine"
    )
    assert told == {
        "folder": str(tmp_path / "NanoMine"),
        **json.loads((tmp_path / "NanoMine/build.json").read_text()),
    }
    tasks = hakari.load(str(tmp_path / "NanoMine"))
    assert {task.split for task in tasks} == set(told["tasks"])
    assert {(task.dataset, task.language, task.category) for task in tasks} == {("NanoMine", "en", "code")}
    steps = told["tasks"]["DocstringToFunction"]["stages"]
    assert [step["name"] for step in steps] == ["files", "definitions", "pairs", "queries", "documents"]


def test_a_docstring_that_no_file_can_hold_stays_out_and_is_counted(tmp_path: Path) -> None:
    code(tmp_path / "mine")
    (tmp_path / "mine" / "odd.py").write_text(FUNCTION.format(name="letters", odd="\\0"))
    built = build_from_code(str(tmp_path / "mine"), Target("X", out=tmp_path / "x"))
    step = built.report["tasks"]["DocstringToFunction"]["stages"][1]
    assert step["left_out"] == {"NUL byte in its docstring": 1}
    assert step["kept"] == len(NAMES)


def test_steps_that_tasks_share_are_told_once(tmp_path: Path) -> None:
    code(tmp_path / "mine")
    told = within("build", "code", tmp_path / "mine", "--name", "X", "--out", tmp_path / "x").stdout
    assert told.count("files: 1 of 1") == 1
    assert told.count("pairs: ") == len(hakari.load(str(tmp_path / "x"))) > 1


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    code(tmp_path / "mine")
    for out in ("one", "two"):
        build_from_code(str(tmp_path / "mine"), Target("X", out=tmp_path / out))
    one, two = (
        {p.relative_to(tmp_path / o): p.read_bytes() for p in sorted((tmp_path / o).rglob("*.*"))}
        for o in ("one", "two")
    )
    assert one == two


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code(tmp_path / "mine")

    def full(source: str, target: str) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(build.os, "rename", full)
    with pytest.raises(HakariError, match="No space left"):
        build_from_code(str(tmp_path / "mine"), Target("X", out=tmp_path / "new" / "folders" / "x"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_an_empty_folder_is_filled_and_a_full_one_is_left_alone(tmp_path: Path) -> None:
    code(tmp_path / "mine")
    (tmp_path / "x").mkdir()
    build_from_code(str(tmp_path / "mine"), Target("X", out=tmp_path / "x"))
    with pytest.raises(HakariError, match="is there already"):
        build_from_code(str(tmp_path / "mine"), Target("X", out=tmp_path / "x"))
