"""Data that wants to do more than be shown: nothing of it may run, break out of its place, or swell the site."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from command import within as hakari

pytest.importorskip("jinja2")

from hakari.io.nano_write import write_nano_set
from hakari.site import prose
from hakari.site.render import href, safe_address
from hakari.store import files, keys
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Run

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 191 }} {% raw %} ${7*191} <%= 7*191 %>",
    "[click](javascript:alert(1)) javascript:alert(1)",
    "</pre></main></body></html><h1>gone</h1>",
    "turn \u202e it around \u2066 and \u200f back",
    "nul \0 bell \x07 escape \x1b[31m unpaired",
    "&lt;script&gt; &amp; &#x3c;script&#x3e;",
    "]]></script><!-- -->",
)
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\0\x07\x1b]")
HUGE = "word " * 2_000_000
NAME = "<img src=x onerror=alert(1)>"
SCRIPTS = {"board.js", "data/core.js"}


class Page(HTMLParser):
    """The tags of a page that could do something."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[str | None] = []
        self.handlers: list[str] = []
        self.addresses: list[str] = []
        self.tags: dict[str, int] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        given = dict(attrs)
        if tag == "script":
            self.scripts.append(given.get("src"))
        self.handlers += [name for name in given if name.startswith("on") or name == "style"]
        self.addresses += [value or "" for name, value in given.items() if name in ("href", "src", "action")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a task and of a system that are both full of attacks."""
    folder = tmp_path_factory.mktemp("hostile")
    # A NUL in a task is refused when it is read; elsewhere it may still come.
    given = [attack.replace("\0", "") for attack in ATTACKS]
    corpus = {f"d{i}{attack[:12]}": f"def f{i}(): {attack} {attack}" for i, attack in enumerate(given)}
    corpus["long"] = HUGE
    queries = {f"q{i}{attack[:12]}": f"{attack} f{i}" for i, attack in enumerate(given)} | {"long": HUGE}
    judged = [(q, d, 1) for q, d in zip(sorted(queries), sorted(corpus), strict=True)]
    task = assemble("NanoHostile", NAME, queries, corpus, judged, traits=Traits("en", "code", "text-to-code"))
    write_nano_set(folder / "NanoHostile", [task])
    results = folder / "results"
    hakari("run", "bm25", "--on", folder / "NanoHostile", "--results", results)
    _result_of_hostile_system(task, results)
    (folder / "NanoHostile" / "metadata" / f"{keys.safe(NAME)}.md").write_text(
        "## Overview\n\n"
        + "\n\n".join(ATTACKS)
        + "\n\n[safe](https://example.org) <b>bold</b> ![i](https://x/y.png)\n",
        encoding="utf-8",
    )
    out = folder / "site"
    hakari("site", "--on", folder / "NanoHostile", "--results", results, "--out", out, "--no-published")
    return out


def _result_of_hostile_system(task, results: Path) -> None:
    name = "evil<script>alert(1)</script>{{7*191}}\u202e\0"
    count = len(task.queries)
    run = Run(task.queries.ids, task.corpus.ids, np.arange(count + 1), np.arange(count, dtype=np.int32),
              np.ones(count, dtype=np.float32), name)  # fmt: skip
    values = {m: np.full(count, 0.5) for m in ("nDCG@10", "hit@10", "R@100", "RR@10", "AP@100", "P@10")}
    manifest = {"task": task.name, "dataset": task.dataset, "split": task.split, "content": task.content, "key": "x",
                "retriever": name, "family": "dense", "settings": {"<b>": "</code><script>1</script>"}, "depth": 500,
                "variants": ["float"], "queries": count, "documents": len(task.corpus)}  # fmt: skip
    folder = keys.folder(results, name, {}, 500)
    files.write(files.result_path(folder, task.name), manifest, {"float": files.Variant(run, values)}, {})
    files.write_manifests(files.result_path(folder, task.name).parent)


def pages(site: Path) -> list[tuple[str, str]]:
    return [
        (p.relative_to(site).as_posix(), p.read_text(encoding="utf-8")) for p in sorted(site.rglob("*.html"))
    ]


def test_nothing_of_it_becomes_a_tag_a_handler_or_a_script(site: Path) -> None:
    for name, text in pages(site):
        page = Page(text)
        allowed = {s for s in page.scripts if s is not None and not s.startswith(("http", "//"))}
        assert len(allowed) == len(page.scripts), name
        assert name.startswith("board/") or not page.scripts, name
        assert not page.handlers, (name, page.handlers)
        assert "img" not in page.tags, name
        assert page.tags.get("h1") == 1, name
        assert "Content-Security-Policy" in text, name
        assert "unsafe" not in text.partition("</head>")[0], name
    assert len(pages(site)) > 6


def test_no_link_leads_to_a_program(site: Path) -> None:
    for name, text in pages(site):
        for address in Page(text).addresses:
            scheme = address.partition(":")[0].lower() if ":" in address else ""
            assert scheme in ("", "http", "https"), (name, address)
            if not scheme and not address.startswith("#"):
                from urllib.parse import unquote

                target = (site / name).parent / unquote(address.partition("#")[0])
                assert target.exists(), (name, address)


def test_templates_in_it_are_text_and_nothing_steers_the_page(site: Path) -> None:
    for name, text in pages(site):
        assert "1337" not in text, name
        assert not BIDI.search(text), (name, BIDI.search(text))


def test_ten_megabytes_are_cut_with_their_count(site: Path) -> None:
    found = {p: p.stat().st_size for p in site.rglob("*") if p.is_file()}
    assert max(found.values()) < 2_000_000, max(found, key=lambda p: found[p])
    told = "".join(text for name, text in pages(site) if name.startswith("tasks/"))
    assert "/ 10,000,003 chars" in told or "/ 10,000,000 chars" in told


def test_a_maintainers_words_are_markdown_without_html() -> None:
    found = prose.sections(
        "lead *in*\n\n## One\n\n<b>x</b> [a](javascript:b) [c](https://d.org) [e](//f)\n\n## Two\n\n| a |\n| - |\n| 1 |"
    )
    assert set(found) == {"", "One", "Two"}
    assert "<em>in</em>" in found[""]
    assert "&lt;b&gt;" in found["One"]
    assert 'href="https://d.org"' in found["One"]
    assert "javascript:b" in found["One"]
    assert found["One"].count("href") == 1
    assert "<table>" in found["Two"]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://a.org/b c", "https://a.org/b%20c"),
        ("javascript:alert(1)", "#"),
        ("JaVaScript:alert(1)", "#"),
        ("data:text/html,x", "#"),
        ("tasks/a b.html#c d", "../tasks/a%20b.html#c%20d"),
        ("http://", "#"),
    ],
)
def test_addresses(address: str, told: str) -> None:
    assert href(address, "../") == told
    assert safe_address(address) == told.startswith("http")
