"""Results for model cards on a hub: the `model-index` of a README, and the newer `.eval_results/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from hakari.errors import MissingPrerequisite, UsageError, install_hint
from hakari.io.figures import mteb_key
from hakari.io.yaml_text import to_yaml
from hakari.report.submit import Submission
from hakari.store import files, keys
from hakari.tasks import catalog

DIGITS = 6
EVAL_RESULTS = ".eval_results"


def write_model_index(submissions: Sequence[Submission], out: Path) -> list[Path]:
    """The front matter of a README a system: in the folder itself where there is one system, else in one each.

    A card that is there keeps all but its `model-index`.
    """
    written = []
    for folder, mine in _folders(submissions, out):
        path = folder / "README.md"
        index = model_index(mine)
        if path.exists():
            _replace_index(path, index)
        else:
            files.write_text(path, f"---\n{to_yaml({'model-index': index})}---\n")
        written.append(path)
    return written


def model_index(submissions: Sequence[Submission]) -> list[dict[str, Any]]:
    """What `model-index` says of one model: all tasks with all measures."""
    results = []
    for one in submissions:
        entry = catalog.find(one.weighed.task)
        dataset, _, split = one.weighed.task.rpartition("/")
        results.append(
            {
                "task": {"type": "information-retrieval", "name": "Information Retrieval"},
                "dataset": {
                    "name": one.weighed.task,
                    "type": entry.hub_id if entry else dataset,
                    "split": split,
                    "revision": str(one.manifest.get("content", "")),
                },
                "metrics": [
                    {"type": mteb_key(str(m)), "value": round(one.weighed.mean(m), DIGITS), "name": str(m)}
                    for m in one.wanted
                ],
            }
        )
    return [{"name": submissions[0].model, "results": results}]


def write_eval_results(
    submissions: Sequence[Submission], out: Path, hub_ids: Mapping[str, str]
) -> list[Path]:
    """A file a system and data set in `.eval_results`: one value a task, that of the main measure.

    They appear beside a data set on its hub, so each needs its name there: known of published tasks, given in
    `hub_ids` for others.
    """
    ids = {s.weighed.task: _hub_id(s.weighed.task, hub_ids) for s in submissions}
    if missing := sorted({task.rpartition("/")[0] for task, name in ids.items() if name is None}):
        told = ", ".join(f"`{name}`" for name in missing[:5])
        raise UsageError(
            f"nothing says what these sets are called on a hub: {told}", f"--hub-id {missing[0]}=ORG/NAME"
        )
    written = []
    for folder, mine in _folders(submissions, out):
        for hub_id, of_set in groupby(
            sorted(mine, key=lambda s: str(ids[s.weighed.task])), lambda s: ids[s.weighed.task]
        ):
            path = folder / EVAL_RESULTS / f"{keys.safe(str(hub_id).rpartition('/')[2])}.yaml"
            entries = [
                {
                    "dataset": {"id": hub_id, "task_id": one.weighed.task.rpartition("/")[2]},
                    "value": round(one.weighed.mean(one.main), DIGITS),
                    "notes": f"{one.main}; {one.note()}",
                }
                for one in of_set
            ]
            files.write_text(path, to_yaml(entries))
            written.append(path)
    return written


def _hub_id(task: str, given: Mapping[str, str]) -> str | None:
    entry, dataset = catalog.find(task), task.rpartition("/")[0]
    return given.get(dataset) or (entry.hub_id if entry else None)


def _folders(submissions: Sequence[Submission], out: Path) -> list[tuple[Path, list[Submission]]]:
    by_model = [(model, list(mine)) for model, mine in groupby(submissions, lambda s: s.model)]
    if len(by_model) == 1:
        return [(out, by_model[0][1])]
    return [(out / model.replace("/", "__"), mine) for model, mine in by_model]


def _replace_index(path: Path, index: list[dict[str, Any]]) -> None:
    try:
        from huggingface_hub import metadata_load, metadata_save
    except ImportError:
        raise MissingPrerequisite(
            f"`{path}` is a model card already, and changing it needs huggingface_hub", install_hint("hub")
        ) from None
    with files.replacing(path) as temporary:
        temporary.write_bytes(path.read_bytes())
        metadata_save(temporary, {**(metadata_load(path) or {}), "model-index": index})
