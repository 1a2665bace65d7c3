"""Sets on a hub, read by the real client from a local server that speaks its protocol, and fails in every way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command import COMMAND, Done, hakari_json, within
from hub_server import Cut, Flip, HubServer, Short, Stall, Status
from small import small_set, small_task

from hakari.errors import MissingPrerequisite, install_hint
from hakari.io.nano_write import write_nano_set, written_parquet
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import assemble
from hakari.tasks.registry import resolve
from hakari.tasks.remote import RemoteRef

pytest.importorskip("huggingface_hub")

NAMED, COUNT = "NanoRTEB/NanoHumanEval", 158
"""A published task with as many queries as documents and positives."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub with one set of two tasks, and an empty cache."""
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        server.commit("org/NanoTest", small_set(tmp_path / "pushed"))
        yield server


def run(tasks: str, place: Path, code: int = 0, **environment: str) -> Done:
    return within("run", "bm25", "--on", tasks, "--results", place / "results", code=code, **environment)


def complete(place: Path) -> set[str]:
    """The tasks that are in the cache whole."""
    return {path.parent.name for path in (place / "cache").rglob("record.json")}


def published_set(folder: Path, count: int) -> Path:
    """A set with the names of a published one, with as many queries, documents and positives as said."""
    made = small_task("NanoHumanEval", queries=count, documents=count)
    texts = [dict(zip(part.ids, part.texts, strict=True)) for part in (made.queries, made.corpus)]
    queries = np.repeat(made.queries.ids, np.diff(made.qrels.offsets))
    judged = zip(queries, made.corpus.ids[made.qrels.documents], [1] * count, strict=True)
    write_nano_set(folder / "NanoRTEB", [assemble("NanoRTEB", "NanoHumanEval", *texts, judged)])
    return folder / "NanoRTEB"


def test_a_set_is_fetched_once_and_works_offline_ever_after(hub: HubServer, tmp_path: Path) -> None:
    run("hub:org/NanoTest", tmp_path)
    assert complete(tmp_path) == {"First", "Second"}
    here = resolve(str(tmp_path / "pushed" / "NanoTest"))
    for ours, theirs in zip(resolve("hub:org/NanoTest"), here, strict=True):
        assert ours.load().content == theirs.load().content
        assert ours.load().shape == "text-to-code", "metadata comes along"
    asked = len(hub.requests)
    run("hub:org/NanoTest", tmp_path)
    run("hub:org/NanoTest", tmp_path / "other", HF_HUB_OFFLINE="1")
    assert len(hub.requests) == asked


def test_offline_needs_neither_the_network_nor_the_client(hub: HubServer, tmp_path: Path) -> None:
    hub.commit("hakari-bench/NanoRTEB", published_set(tmp_path, COUNT))
    run(NAMED, tmp_path)
    code = (
        "import sys; from hakari.cli import execute; "
        f"code = execute(['run', 'bm25', '--on', '{NAMED}', '--results', '{tmp_path / 'again'}']); "
        "assert 'huggingface_hub' not in sys.modules; sys.exit(code)"
    )
    environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_only_what_is_asked_for_is_fetched(hub: HubServer, tmp_path: Path) -> None:
    run("hub:org/NanoTest/F*", tmp_path)
    assert complete(tmp_path) == {"First"}
    assert not any("Second" in request for request in hub.requests if "resolve" in request)


def test_what_a_repository_holds_is_listed(hub: HubServer, tmp_path: Path) -> None:
    assert {(r["task"], r["installed"]) for r in hakari_json("tasks", "hub:org/NanoTest")} == {
        ("NanoTest/First", False),
        ("NanoTest/Second", False),
    }
    run("hub:org/NanoTest/First", tmp_path)
    assert [r["installed"] for r in hakari_json("tasks", "hub:org/NanoTest")] == [True, False]


def test_a_revision_stays_at_its_commit(hub: HubServer, tmp_path: Path) -> None:
    before = resolve("hub:org/NanoTest/First")[0].load().content
    newer = tmp_path / "newer" / "NanoTest"
    write_nano_set(newer, [small_task("First", seed=99), small_task("Second")])
    commit = hub.commit("org/NanoTest", newer)
    assert resolve("hub:org/NanoTest/First")[0].load().content == before
    assert resolve(f"hub:org/NanoTest/First@{commit}")[0].load().content != before
    run("hub:org/NanoTest/Second", tmp_path)
    assert sum(commit in request for request in hub.requests if "Second" in request) == 0, "one commit a set"


def test_a_published_task_is_checked_against_the_catalog(hub: HubServer, tmp_path: Path) -> None:
    hub.commit("hakari-bench/NanoRTEB", published_set(tmp_path / "right", COUNT))
    run(NAMED, tmp_path)
    rows = hakari_json("tasks", NAMED)
    assert rows[0]["installed"] is True
    assert Path(rows[0]["where"]).is_dir()
    assert resolve(NAMED)[0].load().origins["shape"] == "catalog"


