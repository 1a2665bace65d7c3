"""What the hub of the tests answers to clients that write: repositories, branches, large files, commits."""

from __future__ import annotations

import base64
import hashlib
import json
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from hub_server import Failure, HubServer

LARGE = (".parquet", ".onnx", ".safetensors")


def described(path: str, data: bytes) -> dict[str, Any]:
    """A file as listings describe it."""
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    told: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": blob}
    if path.endswith(LARGE):
        sha256 = hashlib.sha256(data).hexdigest()
        told["lfs"] = {"oid": sha256, "size": len(data), "pointerSize": 130}
    return told


class Writing(BaseHTTPRequestHandler):
    """The half of a handler that takes what is sent."""

    hub: HubServer

    def may(self) -> bool:
        """Whether the one who asks has the key."""
        return self.hub.key is None or self.headers.get("Authorization") == f"Bearer {self.hub.key}"

    def reply(self, told: Any, code: int = 200, **headers: str) -> None:
        """Answer with JSON."""
        data = json.dumps(told).encode()
        self.send_response(code)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}
        for name, value in sent.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            return
        parts = [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]
        match parts:
            case ["api", "datasets", owner, name, "paths-info", revision]:
                self._paths(f"{owner}/{name}", revision, body)
            case ["api", "validate-yaml"]:
                self.reply({"errors": [], "warnings": []})
            case _ if not self.may():
                self.reply({"error": "no key"}, 401)
            case ["api", "repos", "create"]:
                self._create(json.loads(body))
            case ["api", "datasets", owner, name, "branch", branch]:
                self._branch(f"{owner}/{name}", branch)
            case ["api", "datasets" | "spaces", owner, name, "preupload", revision]:
                self._modes(f"{owner}/{name}", revision, json.loads(body))
            case ["datasets" | "spaces", owner, name, "info", "lfs", "objects", "batch"] if name.endswith(
                ".git"
            ):
                self._batch(json.loads(body))
            case ["api", "datasets" | "spaces", owner, name, "commit", branch]:
                self._commit(f"{owner}/{name}", branch, body)
            case _:
                self.reply({"error": "not found"}, 404)

    def do_PUT(self) -> None:
        body = self._body()
        digest = urlsplit(self.path).path.rpartition("/")[2]
        if body is not None and hashlib.sha256(body).hexdigest() == digest:
            self.hub.stored[digest] = body
            self.reply({})
        elif body is not None:
            self.reply({"error": "not what was announced"}, 400)

    def _body(self) -> bytes | None:
        """What was sent; None where the request was to fail and has been answered."""
        request = f"{self.command} {unquote(self.path)}"
        self.hub.requests.append(request)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        failure: Failure | None = self.hub.failure_for(request)
        if failure is None:
            return body
        self.reply({"error": "as it was told to"}, getattr(failure, "code", 500))
        return None

    def _create(self, asked: dict[str, Any]) -> None:
        repo = f"{asked['organization']}/{asked['name']}"
        told = {"url": f"{self.hub.url}/{asked.get('type', 'dataset')}s/{repo}"}
        if repo in self.hub.files:
            self.reply({"error": "You already created this dataset repo", **told}, 409)
            return
        if asked.get("visibility") == "private" or asked.get("private"):
            self.hub.private.add(repo)
        self.hub.commit(repo, {".gitattributes": b"*.parquet filter=lfs\n"})
        self.reply(told)

    def _branch(self, repo: str, branch: str) -> None:
        branches = self.hub.branches[repo]
        code = 409 if branch in branches else 201
        branches.setdefault(branch, branches["main"])
        self.reply({}, code)

    def _modes(self, repo: str, revision: str, asked: dict[str, Any]) -> None:
        found = self.hub.resolve(repo, revision)
        there = {} if found is None else found[1]
        files = []
        for file in asked["files"]:
            path = file["path"]
            told = described(path, there[path]) if path in there else {}
            oid = told.get("lfs", told).get("oid")
            mode = "lfs" if path.endswith(LARGE) else "regular"
            files.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        self.reply({"files": files})

    def _batch(self, asked: dict[str, Any]) -> None:
        objects = []
        for one in asked["objects"]:
            told = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in self.hub.stored:
                told["actions"] = {"upload": {"href": f"{self.hub.url}/lfs/{one['oid']}", "header": {}}}
            objects.append(told)
        self.reply({"transfer": "basic", "objects": objects})

    def _commit(self, repo: str, branch: str, body: bytes) -> None:
        found = self.hub.resolve(repo, branch)
        if found is None:
            self.reply({"error": "not found"}, 404, X_Error_Code="RepoNotFound")
            return
        parent, files = found[0], dict(found[1])
        for line in body.splitlines():
            one = json.loads(line)
            value = one["value"]
            match one["key"]:
                case "header":
                    if value.get("parentCommit") not in (None, parent):
                        self.reply({"error": "a commit came in between"}, 412)
                        return
                case "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                case "lfsFile":
                    files[value["path"]] = self.hub.stored[value["oid"]]
                case "deletedFile":
                    del files[value["path"]]
        commit = self.hub.commit(repo, files, branch)
        self.reply({"commitUrl": f"{self.hub.url}/datasets/{repo}/commit/{commit}", "commitOid": commit})

    def _paths(self, repo: str, revision: str, body: bytes) -> None:
        found = self.hub.resolve(repo, revision)
        if found is None or (repo in self.hub.private and not self.may()):
            self.reply({"error": "not found"}, 404, X_Error_Code="RepoNotFound")
            return
        asked = parse_qs(body.decode())["paths"]
        self.reply([described(path, found[1][path]) for path in asked if path in found[1]])
