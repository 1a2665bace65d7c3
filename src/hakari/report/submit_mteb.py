"""Results in the form of mteb: `results/<org>__<model>/<revision>/<task>.json`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hakari.errors import UsageError
from hakari.io.figures import META, OUR_TASK, mteb_key
from hakari.io.scripts import language_script
from hakari.report.submit import Submission
from hakari.store import files, keys

SPLIT = "test"
"""What mteb calls the part of a data set that is evaluated, unless a task of its own says otherwise."""


def write_mteb(
    submissions: Sequence[Submission], out: Path, names: Mapping[str, str], split: str = SPLIT
) -> list[Path]:
    """One file a system and task below `out/results`, and one a system that says what it is.

    `names` gives the names that tasks have in mteb; others keep the last part of their own, where that is
    unambiguous.
    """
    tasks = sorted({s.weighed.task for s in submissions})
    if unknown := sorted(set(names) - set(tasks)):
        raise UsageError(
            f"there are no results for `{unknown[0]}`, which is to be renamed", "check `--task-name`"
        )
    called = _called(tasks, names)
    written = []
    for one in submissions:
        folder = out / "results" / one.model.replace("/", "__") / keys.safe(one.revision)
        path = folder / f"{keys.safe(called[one.weighed.task])}.json"
        _write(path, result(one, called[one.weighed.task], split))
        written.append(path)
        _write(folder / META, model_meta(one))
    return written


def result(one: Submission, task: str, split: str) -> dict[str, Any]:
    """What mteb keeps of one task."""
    weighed, manifest = one.weighed, one.manifest
    means = {mteb_key(str(m)): weighed.mean(m) for m in one.wanted}
    scores = {
        **means,
        "main_score": weighed.mean(one.main),
        "hf_subset": "default",
        "languages": language_script(manifest.get("language")),
        OUR_TASK: weighed.task,
        "hakari_retriever": weighed.system.retriever,
        "hakari_variant": weighed.system.variant,
        "hakari_key": manifest.get("key"),
    }
    return {
        "dataset_revision": str(manifest.get("content", "")),
        "task_name": task,
        "mteb_version": None,
        "scores": {split: [scores]},
        "evaluation_time": weighed.costs.get("seconds"),
        "kg_co2_emissions": None,
    }


def model_meta(one: Submission) -> dict[str, Any]:
    """What mteb keeps of a model; what is not known here is left empty."""
    settings = one.manifest.get("settings", {})
    unknown = (
        "release_date",
        "languages",
        "loader",
        "memory_usage_mb",
        "license",
        "open_weights",
        "public_training_code",
        "public_training_data",
        "use_instructions",
        "training_datasets",
    )
    return {
        "name": one.model,
        "revision": one.revision,
        **dict.fromkeys(unknown),
        "n_parameters": one.weighed.costs.get("parameters"),
        "max_tokens": settings.get("max_length"),
        "embed_dim": one.manifest.get("facts", {}).get("dimensions"),
        "similarity_fn_name": settings.get("similarity"),
        "framework": [],
    }


def _called(tasks: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    last = {task: task.rpartition("/")[2] for task in tasks}
    often = Counter(last.values())
    return {
        task: names.get(task) or (last[task] if often[last[task]] == 1 else task.replace("/", "-"))
        for task in tasks
    }


def _write(path: Path, told: Mapping[str, Any]) -> None:
    files.write_text(path, json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