def test_a_published_task_with_other_counts_is_refused(hub: HubServer, tmp_path: Path) -> None:
    hub.commit("hakari-bench/NanoRTEB", published_set(tmp_path / "wrong", COUNT - 1))
    for _ in range(2):
        told = run(NAMED, tmp_path, code=2).stderr
        assert "157 queries, published are 158" in told
        assert "157 documents" in told
        assert "157 positives" in told
        assert complete(tmp_path) == set()
    run("hub:hakari-bench/NanoRTEB", tmp_path)
    assert "157 queries" in run(NAMED, tmp_path, code=2).stderr, "in the cache by another name is no better"


def test_real_published_tasks_pass_and_an_approximate_one_is_refused(
    hub: HubServer, tmp_path: Path, real_data: Path
) -> None:
    for name in ("NanoCoIR", "NanoCodeRAG"):
        files = {
            path.relative_to(real_data / name).as_posix(): path.read_bytes()
            for path in (real_data / name).rglob("*.parquet")
        }
        hub.commit(f"hakari-bench/{name}", files)
    for task in ("NanoCoIR/NanoCosQA", "NanoCodeRAG/NanoCodeRAGProgrammingSolutions"):
        (fetched,), (here,) = resolve(task), resolve(str(real_data / task))
        assert isinstance(fetched, RemoteRef)
        assert fetched.load().content == here.load().content
    told = run("NanoCodeRAG/NanoCodeRAGLibraryDocumentationSolutions", tmp_path, code=2).stderr
    assert "8,615 documents, published are 8,683" in told


def test_candidates_come_along(hub: HubServer, tmp_path: Path) -> None:
    folder = tmp_path / "pushed" / "NanoTest"
    task = small_task("First", seed=1)
    rankings = {
        "query-id": ("VARCHAR[]", task.queries.ids.tolist()),
        "corpus-ids": ("VARCHAR[][]", [task.corpus.ids[:5].tolist()] * len(task.queries)),
    }
    written_parquet(folder / "bm25" / "First-00000-of-00001.parquet", rankings)
    hub.commit("org/NanoTest", folder, branch="v2")
    assert list(resolve("hub:org/NanoTest/First@v2")[0].load().candidates) == ["bm25"]


def test_a_card_may_name_the_files(hub: HubServer, tmp_path: Path) -> None:
    folder = tmp_path / "pushed" / "NanoTest"
    parts = ("corpus", "queries", "qrels")
    files = {f"files/{part}-1.parquet": (folder / part / "First.parquet").read_bytes() for part in parts}
    stated = "".join(
        f"- config_name: {part}\n  data_files:\n  - split: NanoOne\n    path: files/{part}-*\n"
        for part in parts
    )
    stated += "- config_name: same\n  data_files:\n  - split: NanoOne\n    path: files/qrels-1.parquet\n"
    hub.commit("org/NanoCard", {**files, "README.md": f"---\nconfigs:\n{stated}---\n".encode()})
    (ref,) = resolve("hub:org/NanoCard")
    assert ref.name == "NanoCard/NanoOne"
    assert len(ref.load().queries) == 24


@pytest.mark.parametrize(
    "failure",
    [pytest.param(Cut(100), marks=pytest.mark.slow), Short(100), Flip(50), Status(404), Status(500)],
)
def test_a_failed_download_leaves_nothing_that_is_used_and_is_repeated(
    hub: HubServer, tmp_path: Path, failure: object
) -> None:
    times = 1 if isinstance(failure, Flip | Status) else 9
    hub.fail("GET", "cdn", "corpus/First", failure, times=times)
    words = ("GET", "cdn", "corpus/First")
    if isinstance(
        failure, Cut
    ):  # the client goes on after a cut by itself: it has to find the hub gone as well
        hub.fail(*words, Status(500), times=9)
    told = run("hub:org/NanoTest/First", tmp_path, code=3).stderr
    assert told.count("error: ") == 1
    assert "corpus/First.parquet" in told
    assert "hint: " in told
    assert complete(tmp_path) == set()
    hub.heal()
    run("hub:org/NanoTest/First", tmp_path)
    assert resolve("hub:org/NanoTest/First")[0].load().content == small_task("First", seed=1).content


def test_a_connection_that_is_cut_is_taken_up_again(hub: HubServer, tmp_path: Path) -> None:
    hub.fail("GET", "cdn", "corpus/First", Cut(500))
    run("hub:org/NanoTest/First", tmp_path)
    assert sum("GET" in r and "cdn" in r and "corpus/First" in r for r in hub.requests) == 2


@pytest.mark.parametrize(
    ("words", "failure", "code"),
    [
        (("revision/main",), Status(500), 3),
        (("revision/main",), Status(401), 3),
        (("revision/main",), Status(403), 3),
        (("tree/",), Status(404), 3),
    ],
)
def test_a_hub_that_will_not_say_what_it_holds_is_one_clear_error(
    hub: HubServer, tmp_path: Path, words: tuple[str, ...], failure: Status, code: int
) -> None:
    hub.fail(*words, failure, times=9)
    told = run("hub:org/NanoTest", tmp_path, code=code).stderr
    assert told.count("error: ") == 1
    assert "hint: " in told


