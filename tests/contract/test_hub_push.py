"""Pushing sets to a hub: what lies there afterwards, what is refused, and what a failure leaves."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Done, hakari_json, within
from data_builders import write_candidates_file, write_nano, write_parquet
from hub_server import HubServer, Status
from small import small_set, small_task

from hakari.errors import install_hint
from hakari.io.candidates import load_candidates
from hakari.io.nano_write import write_nano_set
from hakari.tasks.registry import resolve
from hakari.types import Task

pytest.importorskip("huggingface_hub")

KEY = "hf_aVerySecretKeyOfTheTests"
REPO, THERE = "org/NanoTest", "hub:org/NanoTest"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """An empty hub that takes what comes with the key, and somebody who has it."""
    with HubServer() as server:
        server.key = KEY
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_TOKEN", KEY)
        monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of two tasks with candidates."""
    path = small_set(tmp_path / "mine")
    within("candidates", path, "--bm25")
    return path


def push(folder: object, *more: object, to: str = THERE, code: int = 0, **environment: str) -> Done:
    return within("push", folder, to, *more, code=code, **environment)


def files_of(hub: HubServer, branch: str = "main") -> dict[str, bytes]:
    return hub.files[REPO][hub.branches[REPO][branch]]


def one_error(done: Done, *words: str) -> None:
    assert done.stdout == ""
    assert done.stderr.count("error: ") == done.stderr.count("hint: ") == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert KEY not in done.stderr


def rankings(task: Task) -> list[str]:
    run = load_candidates(task.candidates["bm25"], task)
    return run.document_ids[run.documents].tolist()


def test_push_and_pull_are_a_round_trip(hub: HubServer, folder: Path, tmp_path: Path) -> None:
    spelling = push(folder).stdout.strip()
    assert spelling == f"{THERE}@{hub.branches[REPO]['main']}"
    for here, there in zip(resolve(str(folder)), resolve(spelling), strict=True):
        sent, read = here.load(), there.load()
        assert (sent.content, sent.name) == (read.content, read.name)
        assert (sent.language, sent.category, sent.shape) == (read.language, read.category, read.shape)
        assert read.origins["shape"] == "metadata"
        assert rankings(sent) == rankings(read)
        told = json.loads((read.source / "metadata" / f"{read.split}.json").read_text())  # type: ignore[operator]
        assert told["candidates"]["bm25"]["rankings_sha256"], "the record of candidates comes along"
    ran = within("run", "bm25", "--on", f"{spelling}/First", "--results", tmp_path / "r")
    assert "NanoTest: 1 task" in ran.stdout


def test_files_that_are_the_same_are_sent_whole(hub: HubServer, tmp_path: Path) -> None:
    folder = tmp_path / "twins" / "NanoTest"
    write_nano_set(folder, [small_task(name, 40, 8_000, seed=5) for name in ("One", "Two", "Three", "Four")])
    for ref, here in zip(resolve(push(folder).stdout.strip()), resolve(str(folder)), strict=True):
        assert ref.load().content == here.load().content


def test_what_lies_on_a_hub_is_checked_and_copied_like_a_folder(
    hub: HubServer, folder: Path, tmp_path: Path
) -> None:
    push(folder)
    told = hakari_json("check", THERE)
    assert told["tasks"] == ["NanoTest/First", "NanoTest/Second"]
    assert not told["counts"]["error"]
    files = {
        path: data for path, data in files_of(hub).items() if path not in ("bm25/First.parquet", "README.md")
    }
    task = small_task("Second", seed=2)  # each of whose queries has one positive
    judged = task.corpus.ids[task.qrels.documents].tolist()
    columns = {"query-id": ("VARCHAR", task.queries.ids.tolist()), "corpus-id": ("VARCHAR", judged)}
    write_parquet(tmp_path / "bare.parquet", columns)
    hub.commit(REPO, {**files, "qrels/Second.parquet": (tmp_path / "bare.parquet").read_bytes()}, "broken")
    report = json.loads(within("check", f"{THERE}@broken", "--json", code=1).stdout)
    found = {(f["check"], f["what"]) for f in report["findings"]}
    assert ("splits", "`bm25` lacks the task `First`") in found
    assert any(check == "score-column" for check, _ in found)
    within("candidates", THERE, "--bm25", "--out", tmp_path / "copy")
    assert (tmp_path / "copy" / "bm25" / "First.parquet").is_file()
    assert push(THERE, to="hub:org/NanoOther").stdout.startswith("hub:org/NanoOther@")


