"""Models of a hub that hakari knows by name: what each is, and how it is meant to be used."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

USAGE = ("similarity", "query_prompt", "query_prompt_name", "document_prompt", "document_prompt_name")
"""Fields of an entry that are settings; flags come before them, the model's own files after."""
_TOLD = {"dense": "dimensions", "sparse": "dimensions", "late": "dimensions a token", "rerank": ""}


@dataclass(frozen=True)
class HubEntry:
    """One model; what has no source is None."""

    name: str
    family: str
    repository: str
    source: str
    """The address of its card."""
    also: str | None = None
    """The address of what else says so."""
    parameters: int | None = None
    dimensions: int | None = None
    max_tokens: int | None = None
    licence: str | None = None
    languages: tuple[str, ...] = ()
    language_count: int | None = None
    static: bool = False
    """Whether a token always has the same vector, so that nothing is run but a sum."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """What the facts say, in a few words."""
        count = self.language_count or len(self.languages)
        told = [
            self.repository,
            "static" if self.static else "",
            f"{self.dimensions} {_TOLD[self.family]}" if self.dimensions else "",
            "English" if self.languages == ("eng",) else f"{count} languages" if count else "",
        ]
        return ", ".join(part for part in told if part)


@lru_cache(maxsize=1)
def hub_catalog() -> Mapping[str, HubEntry]:
    """The models of a hub by the names that hakari has for them."""
    path = Path(__file__).parent / "data" / "hub_models.toml"
    return {
        name: _entry(name, told) for name, told in tomllib.loads(path.read_text(encoding="utf-8")).items()
    }


def settings_of(repository: str, family: str) -> Mapping[str, Any]:
    """How a model is meant to be used, by its repository; nothing where the catalog does not know it."""
    for entry in hub_catalog().values():
        if (entry.repository, entry.family) == (repository, family):
            return entry.settings
    return {}


def _entry(name: str, told: Mapping[str, Any]) -> HubEntry:
    known = {f.name for f in fields(HubEntry)} - {"name", "settings", "languages"}
    facts = {key: value for key, value in told.items() if key in known}
    settings = {key: told[key] for key in USAGE if key in told}
    return HubEntry(name=name, languages=tuple(told.get("languages", ())), settings=settings, **facts)
