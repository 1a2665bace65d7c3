"""`hakari cache`: what the cache of encoded texts holds, and how to make room."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output

if TYPE_CHECKING:
    from hakari.retrievers.cache_upkeep import Space


@click.command("cache")
@click.argument("filter", required=False)
@click.option("--clear", is_flag=True, help="Remove what is listed.")
@click.option(
    "--prune",
    is_flag=True,
    help="Remove what is damaged or made with other versions of packages, then what is longest unused, until the "
    "cache is under its limit.",
)
@click.option("--limit", metavar="SIZE", help="Limit for `--prune`, such as 5GB.  [env: HAKARI_CACHE_LIMIT]")
@options.as_json
def command(filter: str | None, clear: bool, prune: bool, limit: str | None, as_json: bool) -> None:
    """Show where encoded texts are kept, how much there is, and of which models.

    FILTER keeps those whose retriever has it in its name. Everything here is made again when it is needed.

    Examples:

      hakari cache

      hakari cache bge_small_en --clear
    """
    from hakari.errors import UsageError
    from hakari.retrievers import cache_upkeep as upkeep

    if prune and (clear or filter):
        raise UsageError(
            "`--prune` decides by itself what goes", "`hakari cache FILTER --clear` removes by name"
        )
    most = upkeep.limit(limit)
    kept = [space for space in upkeep.spaces() if not filter or any(filter in name for name in space.names)]
    gone = []
    if clear:
        gone = [space.path for space in kept if upkeep.remove(space.path)]
    elif prune:
        gone = [s.path for s in kept if (s.damaged or s.outdated) and upkeep.remove(s.path)]
        gone += upkeep.evict(most)
    if gone:
        kept = [space for space in upkeep.spaces() if not filter or any(filter in n for n in space.names)]
    told = {
        "folder": str(upkeep.folder()),
        "bytes": sum(space.bytes for space in kept),
        "limit": most,
        "removed": len(set(gone)),
        "spaces": [_row(space) for space in kept],
    }
    if as_json:
        output.print_json(told)
    else:
        _print(told, filter)


def _row(space: Space) -> dict[str, Any]:
    return {
        "file": space.path.name,
        "retrievers": list(space.names),
        "texts": space.texts,
        "bytes": space.bytes,
        "used": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(space.used)),
        "state": "damaged" if space.damaged else "outdated" if space.outdated else "ok",
        "settings": space.settings,
    }


def _size(count: int) -> str:
    for unit, each in {"GB": 1e9, "MB": 1e6, "kB": 1e3}.items():
        if count >= each:
            return f"{count / each:g} {unit}"
    return f"{count} bytes"


def _print(told: dict[str, Any], filter: str | None) -> None:
    from hakari.report.tables import Table

    cells = [
        [
            ", ".join(row["retrievers"]) or str(row["settings"].get("model_sha256", "unknown"))[:16],
            f"{row['texts']:,}",
            f"{row['bytes'] / 1e6:.1f}",
            row["used"].replace("T", " ")[:16],
            "" if row["state"] == "ok" else row["state"],
        ]
        for row in told["spaces"]
    ]
    limit = "no limit" if told["limit"] is None else f"limit {_size(told['limit'])}"
    notes = [f"{told['folder']}: {told['bytes'] / 1e6:.1f} MB, {limit}."]
    if filter and not told["spaces"] and not told["removed"]:
        notes.append(f"Nothing there was left by a retriever with `{filter}` in its name.")
    if told["removed"]:
        notes.append(f"Files removed: {told['removed']}.")
    if any(row["state"] != "ok" for row in told["spaces"]):
        notes.append("`hakari cache --prune` removes what is damaged or outdated.")
    columns = ["used by", "texts", "MB", "last used (UTC)", ""]
    output.print_tables(Table("", columns, cells, texts=(0, 3, 4), notes=notes))
