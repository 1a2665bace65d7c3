"""Figures of others beside our results: `<results>/imported/<kind>-<name>.json`, one file a source.

They have no rankings and no values by query, so nothing can be tested with them. They are kept apart from what
was measured here, in a folder that no reader of results looks into, and say of themselves what they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hakari.errors import Fault, InvalidInput
from hakari.io.figures import Figure
from hakari.store.files import write_text
from hakari.store.keys import slug

FOLDER = "imported"
FORMAT = 1
KINDS = {"mteb": "imported", "published": "published"}
"""What figures of each kind are to be marked as."""


@dataclass(frozen=True)
class Imported:
    """The figures of one source, and where they are from."""

    kind: str
    """`mteb` or `published`."""
    source: str
    """The name of the file or folder that they were read from."""
    figures: tuple[Figure, ...]

    @property
    def mark(self) -> str:
        """What they are to be marked as: `imported` or `published`, never as measured."""
        return KINDS[self.kind]


def write_imported(root: Path, imported: Imported) -> Path:
    """Keep the figures of a source; those kept of it earlier are replaced."""
    path = root / FOLDER / f"{imported.kind}-{slug(imported.source)}.json"
    rows = [asdict(figure) for figure in sorted(imported.figures, key=_order)]
    told: Mapping[str, Any] = {
        "format": FORMAT,
        "kind": imported.kind,
        "mark": imported.mark,
        "source": imported.source,
        "per_query": False,
        "figures": rows,
    }
    write_text(path, json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return path


def read_imported(root: Path) -> list[Imported]:
    """All figures that were imported into a folder of results."""
    return [_read(path) for path in imported_files(root)]


def imported_files(root: Path) -> list[Path]:
    """The files that they lie in."""
    return sorted((root / FOLDER).glob("*.json"))


def _read(path: Path) -> Imported:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["format"] != FORMAT or told["kind"] not in KINDS:
            raise ValueError(f"format {told['format']} of kind {told['kind']}")
        figures: Iterable[Figure] = (Figure(**row) for row in told["figures"])
        return Imported(str(told["kind"]), str(told["source"]), tuple(figures))
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "remove it, and import the source again"
        raise InvalidInput(
            "the imported figures", [Fault(f"damaged: {error}", str(path), hint=hint)]
        ) from None


def _order(figure: Figure) -> tuple[Any, ...]:
    return tuple(asdict(figure).values())
