"""Which files of a hub repository make which task: by the card's `configs`, else by folder names.

Configurations are `corpus`, `queries`, `qrels` and those of candidates; the split is the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from hakari.io.nano import PARTS, SHARD

CARD = "README.md"
ENDING = ".parquet"
DEFAULT_SPLIT = "train"
FRONT_MATTER = re.compile(r"\A\ufeff?---\s*\n(.*?)\n---\s*(\n|\Z)", re.DOTALL)

Configs = dict[str, list[str]]
"""The files of a task by configuration."""


def tasks_in(paths: Iterable[str], card: str | None) -> dict[str, Configs]:
    """The tasks of a repository, by name, with their files by configuration, shards in order.

    The card's `configs` count where they name the parts of a nano set; metadata files go along as `metadata`.
    """
    listed = sorted(paths)
    tasks: dict[str, Configs] = {}
    stated = stated_in(card) if card else {}
    if not set(PARTS) <= stated.keys():
        stated = {}
    for config, split, files in _by_card(stated, listed) if stated else by_folder(listed):
        if is_safe(config) and is_safe(split):
            tasks.setdefault(split, {}).setdefault(config, []).extend(files)
    for split, configs in tasks.items():
        if (path := f"metadata/{split}.json") in listed:
            configs["metadata"] = [path]
    return {split: tasks[split] for split in sorted(tasks) if tasks[split].keys() & set(PARTS)}


def names_on_disk(split: str, files: Sequence[str], ending: str = ENDING) -> list[str]:
    """What the files of one configuration of a task are called in a nano set."""
    if len(files) == 1:
        return [f"{split}{ending}"]
    return [f"{split}-{number:05d}-of-{len(files):05d}{ending}" for number in range(len(files))]


def is_safe(name: str) -> bool:
    """Whether a name from outside may become the name of a file."""
    short = 0 < len(name.encode("utf-8", "replace")) <= 200
    return short and name.isprintable() and not name.startswith(".") and not set(name) & set("/\\:")


def by_folder(paths: Sequence[str]) -> Iterable[tuple[str, str, list[str]]]:
    """Files as `<configuration>/<split>[-00000-of-00001].parquet`, perhaps below `data/`."""
    for path in paths:
        folder, slash, name = path.removeprefix("data/").rpartition("/")
        if slash and "/" not in folder and name.endswith(ENDING):
            stem = name.removesuffix(ENDING)
            match = SHARD.fullmatch(stem)
            yield folder, match["split"] if match else stem, [path]


def _by_card(
    stated: Mapping[str, Mapping[str, list[str]]], paths: Sequence[str]
) -> Iterable[tuple[str, str, list[str]]]:
    for config, splits in stated.items():
        for split, patterns in splits.items():
            found = [
                path
                for path in paths
                if path.endswith(ENDING) and any(matches(path, pattern) for pattern in patterns)
            ]
            # `NanoX-*`, as `push_to_hub` writes it, is meant for the shards of NanoX and not for those of NanoX-Y.
            own = [path for path in found if shard_of(path) == split]
            yield config, split, own or found


def matches(path: str, pattern: str) -> bool:
    """Whether a path is one that a card means."""
    return path == pattern or fnmatchcase(path, pattern.removeprefix("./"))


def shard_of(path: str) -> str | None:
    """The split that a shard names; None for other files."""
    match = SHARD.fullmatch(path.rpartition("/")[2].removesuffix(".gz").rpartition(".")[0])
    return match["split"] if match else None


def stated_in(card: str) -> dict[str, dict[str, list[str]]]:
    """The patterns of files that a card states, by configuration and split; nothing where it cannot be read."""
    import yaml  # comes with huggingface_hub

    matter = FRONT_MATTER.match(card.replace("\r\n", "\n"))
    if matter is None:
        return {}
    try:
        # The base loader leaves every scalar the text it is: a split named `no` stays Norwegian.
        head = yaml.load(matter[1], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return {}
    configs = head.get("configs") if isinstance(head, dict) else None
    found: dict[str, dict[str, list[str]]] = {}
    for config in configs if isinstance(configs, list) else ():
        if isinstance(config, dict) and isinstance(config.get("config_name"), str):
            base = config.get("data_dir")
            splits = _splits(config.get("data_files"))
            if isinstance(base, str):
                splits = {s: [f"{base.rstrip('/')}/{p}" for p in patterns] for s, patterns in splits.items()}
            found.setdefault(config["config_name"], {}).update(splits)
    return found


def _splits(data_files: Any) -> dict[str, list[str]]:
    """`data_files` in any of the forms that cards have: a path, a list of them, or paths by split."""
    if isinstance(data_files, dict):
        return {str(split): _paths(path) for split, path in data_files.items()}
    if isinstance(data_files, list) and all(isinstance(item, dict) for item in data_files):
        return {str(item.get("split", DEFAULT_SPLIT)): _paths(item.get("path")) for item in data_files}
    paths = _paths(data_files)
    return {DEFAULT_SPLIT: paths} if paths else {}


def _paths(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [path for path in values if isinstance(path, str)]
