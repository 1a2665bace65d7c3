"""The scan of the leakage audit: what it finds, and that both paths give the same bytes."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from both_paths import needs_compiled, without_compiled
from small import small_task

from hakari.audit.compare import FOUND
from hakari.audit.index import Index, build
from hakari.audit.kinds import OF_ONE_ROW, Thresholds, classify, strongest
from hakari.audit.normal import fold
from hakari.audit.plain import PlainScan
from hakari.audit.run import Settings, audit, parse_shingle
from hakari.audit.scan import scanner
from hakari.errors import UsageError
from hakari.io.files import connect
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

PROSE = [
    "The harbour town of Elvan was built on three low hills that face the northern sea. Its first houses were made "
    "of black slate, which the quarry behind the church still yields. In winter the ferries stop for nine weeks! "
    "Children skate on the shallow lagoon while their parents mend nets in the old rope hall. Nobody locks a door.",
    "A compiler keeps a table of every symbol that it has met so far. When a scope ends, the symbols of that scope "
    "are hidden again; the table itself is never thrown away, because later passes ask it for types and places. "
    "Errors are collected, sorted by line, and printed once at the very end of the run for the user to read.",
]
CODE = '''def merge_ranges(ranges, gap=0):
    """Join ranges that touch."""
    merged = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))  # touches
        else:
            merged.append((start, end))
    return merged
'''
RENAMED = """def fuse(parts, slack = 0):
    out = []
    for a, b in sorted(parts):
        if out and a <= out[-1][1] + slack: out[-1] = (
            out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out
"""


@pytest.fixture(scope="module")
def task() -> Task:
    queries = {"q1": "how do i join overlapping ranges in python", "q2": "Wo liegt die Stadt Elvan, am Meer?"}
    corpus = {
        "d1": CODE,
        "d2": PROSE[0],
        "d3": PROSE[1],
        "d4": TOKYO,
        "d5": VERSE,
    }
    judged = [("q1", "d1", 1), ("q2", "d2", 1), ("q2", "d3", 1), ("q2", "d4", 1), ("q1", "d5", 1)]
    return assemble("NanoA", "T", queries, corpus, judged, traits=Traits("en", "code"))


def kinds_of(index: Index, *row: str | None) -> dict[str, set[str]]:
    """The kinds in which one row holds texts, by the id of the text."""
    found, _ = scanner(index)([row], 0)
    masks = classify(found, Thresholds(shingle=index.shingle))
    task = index.tasks[0]
    ids = dict(zip(task.positives.tolist(), task.positive_ids, strict=True))
    ids |= dict(zip(task.queries.tolist(), task.query_ids, strict=True))
    held: dict[str, set[str]] = {}
    for at, text in enumerate(found["text"].tolist()):
        kinds = {kind for kind, mask in masks.items() if mask[at]}
        if kinds:
            held[ids[text]] = kinds
    return held


VERSE = """The rope hall smells of tar,
and every net has a name;
nobody sells by the gram
what the sea gave by the ton.
Winter keeps the ferries home,
so the harbour learns to wait,
counting lanterns on the ice,
trading rumours for a song."""
TOKYO = "東京は日本の首都であり、世界最大の都市圏の一つです。人口は多い。"
FILLER = "Completely different words about gardening, soil, seeds and the patience of growers in dry years. "


def edited(text: str, rate: float = 0.05) -> str:
    words, rng = text.split(), random.Random(3)
    return " ".join("changed" if rng.random() < rate else word for word in words)


@pytest.mark.parametrize(
    ("row", "text", "kind"),
    [
        ((PROSE[0],), "d2", "exact"),
        (("x", PROSE[0].upper().replace(" ", "\n\t") + " -- "), "d2", "exact"),
        ((FILLER + PROSE[0] + FILLER,), "d2", "embedded"),
        ((f"user: hello there\x1eassistant: {PROSE[1]}",), "d3", "exact"),
        ((f"<|im_start|>user\n{PROSE[1]}<|im_end|>\n<|im_start|>assistant\nNo.",), "d3", "exact"),
        ((f"[INST] {PROSE[1]} [/INST]",), "d3", "exact"),
        ((FILLER + " ".join(PROSE[0].split()[:40]),), "d2", "shingle"),
        ((FILLER + " ".join(PROSE[0].split()[:25]),), "d2", "partial"),
        ((edited(PROSE[1], 0.2),), "d3", "edited"),
        (("\n".join(reversed(VERSE.split("\n"))),), "d5", "reordered"),
        ((RENAMED,), "d1", "fingerprint"),
        (("Q: How do I join overlapping ranges in Python?",), "q1", "exact"),
        (("Please help.\nhow do I join overlapping ranges in Python\nThanks",), "q1", "embedded"),
        ((TOKYO,), "d4", "exact"),
        (("東京は、日本の首都であり  世界最大の都市圏の一つです",), "d4", "shingle"),
        (("wo LIEGT die Stadt Elvan am Meer",), "q2", "exact"),
    ],
)
def test_a_planted_leak_is_found_in_its_kind(task: Task, row: tuple[str], text: str, kind: str) -> None:
    index = build([task])
    assert kind in kinds_of(index, *row).get(text, set())


@pytest.mark.parametrize(
    "row", [(FILLER,), (None,), ("",), ("def f(x):\n    return x.y(1)\n" * 3,), ("join ranges in python",)]
)
def test_what_shares_nothing_is_not_found(task: Task, row: tuple[str | None]) -> None:
    assert kinds_of(build([task]), *row) == {}


def hard_rows(task: Task) -> list[tuple[str | None, ...]]:
    """Rows that are made of the texts of a task, mangled in many ways."""
    rng = random.Random(11)
    texts = [*task.queries.texts, *task.corpus.texts, *PROSE, CODE, RENAMED]
    rows: list[tuple[str | None, ...]] = [(text, None, "") for text in texts]
    for text in texts:
        words, lines = text.split(" "), text.splitlines()
        rng.shuffle(lines)
        rows.append(("\n".join(lines), "user: " + text, text[: len(text) // 2]))
        rows.append(("\x1e".join(rng.sample(words, len(words) // 2)), text.upper(), "é " + text))
        rows.append(
            (text + text, " ".join(words[3:]) + " a.b.c::d ''' x \"\"\"", "<|im_start|>user\n" + text[5:])
        )
        junk = "".join(rng.choices("ab_(){}[]=;'\"\\/#-*.\n :|<>ßＡ東️é", k=200))
        rows.append((junk, text + junk + text, junk + "//" + text))
    return rows


@needs_compiled
@pytest.mark.parametrize("shingle", ["words:8", "words:3", "chars:30", "tokens:9"])
def test_the_fallback_gives_the_same_bytes(task: Task, shingle: str) -> None:
    tasks = [task, small_task()]
    index = build(tasks, parse_shingle(shingle))
    rows = hard_rows(task) + hard_rows(tasks[1])
    compiled = scanner(index)(rows, 5)
    with without_compiled():
        plain_index = build(tasks, parse_shingle(shingle))
        plain = scanner(plain_index)(rows, 5)
    for name in ("keys", "starts", "postings", "counts", "offsets"):
        assert np.array_equal(getattr(index, name), getattr(plain_index, name)), name
    assert compiled[1] == plain[1]
    assert compiled[0].tobytes() == plain[0].tobytes()
    assert len(plain[0]) > 50
    assert PlainScan(index).scan(rows, 5)[0].dtype == FOUND


def test_threads_and_batches_leave_no_trace(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hakari.io.nano_write import write_nano_set

    write_nano_set(tmp_path / "NanoA", [task])
    rows = hard_rows(task) * 40
    with connect() as con:
        columns = [list(column) for column in zip(*[row[:2] for row in rows], strict=True)]
        con.execute("CREATE TABLE t AS SELECT unnest(?::VARCHAR[]) AS a, unnest(?::VARCHAR[]) AS b", columns)
        con.execute(f"COPY t TO '{tmp_path}/train.parquet' (FORMAT parquet)")
    reports = []
    for threads in ("1", "3"):
        monkeypatch.setenv("HAKARI_THREADS", threads)
        reports.append(
            audit([tmp_path / "train.parquet"], [str(tmp_path / "NanoA")], settings=Settings(fresh=True))
        )
    one, other = (report.found.tobytes() for report in reports)
    assert one == other
    assert reports[0].rows_scanned == len(rows)
    assert reports[0].risk == "direct"
    assert (strongest(reports[0].masks) < len(OF_ONE_ROW)).sum() > 100


def test_text_beyond_ascii_is_folded_as_ascii_is() -> None:
    assert fold("Straße—ＡＢＣ①…").decode() == "strasse abc1..."
    assert fold("日本語。x").decode().split() == ["日", "本", "語", ".", "x"]
    assert fold("Cafe\u0301") == fold("café")


@pytest.mark.parametrize("told", ["words", "words:0", "lines:8", "chars:x", "words:999"])
def test_what_is_no_shingle_is_refused(told: str) -> None:
    with pytest.raises(UsageError, match="is no shingle"):
        parse_shingle(told)
