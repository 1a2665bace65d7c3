"""Dialogues, questions of databases and questions of people with something wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from data_builders import write_jsonl, write_parquet
from malformed_sources import SMALL, Break, append, edit, gzipped, remove, replace_by, write

CHAT, SQL, QA = "talk/chat.jsonl", "talk/sql.jsonl", "talk/qa.jsonl"
TURNS = [{"role": "user", "content": "how"}, {"role": "assistant", "content": "so"}]


def write_talk(folder: Path) -> None:
    """A sound source of each kind."""
    chats = [
        [{"role": "user", "content": f"how {i}"}, {"role": "assistant", "content": f"so {i}"}]
        for i in range(4)
    ]
    write_jsonl(folder / CHAT, ({"messages": turns} for turns in chats))
    write_jsonl(
        folder / SQL,
        ({"question": f"how many {i}", "schema": "t(a)", "sql": f"SELECT {i}"} for i in range(4)),
    )
    write_jsonl(
        folder / QA, ({"title": f"why {i}", "body": "?", "answers": [{"body": f"so {i}"}]} for i in range(4))
    )


ARGUMENTS: dict[str, tuple[object, ...]] = {
    "chat": ("chat", CHAT, *SMALL),
    "sql": ("sql", SQL, *SMALL),
    "qa": ("qa", QA, *SMALL),
}


def _row(name: str, **row: Any) -> Break:
    return append(name, json.dumps(row) + "\n")


def _turn(**turn: Any) -> Break:
    return _row(CHAT, messages=[*TURNS, turn])


def _posts(**change: Any) -> Break:
    posts: list[dict[str, Any]] = [
        {"Id": 1, "Title": "why", "Body": "?", "AcceptedAnswerId": 2, "ParentId": None, "Score": 1},
        {"Id": 2, "Body": "so", "ParentId": 1, "Score": 1, "Title": None},
    ]
    return lambda folder: write_jsonl(folder / QA, [posts[0], {**posts[1], **change}])


CASES: dict[str, tuple[str, Break, str]] = {
    "chat-no-file": ("chat", remove(CHAT), "chat.jsonl: no such file"),
    "chat-empty": ("chat", write(CHAT, ""), "chat.jsonl: is empty"),
    "chat-other-columns": ("chat", write(CHAT, '{"a": 1}\n'), "with `--messages NAME`"),
    "chat-not-json": ("chat", append(CHAT, "user: hello\n"), "chat.jsonl:5: is not JSON"),
    "chat-an-array": ("chat", write(CHAT, json.dumps([{"messages": TURNS}])), "is a JSON list"),
    "chat-row-without-turns": ("chat", _row(CHAT, id=7), "chat.jsonl:5: `messages` is missing"),
    "chat-turns-a-number": ("chat", _row(CHAT, messages=7), ":5: `messages` is a number"),
    "chat-turns-a-text": ("chat", _row(CHAT, messages="hello"), ":5: `messages` is a text and not JSON"),
    "chat-turn-a-text": ("chat", _row(CHAT, messages=["hi"]), ":5: `messages` has a text as turn 1"),
    "chat-turn-without-role": ("chat", _turn(content="x"), ":5: `messages` has no role in turn 3"),
    "chat-turn-of-a-stranger": ("chat", _turn(role="\x1b[2Jx", content="x"), "the unknown role '\\x1b[2Jx'"),
    "chat-content-a-number": (
        "chat",
        _turn(role="user", content=3.5),
        ":5: `messages` has a number as the content",
    ),
    "chat-content-an-object": ("chat", _turn(role="user", content={"a": 1}), "has an object as the content"),
    "chat-part-a-number": ("chat", _turn(role="user", content=[1]), ":5: `messages` has a number as a part"),
    "chat-nobody-answers": (
        "chat",
        write(CHAT, json.dumps({"messages": TURNS[:1]}) + "\n"),
        "there are no documents",
    ),
    "chat-nobody-asks": (
        "chat",
        write(CHAT, json.dumps({"messages": TURNS[1:]}) + "\n"),
        "there are no documents",
    ),
    "chat-empty-dialogues": ("chat", write(CHAT, '{"messages": []}\n'), "there are no documents"),
    "chat-blank-turns": (
        "chat",
        write(CHAT, json.dumps({"messages": [{"role": "assistant", "content": " "}, *TURNS[:1]]}) + "\n"),
        "there are no documents",
    ),
    "chat-nul-byte": (
        "chat",
        _turn(role="assistant", content="a\0b"),
        ":5: the text of a document has a NUL byte",
    ),
    "chat-half-a-surrogate": ("chat", _turn(role="assistant", content="\ud800"), "lone surrogate"),
    "chat-invalid-utf-8": ("chat", append(CHAT, b'{"messages": "\xff"}\n'), ":5: byte 0xff"),
    "chat-gz-cut-short": ("chat", gzipped(CHAT, lambda d: d[:20]), "no such file"),
    "chat-loop-of-links": ("chat", replace_by(CHAT, lambda p: p.symlink_to(p.name)), "chat.jsonl: "),
    "chat-not-permitted": ("chat", lambda f: (f / CHAT).chmod(0), "may not be read"),
    "chat-parquet-of-numbers": (
        "chat",
        lambda f: (
            (f / CHAT).unlink(),
            (f / CHAT).mkdir(),
            write_parquet(f / CHAT / "0.parquet", {"messages": ("INTEGER", [1])}),
        ),
        "`messages` is a number",
    ),
    "sql-no-file": ("sql", remove(SQL), "sql.jsonl: no such file"),
    "sql-no-statement-column": ("sql", write(SQL, '{"question": "a", "b": "c"}\n'), "with `--positive NAME`"),
    "sql-no-question-column": ("sql", write(SQL, '{"sql": "a", "b": "c"}\n'), "with `--query NAME`"),
    "sql-statement-an-object": ("sql", _row(SQL, question="a", sql={"sel": 1}), ":5: `sql` is"),
    "sql-question-a-list": ("sql", _row(SQL, question=["a"], sql="SELECT 1"), ":5: `question` is"),
    "sql-schema-a-number": (
        "sql",
        _row(SQL, question="a", sql="SELECT 1", schema=5),
        ":5: `schema` is not a text",
    ),
    "sql-schema-of-numbers": (
        "sql",
        _row(SQL, question="a", sql="b", schema={"t": [1]}),
        ":5: `schema` is not a text",
    ),
    "sql-all-blank": ("sql", write(SQL, '{"question": "", "sql": ""}\n'), "there are no documents"),
    "sql-nul-byte": ("sql", _row(SQL, question="a\0", sql="b"), ":5: the text of a query has a NUL byte"),
    "sql-cut-short": ("sql", edit(SQL, lambda d: d[:-9]), "sql.jsonl:4: is not JSON"),
    "qa-no-file": ("qa", remove(QA), "qa.jsonl: no such file"),
    "qa-no-answer-column": ("qa", write(QA, '{"title": "a", "b": "c"}\n'), "with `--positive NAME`"),
    "qa-no-question-column": ("qa", write(QA, '{"answers": ["a"], "b": "c"}\n'), "with `--query NAME`"),
    "qa-title-a-number": ("qa", _row(QA, title=5, answers=["a"]), ":5: `title` is"),
    "qa-answer-a-number": ("qa", _row(QA, title="a", answers=[5]), ":5: `answers` is"),
    "qa-answer-text-a-list": ("qa", _row(QA, title="a", answers=[{"body": ["b"]}]), ":5: `answers` is"),
    "qa-score-a-word": (
        "qa",
        _row(QA, title="a", answers=[{"body": "b", "score": "high"}]),
        ":5: a score in",
    ),
    "qa-nobody-answers": ("qa", write(QA, '{"title": "a", "answers": []}\n'), "there are no documents"),
    "qa-all-voted-down": (
        "qa",
        write(QA, '{"title": "a", "answers": [{"body": "b", "score": -1}]}\n'),
        "there are no documents",
    ),
    "qa-post-of-nobody": ("qa", _posts(ParentId=9), "queries that are not there, such as `9`"),
    "qa-post-without-name": ("qa", _posts(Id=None), ":2: the id in `Id` is missing"),
    "qa-post-score-a-word": ("qa", _posts(Score="many"), ":2: the score in `Score`"),
    "qa-post-text-a-number": ("qa", _posts(Body=5), ":2: `Body` is"),
    "qa-posts-all-voted-down": ("qa", _posts(Id=3, Score=-1), "no judgement is relevant"),
}
