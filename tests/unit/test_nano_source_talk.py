"""Dialogues, questions of databases and questions of people as sources of nano sets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command import within
from data_builders import write_jsonl, write_parquet

import hakari
from hakari.text.dialogue import as_history, turns_of
from hakari.text.posts import plain_text, schema_text, title_and_body, with_schema
from hakari.types import Task

WORDS = "sort open read join split parse merge close flush index".split()  # noqa: SIM905


def built(kind: str, source: Path, *more: object, name: str = "NanoTalk") -> tuple[Task, dict[str, Any]]:
    out = source.parent / f"{name}-{len(list(source.parent.iterdir()))}"
    told = within("build", kind, source, "--name", name, "--out", out, "--json", *more).stdout
    (task,) = hakari.load(out)
    return task, json.loads(told)


def judged(task: Task) -> dict[str, dict[str, int]]:
    """Grades by the texts of query and document."""
    found: dict[str, dict[str, int]] = {}
    for query, text in enumerate(task.queries.texts):
        rows = slice(int(task.qrels.offsets[query]), int(task.qrels.offsets[query + 1]))
        documents = task.corpus.texts[task.qrels.documents[rows]].tolist()
        found[text] = dict(zip(documents, task.qrels.grades[rows].tolist(), strict=True))
    return found


def stage(report: Mapping[str, Any], name: str) -> dict[str, Any]:
    (task,) = report["tasks"].values()
    return next(one for one in task["stages"] if one["name"] == name)


def dialogue(word: str) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": f"How do I {word}?"},
        {"role": "assistant", "content": f"Like this:\n\n```python\n    {word}(x)\n```"},
        {"role": "user", "content": [{"type": "text", "text": "And back?"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "ok"},
        {"role": "assistant", "content": [{"type": "code", "language": "python", "text": f"un{word}(x)"}]},
    ]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "chat.jsonl", ({"messages": dialogue(word)} for word in WORDS))


HISTORY = """system:
You help.

user:
How do I sort?

assistant:
Like this:

```python
    sort(x)
```

user:
And back?

