"""Candidates that come with a task as a first stage: `candidates:NAME` runs nothing and reads their file.

Published candidates of reranking hold 100 documents a query, and at rank 101 a positive where none is among
them, put there by the judgements. That safeguard is left out unless it is asked for.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hakari.errors import Fault, UnknownName, UsageError
from hakari.io.candidates import load_candidates
from hakari.io.files import raise_faults
from hakari.io.nano import SHARD, part_files
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.cuts import cut, own_entries
from hakari.retrievers.models import sha256_of
from hakari.retrievers.spelling import spell
from hakari.types import Run, Task

SAFEGUARD_RANK = 101


class Provided(Retriever):
    """The ranking that a task brings along under the name of a configuration."""

    family: ClassVar[str] = "candidates"

    def __init__(self, configuration: str, *, safeguard: bool = False) -> None:
        self.configuration, self.safeguard = configuration, safeguard
        self.name = spell(f"candidates:{configuration}", keywords={"safeguard": True} if safeguard else {})

    def settings(self) -> dict[str, Any]:
        """The name of the configuration, and whether the safeguard stays."""
        return {"configuration": self.configuration, "safeguard": self.safeguard}

    def settings_for(self, task: Task) -> dict[str, Any]:
        """A hash of the content of its files, so that a changed file is another result."""
        path = self._path(task)
        faults: list[Fault] = []
        sharded = SHARD.fullmatch(path.stem)
        files = part_files(path.parent, sharded["split"], faults) if sharded else [path]
        raise_faults(f"the candidates `{self.configuration}` of `{task.name}`", faults)
        digests = [sha256_of(file) for file in files]
        whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
        return {"sha256": whole}

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """The ranking as it was provided, `depth` deep."""
        start = time.perf_counter()
        run = load_candidates(self._path(task), task)
        lengths = np.diff(run.offsets)
        rank = np.arange(len(run.documents)) - np.repeat(run.offsets[:-1], lengths)
        safeguards = rank == SAFEGUARD_RANK - 1
        # Rankings of other lengths go on at rank 101 because the first stage did, not because of a safeguard.
        if self.safeguard or not set(lengths.tolist()) <= {0, SAFEGUARD_RANK - 1, SAFEGUARD_RANK}:
            safeguards[:] = False
        run = cut(run, depth, safeguards | own_entries(task, run))
        facts = {"safeguards_left_out": int(np.count_nonzero(safeguards))}
        return Retrieved({BASE_VARIANT: run}, facts, {"load_s": time.perf_counter() - start})

    def _path(self, task: Task) -> Path:
        path = task.candidates.get(self.configuration)
        if path is not None:
            return path
        if not task.candidates:
            raise UsageError(
                f"`{task.name}` comes without candidates",
                f"use a retriever as the first stage instead of `{self.name}`, such as bm25",
            )
        listing = f"hakari show {task.name}"
        raise UnknownName(
            f"configuration of candidates of {task.name}", self.configuration, task.candidates, listing
        )


def provided(name: str, *, safeguard: bool = False) -> Provided:
    """Candidates by the name of their configuration; `safeguard` keeps the positives put at rank 101."""
    return Provided(name, safeguard=safeguard)
