"""Tables on terminals of any width: folded or drawn in parts, never cut."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from hakari.report.tables import Table, detectable, draw, fitting, markdown, plain

MEASURES = ("nDCG@10", "hit@10", "R@100")
TASKS = ("DocstringToFunction", "ApiReference")
SYSTEMS = ("bm25", "rrf(bm25-code,bge_small_en)")


def results() -> Table:
    rows, breaks = [], []
    for t, task in enumerate(TASKS):
        breaks.append(len(rows))
        for s, system in enumerate(SYSTEMS):
            cells = [f".{t}{s}{m} [.30,.42]{'*' if s else ' '}" for m in range(len(MEASURES))]
            rows.append(["" if s else task, system, *cells, f"{t}.{s}7"])
    columns = ["task", "retriever", *MEASURES, "seconds"]
    return Table("NanoX: 2 tasks", columns, rows, texts=(0, 1), notes=["a note " * 30], breaks=breaks[1:])


def drawn(table: Table, width: int) -> list[str]:
    out = StringIO()
    draw(Console(file=out, width=width, color_system=None, highlight=False, markup=False), [table])
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 79, 80, 100, 120, 300])
def test_no_number_is_cut_at_any_width(width: int) -> None:
    table = results()
    text = "\n".join(drawn(table, width))
    for row in table.rows:
        for cell in row[2:]:
            assert cell.strip() in text
    if width >= 40:
        assert all(name in text for name in (*TASKS, *SYSTEMS, *MEASURES))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_fit_and_end_without_spaces(width: int) -> None:
    lines = drawn(results(), width)
    assert max(map(len, lines)) <= width
    notes = lines.index("", len(lines) - 8)
    assert all(line == line.rstrip() for line in lines[:notes])


def test_numbers_line_up_with_and_without_a_mark() -> None:
    lines = [line for line in drawn(results(), 200) if "[.30,.42]" in line]
    assert len(lines) == 4
    assert len({tuple(i for i, c in enumerate(line) if c == "[") for line in lines}) == 1


def test_a_wide_table_stays_whole_and_a_narrow_one_repeats_who_it_speaks_of() -> None:
    table = results()
    assert fitting(table, 200) == [table]
    parts = fitting(table, 60)
    assert len(parts) > 1
    assert {p.columns[0] for p in parts} == {"task, retriever"}
    assert [row[0] for row in parts[0].rows] == [
        *(TASKS[0], *(f"  {s}" for s in SYSTEMS)),
        *(TASKS[1], *(f"  {s}" for s in SYSTEMS)),
    ]
    assert [c for p in parts for c in p.columns[1:]] == [*MEASURES, "seconds"]


def test_a_table_of_text_is_folded_and_a_column_without_a_name_has_no_heading() -> None:
    told = drawn(Table("", ["", ""], [["content", "x" * 90]], texts=(0, 1)), 50)
    assert "".join(line.split("  ")[-1] for line in told).count("x") == 90
    assert told[0].startswith("content")


def test_a_difference_beyond_one_is_not_told_as_a_number() -> None:
    assert [detectable(x) for x in (None, 0.05, 1.0, 3.9)] == ["–", ".050", "1.000", ">1"]


def test_models_in_folders_are_told_by_the_ends_of_their_paths() -> None:
    rows = [["late:st:/home/me/models/small/model", "1"], ["rrf(bm25,st:/home/me/models/large/model)", "2"]]
    told = plain(Table("", ["retriever", "nDCG@10"], rows, notes=["st:/home/me/models/large/model was cut"]))
    assert "late:st:…/small/model " in told
    assert "rrf(bm25,st:…/large/model) " in told
    assert "st:…/large/model was cut" in told
    assert "/home" not in told + markdown(Table("", ["retriever"], [[row[0]] for row in rows]))


def test_paths_are_told_as_far_as_they_differ() -> None:
    rows = [["st:/a/one/small/model"], ["st:/a/two/small/model"], ["st:/models/m"]]
    told = plain(Table("", ["retriever"], rows))
    assert [line.strip() for line in told.splitlines()[2:]] == [
        "st:…/one/small/model",
        "st:…/two/small/model",
        "st:/models/m",
    ]