def test_a_second_push_makes_no_commit_and_sends_nothing(
    hub: HubServer, folder: Path, tmp_path: Path
) -> None:
    first = push(folder).stdout
    asked = len(hub.requests)
    again = small_set(tmp_path / "elsewhere")
    within("candidates", again, "--bm25")
    done = push(again)
    assert done.stdout == first
    assert "nothing was new" in done.stderr
    assert not any("PUT" in request or "commit" in request for request in hub.requests[asked:])


def test_the_repository_is_private_unless_it_is_to_be_public(hub: HubServer, folder: Path) -> None:
    told = hakari_json("push", folder, THERE)
    assert told["private"] is True
    assert (told["on"], told["changed"]) == (f"{THERE}@{told['commit']}", True)
    assert told["configs"] == ["bm25", "corpus", "qrels", "queries"]
    assert {REPO} == hub.private
    assert "there before" in push(folder, "--public").stderr
    assert hakari_json("push", folder, "hub:org/NanoOpen", "--public")["private"] is False
    one_error(within("tasks", THERE, code=2, HF_TOKEN="hf_other"), "no data set `org/NanoTest`")
    assert [row["task"] for row in hakari_json("tasks", THERE)] == ["NanoTest/First", "NanoTest/Second"]


def test_a_branch_has_its_own_state(hub: HubServer, folder: Path, tmp_path: Path) -> None:
    push(folder)
    newer = tmp_path / "newer" / "NanoTest"
    write_nano_set(newer, [small_task("First", seed=9), small_task("Second", seed=8)])
    one_error(push(newer, to=f"{THERE}@next", code=2), "`bm25` of `First`, which the set lacks", "--replace")
    push(newer, "--replace", to=f"{THERE}@next")
    contents = [resolve(f"{THERE}{at}")[0].load().content for at in ("", "@next/First")]
    assert contents == [resolve(str(path))[0].load().content for path in (folder, newer)]


def test_who_pushes_reads_the_new_state_and_others_stay_where_they_were(
    hub: HubServer, folder: Path, tmp_path: Path
) -> None:
    push(folder)
    old = resolve(THERE)[0].load().content
    write_nano_set(folder, [small_task("First", seed=9), small_task("Second", seed=8)], replace=True)
    push(folder, "--replace", HAKARI_CACHE=str(tmp_path / "of somebody else"))
    assert resolve(THERE)[0].load().content == old
    push(folder)
    assert resolve(THERE)[0].load().content == resolve(str(folder))[0].load().content != old


def test_what_the_set_lacks_stays_unless_it_may_go(hub: HubServer, folder: Path, tmp_path: Path) -> None:
    push(folder)
    hub.commit(REPO, files_of(hub) | {"LICENSE": b"text", "data/notes.txt": b"mine"})
    one = tmp_path / "one" / "NanoTest"
    write_nano_set(one, [small_task("First", seed=1)])
    before = files_of(hub)
    one_error(push(one, code=2), "`corpus` of `Second`, which the set lacks", "`bm25` of `First`")
    assert files_of(hub) == before
    push(one, "--replace")
    parts = {f"{part}/First.parquet" for part in ("corpus", "queries", "qrels")}
    others = {"metadata/First.json", "README.md", ".gitattributes", "LICENSE", "data/notes.txt"}
    assert set(files_of(hub)) == parts | others


def test_the_files_of_another_form_are_replaced(hub: HubServer, folder: Path) -> None:
    sharded = {
        f"{part}/{split}-00000-of-00001.parquet": (folder / part / f"{split}.parquet").read_bytes()
        for part in ("corpus", "queries", "qrels", "bm25")
        for split in ("First", "Second")
    }
    hub.commit(REPO, sharded)
    assert "8 outdated files removed" in push(folder).stderr
    assert not any("-of-" in path for path in files_of(hub))


def test_every_form_of_files_becomes_the_one_that_readers_take(hub: HubServer, tmp_path: Path) -> None:
    folder = write_nano(tmp_path / "NanoOdd", "Task", candidates=True)
    told = push(folder).stderr
    assert "1 judgements that are not relevant were left out" in told
    import duckdb

    (tmp_path / "qrels.parquet").write_bytes(files_of(hub)["qrels/Task.parquet"])
    with duckdb.connect(":memory:") as con:
        (tmp_path / "bm25.parquet").write_bytes(files_of(hub)["bm25/Task.parquet"])
        rows = con.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(tmp_path / "qrels.parquet")])
        assert [row[:2] for row in rows.fetchall()] == [
            ("query-id", "VARCHAR"),
            ("corpus-id", "VARCHAR"),
            ("score", "INTEGER"),
        ]
        rows = con.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(tmp_path / "bm25.parquet")])
        assert [row[:2] for row in rows.fetchall()] == [("query-id", "VARCHAR"), ("corpus-ids", "VARCHAR[]")]


