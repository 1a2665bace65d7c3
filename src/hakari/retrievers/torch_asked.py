"""What was asked of a model: flags over the catalog over the model's own files, and prompts by task."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.retrievers.model_settings import (
    CATALOG,
    DEFAULT,
    FLAG,
    MODEL,
    Resolved,
    check_numbers,
    own_prompts,
    own_settings,
    resolve,
    with_prompts,
)
from hakari.retrievers.model_source import ModelSource
from hakari.retrievers.torch_model import check_trust, how_loaded
from hakari.types import Task

OF_TASK = "prompts of the task"
EXAMPLE = '["NanoCoIR/*"]\nquery = "Find code for this question: "'


class Asked:
    """The settings of one model, from all who may say something about them."""

    def __init__(
        self,
        source: ModelSource,
        flags: Mapping[str, Any],
        entry: Mapping[str, Any],
        defaults: Mapping[str, Any],
    ) -> None:
        self.source, self.flags, self.entry, self.defaults = source, dict(flags), dict(entry), dict(defaults)
        self.values = dict(resolve({FLAG: self.flags, CATALOG: self.entry}).values)
        """What differs from the model's own."""
        self._resolved: Resolved | None = None
        check_numbers(self.values)
        check_trust(source, self.values)
        self._by_task = _prompts_by_task(self.values.get("prompts"))

    @property
    def of_model(self) -> dict[str, Any]:
        """What was asked for, without what is put in front of texts."""
        return {key: value for key, value in self.values.items() if "prompt" not in key}

    def identity(self) -> dict[str, Any]:
        """What the model is, and what was asked of it; the rest is the model's own."""
        return {**self.source.identity(), **{k: v for k, v in self.values.items() if k != "prompts"}}

    def resolved(self) -> Resolved:
        """Every setting in effect and where it comes from; fetches the model where it is not there."""
        if self._resolved is None:
            folder, name = self.source.folder(), self.source.spelling
            own = own_prompts(folder)
            self._resolved = resolve(
                {
                    FLAG: with_prompts(self.flags, own, name),
                    CATALOG: with_prompts(self.entry, own, name),
                    MODEL: {k: v for k, v in own_settings(folder).items() if k in self.defaults},
                    DEFAULT: {k: v for k, v in self.defaults.items() if v is not None},
                }
            )
        return self._resolved

    def for_task(self, task: Task) -> dict[str, str]:
        """The prompts that a file names for a task."""
        for pattern, prompts in self._by_task.items():
            if fnmatch.fnmatchcase(task.name, pattern):
                return prompts
        return {}

    def prompts(self, task: Task) -> dict[str, str]:
        """What is put in front of the queries and the documents of a task."""
        values = {**self.resolved().values, **self.for_task(task)}
        return {role: values.get(f"{role}_prompt", "") for role in ("query", "document")}

    def told(self, task: Task) -> dict[str, Any]:
        """For the manifest, after a run: each setting with its value and who said it.

        The device is asked of the library here and nowhere before, for a result that is there needs no library.
        """
        loaded = {k: {"value": v, "from": DEFAULT} for k, v in how_loaded(self.values).items()}
        own = {key: {"value": value, "from": OF_TASK} for key, value in self.for_task(task).items()}
        return {**loaded, **self.resolved().told(), **own}


def _prompts_by_task(path: str | None) -> dict[str, dict[str, str]]:
    """Prompts by pattern of the names of tasks, from a TOML file; the first that matches counts."""
    if path is None:
        return {}
    hint = f"it looks like {EXAMPLE}"
    try:
        told = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"there is no file `{path}`", "prompts=FILE names a TOML file") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"`{path}` cannot be read: {error}", hint) from error
    for pattern, prompts in told.items():
        if not isinstance(prompts, dict) or not prompts or not set(prompts) <= {"query", "document"}:
            raise UsageError(f"`{path}`: `{pattern}` does not hold `query` or `document`", hint)
        if not all(isinstance(text, str) for text in prompts.values()):
            raise UsageError(f"`{path}`: a prompt of `{pattern}` is no text", hint)
    return {pattern: {f"{role}_prompt": text for role, text in p.items()} for pattern, p in told.items()}
