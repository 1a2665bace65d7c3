"""The budgets of the design: imports point down, nothing grows too big, everything public is typed and told.

The sources are only parsed, never imported. Every test names all offenders at once.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "hakari"

# From the ground up. A room leans only on rooms of the floors below its own, late imports included.
FLOORS = (
    {"types", "errors", "native", "display", "footprint"},
    {"rankings"},
    {"text", "io"},
    {"measures", "stats", "tasks", "store"},
    {"retrievers", "nano", "audit", "site"},
    {"candidates", "mining"},
    {"bench", "report", "publish"},
    {"api", "engines"},
    {"cli", "training"},
    {"__init__", "__main__"},
)
FACADE = "__init__"
FILE_LINES, FUNCTION_LINES, PARAMETERS = 400, 60, 7
TIGHTER_FILES = {"bench.py": 200}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True)
class Module:
    """One source file of a package."""

    name: str
    """Dotted, with the package: `hakari.io.nano`."""
    path: Path

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @property
    def room(self) -> str:
        return [*self.name.split("."), FACADE][1]

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def public(self) -> bool:
        return not any(part.startswith("_") and not part.startswith("__") for part in self.name.split("."))


def modules_of(package: Path) -> dict[str, Module]:
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path)
    return found


@lru_cache
def hakari_modules() -> dict[str, Module]:
    return modules_of(PACKAGE)


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from (other, *run_time_nodes(other))
        else:
            yield node
            yield from run_time_nodes(node)


def leans_on(module: Module, modules: dict[str, Module]) -> Iterator[tuple[str, int]]:
    """The modules of the package that a module imports, at the top or late, each with the line."""
    package = module.name.partition(".")[0]
    for node in run_time_nodes(module.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            here = module.package.split(".")
            base = ".".join([*here[: len(here) - node.level + 1], node.module or ""]).strip(".")
            names = [f"{base if node.level else node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.partition(".")[0] == package and name not in (package, f"{package}.__version__"):
                while name not in modules:
                    name = name.rpartition(".")[0]
                yield name, node.lineno


def facade_uses(module: Module) -> Iterator[tuple[str, int]]:
    """`hakari.run` and the like inside the package: the public names load the floors above."""
    for node in run_time_nodes(module.tree):
        if not isinstance(node, ast.Attribute) or node.attr == "__version__":
            continue
        if ast.unparse(node.value) == module.name.partition(".")[0]:
            yield node.attr, node.lineno


def imports_that_point_up(modules: dict[str, Module]) -> list[str]:
    floor_of = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    offenders = []
    for module in modules.values():
        if module.room not in floor_of:
            offenders.append(f"{module.name}: room `{module.room}` is on no floor")
            continue
        used = [(name, line) for name, line in leans_on(module, modules)]
        for name, line in used:
            room = modules[name].room
            if room != module.room and floor_of.get(room, 0) >= floor_of[module.room]:
                offenders.append(
                    f"{module.path}:{line}: {module.name} leans on {name}, which is not below it"
                )
        offenders += [
            f"{module.path}:{line}: uses {name} of the facade" for name, line in facade_uses(module)
        ]
    return offenders


def cycle_of(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" -> ".join(reversed(error.args[1]))]
    return []


def cycles(modules: dict[str, Module]) -> list[str]:
    """A cycle between rooms, and one between modules, where there is any."""
    rooms: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    for module in modules.values():
        leant_on = {name for name, _ in leans_on(module, modules)} - {module.name}
        files[module.name] = leant_on
        rooms.setdefault(module.room, set()).update({modules[name].room for name in leant_on} - {module.room})
    return cycle_of(rooms) + cycle_of(files)


def long_files(folder: Path, *endings: str) -> list[str]:
    offenders = []
    for path in sorted(p for ending in endings for p in folder.rglob(f"*{ending}")):
        lines = path.read_text(encoding="utf-8").count("\n")
        limit = TIGHTER_FILES.get(path.relative_to(folder).as_posix(), FILE_LINES)
        if lines > limit:
            offenders.append(f"{path}: {lines} lines, at most {limit}")
    return offenders


def definitions(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, Definition]]:
    """Every function and class with its dotted name, those inside others included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield inside + node.name, node
            yield from definitions(node, f"{inside}{node.name}.")
        else:
            yield from definitions(node, inside)


