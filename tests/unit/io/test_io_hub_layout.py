"""Which files of a repository make which task."""

from __future__ import annotations

import pytest

from hakari.io.hub_layout import names_on_disk, tasks_in

PARTS = ("corpus", "queries", "qrels")


def card(*configs: str) -> str:
    return "---\nlanguage:\n- no\nconfigs:\n" + "".join(configs) + "---\n# NanoX\n"


def config(name: str, *splits: tuple[str, str]) -> str:
    files = "".join(f"  - split: {split}\n    path: {path}\n" for split, path in splits)
    return f"- config_name: {name}\n  data_files:\n{files}"


def test_folders_are_configurations_and_files_are_tasks() -> None:
    paths = [f"{part}/{task}-00000-of-00001.parquet" for part in (*PARTS, "bm25") for task in ("A", "B")]
    found = tasks_in([*paths, "README.md", "metadata/A.json", "deep/er/A.parquet", "A.parquet"], None)
    assert list(found) == ["A", "B"]
    assert found["A"] == {
        "bm25": ["bm25/A-00000-of-00001.parquet"],
        "corpus": ["corpus/A-00000-of-00001.parquet"],
        "qrels": ["qrels/A-00000-of-00001.parquet"],
        "queries": ["queries/A-00000-of-00001.parquet"],
        "metadata": ["metadata/A.json"],
    }


def test_shards_stay_in_order_and_data_may_be_above() -> None:
    shards = [f"data/corpus/A-0000{n}-of-00003.parquet" for n in range(3)]
    found = tasks_in([*reversed(shards), "data/queries/A.parquet", "data/qrels/A.parquet"], None)
    assert found["A"]["corpus"] == shards
    assert names_on_disk("A", shards)[2] == "A-00002-of-00003.parquet"
    assert names_on_disk("A", ["one"]) == ["A.parquet"]


def test_the_card_counts_before_the_folders() -> None:
    stated = [config(part, ("A", f"x/{part}.parquet"), ("no", f"x/{part}-no-*")) for part in PARTS]
    paths = [f"x/{part}{more}.parquet" for part in PARTS for more in ("", "-no-00000-of-00001")]
    found = tasks_in([*paths, *(f"{part}/Other.parquet" for part in PARTS)], card(*stated))
    assert list(found) == ["A", "no"]
    assert found["A"]["corpus"] == ["x/corpus.parquet"]
    assert found["no"]["qrels"] == ["x/qrels-no-00000-of-00001.parquet"]


def test_a_pattern_of_one_task_does_not_take_the_shards_of_another() -> None:
    splits = [("NanoX", "{part}/NanoX-*"), ("NanoX-Y", "{part}/NanoX-Y-*")]
    stated = [config(part, *((s, p.format(part=part)) for s, p in splits)) for part in PARTS]
    paths = [f"{part}/{split}-00000-of-00001.parquet" for part in PARTS for split, _ in splits]
    found = tasks_in(paths, card(*stated))
    assert found["NanoX"]["corpus"] == ["corpus/NanoX-00000-of-00001.parquet"]
    assert found["NanoX-Y"]["corpus"] == ["corpus/NanoX-Y-00000-of-00001.parquet"]


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\n: [\n---\n",
        "---\nconfigs: 7\n---\n",
        "---\nconfigs:\n- corpus\n---\n",
        "---\nconfigs:\n- config_name: corpus\n---\n",
        "---\n- a\n---\n",
    ],
)
def test_a_card_that_says_nothing_useful_is_passed_over(text: str) -> None:
    assert list(tasks_in([f"{part}/A.parquet" for part in PARTS], text)) == ["A"]


def test_data_files_take_every_form_that_cards_have() -> None:
    forms = [
        "- config_name: corpus\n  data_files: c.parquet\n",
        "- config_name: queries\n  data_files: [q.parquet]\n",
        "- config_name: qrels\n  data_dir: r\n  data_files:\n    train: r.parquet\n",
    ]
    found = tasks_in(["c.parquet", "q.parquet", "r/r.parquet"], card(*forms))
    assert found == {"train": {"corpus": ["c.parquet"], "queries": ["q.parquet"], "qrels": ["r/r.parquet"]}}


@pytest.mark.parametrize(
    "name", ["../../x", "..", ".hidden", "a/b", "a\\b", "x" * 300, "new\nline", "C:x", ""]
)
def test_names_that_lead_elsewhere_are_passed_over(name: str) -> None:
    quoted = '"' + name.replace("\\", "\\\\").replace("\n", "\\n") + '"'
    stated = [config(part, (quoted, "f.parquet"), ("A", "f.parquet")) for part in PARTS]
    assert list(tasks_in(["f.parquet"], card(*stated))) == ["A"]
