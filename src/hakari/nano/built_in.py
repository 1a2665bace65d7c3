"""Sets that hakari builds by itself when they are asked for by name, kept in the cache."""

from __future__ import annotations

import platform
from pathlib import Path

from hakari.io.nano_write import write_nano_set
from hakari.nano.draft import Draft
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

STDLIB = "NanoStdlib"
BUILD = 2
"""Raised whenever the builder would make other bytes of the same Python."""


def stdlib_set(cache: Path) -> Path:
    """The folder of NanoStdlib for the running Python, built where it is not there yet."""
    folder = cache / "built" / f"python-{platform.python_version()}-{BUILD}" / STDLIB
    if not folder.is_dir():
        from hakari.nano.stdlib import build_stdlib  # reads code, which a set that is there does not need

        write_nano_set(folder, [finished(draft) for draft in build_stdlib(STDLIB)], replace=True)
    return folder


def finished(draft: Draft) -> Task:
    """A draft as a task: checked, sorted and hashed."""
    traits = Traits(draft.language, draft.category, draft.shape)
    return assemble(draft.dataset, draft.split, draft.queries, draft.corpus, draft.judgements, traits=traits)
