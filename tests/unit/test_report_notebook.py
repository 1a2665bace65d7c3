"""What a notebook shows: HTML in which nothing from the data is markup, and data frames."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from small import small_task

import hakari
from hakari.errors import MissingPrerequisite
from hakari.report.tables import Table, html

EVIL = "<img src=x onerror=alert(1)>\"'&\x1b[31m"
TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes |= {f"{name}={value}" for name, value in attrs}


def results() -> hakari.Results:
    task = small_task()
    first = {q: {d: float(i) for i, d in enumerate(task.corpus.ids[:20])} for q in task.queries.ids}
    second = {q: {d: -float(i) for i, d in enumerate(task.corpus.ids)} for q in task.queries.ids[:-1]}
    runs = {tag: hakari.run_from_mapping(run, tag=tag) for tag, run in ((EVIL, first), ("other", second))}
    return hakari.score(runs, task.qrels)


def check(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert "table" in tags.found
    assert tags.found <= TAGS
    assert tags.attributes <= {"style=text-align:left", "style=text-align:right"}
    assert "\x1b" not in page


def test_results_and_comparisons_show_names_as_text() -> None:
    weighed = results()
    for page in (weighed._repr_html_(), weighed.compare()._repr_html_()):
        check(page)
        assert "&lt;img src=x" in page


def test_every_part_of_a_table_is_escaped() -> None:
    page = html(Table(EVIL, [EVIL, EVIL], [[EVIL, EVIL]], notes=[EVIL]))
    check(page)
    assert page.count("&lt;img") == 6


def test_what_is_shown_is_what_is_printed() -> None:
    weighed = results()
    tags = weighed._repr_html_()
    assert "nDCG@10" in repr(weighed)
    assert "nDCG@10" in tags
    for row in weighed.rows():
        assert f"{row['value']:.3f}".lstrip("0") in tags


@pytest.mark.peer
def test_data_frames_have_one_row_a_number() -> None:
    pytest.importorskip("pandas")
    weighed = results()
    frame = weighed.to_dataframe()
    assert len(frame) == len(weighed.rows()) == 6
    assert list(frame.columns) == [
        "task",
        "retriever",
        "variant",
        "measure",
        "value",
        "low",
        "high",
        "queries",
    ]
    assert frame["value"].between(frame["low"], frame["high"]).all()
    differences = weighed.compare().to_dataframe()
    assert len(differences) == 3
    assert {"diff", "p_holm"} <= set(differences.columns)


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingPrerequisite) as told:
        results().to_dataframe()
    assert "pip install pandas" in str(told.value)
