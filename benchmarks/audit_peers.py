"""Other ways to find evaluation texts in training rows: MinHash LSH, a join in polars, plain Python."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

WIDTH = 8
THRESHOLD = 0.5
PERMUTATIONS = 128
_words = re.compile(r"\w+").findall
Found = set[tuple[int, int]]
"""Rows of training data, and numbers of evaluation texts."""


def shingles(text: str) -> set[str]:
    words = _words(text.lower())
    return {" ".join(words[i : i + WIDTH]) for i in range(max(1, len(words) - WIDTH + 1))}


def rows_of(path: Path) -> Iterator[str]:
    import polars

    yield from polars.read_parquet(path)["text"].to_list()


def plain(path: Path, texts: Sequence[str]) -> Found:
    """A dictionary of shingles, and the share of each text's that a row has."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    sizes = []
    for number, text in enumerate(texts):
        found = shingles(text)
        sizes.append(len(found))
        for shingle in found:
            holders[shingle].append(number)
    pairs: Found = set()
    for row, text in enumerate(rows_of(path)):
        shared: defaultdict[int, int] = defaultdict(int)
        for shingle in shingles(text):
            for number in holders.get(shingle, ()):
                shared[number] += 1
        pairs.update((row, number) for number, count in shared.items() if count >= THRESHOLD * sizes[number])
    return pairs


def polars_join(path: Path, texts: Sequence[str]) -> Found:
    """Shingles as rows of a table, joined and counted."""
    import polars as pl

    def exploded(frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
        words = pl.col("text").str.to_lowercase().str.extract_all(r"\w+")
        listed = frame.with_row_index(name).select(name, words.alias("word")).explode("word")
        hashed = listed.with_columns(pl.col("word").hash())
        parts = [pl.col("word").shift(-i).over(name) * pl.lit(31 + 2 * i, pl.UInt64) for i in range(WIDTH)]
        whole = pl.col("word").shift(1 - WIDTH).over(name).is_not_null()
        made = hashed.with_columns(pl.sum_horizontal(parts).alias("shingle"), whole.alias("whole"))
        return made.filter("whole").select(name, "shingle").unique()

    evaluation = exploded(pl.LazyFrame({"text": list(texts)}), "number").collect()
    sizes = evaluation.group_by("number").len("size")
    pairs: Found = set()
    frame = pl.read_parquet(path)
    for start in range(0, len(frame), 20_000):  # in one piece it needs more memory than there is
        rows = exploded(frame[start : start + 20_000].lazy(), "row")
        joined = rows.join(evaluation.lazy(), on="shingle").group_by("row", "number").len("shared")
        kept = (
            joined.join(sizes.lazy(), on="number")
            .filter(pl.col("shared") >= THRESHOLD * pl.col("size"))
            .collect()
        )
        pairs.update((start + row, number) for row, number in kept.select("row", "number").iter_rows())
    return pairs


def datasketch(path: Path, texts: Sequence[str]) -> Found:
    """MinHash LSH by Jaccard similarity."""
    from datasketch import MinHash, MinHashLSH

    def hashed(text: str) -> MinHash:
        made = MinHash(num_perm=PERMUTATIONS)
        made.update_batch([shingle.encode() for shingle in shingles(text)])
        return made

    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    for number, text in enumerate(texts):
        index.insert(number, hashed(text))
    return {(row, number) for row, text in enumerate(rows_of(path)) for number in index.query(hashed(text))}


def rensa(path: Path, texts: Sequence[str]) -> Found:
    """MinHash LSH by Jaccard similarity, hashed in Rust; shingles in Python."""
    from rensa import RMinHash, RMinHashLSH

    def hashed(text: str) -> RMinHash:
        made = RMinHash(num_perm=PERMUTATIONS, seed=1)
        made.update(list(shingles(text)))
        return made

    index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=32)
    for number, text in enumerate(texts):
        index.insert(number, hashed(text))
    return {(row, number) for row, text in enumerate(rows_of(path)) for number in index.query(hashed(text))}


PEERS = {"plain Python": plain, "polars join": polars_join, "datasketch": datasketch, "rensa": rensa}