def card_of(hub: HubServer) -> tuple[dict[str, Any], str]:
    import yaml

    _, head, body = files_of(hub)["README.md"].decode().split("---\n", 2)
    return yaml.safe_load(head), body


def test_the_card_says_what_is_there_and_what_it_is_worth(hub: HubServer, folder: Path) -> None:
    push(folder, "--license", "cc-by-4.0")
    head, body = card_of(hub)
    assert {config["config_name"] for config in head["configs"]} == {"corpus", "queries", "qrels", "bm25"}
    for config in head["configs"]:
        for one in config["data_files"]:
            assert one["path"] == f"{config['config_name']}/{one['split']}.parquet"
            assert one["path"] in files_of(hub)
    assert (head["language"], head["license"], head["size_categories"]) == (["en"], "cc-by-4.0", ["n<1K"])
    (shown,) = hakari_json("show", folder / "First")
    profile = shown["candidates"][0]["measures"]
    assert f"| First | `bm25` | 90 | {profile['nDCG@10']:.4f} | {profile['hit@10']:.4f} |" in body
    assert "| First | en | code | text-to-code | 24 | 90 | 24 |" in body
    assert resolve(str(folder))[0].load().content in body


def test_a_card_of_ones_own_is_kept(hub: HubServer, folder: Path) -> None:
    head = "license: mit\nlanguage:\n- no\npretty_name: Mine\nconfigs:\n- config_name: x\n"
    (folder / "README.md").write_text(f"---\n{head}---\n\n# Mine\n\nA story.\n")
    push(folder)
    kept, body = card_of(hub)
    assert (kept["license"], kept["pretty_name"], kept["language"]) == ("mit", "Mine", ["no"])
    assert len(kept["configs"]) == 4
    assert body.strip().startswith("# Mine\n\nA story.\n")
    # What was pulled and pushed again does not grow.
    (folder / "README.md").write_bytes(files_of(hub)["README.md"])
    before = files_of(hub)["README.md"]
    assert "nothing was new" in push(folder).stderr
    assert files_of(hub)["README.md"] == before


def test_what_was_only_detected_is_not_stated(hub: HubServer, tmp_path: Path) -> None:
    push(write_nano(tmp_path / "NanoBare", "Task", metadata=None))
    assert json.loads(files_of(hub)["metadata/Task.json"]) == {}


