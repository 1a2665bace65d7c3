"""Training files with known truths, in the form of published audits.

    python benchmarks/audit_truths.py DATA [--missed]

DATA holds sets in nano layout and `train/`, such as shared by the maintainers. `--missed` prints the problems of MBPP
whose edited copies in its sanitised version were not found.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hakari.audit.record import entry_of
from hakari.audit.report import Report
from hakari.audit.run import Settings, audit
from hakari.io.audits import COUNTS
from hakari.io.files import connect

PAIRS = (
    ("cosqa_retrieval_test", "NanoCoIR/NanoCosQA"),
    ("cosqa_code_pool", "NanoCoIR/NanoCosQA"),
    ("mbpp_all", "NanoRTEB/NanoMBPP"),
    ("mbpp_sanitized", "NanoRTEB/NanoMBPP"),
    ("wikisql_train", "NanoOpen/WikiSQLQuestionToSQL"),
    ("codexglue_java_cs", "NanoOpen/CodeXGLUEJavaToCSharp"),
    ("scifact_train", "NanoMedical/NanoSciFact"),
    ("conala_all", "NanoOpen/ConalaIntentToSnippet"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--missed", action="store_true")
    given = parser.parse_args()
    short = [
        name.replace("normalized_", "").replace("_matches", "").replace("source_train_", "")
        for name in COUNTS
    ]
    print(
        "| training data | task | " + " | ".join(short) + " | found in any kind: queries, positives | risk |"
    )
    print("| --- " * (5 + len(COUNTS)) + "|")
    for train, task in PAIRS:
        path = given.data / "train" / f"{train}.parquet"
        report = audit([path], [str(given.data / task)], settings=Settings(fresh=True))
        entry = entry_of(report, report.index.tasks[0], train, "")
        reasons = [reason for row in report.flagged().values() for reason in row if reason.kind != "origin"]
        any_kind = [len({r.id for r in reasons if r.side == side}) for side in ("query", "positive")]
        told = [f"{entry[name]:,}" for name in COUNTS]
        print(
            f"| {train} | {task} | {' | '.join(told)} | {any_kind[0]}, {any_kind[1]} | {entry['risk']} |",
            flush=True,
        )
        if train == "mbpp_sanitized":
            sanitised(report, path, given.data, given.missed)


def sanitised(report: Report, path: Path, data: Path, show: bool) -> None:
    """How many of the edited copies of the task's problems are found, known by the numbers of MBPP."""
    with connect() as con:
        original = con.execute(f"SELECT task_id, text, code FROM '{data}/train/mbpp_all.parquet'").fetchall()
        edited = con.execute(f"SELECT task_id, text, code FROM '{path}'").fetchall()
    numbers = {text: number for number, text, _ in original}
    task = report.index.tasks[0]
    names = zip(task.queries.tolist(), task.query_ids, strict=True)
    asked = {numbers[report.index.texts[text]]: name for text, name in names}
    row_of = {number: row for row, (number, _, _) in enumerate(edited)}
    flagged = report.flagged()
    there = [number for number in asked if number in row_of]
    by_query = [
        n for n in there if any(r.id == asked[n] and r.side == "query" for r in flagged.get(row_of[n], ()))
    ]
    by_row = [n for n in there if row_of[n] in flagged]
    print(f"| of it: {len(there)} copies of the 200 problems | | " + " | " * len(COUNTS) + "| "
          f"query found in its row {len(by_query)}, row flagged {len(by_row)} | |")  # fmt: skip
    texts = {number: (text, code) for number, text, code in original}
    for number in there if show else ():
        if number not in by_row:
            _, text, code = edited[row_of[number]]
            print(f"\nmissed {number}\n  {texts[number][0]}\n  {text}\n--- {texts[number][1]}\n--- {code}")


if __name__ == "__main__":
    main()
