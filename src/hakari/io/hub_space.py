"""A static space on a hub: a repository whose files are served as a site."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from hakari.errors import UsageError
from hakari.io import hub
from hakari.io.hub_push import Pushed, failures, sendable

CARD = "README.md"
KEPT = (".gitattributes",)
MOST_AT_ONCE = 500
"""Files of one commit: hubs refuse much larger ones."""


def push(repo: str, files: Mapping[str, Path], title: str, private: bool = True) -> Pushed:
    """Make a static space hold exactly these files; it is made where it is not there, private unless told otherwise.

    A space that is there and public is not written to as if it were private: that is an error.
    """
    hub.require(repo)
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api = HfApi(endpoint=hub.endpoint())
    with failures(repo), hub.quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api.create_repo(repo, repo_type="space", space_sdk="static", private=private, exist_ok=True)
        told = api.space_info(repo, timeout=30)
        if private and told.private is False:
            raise UsageError(
                f"the space `{repo}` is public, and so would be what is pushed",
                "add `--public`, or name another",
            )
        there = _listing(api, repo)
        changed = {
            name: path
            for name, path in files.items()
            if name not in there or not hub.is_whole(path, there[name])
        }
        gone = sorted(set(there) - set(files) - {CARD, *KEPT})
        card = _card(title)
        names = sorted(changed)
        before, commit = str(told.sha), str(told.sha)
        parts = [names[i : i + MOST_AT_ONCE] for i in range(0, len(names), MOST_AT_ONCE)] or (
            [[]] if gone else []
        )
        for number, part in enumerate(parts):
            with ExitStack() as opened:
                adding = [
                    CommitOperationAdd(name, opened.enter_context(sendable(changed[name]))) for name in part
                ]
                last = number == len(parts) - 1
                removing = [CommitOperationDelete(name) for name in gone] if last else []
                head = [CommitOperationAdd(CARD, card)] if number == 0 else []
                message = "Site of measured results" + (
                    f", part {number + 1} of {len(parts)}" if parts[1:] else ""
                )
                done = api.create_commit(
                    repo,
                    [*head, *adding, *removing],
                    commit_message=message,
                    repo_type="space",
                    parent_commit=commit,
                )
                commit = done.oid
        private_now = api.space_info(repo, timeout=30).private
    return Pushed(commit, private_now, commit != before)


def _listing(api: object, repo: str) -> dict[str, hub.HubFile]:
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(repo, repo_type="space", recursive=True)  # type: ignore[attr-defined]
    return {
        item.path: hub.HubFile(
            item.path, item.size, f"sha256:{item.lfs.sha256}" if item.lfs else f"git:{item.blob_id}"
        )
        for item in tree
        if isinstance(item, RepoFile)
    }


def _card(title: str) -> bytes:
    """What tells the hub that this is a site; its title on one line, as JSON, which is YAML, too."""
    import json

    return f"---\ntitle: {json.dumps(title)}\nsdk: static\npinned: false\n---\n".encode()
