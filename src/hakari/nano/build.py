"""A nano set from a source: chosen, checked and written whole with an account of what was done, or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hakari import __version__
from hakari.errors import UsageError
from hakari.io.files import shown
from hakari.io.nano import LANGUAGE, SHAPE
from hakari.io.nano_write import write_nano_set
from hakari.nano.built_in import finished
from hakari.nano.code import DEFAULT_SEED, build_code
from hakari.nano.definitions import Harvest
from hakari.nano.draft import Draft, Stage
from hakari.nano.harvest import harvest
from hakari.nano.pages import require_readers, section_pairs
from hakari.nano.recipes import Recipe, select
from hakari.nano.sources import Sources, find_sources, pages_in, standard_library
from hakari.nano.sources_parts import Source
from hakari.nano.undertest import with_tests
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

REPORT = "build.json"
ENOUGH_TEXTS, ENOUGH_SHARE = 20, 0.9
"""From so many texts language and category are taken to be known, the language if most agree."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SHARD = re.compile(r".*-\d{5}-of-\d{5}")


@dataclass(frozen=True)
class Target:
    """What the set is called, where it goes, and what it is."""

    name: str
    task: str | None = None
    out: Path | None = None
    traits: Traits | None = None

    def __post_init__(self) -> None:
        for option, name in (("--name", self.name), ("--task", self.task)):
            if name is not None and (not _NAME.fullmatch(name) or _SHARD.fullmatch(name)):
                what = f"`{option} {shown(name)[1:-1]}` cannot be the name of a set or a task"
                raise UsageError(what, f"use letters, digits, `-`, `_` and `.`, for example `{option} NanoX`")
        traits = self.traits or Traits()
        for option, value, pattern in (
            ("--language", traits.language, LANGUAGE),
            ("--shape", traits.shape, SHAPE),
        ):
            if value is not None and not pattern.fullmatch(value):
                example = "en" if option == "--language" else "text-to-code"
                raise UsageError(
                    f"`{option} {shown(value)[1:-1]}` is no {option[2:]}", f"for example `{option} {example}`"
                )
        if self.out is not None and "\0" in str(self.out):
            raise UsageError(f"{shown(str(self.out))} has a NUL byte", "name a folder with `--out DIR`")

    @property
    def folder(self) -> Path:
        """Where the set goes."""
        return Path(self.name) if self.out is None else self.out

    def check_free(self) -> None:
        """Refuse a folder with something in it before any work is done."""
        try:
            taken = os.path.lexists(self.folder) and (
                not os.path.isdir(self.folder) or bool(os.listdir(self.folder))
            )
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        if taken:
            raise UsageError(f"`{self.folder}` is there already", "name another folder with `--out DIR`")


@dataclass(frozen=True)
class Built:
    """A set that was built: its tasks and the account of each."""

    folder: Path
    tasks: tuple[Task, ...]
    report: Mapping[str, Any]


def build_from(source: Source, recipe: Recipe, target: Target) -> Built:
    """Choose a task from a source by a recipe and write it as a nano set of one task."""
    target.check_free()
    chosen = select(source, recipe)
    task, told = _described(
        assemble(
            target.name,
            target.task or target.name,
            chosen.queries,
            chosen.corpus,
            chosen.judgements,
            traits=target.traits,
        )
    )
    stages = (*source.stages(), *chosen.stages)
    report = {
        "hakari": __version__,
        "source": source.origin or Path(source.name).name,
        "recipe": asdict(recipe),
        "columns": source.roles,
        "tasks": {task.split: _account(task, stages, (*chosen.changes, *told))},
    }
    return _written([task], report, target)


def _described(task: Task) -> tuple[Task, list[str]]:
    """The task with language and category, and which of them its texts told; with few texts they stay open."""
    from hakari.text.detect import detect

    stated = {"language": task.language, "category": task.category}
    told = []
    if None in stated.values():
        guesses = detect(task.queries.texts.tolist(), task.corpus.texts.tolist())
        for trait, guess in zip(stated, guesses, strict=True):
            sure = guess.texts >= ENOUGH_TEXTS and (trait == "category" or guess.share >= ENOUGH_SHARE)
            if stated[trait] is None and sure:
                stated[trait] = guess.value
                told.append(f"{trait} `{guess.value}` was detected in the texts: correct it with `--{trait}`")
    return replace(task, language=stated["language"], category=stated["category"]), told


