"""What the data sets behind a task are called, and whether two names mean the same data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from hakari.tasks import catalog

SHORTEST = 4
"""Letters of a name without its owner: shorter ones mean too many things."""
_DERIVED = re.compile(r"(?:retrieval|reranking|hard-?negatives|\.v\d+|-v\d+|(?:19|20)\d\d)$")
"""What is added to the name of a data set that is cut down, used in another way or of one year."""


def upstream(task: str, sources: Iterable[Mapping[str, object]] = ()) -> frozenset[str]:
    """The names of the data sets that a task was made from, from the catalog or its own metadata."""
    return _names_of(sources) | _in_catalog(task)


@lru_cache(maxsize=4096)
def _in_catalog(task: str) -> frozenset[str]:
    dataset, _, split = task.partition("/")
    known = catalog.of_dataset(dataset) if dataset in catalog.datasets() else ()
    return _names_of(source for e in known if e.split == split for source in e.row.get("sources", ()))


def _names_of(sources: Iterable[Mapping[str, object]]) -> frozenset[str]:
    found: set[str] = set()
    for source in sources:
        found |= names_in(str(source.get("url") or "")) | names_in(str(source.get("title") or ""))
    return frozenset(found)


def names_in(told: str) -> set[str]:
    """`org/name` and `name` of an address of a repository, or of such a name itself."""
    address = urlsplit(told)
    parts = [part for part in address.path.split("/") if part]
    if address.netloc.endswith("huggingface.co") and parts[:1] == ["datasets"]:
        parts = parts[1:]
    elif address.netloc and not address.netloc.endswith("github.com"):
        return set()
    if len(parts) < 2 or " " in told:
        return set()
    owner, name = plain(parts[0]), plain(parts[1])
    return {f"{owner}/{name}"} | ({name} if len(name) >= SHORTEST else set())


@lru_cache(maxsize=4096)
def declared_names(value: str) -> frozenset[str]:
    """What a value of a column of origins, or the name of a data set, may be called."""
    return frozenset(names_in(value) or {"/".join(plain(part) for part in value.split("/"))})


def plain(name: str) -> str:
    """A name without case, with one sort of hyphen."""
    return re.sub(r"[\s_-]+", "-", name.strip().lower())


@lru_cache(maxsize=4096)
def stem(name: str) -> str:
    """The data set in the name of a task: `NanoFiQA2018`, `FiQA2018HardNegatives` and `mteb/fiqa2018` are one."""
    told = plain(name.rpartition("/")[2])
    told = told.removeprefix("nano").lstrip("-")
    while (shorter := _DERIVED.sub("", told)) not in (told, ""):
        told = shorter.rstrip("-")
    return told.replace("-", "")
