from __future__ import annotations

import json
import re

import pytest

from hakari.text.turns import as_text, kept, latest_code, turns_in

CODE = "```python\ndef area(r):\n    return r * r\n```"
DIALOGUE = f"user: How do I get the area?\n\nassistant: Like this:\n{CODE}\nIt squares.\n\nuser: It is wrong, fix it."


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def shortened(text: str, room: int) -> str | None:
    spans = kept(text, words(text), room)
    return None if spans is None else "\n".join(text[a:b].strip("\n") for a, b in spans)


@pytest.mark.parametrize(
    "text",
    [
        "user: hi\nassistant: yes?\nuser: go",
        "User:\nhi\n\nAssistant:\nyes?\n\nUser:\ngo",
        "### Human: hi\n### Assistant: yes?\n### Human: go",
        "**User:** hi\n**Assistant:** yes?\n**User:** go",
        "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nyes?<|im_end|>\n<|im_start|>user\ngo",
        "<|user|>\nhi\n<|assistant|>\nyes?\n<|user|>\ngo",
        "<start_of_turn>user\nhi\n<start_of_turn>model\nyes?\n<start_of_turn>user\ngo",
        "[INST] hi [/INST] yes? [INST] go",
        "Q: hi\nA: yes?\nQ: go",
    ],
)
def test_turns_are_found_in_the_spellings_in_use(text):
    turns = turns_in(text)
    assert [turn.role for turn in turns] == ["user", "assistant", "user"]
    assert text[turns[-1].start :].endswith("go")
    assert (turns[0].start, turns[-1].end) == (0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no dialogue",
        "Some prose.\nuser: not at the beginning",
        "users: many",
        "user:name is a key",
        "[1, 2]",
    ],
)
def test_what_does_not_begin_with_a_turn_is_no_dialogue(text):
    assert turns_in(text) == []
    assert kept(text, words(text), 2) is None


def test_names_in_blocks_of_code_are_code():
    text = "user: my file\n```yaml\nuser: root\nassistant: none\n```\nassistant: fine"
    assert [turn.role for turn in turns_in(text)] == ["user", "assistant"]


def test_json_becomes_a_text_with_turns():
    turns = [{"role": "user", "content": "hi"}, {"from": "gpt", "value": "yes?"}]
    assert [turn.role for turn in turns_in(as_text(json.dumps(turns)))] == ["user", "assistant"]
    for text in ("[1]", '[{"role": "user"}]', "[not json", '[{"role": "king", "content": "x"}]', "plain"):
        assert as_text(text) == text


def test_the_latest_code_is_the_last_block():
    text = f"{CODE}\nand\n~~~\nsecond\n~~~\nand `inline`"
    first, last = latest_code(text)
    assert text[first:last].strip() == "~~~\nsecond\n~~~"
    typed = "so:\n>>> 1 + 1\n... 2\nyes\n\n    x = 1\n    y = 2\nend"
    first, last = latest_code(typed)
    assert typed[first:last].split() == ["x", "=", "1", "y", "=", "2"]
    assert latest_code("no code") is None
    assert latest_code("```\nnever closed") == (0, 16)


def test_the_last_request_comes_first_then_the_latest_code_then_what_is_near():
    assert shortened(DIALOGUE, 6) == "user: It is wrong, fix it."
    both = shortened(DIALOGUE, 14)
    assert both.startswith("```python\ndef area(r):\n    return r * r\n```")
    assert both.endswith("user: It is wrong, fix it.")
    near = shortened(DIALOGUE, 16)
    assert near.index("squares.") < near.index("user: It")
    assert "How do I" not in near


def test_nothing_is_lost_where_there_is_room():
    assert shortened(DIALOGUE, 100) == DIALOGUE
    assert shortened(DIALOGUE, len(words(DIALOGUE))) == DIALOGUE


def test_code_in_the_request_itself_is_the_latest():
    text = f"user: {CODE}\nassistant: ok\nuser: and this?\n```\nnew\n```"
    assert shortened(text, 9).endswith("user: and this?\n```\nnew\n```")
    assert "area" not in shortened(text, 9)


def test_code_that_the_assistant_wrote_after_the_request_counts():
    text = f"user: one two three\nassistant: here\n{CODE}"
    assert shortened(text, 12).endswith("return r * r\n```")


def test_of_a_request_that_is_too_long_both_ends_are_kept():
    text = "assistant: hello\nuser: " + " ".join(f"w{i}" for i in range(50))
    assert shortened(text, 6) == "user: w0 w1\nw47 w48 w49"
    assert shortened(text, 1) == "user:"


@pytest.mark.parametrize("room", range(1, 40))
def test_no_more_is_kept_than_there_is_room_for(room):
    assert len(words(shortened(DIALOGUE, room))) <= room