def test_the_account_of_the_build_comes_along(hub: HubServer, tmp_path: Path) -> None:
    rows = [{"query": f"what is number {i}", "positive": f"it is the answer {i}"} for i in range(6)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    within("build", "pairs", "pairs.jsonl", "--name", "NanoPairs", "--task", "Task", cwd=tmp_path)
    push(tmp_path / "NanoPairs")
    assert json.loads(files_of(hub)["build.json"])["recipe"]["name"] == "sampled"
    assert "name sampled, queries 200" in card_of(hub)[1]


@pytest.mark.parametrize(
    ("words", "failure", "code", "said"),
    [
        (("POST", "create"), Status(500), 3, "it answered 500"),
        (("POST", "preupload"), Status(403), 3, "may not be written"),
        (("POST", "batch"), Status(400), 3, "it answered 400"),
        (("PUT", "lfs"), Status(400), 3, "it answered 400"),
        (("POST", "commit"), Status(412), 2, "changed by somebody else"),
        (("POST", "commit"), Status(500), 3, "it answered 500"),
        (("GET", "revision"), Status(500), 3, "it answered 500"),
    ],
)
def test_a_push_that_fails_publishes_nothing_and_is_repeated(
    hub: HubServer, folder: Path, words: tuple[str, ...], failure: Status, code: int, said: str
) -> None:
    hub.commit(REPO, {".gitattributes": b""})
    hub.fail(*words, failure, times=99)
    one_error(push(folder, code=code), said)
    assert set(files_of(hub)) == {".gitattributes"}
    hub.heal()
    push(folder)
    assert "corpus/First.parquet" in files_of(hub)


def test_a_commit_that_comes_in_between_is_not_overwritten(hub: HubServer, folder: Path) -> None:
    push(folder)
    (folder / "README.md").write_text("# Other\n")
    batch = hub.failure_for

    def meanwhile(request: str) -> Any:
        if "preupload" in request:
            hub.commit(REPO, files_of(hub) | {"LICENSE": b"of somebody else"})
        return batch(request)

    hub.failure_for = meanwhile  # type: ignore[method-assign]
    one_error(push(folder, code=2), "changed by somebody else")
    assert "LICENSE" in files_of(hub)


def test_a_hub_that_keeps_something_else_is_found_out(hub: HubServer, folder: Path) -> None:
    commit = hub.commit

    def damaged(repo: str, files: Any, branch: str = "main") -> str:
        return commit(repo, {p: d[:-1] if p.startswith("corpus") else d for p, d in files.items()}, branch)

    hub.commit = damaged  # type: ignore[method-assign]
    one_error(push(folder, code=3), "`corpus/First.parquet`", "not on", "as it was sent")


@pytest.mark.parametrize(
    ("destination", "said"),
    [
        ("org/NanoTest", "does not name a repository"),
        ("hub:NanoTest", "does not name a repository"),
        ("hub:org/../NanoTest", "does not name a repository"),
        ("hub:org/na--me", "does not name a repository"),
        ("hub:org/NanoTest/First", "names a task"),
        ("hub:org/NanoTest@main/First", "names a task"),
    ],
)
def test_a_destination_that_is_none(hub: HubServer, folder: Path, destination: str, said: str) -> None:
    one_error(push(folder, to=destination, code=2), said)
    assert hub.requests == []


def test_sets_that_cannot_be_read_again_are_refused_before_anything_is_sent(
    hub: HubServer, folder: Path, tmp_path: Path
) -> None:
    one_error(push(write_nano(tmp_path / "NanoX", "my-task"), code=2), "`my-task` cannot be a split")
    odd = write_nano(tmp_path / "NanoY", "Task")
    write_candidates_file(odd / "a model" / "Task.parquet")
    one_error(push(odd, code=2), "`a model` cannot be a configuration")
    one_error(push(f"{folder},{odd}", code=2), "one set is pushed at a time")
    one_error(push(tmp_path / "nowhere", code=2), "no such folder")
    (folder / "qrels" / "First.parquet").write_bytes(b"PAR1")
    one_error(push(folder, code=2), "cannot be read as Parquet")
    assert hub.requests == []


def test_without_a_key_a_network_or_the_client_one_error_says_what_to_do(
    hub: HubServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_error(push(folder, code=3, HF_TOKEN="hf_wrong"), "may not be written", "hf auth login", "HF_TOKEN")
    one_error(
        push(folder, code=3, HF_ENDPOINT="http://127.0.0.1:9"), "cannot be pushed to http://127.0.0.1:9"
    )
    one_error(push(folder, code=3, HF_HUB_OFFLINE="1"), "HF_HUB_OFFLINE")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    one_error(push(folder, code=3), install_hint("hub"))
    assert REPO not in hub.files


@pytest.mark.parametrize(
    ("spelling", "branch", "count"),
    [
        ("@main", "main", 2),
        ("/First@main", "main", 1),
        ("@main/First", "main", 1),
        ("@main/F*", "main", 1),
        ("@refs/pr/1", "refs/pr/1", 2),
        ("@refs/pr/1/Second", "refs/pr/1", 1),
        ("/Second@feature/x", "feature/x", 1),
        ("/", "main", 2),
    ],
)
def test_the_spellings_of_revision_and_task(
    hub: HubServer, folder: Path, spelling: str, branch: str, count: int
) -> None:
    hub.commit(REPO, folder, branch)
    found = resolve(THERE + spelling)
    assert len(found) == count
    assert {ref.source.revision for ref in found} == {branch}  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["NanoMedical", "NanoOpen/XQuAD_*", "NanoOpen/C*i*"])
def test_real_tasks_are_the_same_after_a_round_trip(hub: HubServer, real_data: Path, name: str) -> None:
    """Among them graded judgements, six scripts, and tasks whose judgements are one file."""
    spelling = push(real_data / name, to="hub:org/NanoReal").stdout.strip()
    for here, there in zip(resolve(str(real_data / name)), resolve(spelling), strict=True):
        sent, read = here.load(), there.load()
        assert sent.content == read.content
        assert (sent.language, sent.category, sent.shape) == (read.language, read.category, read.shape)
