"""What an audit writes: clean training data, a manifest, a statement; checked before the scan, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hakari.audit import clean as cleaning
from hakari.audit import manifest
from hakari.audit.kinds import DIRECT, NEAR, PARTIAL, SIMILAR
from hakari.audit.report import Report
from hakari.audit.shards import Shard
from hakari.display import counted
from hakari.errors import UsageError


@dataclass(frozen=True)
class Targets:
    """Files that were asked for, and the risks that they are about."""

    clean: Path | None
    manifest: Path | None
    statement: Path | None
    remove: str
    replace: bool = False
    similar: bool = False
    """Whether the audit looks for paraphrases, so that `similar` is a risk that rows can have."""

    @property
    def risks(self) -> list[str]:
        """The risks that rows are flagged for."""
        return [risk.strip() for risk in self.remove.split(",") if risk.strip()]

    @property
    def statement_path(self) -> Path | None:
        """Where the statement goes: beside clean data, if nothing else is said."""
        if self.statement is None and self.clean is not None:
            return self.clean.with_name(f"{self.clean.name}.audit.md")
        return self.statement

    def check(self, shards: Sequence[Shard]) -> None:
        """Refuse what cannot be written before any work is done."""
        unknown = [risk for risk in self.risks if risk not in (DIRECT, NEAR, SIMILAR, PARTIAL)]
        if unknown or not self.risks:
            told = unknown[0] if unknown else self.remove
            raise UsageError(
                f"`{told}` is no risk that rows have",
                "use `direct`, `near`, `similar`, `partial`, with commas",
            )
        if SIMILAR in self.risks and not self.similar:
            raise UsageError("`--remove` names `similar`, which nobody looks for", "add `--similar MODEL`")
        if self.clean is not None:
            cleaning.check_free(cleaning.targets(shards, self.clean), self.replace)
        for path in (self.manifest, self.statement_path):
            if path is not None and os.path.lexists(path) and not self.replace:
                raise UsageError(f"`{path}` is there already", "name another file, or add `--replace`")

    def write(self, report: Report) -> Iterator[str]:
        """Write everything that was asked for, and say what."""
        removals = manifest.removals(report, self.risks)
        shards = [one.shard for one in report.scanned if not one.fault]
        removed = {removal.name: len(removal.rows) for removal in removals}
        if self.clean is not None:
            every = [one.shard for one in report.scanned]
            places = cleaning.targets(every, self.clean)
            cleaning.clean(shards, removals, places)
            yield f"`{self.clean}`: {sum(removed.values()):,} of {report.rows_scanned:,} rows left out"
        if self.manifest is not None:
            manifest.write_lines(self.manifest, manifest.lines(report, self.risks))
            yield f"`{self.manifest}`: {counted(sum(removed.values()), 'row')} with reasons"
        if (path := self.statement_path) is not None:
            told = manifest.statement(report, self.risks, removed, self.clean is not None)
            manifest.write_lines(path, [told.rstrip("\n")])
            yield f"`{path}`: a statement for the card of a model"
