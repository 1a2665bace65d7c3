from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from hakari.nano.definitions import Definition, Harvest
from hakari.nano.harvest import harvest
from hakari.nano.sources import find_sources


def read(folder: Path, source: str | bytes, name: str = "m.py") -> Harvest:
    data = dedent(source).lstrip("\n").encode() if isinstance(source, str) else source
    (folder / name).write_bytes(data)
    return harvest(find_sources(folder))


def only(folder: Path, source: str | bytes) -> Definition:
    (found,) = read(folder, source).definitions
    return found


def test_decorators_comments_and_layout_stay_and_the_docstring_goes(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        '''
        # above
        @cache
        @route("/x",
               methods=[])
        async def load(name, *, strict=True) -> str:  # why
            """Load a thing.

            More.
            """

            # first
            a = 1

            return a
        ''',
    )
    assert found.name == "m.load"
    assert found.kind == "function"
    assert found.signature == "(name, *, strict=True) -> str"
    assert found.docstring == "Load a thing.\n\nMore."
    assert found.code == (
        '@cache\n@route("/x",\n       methods=[])\nasync def load(name, *, strict=True) -> str:  # why\n'
        "    # first\n    a = 1\n\n    return a"
    )
    assert found.statements == 2


def test_methods_lose_their_indentation_but_strings_keep_theirs(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        """
        class A:
            '''About A.'''
            def f(self, x, /, y=1):
                text = '''
                kept
            '''
                g(x,
                  "a"
                  "b")
                return text
        """,
    ).definitions
    assert [(item.name, item.kind, item.signature) for item in found] == [
        ("m.A", "class", "()"),
        ("m.A.f", "method", "(x, /, y=1)"),
    ]
    assert found[0].docstring == "About A."
    assert found[1].code == (
        "def f(self, x, /, y=1):\n    text = '''\n        kept\n    '''\n"
        '    g(x,\n      "a"\n      "b")\n    return text'
    )


def test_nested_docstrings_go_and_nested_functions_stay_inside(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        '''
        def outer():
            "Outer."
            def inner():
                """Inner says Outer."""
            class Local:
                """Local."""
                x = 1
            return inner
        ''',
    )
    (found,) = result.definitions
    assert found.code == (
        "def outer():\n    def inner():\n        ...\n    class Local:\n        x = 1\n    return inner"
    )
    assert result.stages[1].left_out == {"nested in another function": 1}


@pytest.mark.parametrize(
    ("source", "code", "docstring"),
    [
        ('def f(): "One line."; return 1', "def f(): return 1", "One line."),
        ('def f(): "Alone."', "def f(): ...", "Alone."),
        ('def f():\n    "A" " joined."\n    return 1', "def f():\n    return 1", "A joined."),
        ('def f():\n    ("In brackets.")\n    return 1', "def f():\n    return 1", "In brackets."),
        ('def f():\n    "Doc."  # note\n    return 1', "def f():\n    # note\n    return 1", "Doc."),
        ('def f():\n    "é → 漢"; return "ü"', 'def f():\n    return "ü"', "é → 漢"),
        (r"def f():" "\n" r'    r"Raw \d."' "\n    return 1", "def f():\n    return 1", r"Raw \d."),
        (
            r"def f():" "\n" r'    "Tab\tand \x41."' "\n    return 1",
            "def f():\n    return 1",
            "Tab     and A.",
        ),
        ('def f():\n    b"Bytes."\n    return 1', 'def f():\n    b"Bytes."\n    return 1', ""),
        ('def f(x):\n    f"Not {x}."\n    return 1', 'def f(x):\n    f"Not {x}."\n    return 1', ""),
        (r"def f():" "\n" r'    "Lone \ud800."' "\n    return 1", "def f():\n    return 1", "Lone ?."),
    ],
)
def test_docstrings_are_found_exactly(tmp_path: Path, source: str, code: str, docstring: str) -> None:
    found = only(tmp_path, source.encode())
    assert (found.code, found.docstring) == (code, docstring)


