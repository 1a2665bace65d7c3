"""Models on a hub: the commit that a revision stands for, and the files of a commit.

Files go into the client's own cache (`HF_HOME`), where other tools find them too. Weights are taken as safetensors
only: the older formats are pickles, which run code when they are read.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from hakari.errors import MissingPrerequisite, UsageError
from hakari.io import hub

DEFAULT_REVISION = "main"
MODELS = "torch"
"""The extra that fetches models and runs them as well."""
COMMIT = re.compile(r"[0-9a-f]{40}")
NOT_FETCHED = (
    *(
        "*.bin",
        "*.pt",
        "*.pth",
        "*.pkl",
        "*.pickle",
        "*.ckpt",
        "*.h5",
        "*.msgpack",
        "*.onnx",
        "*.onnx_data",
        "*.ot",
    ),
    *(
        "*.gguf",
        "*.mlmodel",
        "*.tflite",
        "onnx/*",
        "openvino/*",
        "coreml/*",
        "gguf/*",
        "flax_model*",
        "tf_model*",
    ),
    *("*.png", "*.jpg", "*.jpeg", "*.gif", "*.pdf", "*.zip", "*.tar*", "images/*", "assets/*", "eval/*"),
)
"""Weights for other frameworks, and what is for people to look at."""


def commit_of(repo: str, revision: str = DEFAULT_REVISION) -> str:
    """The commit that a branch, tag or commit stands for; without a network, the one fetched last."""
    if COMMIT.fullmatch(revision):
        return revision
    hub.require_package(repo, MODELS)
    from huggingface_hub import HfApi, errors

    api = HfApi(endpoint=hub.endpoint())
    with hub.quiet(), hub.failures(repo, revision, kind=hub.MODEL):
        try:
            # The client remembers the commit, for when the hub cannot be reached.
            resolved = api.resolve_revision(repo, revision=revision, local_files_only=hub.offline())
            return str(resolved.resolved)
        except errors.RevisionResolutionError as error:
            if hub.offline():
                raise _never_fetched(repo, revision) from error
            raise OSError(str(error).partition(" and no matching")[0].partition("\n")[0]) from error


def snapshot(repo: str, commit: str) -> Path:
    """The folder with the files of a model at a commit; what is there is not fetched again.

    Raises where a large file is not the one that the hub named, after removing it.
    """
    hub.require_package(repo, MODELS)
    from huggingface_hub import snapshot_download

    if hub.offline():
        folder = _kept(repo, commit)
    else:
        with hub.quiet(), hub.failures(repo, commit, kind=hub.MODEL):
            folder = Path(
                snapshot_download(
                    repo, revision=commit, ignore_patterns=list(NOT_FETCHED), endpoint=hub.endpoint()
                )
            )
    _check(repo, folder)
    return folder


def _kept(repo: str, revision: str) -> Path:
    """The folder of a revision that was fetched earlier."""
    hub.require_package(repo, MODELS)
    from huggingface_hub import errors, snapshot_download

    try:
        return Path(
            snapshot_download(
                repo, revision=revision, ignore_patterns=list(NOT_FETCHED), local_files_only=True
            )
        )
    except (errors.LocalEntryNotFoundError, OSError, ValueError) as error:
        raise _never_fetched(repo, revision) from error


def _never_fetched(repo: str, revision: str) -> MissingPrerequisite:
    return MissingPrerequisite(
        f"`{repo}` at `{revision}` was never fetched, and the network is switched off by HF_HUB_OFFLINE",
        "run the same command once with the network, as `env -u HF_HUB_OFFLINE hakari ...`",
    )


def _check(repo: str, folder: Path) -> None:
    """Hold large files against their SHA-256, by which the client's cache names them."""
    for path in sorted(folder.rglob("*")):
        blob = path.resolve()
        if not path.is_symlink() or not re.fullmatch(r"[0-9a-f]{64}", blob.name):
            continue
        if not blob.is_file() or _sha256(blob) != blob.name:
            blob.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            raise UsageError(
                f"`{path.name}` of `{repo}` is damaged: it is not the file that the hub names",
                "run the same command again, which fetches it anew",
            )


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
