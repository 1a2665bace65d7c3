"""Pairs from tables: dialogues, questions and answers, questions and SQL, one text in two languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hakari.mining import columns
from hakari.mining.rows import Account, Row
from hakari.nano.draft import Stage
from hakari.text import dialogue
from hakari.text.dialogue import Turn, as_history
from hakari.text.posts import plain_text, with_schema

Given = Mapping[str, str | None]


def chat_rows(
    paths: Sequence[Path], given: Given, told: list[str], stages: list[Stage], each: bool = False
) -> Iterator[Row]:
    """What was said so far, and the turn of the assistant that follows: the last, or each."""
    account = Account("turns")
    for (_, line), (value,) in columns.part_rows(paths, [columns.MESSAGES], given, told):
        turns = turns_of(value)
        answers = [at for at, (role, _) in enumerate(turns) if role == "assistant" and at]
        account.seen += max(len(answers), 1)
        if not answers:
            account.leave_out("no turn of an assistant" if turns else "not a dialogue")
            continue
        wanted = answers if each else answers[-1:]
        if len(answers) > len(wanted):
            account.leave_out("not the last turn", len(answers) - len(wanted))
        for at in wanted:
            if not any(role == "user" for role, _ in turns[:at]):
                account.leave_out("nobody asked")
                continue
            account.kept += 1
            yield Row(
                as_history(turns[:at]), turns[at][1], "dialogue-to-next-turn", f"row {line} turn {at + 1}"
            )
    stages.append(account.stage())


def turns_of(value: Any) -> list[Turn]:
    """The turns of a dialogue as role and text; nothing where it is none."""
    try:
        return dialogue.turns_of(value)
    except ValueError:
        return []


def qa_rows(paths: Sequence[Path], given: Given, told: list[str], stages: list[Stage]) -> Iterator[Row]:
    """A question, with its body where there is one, and what answers it; several answers are several rows."""
    account = Account("questions")
    parts = [columns.QUESTION, columns.ANSWER, columns.BODY]
    for (_, line), (title, answers, body) in columns.part_rows(paths, parts, given, told):
        texts = [plain_text(text) for text in answer_texts(answers)]
        account.seen += max(len(texts), 1)
        question = "\n\n".join(plain_text(t) for t in (title, body) if isinstance(t, str) and t.strip())
        if not question or not texts:
            account.leave_out("no question" if not question else "no answer", max(len(texts), 1))
            continue
        for text in texts:
            account.kept += 1
            yield Row(question, text, "question-to-answer", f"row {line}")
    stages.append(account.stage())


def answer_texts(value: Any) -> list[str]:
    """The answers in a cell: a text, a list of texts, or a list of answers of which the accepted ones count."""
    listed = value if isinstance(value, list) else [value]
    dicts = [one for one in listed if isinstance(one, dict)]
    accepted = [one for one in dicts if one.get("is_accepted") or one.get("accepted")]
    found: list[str] = []
    for one in accepted or listed:
        text = one if isinstance(one, str) else None
        if isinstance(one, dict):
            named = (one.get(name) for name in ("text", "body", "content", "answer"))
            text = next((t for t in named if isinstance(t, str)), None)
        if text is not None and text.strip():
            found.append(text)
    return found


def sql_rows(paths: Sequence[Path], given: Given, told: list[str], stages: list[Stage]) -> Iterator[Row]:
    """A question, with the schema where there is one, and the statement that answers it."""
    account = Account("questions")
    parts = [columns.SQL_QUESTION, columns.SQL, columns.SCHEMA]
    for (_, line), (question, statement, schema) in columns.part_rows(paths, parts, given, told):
        account.seen += 1
        if not all(isinstance(t, str) and t.strip() for t in (question, statement)):
            account.leave_out("no question or no statement")
            continue
        account.kept += 1
        asked = with_schema(question, schema if isinstance(schema, str) else "")
        yield Row(asked, statement.strip(), "question-to-sql", f"row {line}")
    stages.append(account.stage())


def translation_rows(
    paths: Sequence[Path], given: Given, told: list[str], stages: list[Stage]
) -> Iterator[Row]:
    """The same in two languages, of people or of programs."""
    account = Account("translations")
    parts = [columns.SOURCE_SIDE, columns.TARGET_SIDE]
    for (_, line), (source, target) in columns.part_rows(paths, parts, given, told):
        account.seen += 1
        if not all(isinstance(t, str) and t.strip() for t in (source, target)):
            account.leave_out("one side is missing")
            continue
        account.kept += 1
        yield Row(source.strip("\n"), target.strip("\n"), "translation", f"row {line}")
    stages.append(account.stage())