def test_a_hub_that_is_not_there_is_one_clear_error(hub: HubServer, tmp_path: Path) -> None:
    for tasks in (NAMED, "hub:org/NanoTest"):
        told = run(tasks, tmp_path, code=3, HF_ENDPOINT="http://127.0.0.1:9").stderr
        assert "cannot be fetched from http://127.0.0.1:9" in told
        assert "--tasks-dir" in told
    told = run(NAMED, tmp_path, code=3, HF_HUB_OFFLINE="1").stderr
    assert "HF_HUB_OFFLINE" in told
    assert complete(tmp_path) == set()


def test_something_that_is_no_hub_is_one_clear_error(hub: HubServer, tmp_path: Path) -> None:
    hub.files["org/NanoTest"] = {}
    hub.fail("revision/main", Status(200))
    assert "cannot be fetched" in run("hub:org/NanoTest", tmp_path, code=3).stderr


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ("hub:org/None", "no data set `org/None`"),
        ("hub:org/NanoTest@nope", "no revision `nope`"),
        ("hub:org/NanoTest/Frist", "First"),
        ("hub:NanoTest", "does not name a repository"),
        ("hub:org/../x", "does not name a repository"),
        ("hub:org/NanoEmpty", "holds no tasks"),
    ],
)
def test_what_is_not_on_the_hub_is_told(hub: HubServer, tmp_path: Path, tasks: str, said: str) -> None:
    hub.commit("org/NanoEmpty", {"README.md": b"# empty", "data.csv": b"a,b\n"})
    assert said in run(tasks, tmp_path, code=2).stderr


def test_a_task_without_judgements_is_refused(hub: HubServer, tmp_path: Path) -> None:
    (tmp_path / "pushed" / "NanoTest" / "qrels" / "First.parquet").unlink()
    hub.commit("org/NanoTest", tmp_path / "pushed" / "NanoTest")
    assert "no files for `qrels`" in run("hub:org/NanoTest", tmp_path, code=2).stderr
    run("hub:org/NanoTest/Second", tmp_path)


def test_a_task_with_faults_is_told_by_the_names_on_the_hub(hub: HubServer, tmp_path: Path) -> None:
    (tmp_path / "pushed" / "NanoTest" / "queries" / "First.parquet").write_bytes(b"PAR1 and no more")
    hub.commit("org/NanoTest", tmp_path / "pushed" / "NanoTest")
    told = run("hub:org/NanoTest", tmp_path, code=2).stderr
    assert "  queries/First.parquet: cannot be read as Parquet" in told
    assert str(tmp_path) not in told
    assert complete(tmp_path) == set()


def test_without_the_extra_the_command_that_installs_it_is_told(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for tasks in (NAMED, "hub:org/NanoTest"):
        assert install_hint("hub") in run(tasks, tmp_path, code=3).stderr
    assert hub.requests == []


@pytest.mark.parametrize("spelling", ["all-MiniLM-L6-v2", "hf:org/name", "sparse:hf:org/name"])
def test_the_extra_that_is_told_for_a_model_is_all_that_it_needs(
    spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingPrerequisite) as error:
        parse(spelling).settings()
    assert error.value.hint == install_hint("torch")


def test_a_cache_that_cannot_be_written_is_told(hub: HubServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    told = run("hub:org/NanoTest", tmp_path, code=2, HAKARI_CACHE=str(tmp_path / "file")).stderr
    assert "the cache cannot be written" in told


def test_a_client_that_is_killed_midway_leaves_nothing_that_is_used(hub: HubServer, tmp_path: Path) -> None:
    hub.fail("GET", "cdn", "queries/First", Stall(300))
    command = [*COMMAND, "run", "bm25", "--on", "hub:org/NanoTest/First", "--results", str(tmp_path / "r")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not any("cdn" in r and "queries/First" in r for r in hub.requests) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert complete(tmp_path) == set()
    assert list((tmp_path / "cache").rglob("*.incomplete"))
    assert "HF_HUB_OFFLINE" in run("hub:org/NanoTest/First", tmp_path, code=3, HF_HUB_OFFLINE="1").stderr
    asked = len(hub.requests)
    run("hub:org/NanoTest/First", tmp_path)
    assert complete(tmp_path) == {"First"}
    assert not any("corpus/First" in r for r in hub.requests[asked:]), "files that came whole are kept"
    assert not list((tmp_path / "cache").rglob("*.incomplete"))


@pytest.mark.slow
def test_two_processes_fetch_a_task_once(hub: HubServer, tmp_path: Path) -> None:
    command = [*COMMAND, "run", "bm25", "--on", "hub:org/NanoTest", "--results"]
    started = [
        subprocess.Popen(
            [*command, str(tmp_path / str(n))], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        for n in range(2)
    ]
    assert [process.communicate(timeout=120)[1] and process.returncode for process in started] == [0, 0]
    assert sum("GET" in r and "cdn" in r and "corpus/First" in r for r in hub.requests) == 1
