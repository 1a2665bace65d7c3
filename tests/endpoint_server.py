"""A server that speaks as OpenAI-compatible ones do, as a process of its own: vectors, scores, and faults on demand.

    python endpoint_server.py PORT [words|bge_small_en] [reranker_en]

`POST /fault` with {"kind", "after", "times", ...} arms a fault for requests to come; `GET /log` tells what was asked.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

MODEL = "toy-embedder"
WIDTH = 16


def words(text: str) -> list[float]:
    """A vector of a text that depends on its words alone."""
    total = np.full(WIDTH, 0.01)
    for word in text.lower().split():
        total += np.frombuffer(hashlib.sha256(word.encode()).digest()[:WIDTH], np.uint8) / 128 - 1
    return total.tolist()


def overlap(query: str, document: str) -> float:
    own = set(query.lower().split())
    return len(own & set(document.lower().split())) / (1 + len(own))


class State:
    """What the server was asked, and what it is to do wrong."""

    lock = threading.Lock()
    fault: dict[str, Any]
    log: dict[str, Any]
    running = 0

    def __init__(self) -> None:
        self.fault = {}
        self.log = {"requests": 0, "texts": [], "keys": [], "sizes": [], "most": 0, "times": [], "bodies": []}
        self.embed, self.rerank = words, overlap


STATE = State()


def load(embedder: str, reranker: str) -> None:
    from hakari.retrievers.cross_encoder import joined
    from hakari.retrievers.registry import parse

    if embedder != "words":
        encoder = parse(embedder).model.encoder("document")  # type: ignore[attr-defined]
        encoder.load()
        STATE.embed = lambda text: encoder.encode(text).vector.tolist()
    if reranker:
        pairs = parse(reranker).encoder()  # type: ignore[attr-defined]
        pairs.load()
        STATE.rerank = lambda query, document: float(pairs.encode(joined(query, document)).vector[0])


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path == "/log":
            with STATE.lock:
                self.answer(200, STATE.log)
        elif self.path == "/v1/models":
            self.answer(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        else:
            self.answer(404, {"error": {"message": "no such path"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/fault":
            with STATE.lock:
                STATE.fault = body
                STATE.log = State().log
            self.answer(200, {})
            return
        with STATE.lock:
            STATE.running += 1
            STATE.log["most"] = max(STATE.log["most"], STATE.running)
            STATE.log["requests"] += 1
            STATE.log["times"].append(time.monotonic())
            STATE.log["bodies"].append(
                {k: v for k, v in body.items() if k not in ("input", "documents", "texts")}
            )
            STATE.log["keys"].append(self.headers.get("Authorization"))
            fault = self.armed()
        try:
            self.serve(body, fault)
        finally:
            with STATE.lock:
                STATE.running -= 1

    def armed(self) -> dict[str, Any]:
        fault = STATE.fault
        number = STATE.log["requests"] - fault.get("after", 0)
        return fault if fault and 0 < number <= fault.get("times", 10**9) else {}

    def serve(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        kind = fault.get("kind", "")
        if kind == "die":
            os._exit(9)
        if kind == "slow":
            time.sleep(fault["seconds"])
        if kind == "status":
            told = {
                "error": {"message": fault.get("message", "no"), "key": self.headers.get("Authorization")}
            }
            self.answer(fault["status"], told, fault.get("headers", {}))
            return
        if kind == "html":
            self.raw(200, b"<html><title>Sign in</title></html>", {"Content-Type": "text/html"})
            return
        texts = body["input"] if "input" in body else body.get(fault.get("field", "documents"))
        if texts is None:
            self.answer(422, {"error": f"missing field `{fault['field']}`"})
            return
        with STATE.lock:
            STATE.log["sizes"].append(len(texts))
        if kind == "most" and len(texts) > fault["most"]:
            self.answer(413, {"error": "batch too large"})
            return
        if kind == "long" and any(len(text) > fault["characters"] for text in texts):
            self.answer(400, {"error": {"message": "maximum context length exceeded"}})
            return
        with STATE.lock:
            STATE.log["texts"] += texts
        told = self.embeddings(body, fault) if "input" in body else self.scores(body, texts, fault)
        data = json.dumps(told).encode()
        if kind == "truncated":
            self.raw(200, data[: len(data) // 2], {"Content-Length": str(len(data))}, close=True)
        elif kind == "cut":
            self.raw(200, data[: len(data) // 2], {"Connection": "close", "Content-Length": ""}, close=True)
        else:
            self.raw(200, data)

    def embeddings(self, body: dict[str, Any], fault: dict[str, Any]) -> dict[str, Any]:
        kind = fault.get("kind")
        vectors: list[Any] = [STATE.embed(text) for text in body["input"]]
        if body.get("dimensions"):
            vectors = [vector[: body["dimensions"]] for vector in vectors]
        if fault.get("short"):
            vectors = [vector[:-1] for vector in vectors]
        if kind == "dimensions":
            vectors[-1] = vectors[-1][:-1]
        if kind == "nan":
            vectors[0] = [float("nan"), *vectors[0][1:]]
        if kind == "null":
            vectors[0] = None
        if kind == "zeros":
            vectors[0] = [0.0] * len(vectors[0])
        if fault.get("base64"):
            vectors = [base64.b64encode(np.array(v, "<f4").tobytes()).decode() for v in vectors]
        data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        data.reverse()  # the index says which is which
        if kind == "fewer":
            data.pop()
        if kind == "duplicate":
            data[0]["index"] = data[-1]["index"]
        if kind == "stranger":
            data[0]["index"] = 10**6
        tokens = sum(len(text.split()) for text in body["input"])
        return {"object": "list", "model": MODEL, "data": data, "usage": {"prompt_tokens": tokens}}

    def scores(self, body: dict[str, Any], texts: list[str], fault: dict[str, Any]) -> Any:
        kind, name = fault.get("kind"), fault.get("score", "relevance_score")
        results = [{"index": i, name: STATE.rerank(body["query"], text)} for i, text in enumerate(texts)]
        results.sort(key=lambda result: -result[name])
        if kind == "nan":
            results[0][name] = float("nan")
        if kind == "fewer":
            results.pop()
        if kind == "duplicate":
            results[0]["index"] = results[-1]["index"]
        return results if fault.get("bare") else {"results": results}

    def answer(self, status: int, told: Any, headers: dict[str, str] | None = None) -> None:
        self.raw(status, json.dumps(told).encode(), headers or {})

    def raw(
        self, status: int, data: bytes, headers: dict[str, str] | None = None, close: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **(headers or {}),
        }.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        if close:
            self.close_connection = True


if __name__ == "__main__":
    load(sys.argv[2] if len(sys.argv) > 2 else "words", sys.argv[3] if len(sys.argv) > 3 else "")
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
