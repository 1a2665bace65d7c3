"""Data sets on a hub that speaks the Hugging Face protocol: what a revision holds, and its files.

The one place that talks to the network, with `hub_push` beside it, through `huggingface_hub`. The endpoint is
`$HF_ENDPOINT`; every failure becomes one error that says what to do.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hakari.errors import MissingPrerequisite, UsageError, install_hint

PACKAGE = "huggingface_hub"
PUBLIC = "https://huggingface.co"
BLOCK = 1 << 20
DATA_SET, MODEL = "data set", "model"
SHOWN = 200
"""How much of the client's own message is told."""


@dataclass(frozen=True)
class HubFile:
    """A file of a repository at one commit."""

    path: str
    size: int
    digest: str
    """`sha256:...` of large files, `git:...` of those that lie in git itself."""


@dataclass(frozen=True)
class Listing:
    """What a repository holds at one commit."""

    repo: str
    commit: str
    files: tuple[HubFile, ...]


def endpoint() -> str:
    """The address of the hub."""
    return (os.environ.get("HF_ENDPOINT") or PUBLIC).rstrip("/")


def offline() -> bool:
    """Whether the user has switched the network off."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def require(repo: str) -> None:
    """Raise where nothing can be fetched, before anything is tried."""
    if offline():
        raise MissingPrerequisite(
            f"`{repo}` is not in the cache, and the network is switched off by HF_HUB_OFFLINE",
            "run the same command once with the network, as `env -u HF_HUB_OFFLINE hakari ...`",
        )
    require_package(repo)


def require_package(repo: str, extra: str = "hub") -> None:
    """Raise where the client is not installed; `extra` brings it with what else is needed."""
    if find_spec(PACKAGE) is None:
        raise MissingPrerequisite(f"fetching `{repo}` needs the package `{PACKAGE}`", install_hint(extra))


def listing(repo: str, revision: str) -> Listing:
    """The files of a data set at the commit that a branch, tag or commit stands for now."""
    require(repo)
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    api = HfApi(endpoint=endpoint())
    with quiet(), failures(repo, revision):
        commit = api.dataset_info(repo, revision=revision, timeout=30).sha
        if not commit:
            raise ValueError("no commit is named")
        tree = api.list_repo_tree(repo, repo_type="dataset", revision=commit, recursive=True)
        files = [
            HubFile(item.path, item.size, f"sha256:{item.lfs.sha256}" if item.lfs else f"git:{item.blob_id}")
            for item in tree
            if isinstance(item, RepoFile)
        ]
    return Listing(repo, commit, tuple(sorted(files, key=lambda file: file.path)))


def download(repo: str, commit: str, file: HubFile, folder: Path) -> Path:
    """A file below a folder, whole and with the digest that the hub states; one that is there is not fetched again.

    What is cut short or damaged is removed, so that a file under its name can be trusted.
    """
    require(repo)
    from huggingface_hub import hf_hub_download

    with quiet(), failures(repo, commit, file.path):
        path = Path(
            hf_hub_download(
                repo,
                file.path,
                repo_type="dataset",
                revision=commit,
                local_dir=folder,
                endpoint=endpoint(),
            )
        )
    if not is_whole(path, file):
        path.unlink()
        raise MissingPrerequisite(
            f"`{file.path}` of `{repo}` came damaged from {endpoint()}: it is not the file that the hub lists",
            "run the same command again; where it fails again, whoever serves the hub has to mend it",
        )
    return path


def is_whole(path: Path, file: HubFile) -> bool:
    """Whether a local file is the one that the hub lists, to the last byte."""
    return path.stat().st_size == file.size and _digest(path, file) == file.digest


def _digest(path: Path, file: HubFile) -> str:
    kind = file.digest.partition(":")[0]
    # Git names a file by a SHA-1 over its size and bytes; as a check against damage that is enough.
    digest = (
        hashlib.sha256()
        if kind == "sha256"
        else hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    )
    with open(path, "rb") as opened:
        while block := opened.read(BLOCK):
            digest.update(block)
    return f"{kind}:{digest.hexdigest()}"


@contextmanager
def failures(repo: str, revision: str, path: str | None = None, kind: str = DATA_SET) -> Iterator[None]:
    """Everything that the client may raise, as one error of ours."""
    from huggingface_hub import errors

    what = f"`{repo}`" if path is None else f"`{path}` of `{repo}`"
    page = f"{endpoint()}/datasets/{repo}" if kind == DATA_SET else f"{endpoint()}/{repo}"
    try:
        yield
    except errors.GatedRepoError as error:
        hint = f"accept its terms at {page} and log in with `hf auth login`"
        raise MissingPrerequisite(f"{what} is only for those who accept its terms", hint) from error
    except errors.RepositoryNotFoundError as error:
        hint = f"check the name at {page}; for a private one log in with `hf auth login`"
        raise UsageError(f"there is no {kind} `{repo}` on {endpoint()}", hint) from error
    except errors.RevisionNotFoundError as error:
        hint = f"see the branches and tags at {page}/tree/main"
        raise UsageError(f"`{repo}` has no revision `{revision}`", hint) from error
    except (errors.HTTPError, OSError, ValueError, KeyError, TypeError) as error:
        raise _unreachable(what, error, kind) from error


def _unreachable(what: str, error: Exception, kind: str) -> Exception:
    """The error for a hub that cannot be reached, breaks off, or does not speak the protocol."""
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    number = getattr(cause, "errno", None)
    response = getattr(cause, "response", None)
    if response is None and isinstance(cause, OSError) and number is not None and cause.filename is not None:
        hint = f"check space and permissions with `df -h` and `ls -ld {Path(cause.filename).parent}`"
        return UsageError(f"{what} cannot be stored: {cause.strerror}", hint)
    if response is not None and response.status_code in (401, 403):
        hint = f"log in with `hf auth login`, and see what {endpoint()} lets you read"
        return MissingPrerequisite(f"{what} may not be read: it answered {response.status_code}", hint)
    if response is not None:
        told = f"it answered {response.status_code}"
    else:
        lines = str(cause).splitlines()
        told = lines[0][:SHOWN] if lines else type(cause).__name__
    hint = (
        "check the network and HF_ENDPOINT, then run the same command again: files that came whole are kept"
    )
    if kind == DATA_SET:
        hint += "; or name a folder that holds the set with --tasks-dir"
    return MissingPrerequisite(f"{what} cannot be fetched from {endpoint()}: {told}", hint)


@contextmanager
def quiet() -> Iterator[None]:
    """The client without its bars and warnings: what matters is told by an error."""
    from huggingface_hub import constants, utils

    logging: Any = utils.logging
    before, bars = logging.get_verbosity(), constants.HF_HUB_DISABLE_PROGRESS_BARS is None
    hidden = utils.are_progress_bars_disabled()
    logging.set_verbosity_error()
    if bars:
        utils.disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars and not hidden:
            utils.enable_progress_bars()
