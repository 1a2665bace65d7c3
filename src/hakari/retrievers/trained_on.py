"""What a retriever was trained on: from the catalog, or from the card that lies beside a model's weights."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from hakari.errors import UsageError
from hakari.io.hub_layout import FRONT_MATTER
from hakari.retrievers.built_in import BUILT_IN
from hakari.retrievers.hub_catalog import hub_catalog
from hakari.retrievers.spelling import Spelled, read_spelling
from hakari.tasks.training_audits import TrainedOn

UNTRAINED = frozenset({"bm25", "bm25-code", "random", "constant", "constant-reranker"})
COMBINE = frozenset({"rrf", "weighted", "rerank"})
"""Retrievers that are what their parts are."""
LONGEST_CARD = 1 << 20
_KEY = re.compile(r"^datasets:[ \t]*(.*)$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.+)$")


def trained_on(retriever: str) -> TrainedOn | None:
    """What a retriever, as it is spelled, was trained on; None where that is not known.

    What has parts was trained on what they were, and is known if all of them are.
    """
    try:
        return _of(read_spelling(retriever))
    except UsageError:
        return None


def _of(spelled: Spelled) -> TrainedOn | None:
    if spelled.name in UNTRAINED:
        return TrainedOn((), "")
    if spelled.name in COMBINE and spelled.positional:
        found = [_of(part) for part in spelled.positional]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        data = dict.fromkeys(name for one in known for name in one.data)
        return TrainedOn(tuple(data), ", ".join(dict.fromkeys(one.source for one in known if one.source)))
    if spelled.name in catalogued():
        return catalogued()[spelled.name]
    return _of_weights(spelled.name)


def _of_weights(name: str) -> TrainedOn | None:
    """A model of a hub by its repository, or the card beside the weights."""
    kind, _, place = name.rpartition(":")
    if not kind or f"{kind}:{_needs(kind)}" not in BUILT_IN:
        return None
    if kind.endswith("hf"):
        repository = place.partition("@")[0]
        for entry in hub_catalog().values():
            if entry.repository == repository and entry.name in catalogued():
                return catalogued()[entry.name]
        return _of_fetched(repository)
    return of_card(Path(place).expanduser() / "README.md")


def _needs(kind: str) -> str:
    return "NAME" if kind.endswith("hf") else "PATH"


def _of_fetched(repository: str) -> TrainedOn | None:
    """The card of a model that was fetched from a hub; nothing is fetched for it."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        kept = try_to_load_from_cache(repository, "README.md")
    except HFValidationError:
        return None
    told = of_card(Path(kept)) if isinstance(kept, str) else None
    return None if told is None else TrainedOn(told.data, f"https://huggingface.co/{repository}")


def of_card(path: Path) -> TrainedOn | None:
    """The data sets that the front matter of a model's card names under `datasets`."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            matter = FRONT_MATTER.match(file.read(LONGEST_CARD).replace("\r\n", "\n"))
    except OSError:
        return None
    names = tuple(dict.fromkeys(_names_in(matter[1]))) if matter else ()
    return TrainedOn(names, path.as_posix()) if names else None


def _names_in(matter: str) -> Iterator[str]:
    """The items of `datasets`, in either way of writing a list; no more of YAML is needed for it."""
    key = _KEY.search(matter)
    if key is None:
        return
    items: list[str] = []
    if inline := key[1].strip():
        items = inline.strip("[]").split(",") if inline.startswith("[") else [inline]
    else:
        for line in matter[key.end() :].lstrip("\n").split("\n"):
            if (found := _ITEM.match(line)) is None:
                break
            items.append(found[1])
    for item in items:
        if name := item.partition(" #")[0].strip().strip("\"'").strip():
            yield name


@lru_cache(maxsize=1)
def catalogued() -> Mapping[str, TrainedOn]:
    """The models of the catalog that say what they were trained on, by name."""
    path = Path(__file__).parent / "data" / "training_data.toml"
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        model: TrainedOn(tuple(group["data"]), group["source"])
        for group in told["group"]
        for model in group["models"]
    }
