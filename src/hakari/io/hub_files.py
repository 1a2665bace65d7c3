"""Which files of any data set on a hub make which configuration and split: by its card, else by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hakari.io.hub_layout import DEFAULT_SPLIT, is_safe, matches, shard_of, stated_in
from hakari.io.nano import SHARD

ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv")
DEFAULT = "default"
PARTS = ("corpus", "queries", "qrels")
SPLIT_WORDS = {"train": "train", "training": "train", "test": "test", "testing": "test", "eval": "test"} | {
    "dev": "dev",
    "validation": "validation",
    "valid": "validation",
    "val": "validation",
}
"""What people call splits in the names of files."""

Splits = dict[str, list[str]]


def data_sets(paths: Iterable[str], card: str | None) -> dict[str, Splits]:
    """The data files of a repository by configuration and split, those of one split in order.

    What is not data, or has a name that cannot become a file here, is passed over.
    """
    listed = sorted(path for path in paths if is_data(path))
    stated = stated_in(card) if card else {}
    found: dict[str, Splits] = {}
    for config, split, path in _by_card(stated, listed) if stated else _by_name(listed):
        files = found.setdefault(config, {}).setdefault(split, [])
        if path not in files:
            files.append(path)
    return found


def is_data(path: str) -> bool:
    """Whether a file holds rows, and may be stored under its own name."""
    return all(map(is_safe, path.split("/"))) and path.lower().removesuffix(".gz").endswith(ENDINGS)


def _by_card(
    stated: Mapping[str, Mapping[str, list[str]]], paths: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    for config, splits in stated.items():
        for split, patterns in splits.items():
            matching = [path for path in paths if any(matches(path, pattern) for pattern in patterns)]
            own = [path for path in matching if shard_of(path) == split]
            yield from ((config, split, path) for path in own or matching)


def _by_name(paths: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Such as `data/train-00000-of-00002.parquet`, `en/test.jsonl`, `en/test/0000.parquet`, `corpus.jsonl`."""
    for path in paths:
        *folders, name = path.split("/")
        folders = [folder for folder in folders if folder != "data"]
        stem = name.removesuffix(".gz").rpartition(".")[0]
        shard = SHARD.fullmatch(stem)
        stem = shard["split"] if shard else stem
        if stem.isdigit() and folders:
            stem = folders.pop()
        word = next((SPLIT_WORDS[w] for w in re.split(r"[^a-z]+", stem.lower()) if w in SPLIT_WORDS), None)
        if folders:
            yield folders[-1], word or stem, path
        elif word is None and stem.lower() in PARTS:
            yield stem.lower(), DEFAULT_SPLIT, path
        else:
            yield DEFAULT, word or DEFAULT_SPLIT, path
