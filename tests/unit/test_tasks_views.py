"""Names of published tasks: suites, data sets, globs, views, and what is listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import within
from small import small_set, small_task

from hakari.errors import UnknownName
from hakari.io.nano_write import write_nano_set
from hakari.tasks import catalog, registry, remote, views
from hakari.tasks.assemble import Traits, assemble
from hakari.tasks.listing import Wanted, listed, suites


@pytest.mark.parametrize(
    ("item", "count"),
    [
        ("all", 563),
        ("Overall", 550),
        ("code", 19),
        ("category:code", 19),
        ("natural_language", 531),
        ("lang:ja", 26),
        ("shape:text-to-code", 7),
        ("shape:text-to-code/lang:en", 7),
        ("lang:ja/category:code", 0),
        ("domain:law", 32),
        ("domain:chemistry", 3),
        ("NanoRTEB/domain:finance", 3),
        ("all/domain:patents", 12),
        ("domain:law/lang:de", 3),
        ("NanoCoIR", 10),
        ("NanoCoIR/", 10),
        ("NanoCoIR/NanoCosQA", 1),
        ("NanoCoIR/shape:dialogue", 2),
        ("Nano*/*SQL", 2),
        ("MNanoBEIR", 169),
        ("MNanoBEIR/NanoArguAna", 13),
        ("MNanoBEIR/lang:ja", 13),
        ("NanoBEIR-ja", 13),
        ("NanoBEIR-*", 182),
        ("*", 569),
        ("*/NanoSciFact", 15),
        ("NanoNone", 0),
        ("NanoCoIR/NanoNone", 0),
        ("nanocoir", 0),
    ],
)
def test_names_stand_for_tasks(item: str, count: int) -> None:
    chosen = views.select(item)
    assert len(chosen) == count
    assert len({entry.name for entry in chosen}) == count


def test_views_by_language_and_category_cover_overall_once() -> None:
    overall = {entry.name for entry in views.select("Overall")}
    by_language = [
        entry.name
        for language in {entry.language for entry in catalog.entries()}
        for entry in views.select(f"lang:{language}")
    ]
    by_category = [entry.name for name in ("code", "natural_language") for entry in views.select(name)]
    assert sorted(by_language) == sorted(by_category) == sorted(overall)


def test_a_trait_that_nothing_has_is_an_error() -> None:
    with pytest.raises(UnknownName, match="medicine"):
        views.select("domain:medicin")
    with pytest.raises(UnknownName, match="text-to-code"):
        views.select("shape:text-to-cod")


def test_a_set_in_the_folder_of_tasks_comes_before_the_published_one(tmp_path: Path) -> None:
    task = small_task()
    texts = [dict(zip(part.ids, part.texts, strict=True)) for part in (task.queries, task.corpus)]
    judged = [(query, task.corpus.ids[0], 1) for query in task.queries.ids]
    mine = assemble("NanoCoIR", "NanoCosQA", *texts, judged, traits=Traits("en", "code"))
    write_nano_set(tmp_path / "NanoCoIR", [mine])
    assert [ref.name for ref in registry.resolve("NanoCoIR", tmp_path)] == ["NanoCoIR/NanoCosQA"]
    code = registry.resolve("code", tmp_path)
    assert len(code) == 19
    local = [ref for ref in code if not isinstance(ref, remote.RemoteRef)]
    assert [ref.folder for ref in local] == [tmp_path / "NanoCoIR"]
    (elsewhere,) = registry.resolve("NanoCoIR/NanoApps", tmp_path)
    assert isinstance(elsewhere, remote.RemoteRef)
    row = next(r for r in listed(Wanted("cosqa"), tmp_path) if r["task"] == "NanoCoIR/NanoCosQA")
    assert (row["installed"], row["where"]) == (True, str(tmp_path / "NanoCoIR"))
    assert row["published"]["bm25"]["config"] == "bm25"


def test_a_path_that_holds_tasks_comes_before_the_published_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_set(tmp_path).rename(tmp_path / "NanoCoIR")
    (tmp_path / "code").mkdir()
    monkeypatch.chdir(tmp_path)
    assert [ref.name for ref in registry.resolve("NanoCoIR")] == ["NanoCoIR/First", "NanoCoIR/Second"]
    assert len(registry.resolve("code")) == 19, "a folder without tasks is in nobody's way"


@pytest.mark.parametrize(
    ("item", "near"),
    [("NanoCoIT", "NanoCoIR"), ("NanoCoIR/NanoCosQB", "NanoCoIR/NanoCosQA"), ("overal", "Overall")],
)
def test_a_misspelt_name_is_told_with_the_nearest(item: str, near: str) -> None:
    with pytest.raises(UnknownName, match=near):
        registry.resolve(item)


def test_listing_is_filtered_by_every_criterion(tmp_path: Path) -> None:
    place = small_set(tmp_path).parent
    everything = [row["task"] for row in listed(Wanted(), place)]
    assert len(everything) == len(set(everything)) >= 569 + 2
    names = {
        row["task"] for row in listed(Wanted(language="en", category="code", shape="text-to-code"), place)
    }
    assert {"NanoTest/First", "NanoCoIR/NanoCosQA"} <= names
    assert len(names) == 7 + 2
    assert {row["suite"] for row in listed(Wanted(suite="MNanoBEIR"), place)} == {"MNanoBEIR"}
    assert len(listed(Wanted("MNanoBEIR/lang:ja"), place)) == 13
    assert len(listed(Wanted(view="Overall", language="ja"), place)) == 26
    assert listed(Wanted("first", language="ja"), place) == []
    with pytest.raises(UnknownName, match="Overall"):
        listed(Wanted(view="overal"), place)
    (row,) = listed(Wanted("NanoCoIR/NanoCosQA"), place)
    assert row["where"] == "hub:hakari-bench/NanoCoIR"
    assert row["installed"] is False
    assert row["published"]["bm25"]["ndcg_at_10"] == pytest.approx(0.305, abs=0.001)


def test_suites_add_up() -> None:
    rows = suites()
    assert sum(row["tasks"] for row in rows) == 569
    assert next(row for row in rows if row["suite"] == "MNanoBEIR")["languages"] == "14 languages"


def test_the_command_tells_suites_then_tasks_and_what_they_repeat() -> None:
    overview = within("tasks").stdout
    assert "569 published tasks" in overview
    assert "NanoMTEB-Scandinavian" in overview
    assert "NanoArguAna" not in overview
    told = within("tasks", "NanoLaw").stdout
    assert "NanoRTEB/NanoAILACasedocs" in told
    assert "hub:hakari-bench/NanoLaw" in told
    assert "`hakari tasks` lists" in within("tasks", "--language", "xx").stdout
