"""Where training data come from: files and folders, a data set on a hub, standard input."""

from __future__ import annotations

import atexit
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hakari.audit.shards import Shard, find, kind_of
from hakari.errors import Fault, InvalidInput, UnknownName, UsageError
from hakari.io import hub
from hakari.io.hub_files import data_sets
from hakari.io.hub_layout import CARD
from hakari.tasks.refs import cache_folder

SCHEME = "hub:"
STDIN = "-"
TRAIN = "train"
_SPELLING = re.compile(
    r"hub:(?P<repo>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^/\s]+))?(?:/(?P<split>\S+))?", re.ASCII
)
_BLOCK = 1 << 20


def shards_of(train: Sequence[str | Path]) -> list[Shard]:
    """The shards that names stand for: `hub:org/name`, `hub:org/name@revision/split`, `-`, paths; each in its place."""
    paths = [Path(place).expanduser() for place in train if not _is_special(place)]
    local = {path: find([path]) for path in paths} if len(paths) < 2 else {}
    if len(paths) == len(train):
        return find(paths)
    if not local:
        local = {path: find([path]) for path in paths}
    found: list[Shard] = []
    for place in train:
        if place == STDIN:
            found.append(_spooled())
        elif _is_special(place):
            found += _fetched(str(place))
        else:
            found += local[Path(place).expanduser()]
    return found


def _is_special(place: str | Path) -> bool:
    return isinstance(place, str) and (place == STDIN or place.startswith(SCHEME))


def _spooled() -> Shard:
    """Standard input as a file of its own, for a scan that resumes and is cleaned has to read it more than once."""
    folder = Path(tempfile.mkdtemp(prefix="hakari-audit-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    raw = folder / "stdin"
    with open(raw, "wb") as file:
        head = sys.stdin.buffer.read(_BLOCK)
        file.write(head)
        shutil.copyfileobj(sys.stdin.buffer, file, _BLOCK)
    if not head.strip():
        fault = Fault("is empty", "standard input", hint="pipe JSONL, CSV or Parquet into it")
        raise InvalidInput("the training data", [fault])
    suffix = ".parquet" if head[:4] == b"PAR1" else _suffix_of(head)
    path = raw.rename(folder / f"stdin{suffix}")
    return Shard(path, path.name, kind_of(path) or "")


def _suffix_of(head: bytes) -> str:
    """What a text begins like: a row of JSONL, a list of rows in JSON, or else CSV."""
    begin = b"".join(head[:4096].split())
    return ".jsonl" if begin[:1] == b"{" else ".json" if begin[:2] == b"[{" else ".csv"


def _fetched(spelling: str) -> list[Shard]:
    """The files of a data set on a hub: of the split that is named, else of `train`, else all of them."""
    spelled = _SPELLING.fullmatch(spelling)
    if spelled is None or "--" in spelled["repo"] or ".." in spelled["repo"]:
        raise UsageError(
            f"`{spelling}` names no data set", "write it as `hub:org/name` or `hub:org/name@revision/split`"
        )
    repo = spelled["repo"]
    listing = hub.listing(repo, spelled["revision"] or "main")
    files = {file.path: file for file in listing.files}
    folder = cache_folder() / "hub" / repo.replace("/", "--") / listing.commit / ".files"
    card = None
    if CARD in files:
        card = hub.download(repo, listing.commit, files[CARD], folder).read_text(
            encoding="utf-8", errors="replace"
        )
    sets = data_sets(files, card)
    names = sorted({split for splits in sets.values() for split in splits})
    split = spelled["split"] or (TRAIN if TRAIN in names else None)
    if split is not None and split not in names:
        raise UnknownName(f"split of `{repo}`", split, names, f"hakari audit hub:{repo} --on TASKS")
    chosen = [
        path
        for splits in sets.values()
        for name, paths in splits.items()
        if split in (None, name)
        for path in paths
    ]
    if not chosen:
        hint = "Parquet, JSONL, CSV and TSV files are read; data sets that are programs are not run"
        raise InvalidInput(f"`{repo}` on {hub.endpoint()}", [Fault("holds no tables", hint=hint)])
    return [
        Shard(
            hub.download(repo, listing.commit, files[path], folder),
            f"{repo}/{path}",
            kind_of(Path(path)) or "",
        )
        for path in dict.fromkeys(chosen)
    ]
