from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from command import hakari_json

import hakari
from hakari.errors import MissingPrerequisite, UsageError
from hakari.nano.pages import require_readers, section_pairs, sections
from hakari.nano.sources import find_sources, pages_in

WORDS = "This section says in a good many words what somebody who reads it may want to know about it.\n"
MARKDOWN = f"""---
title: not a heading
---
Above the first heading.

# Guide to `hakari` & *more*

Intro.

```sh
# a comment, no heading
```

Install it
----------

> # quoted
{WORDS}
## Deeper ##
### Deepest

{WORDS}
# Next
"""
REST = f"""
=======
 Guide
=======

Intro with :class:`Foo`.

Install it
==========

.. code-block:: sh

   # a comment
   =====

.. unknown:: directive

Deeper
------

{WORDS}
Next ``one``
============

{WORDS}"""


def test_markdown_sections_have_the_headings_that_lead_to_them() -> None:
    found = dict(sections(MARKDOWN))
    top = "Guide to hakari & more"
    assert list(found) == [(top,), (top, "Install it"), (top, "Deeper", "Deepest")]
    assert found[(top,)] == "Intro.\n\n```sh\n# a comment, no heading\n```"
    assert found[(top, "Install it")] == f"> # quoted\n{WORDS}".rstrip()


def test_restructuredtext_is_kept_as_it_is_written() -> None:
    pytest.importorskip("docutils")
    found = dict(sections(REST, rest=True))
    assert list(found) == [
        ("Guide",),
        ("Guide", "Install it"),
        ("Guide", "Install it", "Deeper"),
        ("Guide", "Next one"),
    ]
    assert found[("Guide",)] == "Intro with :class:`Foo`."
    assert found[("Guide", "Install it")].endswith(".. unknown:: directive")
    assert found[("Guide", "Next one")] == WORDS.strip()


def write(folder: Path) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text(MARKDOWN)
    (folder / "docs" / "api.rst").write_text(REST.replace("in a good", "in quite a"))
    (folder / "CHANGELOG.md").write_text(f"# 1.0\n{WORDS}")
    (folder / "bad.md").write_bytes(b"# \xff\xfe")
    return folder


def test_pairs_and_their_account(tmp_path: Path) -> None:
    pytest.importorskip("docutils")
    pages, root = pages_in(str(write(tmp_path)))
    pairs, (read, kept) = section_pairs(pages, root)
    assert read.left_out == {"unreadable": 1}
    assert kept.left_out == {"section too short": 3}
    assert [pair.name for pair in pairs] == [
        "docs/api.rst#Deeper",
        "docs/api.rst#Next-one",
        "docs/guide.md#Install-it",
        "docs/guide.md#Deepest",
    ]
    assert pairs[0].query == "Guide: Install it: Deeper"


def test_a_set_of_pages_by_either_command(tmp_path: Path) -> None:
    pytest.importorskip("docutils")
    write(tmp_path)
    for command in ("docs", "code"):
        told = hakari_json(
            "build", command, tmp_path, "--name", "NanoDocs", "--out", tmp_path / f"made-{command}"
        )
        assert [step["name"] for step in told["tasks"]["HeadingToSection"]["stages"]] == [
            "pages",
            "sections",
            "queries",
            "documents",
        ]
        (task,) = hakari.load(str(tmp_path / f"made-{command}"))
        assert (task.shape, task.category, len(task.queries)) == ("tutorials", "natural_language", 3)
        assert not {text for text in task.corpus.texts if "Deeper" in text}


def test_what_is_not_there_and_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("nowhere", str(tmp_path), "a\0b"):
        with pytest.raises(UsageError, match="no pages"):
            pages_in(place)
    (tmp_path / "a.rst").write_text(REST)
    (tmp_path / "b.md").write_text(MARKDOWN)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "docutils" else real(name))
    pages = find_sources(tmp_path).pages
    with pytest.raises(MissingPrerequisite, match="docutils is not installed"):
        require_readers(pages[:1])
    require_readers(pages)
    pairs, stages = section_pairs(pages, tmp_path)
    assert pairs
    assert stages[0].left_out == {".rst, whose reader docutils is not installed": 1}