def build_from_code(
    place: str | None,
    target: Target,
    queries: int = 200,
    documents: int = 2_000,
    seed: int = DEFAULT_SEED,
    languages: tuple[str, ...] = (),
) -> Built:
    """Every shape of task that a folder, a file, an installed package or, for None, the standard library has."""
    target.check_free()
    if place is not None and "\0" in place:
        raise UsageError(f"{shown(place)} has a NUL byte", "name a folder or an installed package")
    sources = _sources(place, languages)
    harvested = _writable(with_tests(sources, harvest(sources)))
    if not sources.files:
        require_readers(sources.pages)
    pages = section_pairs(sources.pages, sources.root) if sources.pages else None
    drafts = build_code(
        harvested, target.name, max_queries=queries, max_documents=documents, seed=seed, pages=pages
    )
    if not drafts:
        where = "the standard library" if place is None else shown(place)
        stages = [*harvested.stages, *(pages[1] if pages else ())]
        raise UsageError(
            f"nothing in {where} makes a task ({'; '.join(str(stage) for stage in stages if stage.seen)})",
            "functions need a docstring of a sentence or a body of some lines; give a larger folder",
        )
    report = {
        "hakari": __version__,
        "source": "the standard library" if place is None else Path(place).name,
        "recipe": {
            "name": "code",
            "queries": queries,
            "documents": documents,
            "seed": seed,
            "languages": sorted({file.language for file in sources.files}),
        },
        "tasks": {draft.split: _account_of(draft) for draft in drafts},
    }
    return _written([finished(draft) for draft in drafts], report, target)


def build_from_docs(
    place: str, target: Target, queries: int = 200, documents: int = 2_000, seed: int = DEFAULT_SEED
) -> Built:
    """Headings and sections of the Markdown and reStructuredText of a folder, or of one page."""
    target.check_free()
    pages, root = pages_in(place)
    require_readers(pages)
    pairs, stages = section_pairs(pages, root)
    drafts = build_code(
        Harvest((), ()),
        target.name,
        max_queries=queries,
        max_documents=documents,
        seed=seed,
        pages=(pairs, stages),
    )
    if not drafts:
        raise UsageError(
            f"nothing in {shown(place)} makes a task ({'; '.join(map(str, stages))})",
            "sections need a heading and some lines; give a larger folder",
        )
    report = {
        "hakari": __version__,
        "source": Path(place).name,
        "recipe": {"name": "docs", "queries": queries, "documents": documents, "seed": seed},
        "tasks": {draft.split: _account_of(draft) for draft in drafts},
    }
    return _written([finished(draft) for draft in drafts], report, target)


def _sources(place: str | None, languages: tuple[str, ...]) -> Sources:
    if place is not None and os.path.islink(place) and not os.path.exists(place):
        raise UsageError(f"{shown(place)} is a link that leads nowhere", f"check `ls -l {place}`")
    try:
        return standard_library() if place is None else find_sources(place, languages)
    except (OSError, RuntimeError) as error:  # a loop of links is one or the other, as the Python has it
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{shown(str(place))} cannot be read: {reason}", f"check `ls -ld {place}`"
        ) from error


def _writable(harvested: Harvest) -> Harvest:
    """The definitions whose texts a file can hold: an escape in a docstring may stand for a NUL byte."""
    kept = tuple(definition for definition in harvested.definitions if "\0" not in definition.docstring)
    odd = len(harvested.definitions) - len(kept)
    if not odd:
        return harvested
    files, definitions = harvested.stages
    reasons = {**definitions.left_out, "NUL byte in its docstring": odd}
    names = {definition.name for definition in kept}
    counted = replace(definitions, kept=len(kept), left_out=dict(sorted(reasons.items())))
    return replace(
        harvested,
        definitions=kept,
        stages=(files, counted),
        tested=tuple(test for test in harvested.tested if test.target in names),
    )


def _account_of(draft: Draft) -> dict[str, Any]:
    return {
        "queries": len(draft.queries),
        "documents": len(draft.corpus),
        "judgements": len(draft.judgements),
        "stages": list(map(_as_json, draft.stages)),
    }


def _account(task: Task, stages: Sequence[Stage], changes: Sequence[str]) -> dict[str, Any]:
    lengths = [sum(map(len, texts)) / len(texts) for texts in (task.queries.texts, task.corpus.texts)]
    return {
        "queries": len(task.queries),
        "documents": len(task.corpus),
        "judgements": len(task.qrels),
        "mean_characters": {"query": round(lengths[0], 6), "document": round(lengths[1], 6)},
        "content": task.content,
        "stages": list(map(_as_json, stages)),
        "changes": list(changes),
    }


def _as_json(stage: Stage) -> dict[str, Any]:
    return {"name": stage.name, "seen": stage.seen, "kept": stage.kept, "left_out": dict(stage.left_out)}


def _written(tasks: Sequence[Task], report: Mapping[str, Any], target: Target) -> Built:
    """Write the set and its report beside the place, then move both there at once."""
    folder = Path(os.path.abspath(target.folder))
    made_parents = [path for path in (folder.parent, *folder.parent.parents) if not os.path.lexists(path)]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        workshop = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
        try:
            made = workshop / folder.name
            write_nano_set(made, tasks)
            text = json.dumps(report, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
            (made / REPORT).write_text(text, encoding="utf-8", newline="\n")
            os.rename(made, folder)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    except BaseException as error:
        for path in made_parents:
            with contextlib.suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError):
            raise _unwritable(target.folder, error) from error
        raise
    return Built(target.folder, tuple(tasks), report)


def _unwritable(folder: Path, error: OSError) -> UsageError:
    reason = error.strerror or str(error)
    return UsageError(f"`{folder}` cannot be written: {reason}", f"check `ls -ld {folder.absolute().parent}`")
