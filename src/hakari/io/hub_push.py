"""Writing to a hub: one commit that makes a data set's repository hold exactly these files.

The key is the client's own (`HF_TOKEN`, or what `hf auth login` stored); it is neither read nor told here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakari.errors import HakariError, MissingPrerequisite, UsageError
from hakari.io import hub

MAIN = "main"
DENIED, NOT_FOUND = (401, 403), 404
TAKEN = (409, 412)
AT_ONCE = 5
"""Files that are sent to the public hub at the same time."""


@dataclass(frozen=True)
class Pushed:
    """What a push came to."""

    commit: str
    private: bool | None
    """Whether only those who may can read it; None where the hub does not say."""
    changed: bool
    """Whether there is a new commit; what is there already is not committed again."""


def existing(repo: str, branch: str) -> hub.Listing | None:
    """What a branch of a repository holds now; a new one begins as the main one. None where nothing is there."""
    hub.require(repo)
    from huggingface_hub import HfApi, errors

    for name in dict.fromkeys((branch, MAIN)):
        with failures(repo), hub.quiet():
            try:
                HfApi(endpoint=hub.endpoint()).dataset_info(repo, revision=name, timeout=30)
            except errors.HfHubHTTPError as error:
                # A private one of others looks as if it were not there; writing to it is what will be refused.
                if isinstance(error, errors.RepositoryNotFoundError) or _status(error) == NOT_FOUND:
                    continue
                raise
        return hub.listing(repo, name)
    return None


def push(
    repo: str,
    branch: str,
    files: Mapping[str, Path],
    before: hub.Listing | None,
    *,
    removed: Sequence[str] = (),
    private: bool = True,
) -> Pushed:
    """Make a commit of local files by their paths in the repository, which is made where it is not there.

    `before` is what the branch was seen to hold: a commit that came in between is an error, not overwritten.
    Afterwards every file is held against the digest that the hub lists at the new commit.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api = HfApi(endpoint=hub.endpoint())
    with failures(repo), hub.quiet(), warnings.catch_warnings(), ExitStack() as opened:
        api.create_repo(repo, repo_type="dataset", private=private, exist_ok=True)
        if branch != MAIN:
            api.create_branch(repo, branch=branch, repo_type="dataset", exist_ok=True)
        adding = [
            CommitOperationAdd(name, opened.enter_context(sendable(path)))
            for name, path in sorted(files.items())
        ]
        warnings.simplefilter("ignore")  # of the hub about keys of a card
        done = api.create_commit(
            repo,
            [*adding, *(CommitOperationDelete(name) for name in sorted(removed))],
            commit_message="Nano set: corpus, queries, judgements and candidates",
            repo_type="dataset",
            revision=branch,
            parent_commit=None if before is None else before.commit,
            num_threads=AT_ONCE if _is_public() else 1,
        )
        told = api.dataset_info(repo, revision=branch, timeout=30)
    commit = done.oid
    _verify(repo, commit, files)
    return Pushed(commit, told.private, before is None or before.commit != commit)


def _is_public() -> bool:
    return hub.endpoint() == hub.PUBLIC


@contextmanager
def sendable(path: Path) -> Iterator[Any]:
    """A file in the form that the hub understands.

    Only the public hub is sure to speak the newest protocol of uploads, which the client uses for paths; opened
    files go by the older one, which all hubs speak. They go one at a time: of two that are the same the client sends
    one twice, and two threads would read it at once.
    """
    if _is_public():
        yield path
        return
    with open(path, "rb") as file:
        yield file


def _verify(repo: str, commit: str, files: Mapping[str, Path]) -> None:
    there = {file.path: file for file in hub.listing(repo, commit).files}
    wrong = [name for name, path in files.items() if name not in there or not hub.is_whole(path, there[name])]
    if wrong:
        raise MissingPrerequisite(
            f"`{wrong[0]}` of `{repo}` is not on {hub.endpoint()} as it was sent (commit {commit[:12]})",
            "run the same command again; where it fails again, whoever serves the hub has to mend it",
        )


@contextmanager
def failures(repo: str) -> Iterator[None]:
    """Everything that the client may raise while it writes, as one error of ours."""
    from huggingface_hub import errors

    try:
        yield
    except HakariError:
        raise
    except (errors.HTTPError, OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise _refused(repo, error) from error


def _refused(repo: str, error: Exception) -> HakariError:
    status = next((code for code in map(_status, _chain(error)) if code is not None), None)
    where = hub.endpoint()
    if status in DENIED:
        hint = "log in with `hf auth login`, or set HF_TOKEN to a key that may write there"
        return MissingPrerequisite(f"`{repo}` may not be written on {where}: it answered {status}", hint)
    if status in TAKEN:
        hint = "look at what came in between, then run the same command again"
        return UsageError(f"`{repo}` was changed by somebody else while it was pushed", hint)
    told = f"it answered {status}" if status is not None else _first_line(error)
    hint = "check the network and HF_ENDPOINT, then run the same command again: nothing was published halfway"
    return MissingPrerequisite(f"`{repo}` cannot be pushed to {where}: {told}", hint)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _first_line(error: Exception) -> str:
    lines = str(error.__cause__ or error).splitlines()
    return lines[0][: hub.SHOWN] if lines else type(error).__name__