tool:
ok"""


def test_a_dialogue_so_far_asks_for_the_final_turn(chat: Path) -> None:
    task, report = built("chat", chat, "--language", "en")
    assert judged(task)[HISTORY] == {"```python\nunsort(x)\n```": 1}
    assert (len(task.queries), len(task.corpus), len(task.qrels)) == (10, 20, 10)
    assert "Like this:\n\n```python\n    sort(x)\n```" in task.corpus.texts, (
        "earlier turns are hard negatives"
    )
    assert stage(report, "turns")["left_out"] == {"not the last turn": 10}
    assert (task.shape, task.category, task.language) == ("dialogue", "code", "en")
    assert task.origins == dict.fromkeys(("language", "category", "shape"), "metadata")


def test_each_turn_is_to_be_found(chat: Path) -> None:
    task, report = built("chat", chat, "--turn", "each")
    found = judged(task)
    assert len(found) == 20
    assert list(found["system:\nYou help.\n\nuser:\nHow do I sort?"].values()) == [1]
    assert stage(report, "turns") == {"name": "turns", "seen": 20, "kept": 20, "left_out": {}}


def test_hard_negatives_come_before_what_only_fills_the_corpus(tmp_path: Path) -> None:
    short = [{"messages": dialogue(word)[1:3]} for word in WORDS]
    rows = [{"messages": dialogue("flap")}, *short]
    source, few = write_jsonl(tmp_path / "c.jsonl", rows), ("--queries", 1, "--documents", 2)
    task, _ = built("chat", source, "--recipe", "published", *few)
    assert sorted(task.corpus.texts) == [
        "Like this:\n\n```python\n    flap(x)\n```",
        "```python\nunflap(x)\n```",
    ]


@pytest.mark.parametrize("recipe", ["published", "sampled"])
def test_both_recipes_and_the_order_of_rows(chat: Path, recipe: str) -> None:
    task, _ = built("chat", chat, "--recipe", recipe, "--queries", 4)
    assert len(task.queries) == 4
    if recipe == "published":
        asked = " ".join(task.queries.texts)
        assert all(word in asked for word in WORDS[:4])
        return
    lines = chat.read_text().splitlines(keepends=True)
    other = chat.with_name("turned.jsonl")
    other.write_text("".join(reversed(lines)))
    assert built("chat", other, "--queries", 4)[0].content == task.content


@pytest.mark.parametrize(
    "spelt",
    [
        [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
        [{"role": "User", "content": "Hi"}, {"role": "assistant", "content": ["Hello"]}],
        [{"role": "user", "content": {"no": 1}["no"] and "Hi"}, {"role": "model", "content": " Hello\n"}],
    ],
)
def test_the_spellings_of_turns(spelt: list[dict[str, Any]], tmp_path: Path) -> None:
    assert turns_of(spelt) == turns_of(json.dumps(spelt)) == [("user", "Hi"), ("assistant", "Hello")]
    for column in ("messages", "conversations", "dialogue"):
        source = write_jsonl(tmp_path / f"{column}.jsonl", [{"id": 1, column: spelt}])
        assert judged(built("chat", source)[0]) == {"user:\nHi": {"Hello": 1}}
    assert as_history(turns_of(spelt)) == "user:\nHi\n\nassistant:\nHello"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "is missing"),
        ("hello", "not JSON of a list"),
        (3, "is a number, not a list of turns"),
        (["Hi"], "has a text as turn 1"),
        ([{"content": "Hi"}], "has no role in turn 1"),
        ([{"role": "nobody", "content": "Hi"}], "the unknown role 'nobody' in turn 1"),
        ([{"role": 5, "content": "Hi"}], "the unknown role '5'"),
        ([{"role": "user", "content": 5}], "has a number as the content of turn 1"),
        ([{"role": "user", "content": [5]}], "has a number as a part of turn 1"),
    ],
)
def test_what_is_no_dialogue(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        turns_of(value)


def test_dialogues_in_parquet(tmp_path: Path) -> None:
    kind = "STRUCT(role VARCHAR, content VARCHAR)[]"
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    task, _ = built("chat", write_parquet(tmp_path / "c.parquet", {"messages": (kind, [turns])}))
    assert judged(task) == {"user:\nHi": {"Hello": 1}}


def test_dialogues_without_answers_are_counted(tmp_path: Path) -> None:
    rows = [dialogue("sort"), dialogue("sort")[:2], dialogue("sort")[2:3], []]
    _, report = built("chat", write_jsonl(tmp_path / "c.jsonl", ({"messages": row} for row in rows)))
    assert stage(report, "turns") == {
        "name": "turns",
        "seen": 5,
        "kept": 1,
        "left_out": {"no turn of an assistant": 2, "not the last turn": 1, "nobody asked": 1},
    }


def test_a_question_with_its_schema_asks_for_a_statement(tmp_path: Path) -> None:
    statement = "SELECT  count(*)\nFROM t -- all of them"
    rows = [
        {
            "sql_prompt": f"How many {word}?",
            "sql_context": "CREATE TABLE t (a INT);",
            "sql": f"{statement} {word}",
        }
        for word in WORDS
    ]
    task, report = built("sql", write_jsonl(tmp_path / "s.jsonl", [*rows, {**rows[0], "sql": None}]))
    assert judged(task)["How many sort?\n\nCREATE TABLE t (a INT);"] == {f"{statement} sort": 1}
    assert stage(report, "rows")["left_out"] == {"no question or no statement": 1}
    assert (task.shape, task.category) == ("text-to-sql", "code")
    bare, _ = built("sql", tmp_path / "s.jsonl", "--schema", "")
    assert "How many sort?" in judged(bare)


def test_the_column_query_may_hold_statements(tmp_path: Path) -> None:
    rows = [{"question": f"How many {w}?", "query": f"SELECT {w}", "db_id": "x"} for w in WORDS]
    source = write_jsonl(tmp_path / "spider.jsonl", rows)
    assert judged(built("sql", source)[0])["How many sort?"] == {"SELECT sort": 1}
    turned, _ = built("sql", source, "--query", "query", "--positive", "question")
    assert judged(turned)["SELECT sort"] == {"How many sort?": 1}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("CREATE TABLE t (a INT)", "CREATE TABLE t (a INT)"),
        (["id", "name"], "id, name"),
        (
            ["CREATE TABLE a (x INT)", "CREATE TABLE b (y INT)"],
            "CREATE TABLE a (x INT)\nCREATE TABLE b (y INT)",
        ),
        ({"a": ["x", "y"], "b": "z"}, "a(x, y)\nb(z)"),
        ('{"a": ["x", "y"]}', "a(x, y)"),
        ("[not json", "[not json"),
        (None, ""),
    ],
)
def test_schemas_as_text(schema: Any, text: str) -> None:
    assert schema_text(schema) == text
    assert with_schema("Q?", text) == ("Q?\n\n" + text if text else "Q?")


ANSWERS = [
    {"body": "<p>maybe</p>", "score": 1},
    {"body": "<p>use <code>a &lt; b</code></p>", "score": 4, "is_accepted": True},
    {"body": "wrong", "score": -2},
    {"body": "who knows", "score": 0},
    {"body": " "},
]


def test_accepted_answers_come_first_and_those_voted_down_are_hard_negatives(tmp_path: Path) -> None:
    rows = [{"title": "Compare?", "body": "<p>How?</p>", "answers": ANSWERS, "score": 3}]
    task, report = built("qa", write_jsonl(tmp_path / "q.jsonl", rows))
    assert judged(task) == {"Compare?\n\nHow?": {"use a < b": 2, "maybe": 1}}
    assert sorted(task.corpus.texts) == ["maybe", "use a < b", "wrong"]
    assert task.shape == "qa"
    assert stage(report, "questions")["kept"] == 1
    only, _ = built("qa", tmp_path / "q.jsonl", "--relevant-from", 2)
    assert judged(only) == {"Compare?\n\nHow?": {"use a < b": 2}}


def test_an_accepted_answer_beside_others_is_the_best_of_them(tmp_path: Path) -> None:
    rows = [
        {"title": "Why?", "accepted_answer": "So.", "answers": ["Thus.", "So."]},
        {"title": "How?", "accepted_answer": "By hand.", "answers": ["With care."]},
        {"title": "When?", "accepted_answer": None, "answers": ["Now."]},
    ]
    task, _ = built("qa", write_jsonl(tmp_path / "q.jsonl", rows))
    assert judged(task) == {
        "Why?": {"So.": 2, "Thus.": 1},
        "How?": {"By hand.": 2, "With care.": 1},
        "When?": {"Now.": 1},
    }


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Why?", "answer": "So."},
        {"question": "Why?", "accepted_answer": "So."},
        {"title": "Why?", "answers": ["So."]},
        {"title": "Why?", "body": None, "answers": [{"text": "So.", "pm_score": 3, "selected": False}]},
        {"title": "Why?", "answers": {"text": ["So.", "No."], "score": [5, -1], "a_id": ["x", "y"]}},
        {"title": "Why?", "accepted_answer_id": 7, "answers": [{"answer_id": 7, "text": "So.", "score": 0}]},
        {"title": "Why?", "answers": '[{"text": "So."}]'},
    ],
)
def test_the_spellings_of_answers(row: dict[str, Any], tmp_path: Path) -> None:
    task, _ = built("qa", write_jsonl(tmp_path / "q.jsonl", [row]))
    assert list(judged(task)) == ["Why?"]
    assert list(judged(task)["Why?"]) == ["So."]


def test_posts_as_stackexchange_dumps_them(tmp_path: Path) -> None:
    posts = [
        {
            "Id": 1,
            "PostTypeId": 1,
            "AcceptedAnswerId": 3,
            "Title": "Why?",
            "Body": "<p>Tell me.</p>",
            "Score": 9,
        },
        {"Id": 2, "PostTypeId": 2, "ParentId": 1, "Body": "<p>voted up</p>", "Score": 5},
        {"Id": 3, "PostTypeId": 2, "ParentId": 1, "Body": "<p>accepted</p>", "Score": 0},
        {"Id": 4, "PostTypeId": 2, "ParentId": 1, "Body": "<p>voted down</p>", "Score": -1},
        {"Id": 5, "PostTypeId": 2, "ParentId": 1, "Body": "<p>ignored</p>", "Score": 0},
        {"Id": 6, "PostTypeId": 5, "Body": "a wiki"},
        {"Id": 7, "PostTypeId": 1, "Title": "Unanswered", "Body": "?"},
    ]
    task, report = built("qa", write_jsonl(tmp_path / "posts.jsonl", posts))
    assert judged(task) == {"Why?\n\nTell me.": {"accepted": 2, "voted up": 1}}
    assert task.corpus.texts.tolist() == ["voted up", "accepted", "voted down"]
    assert stage(report, "answers")["left_out"] == {"nobody voted on": 1}
    columns = {
        "id": ("BIGINT", [p["Id"] for p in posts]),
        "parent_id": ("DOUBLE", [p.get("ParentId") for p in posts]),
        "accepted_answer_id": ("DOUBLE", [p.get("AcceptedAnswerId") for p in posts]),
        "title": ("VARCHAR", [p.get("Title") for p in posts]),
        "body": ("VARCHAR", [p["Body"] for p in posts]),
        "score": ("BIGINT", [p.get("Score") for p in posts]),
    }
    same, _ = built("qa", write_parquet(tmp_path / "posts.parquet", columns))
    assert judged(same) == judged(task)


def test_markup_goes_and_code_stays() -> None:
    assert plain_text("a < b and c > d") == "a < b and c > d"
    assert plain_text("<p>one</p><p>two &amp; <b>three</b></p>") == "one\ntwo & three"
    assert plain_text("<pre><code>if x:\n    y()\n</code></pre>") == "if x:\n    y()"
    assert plain_text("vector<int> v; // <string>") == "vector<int> v; // <string>"
    assert title_and_body("Why?", "<p>Why? Because.</p>") == "Why? Because."


def test_language_and_category_are_stated_where_enough_texts_tell_them(tmp_path: Path) -> None:
    asked = "What would you say to somebody who wants to {} a letter before it rains in {}?"
    places = ("Berlin", "Rome", "Oslo")
    rows = [
        {"question": asked.format(w, p), "answer": f"In {p} people {w} what they like."}
        for w in WORDS
        for p in places
    ]
    source = write_jsonl(tmp_path / "q.jsonl", rows)
    task, report = built("qa", source)
    assert (task.language, task.category) == ("en", "natural_language")
    assert task.origins["language"] == "metadata"
    (told,) = report["tasks"].values()
    assert any("language `en` was detected" in change for change in told["changes"])
    few, _ = built("qa", write_jsonl(tmp_path / "few.jsonl", rows[:5]))
    assert few.origins["language"] == "detected", "five texts are not enough to say so in the metadata"


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_dialogues_in_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """As ShareGPT is handed on; what an element is does not hang on where a block of the file ends."""
    monkeypatch.setattr("hakari.nano.sources_arrays.CHUNK", chunk)
    said = [[{"from": "human", "value": f"é [{w}"}, {"from": "gpt", "value": f'so, "{w}"]'}] for w in WORDS]
    path = tmp_path / "sharegpt.json"
    rows = [{"id": str(i), "conversations": turns} for i, turns in enumerate(said)]
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=chunk == 7), encoding="utf-8")
    assert judged(built("chat", path)[0])["user:\né [sort"] == {'so, "sort"]': 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'[{"question": "a", "answer": "b"}, {"question": ', ":2: is not JSON"),
        (b'[{"question": "a", "answer": "b"}', ":2: is not JSON: the array is never closed"),
        (b'[{"question": "a", "answer": "b"}, {a}]', ":2: is not JSON"),
        (b'[{"question": "a", "answer": "b"}, 7]', ":2: is a JSON int, not an object"),
        (b'[{"question": "a", "answer": "\xff"}]', ":1: is not UTF-8"),
        (b"[]", "is empty"),
        (b"[", "is not JSON: the array is never closed"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_an_array_with_something_wrong(tmp_path: Path, text: bytes, said: str) -> None:
    (tmp_path / "rows.json").write_bytes(text)
    told = within("build", "qa", tmp_path / "rows.json", "--name", "NanoX", "--out", tmp_path / "out", code=2)
    assert said in told.stderr
    assert told.stderr.count("error: ") == told.stderr.count("hint: ") == 1
    assert not (tmp_path / "out").exists()


def test_an_element_without_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hakari.nano.sources_arrays.LONGEST", 1000)
    monkeypatch.setattr("hakari.nano.sources_arrays.CHUNK", 100)
    (tmp_path / "rows.json").write_bytes(b'[{"question": "' + b"x" * 5000 + b'"}]')
    told = within("build", "qa", tmp_path / "rows.json", "--name", "NanoX", "--out", tmp_path / "out", code=2)
    assert ":1: is longer than" in told.stderr
