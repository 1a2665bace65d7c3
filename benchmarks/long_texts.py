"""Which part of a long text a model should get: `turns` and `tail` beside `head` on dialogues, pieces on pages.

    pip download --no-deps --no-binary :all: --dest sources django==5.2.19 sqlalchemy==2.1.9
    python benchmarks/long_texts.py sources            # prints the tables of long_texts.md

Dialogues are made of tutorials and guides, whose prose asks for what the code below it does: a paragraph is the
user's turn, the block of code the assistant's. A query is everything up to a paragraph, the document to find the
block that follows it, among all blocks of the documentation. Only dialogues beyond 512 word pieces are asked, for the
others are read whole. In the other task a page is the document, and the query the first sentence of one of its
sections, anywhere in the page and taken out of it. Differences are paired, with 95 % intervals.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from side_by_side import machine, markdown_table

import hakari
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Task

MODEL = "bge_small_en"
DIALOGUES, PAGES, QUERIES = 120, 80, 120
READ = 512
DIRECTIVE = re.compile(r"\.\. (code-block|sourcecode|console|code)::")
MARKUP = re.compile(r":[\w:+-]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`|``([^`]*)``")


class Block(NamedTuple):
    """A paragraph or a block of code of a page."""

    kind: str
    text: str


def pages(folder: Path, project: str) -> Iterator[tuple[str, str]]:
    """The pages of a project's documentation, by path, from its source distribution."""
    (archive,) = folder.glob(f"{project}-*.tar.gz")
    with tarfile.open(archive) as opened:
        for member in sorted(opened.getmembers(), key=lambda m: m.name):
            path = member.name.partition("/")[2]
            if re.match(r"docs?/(?!.*(releases|changelog|internals))", path) and path.endswith(
                (".txt", ".rst")
            ):
                yield path, opened.extractfile(member).read().decode("utf-8")  # type: ignore[union-attr]


def blocks(page: str) -> list[Block]:
    """The paragraphs and blocks of code of a page, without directives and headings."""
    found: list[Block] = []
    expects_code = False
    for part in re.split(r"\n\s*\n", page):
        lines = part.strip("\n").splitlines()
        if not lines:
            continue
        indented = lines[0].startswith((" ", "\t"))
        if indented and (expects_code or (found and found[-1].kind == "code")):
            text = "\n".join(lines)
            if expects_code or not found:
                found.append(Block("code", text))
            else:
                found[-1] = Block("code", f"{found[-1].text}\n\n{text}")
            expects_code = False
            continue
        expects_code = bool(DIRECTIVE.match(lines[0])) or lines[-1].endswith("::")
        if not indented and not lines[0].startswith("..") and not re.match(r"[=\-~^*#]{3,}", lines[-1]):
            found.append(
                Block("prose", plain(" ".join(lines).removesuffix(":") if expects_code else " ".join(lines)))
            )
    return [block for block in found if block.text.strip()]


def plain(text: str) -> str:
    """Prose without the markup of roles and literals."""
    return re.sub(r"\s+", " ", MARKUP.sub(lambda m: m[1] or m[2] or "", text)).strip()


def picked(key: str) -> str:
    """An order that hashes decide, so that no choice follows the order of pages."""
    return hashlib.sha256(key.encode()).hexdigest()


def dialogue_task(folder: Path, project: str) -> Task:
    """Dialogues and the blocks of code that answer them."""
    count = parse(MODEL).model.encoder("query").ruler()  # type: ignore[attr-defined]
    corpus: dict[str, str] = {}
    asked: dict[str, tuple[str, str]] = {}
    for path, page in pages(folder, project):
        said: list[str] = []
        prose: list[str] = []
        for block in blocks(page):
            if block.kind == "prose":
                prose.append(block.text)
                continue
            document = f"c-{picked(block.text)[:12]}"
            if prose and len(block.text) > 60 and document not in corpus:
                history = "\n\n".join([*said, f"user:\n{' '.join(prose[-3:])}"])
                if len(count.tokens(history)) > READ:
                    asked[f"{path}#{len(said) // 2}"] = history, document
            corpus.setdefault(document, block.text)
            said += [f"user:\n{' '.join(prose[-3:])}", f"assistant:\n```\n{block.text}\n```"] if prose else []
            prose = []
    chosen = sorted(asked, key=picked)[:DIALOGUES]
    kept = {asked[q][1] for q in chosen} | set(sorted(corpus, key=picked)[:1200])
    return assemble(
        "Dialogues",
        project,
        {q: asked[q][0] for q in chosen},
        {d: corpus[d] for d in kept},
        [(q, asked[q][1], 1) for q in chosen],
        traits=Traits("en", "code", "dialogue"),
    )


