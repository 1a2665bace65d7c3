"""The run of another engine as a retriever: `run:PATH`, a TREC file, to fuse, to rerank or to compare."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from hakari.errors import UsageError
from hakari.io.trec import read_run
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.models import sha256_of
from hakari.retrievers.spelling import spell
from hakari.store.keys import safe
from hakari.types import Run, Task


class ForeignRun(Retriever):
    """The rankings in a TREC file; `{dataset}` and `{split}` in its path stand for those of each task."""

    family: ClassVar[str] = "run"

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = spell(f"run:{path}")

    def settings(self) -> dict[str, Any]:
        """None: what the file holds decides, and that is looked at for each task."""
        return {}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """A hash of the file, so that a changed file is another result."""
        return {"sha256": sha256_of(self._file(task))}

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """The rankings as they stand there, `depth` deep."""
        start = time.perf_counter()
        run = read_run(self._file(task))
        run = cut(run, depth, own_entries(task, run))
        return Retrieved({BASE_VARIANT: run}, costs={"load_s": time.perf_counter() - start})

    def _file(self, task: Task) -> Path:
        named = self.path.replace("{dataset}", safe(task.dataset)).replace("{split}", safe(task.split))
        path = Path(named).expanduser()
        if not path.is_file():
            hint = "`run:PATH` names a TREC file: `run:runs/{dataset}/{split}.run` for several tasks"
            raise UsageError(f"there is no run of `{task.name}` at `{path}`", hint)
        return path
