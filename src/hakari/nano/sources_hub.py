"""A data set on a hub as a source: its configurations and splits found, its files fetched once, then read as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakari.errors import Fault, InvalidInput, UnknownName, UsageError
from hakari.io import hub
from hakari.io.hub_files import DEFAULT, Splits, data_sets
from hakari.io.hub_layout import CARD
from hakari.nano.sources_chat import from_chat
from hakari.nano.sources_pairs import from_pairs
from hakari.nano.sources_parts import SPLITS, Files, Source, from_tables
from hakari.nano.sources_qa import from_qa
from hakari.nano.sources_sql import from_sql
from hakari.tasks.refs import cache_folder
from hakari.tasks.remote import NAME

SPELLING = re.compile(rf"(?:hub:)?(?P<repo>{NAME}/{NAME})(?:@(?P<revision>\S+))?", re.ASCII)
FILES = ".files"
"""Below the commit in the cache; hidden, so that no task can have its name."""
KINDS = ("collection", "pairs", "chat", "sql", "qa")
JUDGED = ("qrels", DEFAULT)
"""What the configuration of judgements is called: mteb has it as the default one."""


@dataclass(frozen=True)
class Wanted:
    """Which part of a repository is meant, and what it is to be taken for."""

    repo: str
    revision: str = "main"
    config: str | None = None
    split: str | None = None
    qrels: str | None = None
    """Another repository, which holds the judgements."""
    kind: str | None = None
    """One of `KINDS`; without it a collection where there is one, else pairs."""
    columns: Mapping[str, str] = field(default_factory=dict)
    negatives: Sequence[str] = ()
    each_turn: bool = False
    query_per_row: bool = False


def from_hub(wanted: Wanted, tell: Callable[[str], None] = lambda text: None) -> Source:
    """The source that a data set on a hub is, at the commit that its revision stands for now."""
    repository = Repository.of(wanted.repo, wanted.revision)
    judged = Repository.of(wanted.qrels, "main") if wanted.qrels else repository
    kind = wanted.kind or ("collection" if _is_collection(repository, judged, wanted.config) else "pairs")
    if kind == "collection":
        parts, told = _collection(repository, judged, wanted)
    else:
        config, split = _one(repository, wanted)
        parts, told = [(repository, repository.sets[config][split])], f"{config}/{split}"
    fetched = [[place.fetch(path, tell) for path in paths] for place, paths in parts]
    source = _opened(kind, fetched, wanted)
    source.origin = f"hub:{repository.repo}@{repository.commit}"
    source.roles.append(f"{kind} of {source.origin}: {told}")
    return source


def _opened(kind: str, fetched: Sequence[Sequence[Path]], wanted: Wanted) -> Source:
    if kind == "collection":
        return from_tables(Files(fetched[0], fetched[1], fetched[2], wanted.columns))
    named = {f"{kind}.{part}": column for part, column in wanted.columns.items()}
    if kind == "pairs":
        return from_pairs(fetched[0], named, wanted.negatives, wanted.query_per_row)
    if kind == "chat":
        return from_chat(fetched[0], named, wanted.each_turn, wanted.query_per_row)
    return (from_sql if kind == "sql" else from_qa)(fetched[0], named, wanted.query_per_row)


@dataclass(frozen=True)
class Repository:
    """A data set at one commit: its configurations, and where its files are kept."""

    repo: str
    commit: str
    files: Mapping[str, hub.HubFile]
    sets: Mapping[str, Splits]
    place: Path

    @classmethod
    def of(cls, spelling: str, revision: str) -> Repository:
        """What a hub holds under a name."""
        spelled = SPELLING.fullmatch(spelling)
        if spelled is None or "--" in spelled["repo"] or ".." in spelled["repo"]:
            hint = "write it as `org/name`, as in `hakari build hub mteb/scifact --name NanoSciFact`"
            raise UsageError(f"`{spelling}` does not name a repository", hint)
        repo = spelled["repo"]
        listing = hub.listing(repo, spelled["revision"] or revision)
        place = cache_folder() / "hub" / repo.replace("/", "--") / listing.commit / FILES
        files = {file.path: file for file in listing.files}
        card = None
        if CARD in files:
            path = hub.download(repo, listing.commit, files[CARD], place)
            card = path.read_text(encoding="utf-8", errors="replace")
        found = data_sets(files, card)
        if not found:
            hint = "Parquet, JSONL, CSV and TSV files are read; data sets that are programs are not run"
            raise InvalidInput(f"`{repo}` on {hub.endpoint()}", [Fault("holds no tables", hint=hint)])
        return cls(repo, listing.commit, files, found, place)

    def fetch(self, path: str, tell: Callable[[str], None]) -> Path:
        """A file of it, whole; fetched where it is not here yet."""
        file = self.files[path]
        if not (self.place / path).is_file():
            tell(f"fetching {path} of {self.repo}, {file.size / 1e6:,.1f} MB")
        return hub.download(self.repo, self.commit, file, self.place)

    def config(self, part: str, prefix: str | None) -> str | None:
        """The configuration that holds a part of a collection, of the one asked for where there are several."""
        names = JUDGED if part == "qrels" else (part,)
        wanted = [
            form for name in names for form in ((f"{prefix}-{name}", f"{name}-{prefix}") if prefix else ())
        ]
        return next((name for name in (*wanted, *names) if name in self.sets), None)


def _is_collection(repository: Repository, judged: Repository, config: str | None) -> bool:
    parts = (repository.config("corpus", config), repository.config("queries", config))
    named = (*parts, judged.config("qrels", config))
    return None not in named and _is_meant(config, named)


def _is_meant(config: str | None, named: Iterable[str | None]) -> bool:
    """Whether the configuration that was asked for has a say in the ones that would be read."""
    return config is None or any(
        name == config or name.startswith(f"{config}-") or name.endswith(f"-{config}")
        for name in named
        if name is not None
    )


def _collection(
    repository: Repository, judged: Repository, wanted: Wanted
) -> tuple[list[tuple[Repository, list[str]]], str]:
    """The files of corpus, queries and judgements, and what they are called."""
    named = [
        (place, part, place.config(part, wanted.config))
        for place, part in ((repository, "corpus"), (repository, "queries"), (judged, "qrels"))
    ]
    lacking = [part for _, part, config in named if config is None]
    if lacking:
        has = ", ".join(f"`{name}`" for name in repository.sets)
        hint = f"it has {has}; judgements in a repository of their own are named with `--qrels ORG/NAME`"
        what = f"has no configuration `{lacking[0]}`"
        raise InvalidInput(f"`{repository.repo}`", [Fault(what, hint=hint)])
    if not _is_meant(wanted.config, [config for _, _, config in named]):
        what = f"configuration of `{repository.repo}`"
        raise UnknownName(what, wanted.config or "", repository.sets, "hakari build hub --help")
    judged_splits = judged.sets[named[2][2] or ""]
    split = _split(judged_splits, wanted.split, judged.repo, "qrels")
    found, told = [], []
    for place, part, config in named:
        splits = place.sets[config or ""]
        own = split if split in splits else part if part in splits else next(iter(splits))
        if own not in (split, part) and len(splits) > 1:
            raise UnknownName(
                f"split of `{config}` in `{place.repo}`", split, splits, "hakari build hub --help"
            )
        found.append((place, splits[own]))
        told.append(f"{config}/{own}")
    return found, ", ".join(told)


def _one(repository: Repository, wanted: Wanted) -> tuple[str, str]:
    """The one configuration and split that is meant."""
    config = wanted.config
    if config is None:
        config = (
            DEFAULT if DEFAULT in repository.sets else _only(repository.sets, "--config", repository.repo)
        )
    if config not in repository.sets:
        raise UnknownName(
            f"configuration of `{repository.repo}`", config, repository.sets, "hakari build hub --help"
        )
    return config, _split(repository.sets[config], wanted.split, repository.repo, config)


def _split(splits: Splits, wanted: str | None, repo: str, config: str) -> str:
    if wanted is None:
        return next((name for name in SPLITS if name in splits), None) or _only(splits, "--split", repo)
    if wanted not in splits:
        raise UnknownName(f"split of `{config}` in `{repo}`", wanted, splits, "hakari build hub --help")
    return wanted


def _only(names: Iterable[str], option: str, repo: str) -> str:
    listed = list(names)
    if len(listed) == 1:
        return listed[0]
    shown = ", ".join(f"`{name}`" for name in listed[:20])
    what = "configurations" if option == "--config" else "splits"
    raise UsageError(f"`{repo}` has several {what}: {shown}", f"say which with `{option} {listed[0]}`")