def page_task(folder: Path, project: str) -> Task:
    """First sentences of sections, and the pages without them."""
    texts = {path: [b for b in blocks(page)] for path, page in pages(folder, project)}
    long = {path: own for path, own in texts.items() if sum(len(b.text) for b in own) > 6000}
    corpus, asked = {}, {}
    for path in sorted(long, key=picked)[:PAGES]:
        own = long[path]
        places = [i for i, b in enumerate(own) if b.kind == "prose" and 60 < len(b.text) < 400]
        out = sorted(places, key=lambda i, path=path: picked(f"{path}{i}"))[: -(-QUERIES // PAGES)]  # type: ignore[misc]
        for i in out:
            asked[f"{path}#{i}"] = own[i].text.partition(". ")[0]
        corpus[path] = "\n\n".join(b.text for i, b in enumerate(own) if i not in out)
    chosen = sorted(asked, key=picked)[:QUERIES]
    judged = [(q, q.rpartition("#")[0], 1) for q in chosen]
    return assemble(
        "Pages", project, {q: asked[q] for q in chosen}, corpus, judged, traits=Traits("en", "code")
    )


def table(task: Task, choices: list[str]) -> str:
    """nDCG@10 and hit@10 of each choice, and its difference from the first."""
    systems = [MODEL, *(f"{MODEL}({choice})" for choice in choices)]
    with tempfile.TemporaryDirectory() as folder:
        results = hakari.run(systems, on=task, measures="nDCG@10,hit@10", results=folder)
        rows = {(row["retriever"], row["measure"]): row for row in results.rows()}
        facts = {w.system.retriever: w.manifest["facts"] for w in results.weighed}
        lines = []
        for system in systems:
            value = rows[system, "nDCG@10"]
            told = [
                f"{value['value']:.3f} [{value['low']:.3f}, {value['high']:.3f}]",
                f"{rows[system, 'hit@10']['value']:.3f}",
            ]
            if system == MODEL:
                told += ["", ""]
            else:
                (pair,) = [p for p in results.compare(MODEL, system).rows() if p["measure"] == "nDCG@10"]
                sign = -1 if pair["a"] == system else 1
                low, high = (
                    sorted((sign * -pair["low"], sign * -pair["high"]))
                    if pair["a"] == MODEL
                    else (pair["low"], pair["high"])
                )
                diff = rows[system, "nDCG@10"]["value"] - rows[MODEL, "nDCG@10"]["value"]
                told += [f"{diff:+.3f} [{low:+.3f}, {high:+.3f}]", f"{pair['p']:.4f}"]
            kind = "queries" if task.dataset == "Dialogues" else "documents"
            share = facts[system][f"{kind}_tokens_cut_share"]
            lines.append([system.removeprefix(MODEL).strip("()") or "head", *told, f"{share:.0%}"])
    size = f"{task.name}: {len(task.queries)} queries, {len(task.corpus):,} documents"
    return markdown_table([size, "nDCG@10", "hit@10", "against head", "p", "tokens cut"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", type=Path, help="folder of the source distributions")
    given = parser.parse_args()
    print(machine("onnxruntime") + "\n")
    for project in ("django", "sqlalchemy"):
        print(
            table(dialogue_task(given.sources, project), ["truncate=tail", "truncate=turns"]) + "\n",
            flush=True,
        )
    print(table(page_task(given.sources, "django"), ["truncate=tail", "long=chunk:max", "long=chunk:mean"]))


if __name__ == "__main__":
    main()