def test_statements_begin_with_the_comments_above_them(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        """
        def f(a):
            'Doc.'
            x = a; y = a

            # about the loop
            for i in x:
                y += i
            @wrap
            def g():
                pass
            return g
        """,
    )
    lines = found.code.split("\n")
    assert [lines[start].strip() for start in found.statement_lines] == [
        "x = a; y = a",
        "# about the loop",
        "@wrap",
        "return g",
    ]


def test_repeated_names_are_numbered_and_overload_stubs_left_out(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        """
        import sys, typing
        if sys.platform == "win32":
            def f(): return 1
        else:
            def f(): return 2
        try:
            pass
        except ImportError:
            def f(): return 3
        class A:
            @property
            def x(self): return 1
            @x.setter
            def x(self, value): pass
            @staticmethod
            def s(a): pass
            @classmethod
            def c(cls, a): pass
            @typing.overload
            def o(self, a: int): ...
            @typing.overload
            def o(self, a: str): ...
            def o(self, a): return a
        """,
    )
    assert [(item.name, item.signature) for item in result.definitions] == [
        ("m.A", "()"),
        ("m.A.c", "(a)"),
        ("m.A.o", "(a)"),
        ("m.A.s", "(a)"),
        ("m.A.x", "()"),
        ("m.A.x#2", "(value)"),
        ("m.f", "()"),
        ("m.f#2", "()"),
        ("m.f#3", "()"),
    ]
    assert [item.own_name for item in result.definitions][5] == "x"
    assert result.stages[1].left_out == {"overload stubs": 2}


def test_declared_encodings_marks_and_foreign_line_ends_are_read(tmp_path: Path) -> None:
    read(tmp_path, '# coding: latin-1\ndef a():\n    "Café."\n    return "é"\n'.encode("latin-1"), "a.py")
    read(tmp_path, '\ufeffdef b():\n    "Bö."\n    return 1\n'.encode(), "b.py")
    found = read(tmp_path, b'def c():\r\n    """C\r\n    d."""\r\n    return 1\r\n', "c.py").definitions
    assert [(item.name, item.docstring, item.code) for item in found] == [
        ("a.a", "Café.", 'def a():\n    return "é"'),
        ("b.b", "Bö.", "def b():\n    return 1"),
        ("c.c", "C\nd.", "def c():\n    return 1"),
    ]


def test_files_that_are_not_python_are_skipped_and_counted(tmp_path: Path) -> None:
    read(tmp_path, b"def broken(:\n", "syntax.py")
    read(tmp_path, b"x = '\xff'\n", "bytes.py")
    read(tmp_path, b"x = 1\x00\n", "null.py")
    read(tmp_path, b"# coding: no-such-codec\n", "codec.py")
    read(tmp_path, b"x = " + b"(" * 5_000 + b")" * 5_000, "deep.py")
    result = read(tmp_path, b'def f():\n    "\\d is a bad escape."\n    return 1\n', "good.py")
    assert [item.name for item in result.definitions] == ["good.f"]
    assert result.stages[0].left_out == {"unreadable": 5}
    assert (result.stages[0].seen, result.stages[0].kept) == (6, 1)


@pytest.mark.parametrize("package", ["email", "asyncio", "typing", "_pydecimal"])
def test_real_functions_are_cut_out_without_changing_what_they_do(package: str) -> None:
    sources = find_sources(package)
    wanted = {}
    for file in sources.files:
        for node in ast.walk(ast.parse(file.path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                wanted.setdefault(ast.dump(without_docstrings(node)), node.name)
    found = [item for item in harvest(sources).definitions if item.kind != "class"]
    assert found
    for item in found:
        (tree,) = ast.parse(item.code).body
        assert wanted.get(ast.dump(tree)) == item.own_name, item.name


def without_docstrings(node: ast.AST) -> ast.AST:
    for part in ast.walk(node):
        documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        if isinstance(part, documented) and ast.get_docstring(part, clean=False) is not None:
            part.body = part.body[1:] or [ast.Expr(ast.Constant(...))]
    return node
