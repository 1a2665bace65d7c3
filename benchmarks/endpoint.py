"""A model behind an endpoint against the same model run here: the same scores, and what the way there costs.

Serves bge_small_en and reranker_en as an OpenAI-compatible server in another process of this machine, runs tasks on
both, and compares the values of every query. Nothing is read from a cache.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PROMPT = "Represent this sentence for searching relevant passages: "
MEASURES = ("nDCG@10", "R@100")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--on", nargs="+", required=True, help="tasks")
    parser.add_argument("--output", type=Path, help="write the table there as well")
    parser.add_argument("--depth", type=int, default=20, help="candidates a query for the reranker")
    parser.add_argument("--bare", type=int, default=2000, help="texts for the figure without a model")
    asked = parser.parse_args()
    os.environ["HAKARI_EMBEDDING_CACHE"] = "0"
    lines = [*scores(asked.on, asked.depth), "", *overhead(asked.bare)]
    print("\n".join(lines))
    if asked.output:
        asked.output.write_text(
            "\n".join(["# Behind an endpoint", "", __doc__.splitlines()[0], "", *lines]) + "\n",
            encoding="utf-8",
        )


def served(*models: str) -> tuple[subprocess.Popen, str]:
    server = subprocess.Popen(
        [sys.executable, ROOT / "tests" / "endpoint_server.py", "0", *models],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    return server, f"http://127.0.0.1:{int(server.stdout.readline())}/v1"


def scores(tasks: list[str], depth: int) -> list[str]:
    import hakari

    server, url = served("bge_small_en", "reranker_en")
    pairs = {
        f"{url}(model=bge,query_prompt='{PROMPT}')": "bge_small_en",
        f"rerank(bm25,rerank:{url}(model=ms),depth={depth})": f"rerank(bm25,reranker_en,depth={depth})",
    }
    rows = [
        "| task | retriever | queries that differ | largest difference of a score | local s | endpoint s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for task in tasks:
                for there, here in pairs.items():
                    one, other = (
                        hakari.run(n, on=task, measures=MEASURES, results=folder).weighed[0]
                        for n in (there, here)
                    )
                    differ = np.zeros(len(one.query_ids), bool)
                    for measure in one.values:
                        differ |= one.values[measure] != other.values[measure]
                    apart = float(np.abs(one.run().scores - other.run().scores).max())
                    seconds = [f"{w.costs['seconds']:.1f}" for w in (other, one)]
                    cells = (
                        one.task,
                        here,
                        f"{int(differ.sum())} of {len(differ)}",
                        f"{apart:.1e}",
                        *seconds,
                    )
                    rows.append(f"| {' | '.join(cells)} |")
                    print(rows[-1], file=sys.stderr)
    finally:
        server.kill()
    return rows


def overhead(texts: int) -> list[str]:
    """Texts a second through the whole way there, with a server that has nearly nothing to compute."""
    from hakari.retrievers.registry import parse

    server, url = served("words")
    rows = ["| texts a request | requests at a time | texts/s |", "| --- | --- | --- |"]
    sent = [f"text number {i} of a few words" for i in range(texts)]
    try:
        for batch, concurrency in ((1, 1), (1, 8), (32, 1), (32, 8)):
            encoder = parse(f"{url}(model=m,batch={batch},concurrency={concurrency})").model.encoder(
                "document"
            )
            start = time.perf_counter()
            assert len(list(encoder.encode_many(sent))) == texts
            rows.append(f"| {batch} | {concurrency} | {texts / (time.perf_counter() - start):,.0f} |")
    finally:
        server.kill()
    return rows


if __name__ == "__main__":
    main()
