"""The public names: few, listed here one by one, each there when it is asked for."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import hakari

PUBLIC = [
    "Comparison",
    "HakariError",
    "Measure",
    "Qrels",
    "Results",
    "Retrieved",
    "Retriever",
    "Run",
    "Task",
    "Texts",
    "__version__",
    "compare",
    "gate",
    "load",
    "run",
    "run_from_mapping",
    "run_from_matrix",
    "score",
]


def test_the_public_names_are_these() -> None:
    assert sorted(hakari.__all__) == PUBLIC
    assert len(PUBLIC) <= 25


def test_dir_lists_them() -> None:
    assert dir(hakari) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_there_and_explained(name: str) -> None:
    value = getattr(hakari, name)
    if name != "__version__":
        assert inspect.getdoc(value)
        assert value.__name__ == name


def test_a_star_import_gives_them_all() -> None:
    program = "from hakari import *; import hakari; print(sorted(set(hakari.__all__) - set(globals())))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'hakari' has no attribute 'weigh_everything'"):
        _ = hakari.weigh_everything


def test_no_module_has_the_name_of_something_public() -> None:
    """Importing such a module would put it in the place of the public name."""
    modules = {module.name for module in pkgutil.iter_modules(hakari.__path__)}
    assert not modules & set(PUBLIC)


def test_type_checkers_see_what_is_loaded() -> None:
    """The imports that only type checkers read name the same objects as those made at run time."""
    tree = ast.parse(Path(str(hakari.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: getattr(import_module(str(node.module)), alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted([*seen, "__version__"]) == PUBLIC
    assert all(getattr(hakari, name) is value for name, value in seen.items())
