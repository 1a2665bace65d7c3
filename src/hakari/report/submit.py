"""Finished results as other places want them: what each system is called there, and which results are its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.measures import Measure, parse, parse_many
from hakari.report.export import chosen
from hakari.report.finished import Scope
from hakari.report.results import Weighed
from hakari.retrievers.base import BASE_VARIANT
from hakari.store import files, keys

_HUB = re.compile(r"(?:\w+:)?hf:([\w.-]+/[\w.-]+?)(?:@[\w.-]+)?(\(.*\))?")
_OF_CATALOG = re.compile(r"[\w.-]+(\(.*\))?")
MAIN = "nDCG@10"


@dataclass(frozen=True, eq=False)
class Submission:
    """One system on one task, by the name that it has elsewhere."""

    model: str
    """`org/name`."""
    revision: str
    weighed: Weighed
    wanted: tuple[Measure, ...]

    @property
    def manifest(self) -> Any:
        """What made the result."""
        return self.weighed.manifest

    @property
    def main(self) -> Measure:
        """The measure that stands for the result: nDCG@10, or the first where it was not asked for."""
        return parse(MAIN) if parse(MAIN) in self.wanted else self.wanted[0]

    def note(self) -> str:
        """What made the number, in one line."""
        version = self.manifest.get("versions", {}).get("hakari", "?")
        return f"{self.weighed.system.retriever}, {self.weighed.system.variant}, hakari {version}"


@dataclass(frozen=True)
class Asked:
    """Which results are meant, and how they are to be called."""

    root: Path
    retrievers: Sequence[str]
    scope: Scope
    measures: str | None
    """None for those that results keep."""
    model_name: str | None = None


def submissions(asked: Asked) -> list[Submission]:
    """The systems that are meant, by model and task."""
    found = list(_each(asked))
    models = sorted({(s.model, s.revision) for s in found})
    if asked.model_name is not None:
        if len(models) > 1:
            told = ", ".join(f"`{s}`" for s in sorted({str(f.weighed.system) for f in found})[:5])
            raise UsageError(
                f"one model name is given for {len(models)} systems: {told}", "name one retriever"
            )
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", asked.model_name):
            raise UsageError(f"`{asked.model_name}` is not ORG/NAME", "--model-name my-org/my-model")
        found = [Submission(asked.model_name, s.revision, s.weighed, s.wanted) for s in found]
    seen: dict[tuple[str, str, str], Submission] = {}
    for one in found:
        key = (one.model, one.revision, one.weighed.task)
        if key in seen:
            spelt = [s.weighed.system.retriever for s in (seen[key], one)]
            hint = "name the retrievers to export, only one of " + " and ".join(f"`{name}`" for name in spelt)
            told = f"two results of `{one.model}` on `{one.weighed.task}` would be one elsewhere"
            raise UsageError(
                told, hint if spelt[0] != spelt[1] else "name a folder of results that holds one of them"
            )
        seen[key] = one
    return [seen[key] for key in sorted(seen)]


def _each(asked: Asked) -> Iterator[Submission]:
    for stored in chosen(asked.root, asked.retrievers, asked.scope.names):
        if asked.measures is None:
            wanted = tuple(parse(name) for name in sorted(files.read_values(stored)[BASE_VARIANT][1]))
        else:
            wanted = tuple(parse_many(asked.measures))
        for weighed in asked.scope.weighed(stored, wanted):
            yield Submission(*named(stored, weighed.system.variant), weighed, wanted)


def named(stored: files.Stored, variant: str) -> tuple[str, str]:
    """What a system is called elsewhere, and its revision.

    A model of a hub keeps its name there; settings and variants that are not its own are added to it. Others
    are called after their spelling. The revision is that of the model, else the key of the settings.
    """
    key8 = stored.path.parent.parent.name.rpartition("-")[2]
    added = [] if variant == BASE_VARIANT else [keys.slug(variant)]
    settings = stored.manifest.get("settings", {})
    known = _OF_CATALOG.fullmatch(stored.retriever) if settings.get("repository") else None
    if hub := _HUB.fullmatch(stored.retriever):
        name, own = hub[1], hub[2]
    elif known:
        name, own = str(settings["repository"]), known[1]
    else:
        return "-".join([f"hakari/{keys.slug(stored.retriever)}", *added]), key8
    if own:
        added.insert(0, keys.slug(own))
    return "-".join([name, *added]), str(settings.get("commit") or settings.get("revision") or key8)
