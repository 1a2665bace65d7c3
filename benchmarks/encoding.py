"""How fast bge_small_en encodes functions of the standard library, alone and in padded batches.

    python benchmarks/encoding.py                # prints the tables of encoding.md
    python benchmarks/encoding.py --texts 300

Alone: as hakari does it, one text at a time in threads of one core each. In batches: 16 texts sorted by
length and padded, all cores a batch, as encoders usually do it; the vectors then depend on the company.
Medians over rounds whose order alternates.
"""

from __future__ import annotations

import argparse
import ast
import random
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import tokenizers

from hakari.retrievers.embedding_cache import EmbeddingCache
from hakari.retrievers.encode import encode_texts, thread_count
from hakari.retrievers.models import ModelFiles, catalog, locate
from hakari.retrievers.onnx import TextEncoder, unit

BATCH = 16


def functions(count: int) -> list[str]:
    """Source of documented functions of the standard library, the same ones for the same Python."""
    found = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
                found.append(ast.get_source_segment(source, node) or "")
    random.Random(1).shuffle(found)
    return found[:count]


def in_batches(files: ModelFiles, max_length: int) -> Callable[[Sequence[str]], Any]:
    """An encoder as usual: sorted, padded, all cores."""
    tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    tokenizer.enable_truncation(max_length)
    tokenizer.enable_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = thread_count()
    session = onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])

    def encode(texts: Sequence[str]) -> Any:
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        vectors = np.empty((len(texts), 384), np.float32)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            encodings = tokenizer.encode_batch([texts[i] for i in rows])
            ids = np.array([e.ids for e in encodings], np.int64)
            mask = np.array([e.attention_mask for e in encodings], np.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            vectors[rows] = unit(session.run(None, feed)[0][:, 0])
        return vectors

    return encode


def seconds_of(contenders: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median seconds of each; every second round runs them in reverse."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for i in range(rounds):
        for name in list(contenders)[:: 1 if i % 2 == 0 else -1]:
            start = time.perf_counter()
            contenders[name]()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    model = catalog()["bge_small_en"]
    files, texts = locate(model), functions(arguments.texts)
    print(f"{len(texts)} functions, {thread_count()} threads, Python {sys.version.split()[0]}\n")
    print(
        "| max_length | texts/s | tokens/s | texts cut | batches of 16: texts/s | lowest cosine with alone |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for max_length in (128, 256, 512):
        encoder = TextEncoder(files, replace(model.usage, max_length=max_length))
        batches = in_batches(files, max_length)
        alone = encode_texts(encoder, texts)
        cosine = float((alone.vectors * batches(texts)).sum(axis=1).min())
        contenders = {
            "alone": lambda e=encoder: encode_texts(e, texts),
            "batches": lambda b=batches: b(texts),
        }
        seconds = seconds_of(contenders, arguments.rounds)
        rate = len(texts) / seconds["alone"]
        tokens = float((alone.tokens - alone.cut).sum()) / seconds["alone"]
        cut = alone.facts("texts")["texts_truncated"]
        batch_rate = len(texts) / seconds["batches"]
        print(f"| {max_length} | {rate:.0f} | {tokens:.0f} | {cut} | {batch_rate:.0f} | {cosine:.4f} |")
    with tempfile.TemporaryDirectory() as folder, EmbeddingCache({"benchmark": 1}, Path(folder)) as cache:
        encodings = {text: encoder.encode(text) for text in texts}
        start = time.perf_counter()
        for text, encoding in encodings.items():
            cache.put(text, encoding)
        cache.flush()
        put = time.perf_counter() - start
        start = time.perf_counter()
        cache.fetch(list(encodings))
        fetch = time.perf_counter() - start
    encode = sum(encoding.seconds for encoding in encodings.values())
    print(f"\nThe cache adds {put / encode:.2%} to encoding; reading back takes {fetch / encode:.2%} of it.")


if __name__ == "__main__":
    main()
