from __future__ import annotations

import pytest

from hakari.text.code_language import code_language
from hakari.text.lookalikes import KINDS, LookAlikes

FILLER = [f"def helper_{n}(value):\n    return value + {n}  # adds a number to the value" for n in range(100)]
RIGHT = "def read_config(path):\n    parser = configparser.ConfigParser()\n    parser.read(path)\n    return parser"


def kinds(
    query: str, right: str, other: str, documents: list[str] | None = None
) -> dict[str, tuple[str, ...]]:
    look = LookAlikes([*FILLER, right, other, *(documents or [])])
    return {one.kind: one.evidence for one in look.between(query, right, other)}


def test_every_kind_is_described_and_comes_in_one_order() -> None:
    found = list(kinds("read_config of configparser", RIGHT, RIGHT.replace("path", "place")))
    assert found == [kind for kind in KINDS if kind in found]


def test_nearly_the_same_text() -> None:
    assert "near-duplicate" in kinds("read a configuration", RIGHT, RIGHT + "\n    # done")
    assert "near-duplicate" not in kinds("read a configuration", RIGHT, FILLER[0])


def test_an_earlier_turn_stands_in_the_query() -> None:
    query = "user: how do I sort?\nassistant: call the sorted function on it\nuser: and in reverse?"
    assert "earlier-turn" in kinds(query, "pass reverse=True to it", "call the  sorted function\non it")
    assert "earlier-turn" not in kinds(query, "pass reverse=True to it", "call the reversed function on it")


def test_the_same_error() -> None:
    found = kinds(
        "KeyError: 'name' when reading a dict", "use dict.get", "a KeyError comes from a missing column"
    )
    assert found["same-error"] == ("KeyError",)


def test_another_version_of_the_same_library_in_texts_with_code() -> None:
    right = "In Django 1.8 write:\n    from django.db import models\n    x = models.get_model(name)"
    other = right.replace("1.8", "4.2")
    assert kinds("get a model in Django 1.8", right, other)["other-version"] == ("django 4.2 for 1.8",)
    prose = "the ratio was CI 1.09 of all those measured"
    assert "other-version" not in kinds("risk", "the ratio was CI 2.5 of those measured", prose)


def test_the_same_names_in_another_language() -> None:
    python = "import os\n\ndef parse_widget(self, spec):\n    return self.load_widget(spec)\n"
    java = (
        "public class Widget {\n  public void run() { System.out.println(parse_widget(load_widget())); }\n}"
    )
    assert kinds("parse a widget", python, java)["other-language"] == ("java for python",)


def test_another_member_of_a_namespace() -> None:
    found = kinds("urllib.parse.quote a path", "urllib.parse.quote(path)", "urllib.parse.unquote(path)")
    assert "urllib.parse" in found["same-namespace"]


def test_code_that_is_built_alike() -> None:
    other = (
        "def load_table(source):\n    reader = tables.Reader()\n    reader.open(source)\n    return reader"
    )
    assert "neighbouring-algorithm" in kinds("read a configuration", RIGHT, other)
    assert "neighbouring-algorithm" not in kinds(
        "read a configuration", RIGHT, "a paragraph about other things"
    )


def test_words_of_the_query() -> None:
    found = kinds("merge sorted streams", "heapq combines iterables", "sorted streams of events")
    assert found["query-words"] == ("sorted", "streams")


def test_only_common_words() -> None:
    assert "generic-words" in kinds("the value of zebra", RIGHT, FILLER[3])
    assert "boilerplate" in kinds("the value of zebra", RIGHT, "value return def adds a number to the value")


def test_another_library_than_the_one_asked_for() -> None:
    right, other = "import pandas as pd\npd.read_csv(path)", "import csv\ncsv.reader(open(path))"
    assert kinds("read a csv with pandas", right, other)["other-library"] == ("csv for pandas",)
    assert "other-library" not in kinds("read a csv", right, other)


def test_another_script() -> None:
    found = kinds("capital of France", "Paris is the capital of France", "Париж — столица Франции")
    assert found["other-language"] == ("cyrillic for latin",)


def test_an_earlier_turn_is_answered_and_not_the_last() -> None:
    query = (
        "User: open the settings file with configparser and read the port\n"
        "Assistant: here it is\nUser: now write the log to standard error instead"
    )
    earlier = "to open the settings file with configparser and read the port call getint"
    assert "earlier-turn" in kinds(query, "use logging.StreamHandler(sys.stderr)", earlier)
    last = "now write the log to standard error instead of a file"
    assert "earlier-turn" not in kinds(query, "use logging.StreamHandler(sys.stderr)", last)


def test_a_query_with_nothing_to_go_by() -> None:
    assert kinds("the value", RIGHT, FILLER[3])["short-query"] == ()
    assert "short-query" not in kinds("zebra crossing lights", RIGHT, FILLER[3])


def test_words_shared_with_the_query_or_with_the_right_text() -> None:
    right, other = "zebra lights at the kerb of Marlow", "zebra herds of the kerb near Marlow bridge, Kent"
    found = kinds("where are zebra lights", right, other)
    assert found["specific-words"] == ("zebra",)
    right, other = "granite quartz mica schist", "granite beside quartz and mica"
    assert kinds("rocks of the coast", right, other)["same-subject"] == ("granite", "mica", "quartz")
    assert kinds("rocks of the coast", right, other)["no-words"] == ()


def test_words_of_scripts_without_spaces_are_compared() -> None:
    found = kinds("東京の人口は何人か", "人口は約千四百万人である", "東京は日本の首都である")
    assert "東京" in found["specific-words"]
    assert "no-words" not in found


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "import os\n\ndef main(path):\n    return os.listdir(path)\n"),
        ("java", "public class A {\n  @Override\n  public String name() { return x; }\n}"),
        ("javascript", "const f = (a) => {\n  console.log(a === 1)\n}"),
        ("go", "package main\n\nfunc main() {\n\tx := 1\n}"),
        ("rust", "fn main() {\n    let mut x = vec![1];\n}"),
        ("c", "#include <stdio.h>\nint main(void) { printf(1); }"),
        ("cpp", "#include <vector>\nstd::vector<int> x;"),
        ("sql", "SELECT a FROM b GROUP BY c"),
        ("ruby", "text\n```ruby\nputs 1\n```"),
        (None, "A plain sentence about a select few."),
        (None, ""),
    ],
)
def test_languages_of_code(language: str | None, text: str) -> None:
    assert code_language(text) == language


def test_hostile_texts_are_taken() -> None:
    for text in ("", "\0" * 50, "." * 5_000, "a." * 20_000, "\ud800", "```" * 100, "_" * 9_000):
        assert isinstance(LookAlikes([text]).between(text, text, text), list)
