"""Paraphrases in training data: what `hakari audit --similar` finds of real rewordings, and what it takes for one.

    python benchmarks/audit_similar.py DATA [--models bge_small_en static:wordllama] [--rows 5000]

DATA holds sets in nano layout and `train/`, such as shared by the maintainers. Truths: `mbpp_sanitized` words problems
of MBPP anew, and rows are known by the number of their problem; `conala_all` has for each question its title, as asked,
and a rewriting of it, which is the query of the task. False rows are counted in sources that share nothing with a task.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hakari.audit.report import Report
from hakari.audit.run import Progress, Settings, audit
from hakari.audit.similar_scan import Asked
from hakari.io.files import connect
from hakari.retrievers.text_vectors import TextVectors

MBPP, CONALA = "NanoRTEB/NanoMBPP", "NanoOpen/ConalaIntentToSnippet"
OTHERS = ("NanoMedical/NanoSciFact", "NanoCoIR/NanoCosQA")
UNRELATED = {
    "scifact_train": (MBPP, CONALA, "NanoCoIR/NanoCosQA"),
    "wikisql_train": (MBPP, CONALA, *OTHERS),
    "codexglue_java_cs": (MBPP, CONALA, *OTHERS),
    "cosqa_qa_dev": (MBPP, CONALA, "NanoMedical/NanoSciFact"),
    "conala_all": (MBPP, *OTHERS),
}
LEXICAL = ("direct", "near")


class Pace(Progress):
    """How long the pass for paraphrases took."""

    def __init__(self) -> None:
        self.begun, self.rows, self.expected = 0.0, 0, 0.0

    def begin_similar(self, model: str, rows: int, seconds: float) -> None:
        """It begins now."""
        self.begun, self.expected = time.perf_counter(), seconds

    def compared(self, rows: int) -> None:
        """Rows are done."""
        self.rows += rows

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.perf_counter() - self.begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--models", nargs="+", default=["bge_small_en", "static:wordllama"])
    parser.add_argument("--rows", type=int, default=5000, help="of each unrelated source, at most")
    given = parser.parse_args()
    for name in given.models:
        model = TextVectors(name)
        print(f"\n## {Path(name).name}\n")
        told = [*mbpp(given.data, model), *conala(given.data, model), *scifact(given.data, model)]
        print("| truth | found |\n| --- | --- |")
        for what, count in told:
            print(f"| {what} | {count} |", flush=True)
        unrelated(given.data, model, given.rows)


def run(
    data: Path, train: Path, tasks: Sequence[str], model: TextVectors, **given: list[str]
) -> tuple[Report, Pace]:
    """One audit, never from what an earlier one kept."""
    pace = Pace()
    settings = Settings(given=given, fresh=True, similar=Asked(model))
    return audit([train], [str(data / task) for task in tasks], settings=settings, progress=pace), pace


def rows_by(report: Report, risks: Sequence[str], query: str | None = None) -> set[int]:
    """The rows flagged for a risk, by any text or by one query."""
    kinds = {kind for kind in report.masks if risk_of(kind) in risks} | ({"similar"} & set(risks))
    return {
        row
        for row, reasons in report.flagged().items()
        for reason in reasons
        if reason.kind in kinds and (query is None or (reason.side == "query" and reason.id == query))
    }


def risk_of(kind: str) -> str:
    """The risk of a kind."""
    from hakari.audit.kinds import BY_NAME

    return BY_NAME[kind].risk


def mbpp(data: Path, model: TextVectors) -> Iterator[tuple[str, str]]:
    """Problems whose sanitised version words the question anew."""
    train = data / "train" / "mbpp_sanitized.parquet"
    report, _ = run(data, train, [MBPP], model)
    print(f"similar: {report.thresholds.similar}.\n")
    with connect() as con:
        original = con.execute(f"SELECT text, task_id FROM '{data}/train/mbpp_all.parquet'").fetchall()
        row_of = {
            number: row
            for row, (number,) in enumerate(con.execute(f"SELECT task_id FROM '{train}'").fetchall())
        }
    task, number_of = report.index.tasks[0], dict(original)
    asked = {
        name: number_of[report.index.texts[text]]
        for text, name in zip(task.queries.tolist(), task.query_ids, strict=True)
    }
    copies = {name: row_of[number] for name, number in asked.items() if number in row_of}
    flagged = report.flagged()
    kinds = {
        name: {r.kind for r in flagged.get(row, ()) if (r.side, r.id) == ("query", name)}
        for name, row in copies.items()
    }
    exact = {name for name, kind in kinds.items() if "exact" in kind}
    near = {name for name, kind in kinds.items() if any(risk_of(k) in LEXICAL for k in kind)}
    similar = {name for name, kind in kinds.items() if "similar" in kind}
    yield f"{MBPP}: problems that the sanitised version has", f"{len(copies)}"
    yield "their question found verbatim, as `exact`", f"{len(exact)}"
    yield "found as `direct` or `near`", f"{len(near)} of {len(copies)}"
    yield "found by no such kind, and as `similar`", f"{len(similar - near)} of {len(copies) - len(near)}"
    rows = set(copies.values())
    lexical = rows_by(report, LEXICAL)
    alike = rows_by(report, ["similar"])
    yield (
        "rows of these problems flagged as `direct` or `near`; with `similar`",
        (f"{len(rows & lexical)}; {len(rows & (lexical | alike))} of {len(rows)}"),
    )
    number = next(name for name, one in asked.items() if one == "166")
    cosine = [
        f"{r.cosine:.3f} ({r.side})"
        for r in flagged.get(copies[number], ())
        if r.kind == "similar" and r.id[-3:] == number[-3:]
    ]
    yield "problem 166, which no other kind finds: cosine", ", ".join(cosine) or "not found"
    others = set(range(report.rows_scanned)) - rows
    yield (
        "rows of other problems of MBPP flagged as `direct` or `near`; only as `similar`",
        (f"{len(others & lexical)}; {len((others & alike) - lexical)} of {len(others)}"),
    )


def conala(data: Path, model: TextVectors) -> Iterator[tuple[str, str]]:
    """Titles as asked, where the task has their rewritten form."""
    train = data / "train" / "conala_all.parquet"
    report, _ = run(data, train, [CONALA], model, query=["intent"])
    with connect() as con:
        rows = con.execute(f"SELECT intent, rewritten_intent, question_id FROM '{train}'").fetchall()
    task = report.index.tasks[0]
    texts = {
        name: report.index.texts[text]
        for text, name in zip(task.queries.tolist(), task.query_ids, strict=True)
    }
    rewritten: dict[str, list[int]] = {}
    for row, (_, better, _) in enumerate(rows):
        rewritten.setdefault(better, []).append(row)
    known = {name: rewritten[text] for name, text in texts.items() if text in rewritten}
    found = {risks: sum(bool(rows_by(report, risks, name) & set(own)) for name, own in known.items())
             for risks in (LEXICAL, (*LEXICAL, "similar"))}  # fmt: skip
    yield f"{CONALA}: queries that are rewritten titles", f"{len(known)}"
    yield "their title found as `direct` or `near`; with `similar`", " ; ".join(map(str, found.values()))
    questions = {rows[row][2] for own in known.values() for row in own}
    others = {row for row, (_, _, question) in enumerate(rows) if question not in questions}
    alike = rows_by(report, ["similar"]) - rows_by(report, LEXICAL)
    yield "rows of other questions flagged only as `similar`", f"{len(others & alike)} of {len(others):,}"


def scifact(data: Path, model: TextVectors) -> Iterator[tuple[str, str]]:
    """Claims about the same papers; which of them mean the same nobody has noted."""
    report, _ = run(data, data / "train" / "scifact_train.parquet", ["NanoMedical/NanoSciFact"], model)
    counts = {(c.side, c.kind): c for c in report.counts}
    similar = counts["query", "similar"]
    alike = rows_by(report, ["similar"])
    yield "NanoMedical/NanoSciFact: claims that a row of scifact_train is similar to", f"{similar.matched}"
    yield (
        "rows of scifact_train flagged as `similar`; of them as nothing stronger",
        (f"{len(alike)}; {len(alike - rows_by(report, LEXICAL))} of {report.rows_scanned}"),
    )


def unrelated(data: Path, model: TextVectors, most: int) -> None:
    """False rows in sources that share nothing with the tasks."""
    print("\n| source | tasks | rows | flagged as similar | in 10,000 | expected | took | rows/s |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for source, tasks in UNRELATED.items():
            part = Path(folder) / f"{source}.parquet"
            with connect() as con:
                con.execute(f"COPY (SELECT * FROM '{data}/train/{source}.parquet' LIMIT {most}) TO '{part}'")
            report, pace = run(data, part, tasks, model)
            alike = {row for row in rows_by(report, ["similar"])}
            names = ", ".join(task.rpartition("/")[2] for task in tasks)
            print(
                f"| {source} | {names} | {report.rows_scanned:,} | {len(alike)} | "
                f"{10_000 * len(alike) / report.rows_scanned:.1f} | {pace.expected:.0f} s | {pace.seconds:.0f} s | "
                f"{pace.rows / pace.seconds:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
