from __future__ import annotations

from pathlib import Path

import pytest
from data_builders import write_beir, write_nano

from hakari.errors import InvalidInput, UnknownName, UsageError
from hakari.tasks import registry, traits
from hakari.tasks.registry import cache_folder, known, load, resolve


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tasks: two sets, and two more one level below."""
    monkeypatch.delenv("HAKARI_TASKS", raising=False)
    root = tmp_path / "shelf"
    for split in ("TextToSQL", "CodeToSQL", "Other"):
        write_nano(root / "NanoX", split)
    write_nano(root / "group" / "NanoY")
    write_beir(root / "group" / "beir-z", "dev")
    write_beir(root / "beir-x")
    (root / "notes.txt").touch()
    (root / ".hidden").mkdir()
    return root


def names(spec: str, tasks_dir: Path | None = None) -> list[str]:
    return [ref.name for ref in resolve(spec, tasks_dir)]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("NanoX", ["NanoX/CodeToSQL", "NanoX/Other", "NanoX/TextToSQL"]),
        ("NanoX/Other", ["NanoX/Other"]),
        ("NanoX/*SQL", ["NanoX/CodeToSQL", "NanoX/TextToSQL"]),
        ("NanoX/[CT]*ToSQL", ["NanoX/CodeToSQL", "NanoX/TextToSQL"]),
        ("Nano*/*T*", ["NanoX/CodeToSQL", "NanoX/TextToSQL", "NanoY/Task"]),
        ("Nano?", ["NanoX/CodeToSQL", "NanoX/Other", "NanoX/TextToSQL", "NanoY/Task"]),
        ("NanoY", ["NanoY/Task"]),
        ("beir-z/dev", ["beir-z/dev"]),
        ("beir-x", ["beir-x/test"]),
        ("NanoY, NanoX/Other", ["NanoY/Task", "NanoX/Other"]),
        ("NanoX/*SQL,NanoX", ["NanoX/CodeToSQL", "NanoX/TextToSQL", "NanoX/Other"]),
    ],
)
def test_names_of_the_folder_of_tasks(shelf: Path, monkeypatch, spec: str, expected: list[str]):
    assert names(spec, shelf) == expected
    monkeypatch.setenv("HAKARI_TASKS", str(shelf))
    assert names(spec) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("{}/NanoX", ["NanoX/CodeToSQL", "NanoX/Other", "NanoX/TextToSQL"]),
        ("{}/NanoX/", ["NanoX/CodeToSQL", "NanoX/Other", "NanoX/TextToSQL"]),
        ("{}/NanoX/Other", ["NanoX/Other"]),
        ("{}/NanoX/*SQL", ["NanoX/CodeToSQL", "NanoX/TextToSQL"]),
        ("{}/beir-x", ["beir-x/test"]),
        ("{}/beir-x/test", ["beir-x/test"]),
        ("{}/group/NanoY,{}/beir-x", ["NanoY/Task", "beir-x/test"]),
    ],
)
def test_paths(shelf: Path, monkeypatch, spec: str, expected: list[str]):
    assert names(spec.replace("{}", str(shelf))) == expected
    monkeypatch.chdir(shelf)
    assert names(spec.replace("{}", ".")) == expected
    monkeypatch.chdir(shelf.parent)
    assert names(spec.replace("{}", "shelf")) == expected


def test_the_folder_itself_may_be_where_we_stand(shelf: Path, monkeypatch):
    monkeypatch.chdir(shelf / "group" / "NanoY")
    assert names(".") == ["NanoY/Task"]


def test_names_come_before_paths(shelf: Path, monkeypatch):
    write_nano(shelf.parent / "NanoX", "Elsewhere")
    monkeypatch.chdir(shelf.parent)
    assert names("NanoX/Other", shelf) == ["NanoX/Other"]
    assert names("NanoX") == ["NanoX/Elsewhere"]
    assert names("./NanoX", shelf) == ["NanoX/Elsewhere"]


def test_folders_with_commas_are_one_folder(tmp_path: Path):
    assert names(str(write_nano(tmp_path / "a,b" / "NanoX"))) == ["NanoX/Task"]


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("NanoZ", "NanoX"),
        ("nanox", "NanoX"),
        ("NanoX/Othr", "NanoX/Other"),
        ("zzz", "hakari tasks"),
        ("a/b/c", "list"),
    ],
)
def test_unknown_names_come_with_the_nearest(shelf: Path, spec: str, hint: str):
    with pytest.raises(UnknownName) as caught:
        resolve(spec, shelf)
    assert spec in caught.value.message
    assert hint in (caught.value.hint or "")


def test_an_unknown_task_of_a_path(shelf: Path):
    with pytest.raises(UnknownName, match="Othr") as caught:
        resolve(f"{shelf}/NanoX/Othr")
    assert "`Other`" in (caught.value.hint or "")


@pytest.mark.parametrize("spec", ["", " , ", "/nowhere/at/all", "./nothing"])
def test_what_names_nothing_is_an_error(shelf: Path, spec: str):
    with pytest.raises(UsageError) as caught:
        resolve(spec, shelf)
    assert caught.value.hint


def test_a_folder_of_something_else_is_an_error(tmp_path: Path):
    with pytest.raises(InvalidInput, match="holds no tasks"):
        resolve(str(tmp_path))


def test_a_missing_folder_of_tasks_is_an_error(tmp_path: Path, monkeypatch):
    with pytest.raises(InvalidInput, match="--tasks-dir"):
        resolve("NanoX", tmp_path / "missing")
    monkeypatch.setenv("HAKARI_TASKS", str(tmp_path / "missing"))
    with pytest.raises(InvalidInput, match="HAKARI_TASKS"):
        resolve("NanoX")


def test_a_set_that_is_there_twice_is_an_error_where_it_is_asked_for(shelf: Path):
    write_nano(shelf / "other" / "NanoY")
    assert names("NanoX/Other", shelf) == ["NanoX/Other"]
    with pytest.raises(UsageError, match="2 times"):
        resolve("NanoY", shelf)
    with pytest.raises(UsageError, match="both in"):
        resolve(f"{shelf}/group/NanoY,{shelf}/other/NanoY")


def test_sets_are_built_on_demand_into_the_cache(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("HAKARI_TASKS", raising=False)
    monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
    built: list[Path] = []

    def build(cache: Path) -> Path:
        built.append(cache)
        return write_nano(cache / "NanoBuilt")

    monkeypatch.setitem(registry.builders, "NanoBuilt", build)
    assert known() == []
    assert built == []
    assert names("NanoBuilt/Task") == ["NanoBuilt/Task"]
    assert names("NanoBuilt/Ta*") == ["NanoBuilt/Task"]
    with pytest.raises(UnknownName):  # a glob is over what is there
        resolve("Nano*/Ta*")
    assert set(built) == {tmp_path / "cache"}
    with pytest.raises(UnknownName) as caught:
        resolve("NanoBilt")
    assert "NanoBuilt" in (caught.value.hint or "")


def test_where_the_cache_lies(monkeypatch):
    monkeypatch.setenv("HAKARI_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("HAKARI_CACHE")
    assert cache_folder() == Path("/b/hakari")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("/c/.cache/hakari")


def test_known_lists_everything_in_order(shelf: Path):
    assert [ref.name for ref in known(shelf)] == [
        "NanoX/CodeToSQL",
        "NanoX/Other",
        "NanoX/TextToSQL",
        "NanoY/Task",
        "beir-x/test",
        "beir-z/dev",
    ]


def test_flags_count_before_metadata_and_metadata_before_the_catalog(tmp_path: Path, monkeypatch):
    write_nano(tmp_path / "NanoX", metadata={"language": "en"})
    known = {"language": "fr", "category": "code", "shape": "qa"}
    monkeypatch.setattr(traits, "traits_of", lambda name: known)
    (task,) = load(str(tmp_path / "NanoX"))
    assert (task.language, task.category, task.shape) == ("en", "code", "qa")
    assert task.origins == {"language": "metadata", "category": "catalog", "shape": "catalog"}
    (task,) = load(str(tmp_path / "NanoX"), language="de", category="natural_language")
    assert (task.language, task.category) == ("de", "natural_language")
    assert task.origins == {"language": "flag", "category": "flag", "shape": "catalog"}


def test_what_nobody_states_is_detected(tmp_path: Path):
    pytest.importorskip("hakari.text.detect")
    write_nano(tmp_path / "NanoX", metadata={"language": "fr"})
    (task,) = load(str(tmp_path / "NanoX"))
    assert task.language == "fr"
    assert task.category in ("code", "natural_language")
    assert task.origins == {"language": "metadata", "category": "detected"}


@pytest.mark.parametrize("flags", [{"language": "the English"}, {"category": "poetry"}])
def test_flags_are_checked(tmp_path: Path, flags: dict[str, str]):
    write_nano(tmp_path / "NanoX")
    with pytest.raises(InvalidInput) as caught:
        load(str(tmp_path / "NanoX"), **flags)
    assert caught.value.hint


def test_all_real_tasks_load(real_data: Path):
    refs = known(real_data)
    assert len(refs) == 24
    for ref in refs:
        task = ref.load()
        assert {task.origins["language"], task.origins["category"]} == {"metadata"}
        assert len(task.corpus) >= 240
        assert task.notes == ()


def test_a_folder_reached_from_within_keeps_its_name(shelf: Path, monkeypatch):
    monkeypatch.chdir(shelf / "group" / "NanoY" / "corpus")
    assert names("..") == ["NanoY/Task"]
    assert [task.name for task in registry.load("..")] == ["NanoY/Task"]
