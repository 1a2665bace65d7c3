"""Made-up pairs from real code: mistakes change one place, and errors are those that Python raised."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from command import within as hakari

from hakari.mining.from_mistakes import mistake_rows
from hakari.mining.mutate import mistakes
from hakari.mining.run_examples import first_fault
from hakari.mining.short_queries import short_query
from hakari.nano.sources import find_sources

AVERAGE = '''
def moving_average(values, width):
    """Return the mean of every window of neighbouring values.

    >>> moving_average([1, 2, 3, 4], 2)
    [1.5, 2.5, 3.5]
    """
    if width < 1:
        raise ValueError("a window holds at least one value")
    sums = []
    for start in range(len(values) - width + 1):
        sums.append(sum(values[start : start + width]) / width)
    return sums


class Größe:
    def doubled(self, number):
        """Twice a number.

        >>> Größe().doubled(4)
        8
        """
        zähler = number * 2  # ümlaute
        return zähler
'''


def functions(source: str) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]


def test_a_mistake_changes_one_place_and_the_rest_stays_code() -> None:
    for function in functions(AVERAGE):
        made = mistakes(AVERAGE, function, function.name, 99)
        assert made
        assert len({mistake.kind for mistake in made}) == len(made)
        for mistake in made:
            broken = mistake.made_in(AVERAGE)
            assert broken != AVERAGE
            ast.parse(broken)
            assert AVERAGE[: mistake.start] == broken[: mistake.start]
            assert broken.endswith(AVERAGE[mistake.end :])


def test_no_mistake_is_put_into_the_docstring() -> None:
    (function,) = functions('def f():\n    """a.wrong_name(12, 13) < 14 and 1 + 2"""\n')
    assert mistakes('def f():\n    """a.wrong_name(12, 13) < 14 and 1 + 2"""\n', function, "f", 9) == []


def request(source: str, docstring: str) -> dict[str, object]:
    return {
        "module": "m",
        "package": "",
        "file": "m.py",
        "source": source,
        "docstring": docstring,
        "name": "f",
        "path": [],
    }


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def f(): return 1", None),
        ("def f(): return 2", "wrong result"),
        ("def f(): return g", "error"),
        ("import no_such_module", "import"),
    ],
)
def test_what_examples_say(source: str, kind: str | None) -> None:
    found = first_fault(request(source, ">>> f()\n1\n"))
    assert (found and found["kind"]) == kind


def test_errors_and_their_mending(tmp_path: Path) -> None:
    (tmp_path / "averages.py").write_text(AVERAGE, encoding="utf-8")
    rows = list(mistake_rows(find_sources(tmp_path), []))
    assert {row.name for row in rows} == {"averages.moving_average", "averages.Größe.doubled"}
    for row in rows:
        assert row.synthetic
        assert row.kind == "error-to-fix"
        assert ">>> " not in row.positive
        assert row.positive.startswith("def ")
        assert str(tmp_path) not in row.anchor
        ast.parse(row.positive)
    assert any("NameError" in row.anchor or "AttributeError" in row.anchor for row in rows)


def test_functions_that_never_end_or_do_not_hold_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hakari.mining.from_mistakes.SECONDS", 2.0)
    (tmp_path / "loops.py").write_text(
        'def count(limit):\n    """Count.\n\n    >>> count(3)\n    3\n    """\n    number = 0\n'
        "    while number != limit:\n        number = number + 1\n    return number\n\n\n"
        'def stale():\n    """Old.\n\n    >>> stale()\n    1\n    """\n    return 2\n'
    )
    stages: list = []
    rows = list(mistake_rows(find_sources(tmp_path), stages))
    assert all(row.name == "loops.count" for row in rows)
    assert stages[0].left_out["examples do not hold here"] == 1
    assert stages[0].left_out["mistakes that never end"] >= 1


def test_short_queries_are_short_and_always_the_same() -> None:
    summary = "Return the mean of every window of neighbouring values."
    query = short_query(summary, "moving_average")
    assert query == short_query(summary, "moving_average")
    assert query is not None
    assert 3 <= len(query.split()) <= 7
    assert not {"return", "the", "of"} & set(query.split())
    assert short_query("Returns it.", "f") is None


def test_the_command_runs_nothing_unless_asked(tmp_path: Path) -> None:
    (tmp_path / "averages.py").write_text(AVERAGE, encoding="utf-8")
    for name, more, kinds in (
        ("plain", [], {"search-to-function"}),
        ("run", ["--run"], {"search-to-function", "error-to-fix"}),
    ):
        out = tmp_path / f"{name}.jsonl"
        hakari("pairs", "synth", tmp_path / "averages.py", "--out", out, *more)
        told = [
            json.loads(line) for line in out.with_name(f"{name}.provenance.jsonl").read_text().splitlines()
        ]
        assert {row["kind"] for row in told} == kinds
        assert all(row["synthetic"] for row in told)
