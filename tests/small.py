"""A small task with words in it, and its files, for tests of everything that leans on tasks."""

from __future__ import annotations

import random
from pathlib import Path

from hakari.io.nano_write import write_nano_set
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

NOUNS = tuple("parser stream socket thread buffer cursor index token window signal packet cookie".split())  # noqa: SIM905
VERBS = tuple("open close read write flush parse encode decode merge split resize rotate".split())  # noqa: SIM905


def small_task(split: str = "Small", queries: int = 24, documents: int = 90, seed: int = 7) -> Task:
    """A task of made-up functions; a query shares some words with its positive, and with others."""
    rng = random.Random(seed)
    corpus, asked, judged = {}, {}, []
    for i in range(documents):
        verb, noun, other = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(NOUNS)
        more = " ".join(rng.choices(NOUNS + VERBS, k=rng.randrange(2, 9)))
        corpus[f"d{i}"] = (
            f"def {verb}_{noun}({other}):\n    # {more}\n    return {other}.{rng.choice(VERBS)}({i % 7})"
        )
    for i, d in enumerate(rng.sample(sorted(corpus), queries)):
        words = corpus[d].replace("_", " ").replace("(", " ").replace(")", " ").replace(":", "").split()
        asked[f"q{i}"] = " ".join(["how to", *rng.sample(words[1:], 3), rng.choice(NOUNS)])
        judged.append((f"q{i}", d, 1 + i % 2))
    return assemble("NanoTest", split, asked, corpus, judged, traits=Traits("en", "code", "text-to-code"))


def long_task(words: int = 700) -> Task:
    """One query, and a document that is longer than small models have positions for."""
    corpus = {"long": "word " * words, **{f"other {n}": f"something else {n}" for n in range(5)}}
    return assemble("NanoTest", "Long", {"q": "word"}, corpus, [("q", "long", 1)])


def small_set(folder: Path, splits: tuple[str, ...] = ("First", "Second")) -> Path:
    """A nano set of small tasks in a folder."""
    path = folder / "NanoTest"
    write_nano_set(path, [small_task(split, seed=i + 1) for i, split in enumerate(splits)])
    return path