def parameters(function: Function) -> list[ast.arg]:
    """The named parameters, without `self` and `cls`."""
    listed = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return listed[1:] if listed and listed[0].arg in ("self", "cls") else listed


def big_functions(modules: dict[str, Module]) -> list[str]:
    offenders = []
    for module in modules.values():
        for name, node in definitions(module.tree):
            if isinstance(node, ast.ClassDef):
                continue
            where, lines = f"{module.path}:{node.lineno}: {name}", (node.end_lineno or 0) - node.lineno + 1
            if lines > FUNCTION_LINES:
                offenders.append(f"{where} has {lines} lines, at most {FUNCTION_LINES}")
            if len(parameters(node)) > PARAMETERS:
                offenders.append(f"{where} has {len(parameters(node))} parameters, at most {PARAMETERS}")
    return offenders


def public_definitions(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, Definition]]:
    """What users of a module may touch: its functions, classes and methods, special ones included."""
    for node in body:
        if not isinstance(node, Definition) or (node.name.startswith("_") and not is_special(node.name)):
            continue
        yield inside + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node.body, f"{inside}{node.name}.")


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def untyped(modules: dict[str, Module]) -> list[str]:
    offenders = []
    for module in modules.values():
        for name, node in public_definitions(module.tree.body):
            if isinstance(node, ast.ClassDef):
                continue
            stars = [star for star in (node.args.vararg, node.args.kwarg) if star]
            lacking = [f"`{p.arg}`" for p in [*parameters(node), *stars] if p.annotation is None]
            lacking += ["what it returns"] if node.returns is None and node.name != "__init__" else []
            if lacking:
                offenders.append(
                    f"{module.path}:{node.lineno}: {name} lacks the type of {', '.join(lacking)}"
                )
    return offenders


def undocumented(modules: dict[str, Module]) -> list[str]:
    offenders = []
    for module in modules.values():
        if not module.public:
            continue
        if not ast.get_docstring(module.tree):
            offenders.append(f"{module.path}:1: the module has no docstring")
        for name, node in public_definitions(module.tree.body):
            overrides = any("override" in ast.unparse(decorator) for decorator in node.decorator_list)
            if not ast.get_docstring(node) and not is_special(node.name) and not overrides:
                offenders.append(f"{module.path}:{node.lineno}: {name} has no docstring")
    return offenders


def told(offenders: list[str]) -> str:
    return "\n".join(["", *(line.replace(f"{ROOT}/", "") for line in offenders)])


@pytest.mark.parametrize("check", [imports_that_point_up, cycles, big_functions, untyped, undocumented])
def test_hakari_keeps_its_budgets(check: Callable[[dict[str, Module]], list[str]]) -> None:
    offenders = check(hakari_modules())
    assert not offenders, told(offenders)


def test_no_source_file_is_too_long() -> None:
    offenders = long_files(PACKAGE, ".py", ".c", ".h")
    assert not offenders, told(offenders)


@pytest.mark.parametrize("folder", ["tests", "benchmarks"])
def test_tests_and_benchmarks_stay_as_small(folder: str) -> None:
    offenders = [*long_files(ROOT / folder, ".py"), *big_functions(modules_of(ROOT / folder))]
    assert not offenders, told(offenders)


