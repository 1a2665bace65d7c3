"""The server of `endpoint_server.py` as a process: started, given faults, asked what it was asked, killed."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from typing import Any

import endpoint_server


class Server:
    """The process of a server, and what it was asked."""

    def __init__(self, port: int = 0, *models: str) -> None:
        command = [sys.executable, endpoint_server.__file__, str(port), *models]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def arm(self, **fault: Any) -> None:
        body = json.dumps(fault).encode()
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/fault", body).read()

    def log(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/log") as answer:
            return json.load(answer)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
