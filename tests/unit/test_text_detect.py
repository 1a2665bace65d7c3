"""Detection on texts written for this test; `benchmarks/detection.md` says how often it is right."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.text import detect as module
from hakari.text.code_detector import LONGEST, code_probability
from hakari.text.detect import Guess, detect, detect_category, detect_language, holds_code, is_code, sample

SENTENCES = {
    "ar": "يقع المتحف في وسط المدينة القديمة بالقرب من النهر.",
    "da": "Jeg kan godt lide at læse bøger, når det regner udenfor hele dagen.",
    "de": "Der Zug nach Hamburg fährt heute leider erst eine halbe Stunde später ab.",
    "el": "Το μουσείο βρίσκεται στο κέντρο της πόλης, δίπλα στο ποτάμι.",
    "en": "The museum is in the middle of the old town, not far from the river.",
    "es": "El tren sale mañana muy temprano y no volverá hasta la semana que viene.",
    "fi": "Museo sijaitsee vanhan kaupungin keskustassa lähellä jokea.",
    "fr": "Le musée se trouve au centre de la vieille ville, tout près de la rivière.",
    "hi": "संग्रहालय पुराने शहर के बीच में नदी के पास है।",
    "ja": "博物館は古い町の中心にあり、川の近くです。",
    "ko": "박물관은 강에서 멀지 않은 구시가지 한가운데에 있습니다.",
    "nl": "Het museum ligt midden in de oude stad, niet ver van de rivier.",
    "pl": "Muzeum znajduje się w centrum starego miasta, niedaleko rzeki.",
    "ru": "Музей находится в центре старого города, недалеко от реки.",
    "th": "พิพิธภัณฑ์ตั้งอยู่ใจกลางเมืองเก่าใกล้แม่น้ำ",
    "vi": "Bảo tàng nằm ở trung tâm khu phố cổ, không xa con sông.",
    "zh": "博物馆位于老城区的中心，离河不远。",
}
CODE = {
    "python": "def area(width, height):\n    return width * height\n",
    "c": "static int area(int width, int height)\n{\n\treturn width * height;\n}",
    "javascript": "const area = (box) => { return box.width * box.height; };",
    "go": 'func Area(b Box) (int, error) {\n\tif b.W < 0 {\n\t\treturn 0, errors.New("negative")\n\t}\n}',
    "sql": "SELECT name, COUNT(*) FROM boxes WHERE width > 10 GROUP BY name;",
    "shell": "for f in *.txt; do wc -l \"$f\" | awk '{print $1}'; done",
    "haskell": "area :: Box -> Int\narea (Box w h) = w * h",
    "command": "tar --extract --file archive.tar.gz -C target/release",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_language_of_a_sentence(language: str) -> None:
    guess = detect_language([SENTENCES[language]])
    assert (guess.value, guess.texts) == (language, 1)


@pytest.mark.parametrize("text", CODE.values(), ids=CODE)
def test_code_is_code(text: str) -> None:
    assert is_code(text)
    assert detect_category([text]).value == "code"


@pytest.mark.parametrize("text", SENTENCES.values(), ids=SENTENCES)
def test_prose_is_prose(text: str) -> None:
    assert not is_code(text)
    assert detect_category([text]).value == "natural_language"


def test_a_signature_above_prose_is_a_line_of_code() -> None:
    entry = (
        "box.area(width, height, *, unit=None)\nThe area of a box, which is its width times its height. "
        "If a unit is given, the result is converted to it, and otherwise it is in the unit of the sides."
    )
    assert holds_code(entry)
    assert not holds_code(entry.partition("\n")[2])


def test_a_task_is_code_if_one_side_is() -> None:
    questions = ["how do I compute the area of a box", "what is the largest box in the table"]
    language, category = detect(questions, list(CODE.values()))
    assert (language.value, category.value) == ("en", "code")
    assert detect(list(CODE.values()), questions)[1].value == "code"
    assert detect(questions, questions)[1].value == "natural_language"


def test_a_task_of_code_alone_is_english_by_default() -> None:
    language, category = detect(list(CODE.values()), list(CODE.values()))
    assert language == Guess("en", 0.0, 0)
    assert category.value == "code"


def test_language_of_a_code_task_is_that_of_its_prose() -> None:
    assert detect([SENTENCES["de"], "wie berechnet man die Fläche"], list(CODE.values()))[0].value == "de"


def test_several_languages_are_multilingual() -> None:
    german, french = SENTENCES["de"], SENTENCES["fr"]
    mixed = detect_language([german, french])
    assert mixed.value == "multilingual"
    assert {value for value, _ in mixed.others} == {"de", "fr"}
    crossed, _ = detect([german], [french])
    assert crossed.value == "multilingual"
    assert dict(crossed.others).keys() >= {"de", "fr"}


def test_few_foreign_texts_leave_the_language() -> None:
    guess = detect_language([f"{SENTENCES['en']} {number}" for number in range(9)] + [SENTENCES["fr"]])
    assert guess.value == "en"
    assert guess.share == pytest.approx(0.9, abs=0.01)
    assert guess.others[0][0] == "fr"


@pytest.mark.parametrize("texts", [[], [""], [" \n\t"], ["12 345", "..."]])
def test_texts_that_say_nothing(texts: list[str]) -> None:
    assert detect_language(texts) == Guess("en", 0.0, 0)
    assert detect_category([text for text in texts if text.isspace()]) == Guess("natural_language", 0.0, 0)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(st.text(st.characters(), max_size=80), max_size=8), st.randoms(use_true_random=False))
def test_any_texts_in_any_order(texts: list[str], chance: random.Random) -> None:
    shuffled = chance.sample(texts, len(texts))
    assert detect(texts, texts) == detect(shuffled, shuffled + shuffled)
    assert all(0.0 <= code_probability(text) <= 1.0 for text in texts)


def test_a_sample_is_even_and_without_repetition() -> None:
    texts = [f"{number:04}" for number in range(1000)]
    assert sample(reversed(texts), 10) == [f"{number:04}" for number in range(0, 1000, 100)]
    assert sample(["b", "a", "b", " ", ""], 10) == ["a", "b"]


def test_only_the_beginning_of_a_text_is_looked_at() -> None:
    prose = (SENTENCES["en"] + " ") * 20
    assert code_probability(prose) == code_probability(prose + "x = {};\n" * 1000)
    assert len(prose) > LONGEST


def test_nothing_depends_on_the_hash_seed() -> None:
    program = (
        "from hakari.text.detect import detect\n"
        f"print(detect({list(SENTENCES.values())!r}, {list(CODE.values())!r}), end='')"
    )
    source = str(Path(module.__file__).parents[2])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONPATH": source, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_tasks_without_their_metadata(real_data: Path) -> None:
    wrong = {}
    for task in json.loads((real_data / "manifest.json").read_text()):
        sides = []
        for part in ("queries", "corpus"):
            path = real_data / task["suite"] / part / f"{task['task']}.parquet"
            found = duckdb.execute("select text from read_parquet(?)", [str(path)]).fetchall()
            sides.append([text for (text,) in found])
        language, category = detect(*sides)
        if (language.value, category.value) != (task["language"], task["category"]):
            wrong[task["task"]] = (language, category)
    assert wrong == {}
