"""Serving a built site to this machine: only its files, only to loopback unless asked for otherwise."""

from __future__ import annotations

import mimetypes
import os
import posixpath
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hakari.errors import UsageError

LOOPBACK = "127.0.0.1"
NAMES_OF_LOOPBACK = {"127.0.0.1", "localhost", "[::1]", "::1"}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}


def server(folder: Path, port: int = 0, host: str = LOOPBACK) -> ThreadingHTTPServer:
    """A server of one folder, not running yet; port 0 takes any free one."""
    root = Path(os.path.realpath(folder))

    class Handler(_Files):
        served = root
        names = NAMES_OF_LOOPBACK if host in NAMES_OF_LOOPBACK else None

    try:
        return ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        raise UsageError(
            f"`{host}:{port}` cannot be served from: {error.strerror or error}",
            "choose another port: `--port 0`",
        ) from None


def file_of(root: Path, target: str) -> Path | None:
    """The file below a folder that a request asks for; None where there is none, or where it is outside."""
    path = unquote(urlsplit(target).path)
    if "\0" in path or "\\" in path or ".." in path.split("/"):
        return None
    inner = posixpath.normpath("/" + path).lstrip("/")
    try:
        # Links are followed before the check, so that none leads out of the folder.
        found = Path(os.path.realpath(root / inner))
        if found.is_dir():
            found = Path(os.path.realpath(found / "index.html"))
        return found if found.is_relative_to(root) and found.is_file() else None
    except (OSError, ValueError):
        return None


class _Files(BaseHTTPRequestHandler):
    served: Path
    names: set[str] | None
    server_version, sys_version = "hakari", ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        # A page of another name that resolves to this machine must not read what is served here.
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if self.names is not None and host.lower() not in self.names:
            self._send(HTTPStatus.FORBIDDEN, b"asked for under another name than this machine's\n")
            return
        path = urlsplit(self.path).path
        found = file_of(self.served, self.path)
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, b"there is no such page\n", with_body=with_body)
        elif found.name == "index.html" and not path.endswith(("/", "/index.html")):
            self._send(HTTPStatus.MOVED_PERMANENTLY, b"", location=posixpath.basename(path) + "/")
        else:
            self._send(HTTPStatus.OK, found.read_bytes(), found.suffix, with_body)

    def _send(
        self, status: HTTPStatus, body: bytes, suffix: str = "", with_body: bool = True, location: str = ""
    ) -> None:
        self.send_response(status)
        kind = TYPES.get(suffix) or mimetypes.types_map.get(suffix, "text/plain; charset=utf-8")
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if location:
            self.send_header("Location", location)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not told."""