def test_every_room_has_one_floor_and_the_tree_is_really_read() -> None:
    rooms = [room for floor in FLOORS for room in floor]
    assert len(rooms) == len(set(rooms))
    assert {"hakari.types", "hakari.cli", "hakari.measures.kinds.ndcg"} <= set(hakari_modules())
    used = {name for module in hakari_modules().values() for name, _ in leans_on(module, hakari_modules())}
    assert {"hakari.types", "hakari.errors", "hakari.native", "hakari.bench"} <= used


def test_warnings_are_errors() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["tool"]["pytest"]["ini_options"]["filterwarnings"] == ["error"]


OFFENCES: dict[str, tuple[Callable[[dict[str, Module]], list[str]], dict[str, str], list[str]]] = {
    "import at the top": (imports_that_point_up, {"io.py": "from hakari.store import x"}, ["hakari.store"]),
    "late import": (imports_that_point_up, {"io.py": "def f():\n    import hakari.store"}, ["hakari.store"]),
    "relative import": (
        imports_that_point_up,
        {"io.py": "from . import store\nfrom .store import x"},
        ["store"] * 2,
    ),
    "same floor": (imports_that_point_up, {"stats.py": "import hakari.store"}, ["hakari.store"]),
    "facade": (imports_that_point_up, {"io.py": "import hakari\nhakari.run()"}, ["run of the facade"]),
    "facade by name": (imports_that_point_up, {"io.py": "from hakari import run"}, ["leans on hakari,"]),
    "unknown room": (imports_that_point_up, {"attic.py": ""}, ["`attic` is on no floor"]),
    "type checking is allowed": (
        imports_that_point_up,
        {"io.py": "from hakari import __version__, errors\nif TYPE_CHECKING:\n    import hakari.store"},
        [],
    ),
    "cycle": (
        cycles,
        {"io.py": "import hakari.store", "store.py": "def f():\n    import hakari.io"},
        ["->"] * 2,
    ),
    "long function": (big_functions, {"io.py": "def f():\n" + "    f()\n" * 60}, ["f has 61 lines"]),
    "nested function": (
        big_functions,
        {"io.py": "def f():\n    def g(a, b, c, d, *, e, f, g, h): ..."},
        ["f.g has 8"],
    ),
    "self is not counted": (
        big_functions,
        {"io.py": "class C:\n    def g(self, a, b, c, d, e, f, g): ..."},
        [],
    ),
    "types": (
        untyped,
        {"io.py": "class C:\n    def f(self, a, *b, c: int): ..."},
        ["C.f lacks the type of `a`, `b`, what"],
    ),
    "private needs no types": (
        untyped,
        {"io.py": "def _f(a): ...\nclass C:\n    def __init__(self): ..."},
        [],
    ),
    "docstrings": (
        undocumented,
        {"io.py": "def f(): ...\nclass C:\n    def g(self): ...\n    def _h(self): ..."},
        ["the module", "f has no", "C has no", "C.g has no"],
    ),
}


@pytest.mark.parametrize("offence", OFFENCES)
def test_an_offence_is_found(offence: str, tmp_path: Path) -> None:
    check, files, expected = OFFENCES[offence]
    package = tmp_path / "hakari"
    package.mkdir()
    for name, text in {"__init__.py": '"""Top."""', "errors.py": "", "store.py": "x = 1", **files}.items():
        (package / name).write_text(text, encoding="utf-8")
    modules = modules_of(package)
    if check is undocumented:
        modules = {name: module for name, module in modules.items() if name == "hakari.io"}
    found = check(modules)
    assert len(found) == len(expected), found
    assert all(part in line for part, line in zip(expected, found, strict=True)), found


def test_a_long_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "fits.py").write_text("x = 1\n" * 400, encoding="utf-8")
    (tmp_path / "long.c").write_text("\n" * 401, encoding="utf-8")
    (tmp_path / "bench.py").write_text("\n" * 201, encoding="utf-8")
    found = long_files(tmp_path, ".py", ".c")
    assert [line.split(": ")[1] for line in found] == ["201 lines, at most 200", "401 lines, at most 400"]
