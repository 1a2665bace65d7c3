"""How often the language and the category of texts and tasks are detected right, on texts held out.

    python benchmarks/detection_texts.py FOLDER                fetches the texts
    python benchmarks/detection.py FOLDER [TASKS] > benchmarks/detection.md

FOLDER holds the packages; TASKS, a folder of tasks with `manifest.json`, adds the tasks with their metadata
hidden. Only counts are written, never texts.
"""

from __future__ import annotations

import html
import json
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import duckdb
from detection_texts import HARD, HELD_OUT, Source, digest, files, passages, pieces, place, po_messages

from hakari.text.detect import CODE, PROSE, detect, detect_category, detect_language, holds_code, is_code

BANDS = {"20 to 60 characters": (20, 60), "200 to 1,000 characters": (200, 1_000)}
MOST = 300
CAVEAT = """\
The texts were held out from training, not from sight: tables like these were read while the detector
was made, and led to a word for each character of Chinese and Japanese, to keywords of single languages
(SQL), to commands from manuals in training, and to looking for lines of code; the tasks below led to
the last two as well. So take the figures as somewhat favourable.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" for _ in head) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def harvest(
    folder: Path, sources: Iterable[Source], band: tuple[int, int]
) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for source in sources:
        for path in files(folder, source):
            for passage in passages(path, source.kind):
                if is_untranslated(folder, source, passage):
                    continue
                found[source.kind, source.label].update(pieces(passage, *band, 3))
    return {key: sorted(texts, key=digest)[:MOST] for key, texts in found.items()}


@cache
def english_phrases(folder: Path) -> frozenset[str]:
    """Every four words in a row of the English manuals."""
    english = [source for source in HELD_OUT if (source.kind, source.label) == ("prose", "en")]
    texts = (
        text
        for source in english
        for path in files(folder, source, 10_000)
        for text in passages(path, "prose")
    )
    return frozenset(phrase for text in texts for phrase in phrases(text))


def phrases(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[start : start + 4]) for start in range(len(words) - 3)]


def is_untranslated(folder: Path, source: Source, passage: str) -> bool:
    """Whether a paragraph of a translated manual is, for the most part, still English."""
    if source.kind != "prose" or source.label == "en":
        return False
    found = phrases(passage)
    return 4 * sum(phrase in english_phrases(folder) for phrase in found) > len(found)


def ratio(right: int, all_: int) -> str:
    return f"{right}/{all_} ({right / all_:.1%})" if all_ else "none so long"


def confusion_of_languages(texts: dict[str, list[str]]) -> None:
    """Rows are what texts are in, columns what is detected, in percent."""
    names = sorted(texts)
    rows = []
    for name in names:
        counts = Counter(detect_language([text]).value for text in texts[name])
        total = len(texts[name])
        other = {value: count for value, count in counts.items() if value not in names}
        cells = [f"{100 * counts[value] / total:.0f}" if counts[value] else "" for value in names]
        most = max(other, key=lambda value: (other[value], value)) if other else ""
        rest = f"{100 * sum(other.values()) / total:.0f} ({most})" if other else ""
        rows.append([f"**{name}**", total, *cells, rest])
    table(["", "texts", *names, "another (most often)"], rows)


def single_texts(folder: Path) -> None:
    print("## Single texts: language\n")
    print("Paragraphs of Debian's installation guide (Finnish: aptitude's manual), in percent of the row.")
    print("Paragraphs that a translation leaves in English are left out, told by a quarter of")
    print("their phrases of four words being the English manual's.\n")
    for band, limits in BANDS.items():
        print(f"### {band}\n")
        found = harvest(folder, [source for source in HELD_OUT if source.kind == "prose"], limits)
        confusion_of_languages({label: texts for (_, label), texts in found.items()})

    print("## Single texts: code or prose\n")
    print("How many are taken for code; with an asterisk, a language that had no text in training.\n")
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    totals: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for band, limits in BANDS.items():
        found = harvest(folder, (*HELD_OUT, *HARD), limits)
        for key in dict.fromkeys((source.kind, source.label) for source in (*HELD_OUT, *HARD)):
            texts = found.get(key, [])
            code = sum(map(is_code, texts))
            rows[key].append(ratio(code, len(texts)))
            group = {"commands": "code", "data": "hard cases"}.get(key[0], key[0])
            totals[group, band][0] += code
            totals[group, band][1] += len(texts)
    for group in ("code", "prose", "hard cases"):
        kinds = {"code": ("code", "commands"), "prose": ("prose",), "hard cases": ("data",)}[group]
        print(f"### {group}\n")
        body = [[label, *cells] for (kind, label), cells in rows.items() if kind in kinds]
        table([group, *BANDS], [*body, ["**together**", *(ratio(*totals[group, band]) for band in BANDS)]])


def samples_of_messages(folder: Path) -> None:
    messages = po_messages(folder)
    english = set(messages["en"])
    messages = {
        code: [text for text in texts if len(text) >= 20 and (code == "en" or text not in english)]
        for code, texts in messages.items()
    }
    print("## Samples of short texts: language\n")
    print(
        "Messages of Django of 20 characters and more, as a task with nothing but such queries would have.\n"
    )
    rows = []
    for code, texts in messages.items():
        single = Counter(detect_language([text]).value for text in sorted(texts, key=digest)[:MOST])
        guess, few = detect_language(texts), detect_language(sorted(texts, key=digest)[:20])
        wrong = [f"{value} {count}" for value, count in single.most_common(4) if value != code]
        alone = ratio(single[code], sum(single.values()))
        rows.append([code, alone, ", ".join(wrong[:3]), few.value, f"{guess.value} ({guess.share:.2f})"])
    right = sum(row[4].startswith(row[0] + " ") for row in rows)
    few_right = sum(row[3] == row[0] for row in rows)
    table(["language", "one alone", "taken for", "20 together", "all together (share)"], rows)
    print(f"All together: {right} of {len(rows)} right; 20 together: {few_right} of {len(rows)}.\n")

    pairs = list(pairwise(messages))
    mixed = sum(
        detect_language(messages[a][:100] + messages[b][:100]).value == "multilingual" for a, b in pairs
    )
    crossed = sum(detect(messages[a], messages[b])[0].value == "multilingual" for a, b in pairs)
    print(f"Two languages mixed half and half: {mixed} of {len(pairs)} called multilingual.")
    print(f"Queries in one language, documents in another: {crossed} of {len(pairs)} called multilingual.\n")


def samples_of_category(folder: Path) -> None:
    print("## Samples of up to 300 texts: category\n")
    print("A sample is code where 40 % of its texts are code or begin with a line of it.\n")
    samples: dict[str, tuple[str, list[str]]] = {}
    for (kind, label), texts in harvest(folder, HELD_OUT, (60, 600)).items():
        samples[label] = (PROSE if kind == "prose" else CODE, texts)
    samples |= references(folder)
    rows = []
    for label, (expected, texts) in samples.items():
        guess = detect_category(texts)
        share = sum(is_code(text) or holds_code(text) for text in texts) / max(1, len(texts))
        rows.append(
            [label, len(texts), f"{share:.2f}", guess.value, "" if guess.value == expected else "wrong"]
        )
    table(["texts", "how many", "share with code", "category", ""], rows)
    wrong = sum(row[4] == "wrong" for row in rows)
    print(f"{len(rows) - wrong} of {len(rows)} right.\n")


def references(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """API references, which tasks count as code, and manuals about software, which are prose."""
    entries = []
    for path in sorted(place(folder, "deb:python3.11-doc").glob("**/library/*.html")):
        page = path.read_text("utf-8", "ignore")
        for pair in re.findall(r'<dt class="sig.*?>(.*?)</dt>\s*<dd>(.*?)</dd>', page, re.DOTALL):
            entries.append(html.unescape(re.sub("<[^>]+>", "", "\n".join(pair))).strip())
    manual = Source("prose", "en", "deb:git-doc", "**/git-*.html")
    paragraphs = [
        text for path in files(folder, manual) for text in passages(path, "prose") if len(text) > 60
    ]
    return {
        "Python's API reference (used to choose the 40 %)": (CODE, sorted(entries, key=digest)[:MOST]),
        "paragraphs of git's manual pages": (PROSE, sorted(paragraphs, key=digest)[:MOST]),
    }


def tasks(folder: Path) -> None:
    print("## Tasks with their metadata hidden\n")
    rows, seconds = [], []
    program = "import time; from hakari.text.detect import detect; began = time.perf_counter();"
    program += "detect(['Only a text.'], ['x = 1']); print(time.perf_counter() - began)"
    loading = float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
    for task in json.loads((folder / "manifest.json").read_text()):
        sides = []
        for part in ("queries", "corpus"):
            path = folder / task["suite"] / part / f"{task['task']}.parquet"
            found = duckdb.execute("select text from read_parquet(?)", [str(path)]).fetchall()
            sides.append([text for (text,) in found])
        began = time.perf_counter()
        language, category = detect(*sides)
        seconds.append(time.perf_counter() - began)
        right = (language.value, category.value) == (task["language"], task["category"])
        rows.append(
            [
                task["task"],
                f"{language.value} ({language.share:.2f} of {language.texts})",
                f"{category.value} ({category.share:.2f})",
                "yes" if right else f"no: {task['language']}, {task['category']}",
            ]
        )
    table(["task", "language", "category", "right"], rows)
    print(f"{sum(row[3] == 'yes' for row in rows)} of {len(rows)} right in both.")
    print(f"Seconds a task: median {statistics.median(seconds):.2f}, most {max(seconds):.2f},")
    print(f"on two shared cores, and {loading:.2f} once to load the models.\n")


def main() -> None:
    folder = Path(sys.argv[1])
    print("# Detection of language and category, measured\n")
    print(
        f"Written by `benchmarks/detection.py` with py3langid {version('py3langid')}. No text here was used"
    )
    print(
        "to train the code detector; the packages are listed in `benchmarks/detection_texts.py`. Comments are"
    )
    print("cut out of code before pieces are taken, since what they say is prose.\n")
    print(CAVEAT)
    single_texts(folder)
    samples_of_messages(folder)
    samples_of_category(folder)
    if len(sys.argv) > 2:
        tasks(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
