"""A small hub on this machine that speaks the Hugging Face protocol to the real clients, and can fail on demand.

Reading is here, writing in `hub_writing`.

with HubServer() as hub:
    hub.commit("org/NanoX", folder)          # what is pushed; returns the commit
    hub.fail("resolve", "corpus", Cut(2000)) # the next matching request is cut after 2,000 bytes
    run(..., env={"HF_ENDPOINT": hub.url})
    hub.requests                             # what was asked
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hub_writing import Writing, described

# The client reads this when it is first imported: no test may touch the user's own cache of the hub.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="hakari-test-hub-")
atexit.register(shutil.rmtree, os.environ["HF_HOME"], ignore_errors=True)
PAGE = 4
"""Files a page of a listing: few, so that every test turns pages."""


@dataclass(frozen=True)
class Status:
    """Answer with this status and no body."""

    code: int


@dataclass(frozen=True)
class Cut:
    """Break the connection off after so many bytes of the body."""

    after: int


@dataclass(frozen=True)
class Short:
    """Serve a body that is cut short as if it were whole."""

    to: int


@dataclass(frozen=True)
class Flip:
    """Serve a body of the right length with one wrong byte."""

    at: int


@dataclass(frozen=True)
class Stall:
    """Serve so many bytes and then nothing for a while."""

    after: int
    seconds: float = 60.0


Failure = Status | Cut | Short | Flip | Stall


@dataclass
class _Armed:
    words: tuple[str, ...]
    failure: Failure
    times: int


class HubServer:
    """The hub: repositories as commits of files, served on a free port of this machine."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, dict[str, bytes]]] = {}
        """By repository and commit, the bytes of every file."""
        self.branches: dict[str, dict[str, str]] = {}
        self.requests: list[str] = []
        """Method and path of every request so far."""
        self.private: set[str] = set()
        """Repositories that only those with the key can see."""
        self.key: str | None = None
        """What may write, and read what is private; None where everybody may."""
        self.stored: dict[str, bytes] = {}
        """Large files that were uploaded, by their SHA-256, whether a commit has them or not."""
        self._armed: list[_Armed] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """What `HF_ENDPOINT` has to be."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def cdn(self) -> str:
        """Where large files are redirected to: by its name, another host, as on the public hub."""
        return f"http://localhost:{self._server.server_port}/cdn"

    def __enter__(self) -> HubServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def commit(self, repo: str, files: Path | Mapping[str, bytes], branch: str = "main") -> str:
        """Make the files, or those of a folder, the newest commit of a branch."""
        if isinstance(files, Path):
            files = {p.relative_to(files).as_posix(): p.read_bytes() for p in files.rglob("*") if p.is_file()}
        told = "".join(f"{path} {hashlib.sha1(data).hexdigest()}\n" for path, data in sorted(files.items()))
        commit = hashlib.sha1(f"{repo}\n{told}".encode()).hexdigest()
        self.files.setdefault(repo, {})[commit] = dict(files)
        self.branches.setdefault(repo, {})[branch] = commit
        return commit

    def fail(self, *words_and_failure: Any, times: int = 1) -> None:
        """Fail the next requests whose method and path have all the words in them."""
        *words, failure = words_and_failure
        self._armed.append(_Armed(tuple(words), failure, times))

    def heal(self) -> None:
        """Fail no more."""
        self._armed.clear()

    def failure_for(self, request: str) -> Failure | None:
        """The failure that a request meets, which is used up by it."""
        for armed in self._armed:
            if armed.times > 0 and all(word in request for word in armed.words):
                armed.times -= 1
                return armed.failure
        return None

    def resolve(self, repo: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        """The commit that a branch or commit stands for, and its files."""
        commit = self.branches.get(repo, {}).get(revision, revision)
        files = self.files.get(repo, {}).get(commit)
        return None if files is None else (commit, files)


class _Handler(Writing):
    """One request."""

    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        request = f"{self.command} {unquote(self.path)}"
        self.hub.requests.append(request)
        failure = self.hub.failure_for(request)
        if isinstance(failure, Status):
            self._send(failure.code, b"", {})
            return
        address = urlsplit(self.path)
        parts = [unquote(part) for part in address.path.strip("/").split("/")]
        match parts:
            case ["api", "datasets" | "spaces", owner, name]:
                self._info(f"{owner}/{name}", "main")
            case ["api", "datasets" | "models" | "spaces", owner, name, "revision", revision]:
                self._info(f"{owner}/{name}", revision)
            case ["api", "datasets" | "models" | "spaces" as kind, owner, name, "tree", revision, *_]:
                self._tree(f"{owner}/{name}", revision, parse_qs(address.query), kind)
            case ["datasets", owner, name, "resolve", revision, *path]:
                self._file(f"{owner}/{name}", revision, "/".join(path), body, failure)
            case [owner, name, "resolve", revision, *path]:  # models lie at the root
                self._file(f"{owner}/{name}", revision, "/".join(path), body, failure)
            case ["cdn", owner, name, commit, *path]:
                self._bytes(self.hub.files[f"{owner}/{name}"][commit]["/".join(path)], {}, body, failure)
            case _:
                self._send(404, b"", {})

    def _found(self, repo: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        hidden = repo in self.hub.private and not self.may()
        found = None if hidden else self.hub.resolve(repo, revision)
        if found is None:
            code = "RevisionNotFound" if repo in self.hub.files and not hidden else "RepoNotFound"
            self._send(404, b'{"error": "not found"}', {"X-Error-Code": code})
        return found

    def _info(self, repo: str, revision: str) -> None:
        if found := self._found(repo, revision):
            commit, files = found
            siblings = [{"rfilename": path} for path in sorted(files)]
            told: dict[str, Any] = {"_id": "1", "id": repo, "sha": commit, "siblings": siblings, "tags": []}
            told["private"] = repo in self.hub.private
            self._json({**told, "downloads": 0, "likes": 0, "disabled": False, "gated": False})

    def _tree(self, repo: str, revision: str, query: Mapping[str, list[str]], kind: str) -> None:
        if found := self._found(repo, revision):
            listed = [described(path, data) for path, data in sorted(found[1].items())]
            folders = {path.rpartition("/")[0] for path in found[1]} - {""}
            listed += [
                {"type": "directory", "path": path, "oid": "0" * 40, "size": 0} for path in sorted(folders)
            ]
            start = int(query.get("cursor", ["0"])[0])
            link = {}
            if start + PAGE < len(listed):
                tree = f"{self.hub.url}/api/{kind}/{repo}/tree/{revision}"
                more = f"{tree}?recursive=true&cursor={start + PAGE}"
                link = {"Link": f'<{more}>; rel="next"'}
            self._json(listed[start : start + PAGE], link)

    def _file(self, repo: str, revision: str, path: str, body: bool, failure: Failure | None) -> None:
        found = self._found(repo, revision)
        if found is None:
            return
        commit, files = found
        if path not in files:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
            return
        told = described(path, files[path])
        headers = {"X-Repo-Commit": commit, "ETag": f'"{told["oid"]}"'}
        if "lfs" not in told:
            self._bytes(files[path], headers, body, failure)
            return
        linked = {"X-Linked-Etag": f'"{told["lfs"]["oid"]}"', "X-Linked-Size": str(told["size"])}
        self._send(302, b"", {**headers, **linked, "Location": f"{self.hub.cdn}/{repo}/{commit}/{path}"})

    def _json(self, told: Any, headers: Mapping[str, str] | None = None) -> None:
        self._send(200, json.dumps(told).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _bytes(self, data: bytes, headers: Mapping[str, str], body: bool, failure: Failure | None) -> None:
        if isinstance(failure, Short):
            data = data[: failure.to]
        if isinstance(failure, Flip):
            data = data[: failure.at] + bytes([data[failure.at] ^ 1]) + data[failure.at + 1 :]
        code, start = 200, 0
        if asked := self.headers.get("Range"):
            code, start = 206, int(asked.removeprefix("bytes=").partition("-")[0])
            headers = {**headers, "Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"}
        rest = data[start:]
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(rest)), "Accept-Ranges": "bytes"}.items():
            self.send_header(name, value)
        self.end_headers()
        if not body:
            return
        if isinstance(failure, Cut | Stall):
            self.wfile.write(rest[: failure.after])
            self.wfile.flush()
            time.sleep(failure.seconds if isinstance(failure, Stall) else 0)
            self.close_connection = True
            return
        self.wfile.write(rest)

    def _send(self, code: int, data: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _handler(hub: HubServer) -> type[_Handler]:
    return type("Handler", (_Handler,), {"hub": hub})
