"""Rows that are audited before they are written: what stands in evaluation tasks is left out, and counted."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hakari.audit.kinds import RISKS
from hakari.audit.manifest import header, removals
from hakari.audit.run import Settings, audit
from hakari.mining.rows import Account, Row
from hakari.nano.draft import Stage

REMOVED = tuple(risk for risk in RISKS if risk in ("direct", "near", "partial"))
"""Rows with one of these risks go, as with `hakari audit --clean`."""


class Audited:
    """A filter of rows against some tasks; afterwards it tells what it did."""

    def __init__(self, on: Sequence[str], tasks_dir: Path | None = None) -> None:
        self.on, self.tasks_dir = list(on), tasks_dir
        self._account = Account("leakage audit")
        self._told: dict[str, Any] = {}

    def __call__(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that share nothing with the tasks, in their order."""
        kept = list(rows)
        gone = self._flagged(kept) if kept else {}
        for number, row in enumerate(kept):
            self._account.seen += 1
            if number in gone:
                self._account.leave_out(gone[number])
            else:
                self._account.kept += 1
                yield row

    def _flagged(self, rows: Sequence[Row]) -> dict[int, str]:
        """The rows to leave out by their number, each with its risk."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.jsonl"
            with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                for row in rows:
                    line = {"anchor": row.anchor, "positive": row.positive}
                    line["negatives"] = "\n\n".join(one.text for one in row.negatives)
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
            given = {"query": ("anchor",), "positive": ("positive",), "negatives": ("negatives",)}
            report = audit([path], self.on, self.tasks_dir, Settings(given=given, fresh=True))
            found: dict[int, str] = {}
            for risk in REMOVED:
                for number in sorted(*(removal.rows for removal in removals(report, [risk]))):
                    found.setdefault(number, risk)
            told = header(report, REMOVED)
            self._told = {
                key: told[key] for key in ("audit", "tasks", "rows_scanned", "risks", "definitions")
            }
            self._told["left_out"] = dict(sorted(Counter(found.values()).items()))
        return found

    def told(self) -> dict[str, Any]:
        """What was audited, how, and how many rows it cost: JSON."""
        return self._told

    def stage(self) -> Stage:
        """The account of it."""
        return self._account.stage()
