from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hakari
from hakari.errors import UsageError
from hakari.nano.code import build_code
from hakari.nano.definitions import Harvest
from hakari.nano.draft import Draft, Stage
from hakari.nano.harvest import harvest
from hakari.nano.shapes import SHAPES, normalised
from hakari.nano.sources import find_sources, standard_library


@pytest.fixture(scope="module")
def email() -> Harvest:
    return harvest(find_sources("email"))


@pytest.fixture(scope="module")
def drafts(email: Harvest) -> list[Draft]:
    return build_code(email, "NanoMail", max_queries=20, max_documents=60)


def test_every_shape_makes_a_task(drafts: list[Draft]) -> None:
    assert [(draft.name, draft.shape) for draft in drafts] == [
        ("NanoMail/DocstringToFunction", "text-to-code"),
        ("NanoMail/FunctionToDocstring", "code-to-text"),
        ("NanoMail/FunctionCompletion", "code-to-code"),
        ("NanoMail/ApiReference", "api-docs"),
    ]
    for draft in drafts:
        assert (draft.language, draft.category) == ("en", "code")
        assert len(draft.queries) == 20
        assert 40 <= len(draft.corpus) <= 60
        check(draft)


def check(draft: Draft) -> None:
    """What must hold for every draft, whatever it is made from."""
    assert {query for query, _, _ in draft.judgements} == set(draft.queries)
    assert {document for _, document, _ in draft.judgements} <= set(draft.corpus)
    assert len({(query, document) for query, document, _ in draft.judgements}) == len(draft.judgements)
    assert {grade for _, _, grade in draft.judgements} == {1}
    assert list(draft.queries) == sorted(draft.queries)
    assert list(draft.corpus) == sorted(draft.corpus)
    for texts in (draft.queries, draft.corpus):
        assert len({normalised(text) for text in texts.values()}) == len(texts)
        assert all(name.isascii() and len(name.split()) == 1 and name == name.strip() for name in texts)
        assert all(text.strip() for text in texts.values())
    for query, document, _ in draft.judgements:
        assert normalised(draft.queries[query]) not in normalised(draft.corpus[document])
        assert normalised(draft.corpus[document]) not in normalised(draft.queries[query])


def test_ids_say_no_more_than_the_texts(drafts: list[Draft]) -> None:
    for draft, shape in zip(drafts, SHAPES, strict=True):
        assert not draft.queries.keys() & draft.corpus.keys()
        named, hidden = draft.queries, draft.corpus
        if not shape.name_in_query:
            named, hidden = hidden, named
        assert all(name.startswith("email.") for name in named)
        assert all(len(name) == 17 and "." not in name for name in hidden)


def test_positives_stand_anywhere_in_the_order_of_ids(email: Harvest) -> None:
    for draft in build_code(email, "NanoMail", max_queries=40, max_documents=200):
        place = {name: number / len(draft.corpus) for number, name in enumerate(draft.corpus)}
        positives = [place[document] for _, document, _ in draft.judgements]
        assert 0.3 < sum(positives) / len(positives) < 0.7


def test_the_account_adds_up(drafts: list[Draft]) -> None:
    for draft in drafts:
        assert [stage.name for stage in draft.stages] == [
            "files",
            "definitions",
            "pairs",
            "queries",
            "documents",
        ]
        for stage in draft.stages:
            assert stage.seen == stage.kept + sum(stage.left_out.values())
            assert all(count > 0 for count in stage.left_out.values())
        assert (draft.stages[3].kept, draft.stages[4].kept) == (len(draft.queries), len(draft.corpus))
    assert str(Stage("files", 1200, 1000, {"tests": 200})) == "files: 1,000 of 1,200; left out: 200 tests"


def test_names_beyond_ascii_make_safe_ids(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        'def größe(wert):\n    """Return how large a value is."""\n'
        "    gerundet = round(wert * 100) / 100\n    sichtbar = str(gerundet) + ' Meter hoch'\n"
        "    return sichtbar.replace('.', ',')\n",
        encoding="utf-8",
    )
    (draft,) = build_code(harvest(find_sources(tmp_path)), "NanoX")
    assert list(draft.corpus) == ["m.gr~f6~~df~e"]
    check(draft)


def test_nothing_asked_for_is_an_error(email: Harvest) -> None:
    with pytest.raises(UsageError):
        build_code(email, "NanoMail", max_queries=0)


DIGEST = """
import hashlib
from hakari.nano.code import build_code
from hakari.nano.harvest import harvest
from hakari.nano.sources import find_sources, standard_library
drafts = build_code(harvest(find_sources("email")), "NanoMail", max_queries=20, max_documents=60)
print(hashlib.sha256(repr(drafts).encode()).hexdigest())
"""


def run(script: str, hash_seed: str) -> str:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": str(Path(hakari.__file__).parents[1]),
    }
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def test_the_same_bytes_under_every_hash_seed(drafts: list[Draft]) -> None:
    here = hashlib.sha256(repr(drafts).encode()).hexdigest()
    assert {run(DIGEST, "1"), run(DIGEST, "2")} == {here}


@pytest.mark.slow
def test_nanostdlib_is_full_and_the_same_in_every_process() -> None:
    harvested = harvest(standard_library())
    built = build_code(harvested, "NanoStdlib")
    for draft in built:
        check(draft)
        assert len(draft.queries) == 200
        assert 1_400 <= len(draft.corpus) <= 2_000
        assert draft.stages[0].left_out["tests"] > 0
    others = build_code(harvested, "NanoStdlib", seed=1)
    assert [draft.queries for draft in others] != [draft.queries for draft in built]
    script = (
        "import hashlib; from hakari.nano.stdlib import build_stdlib; "
        "print(hashlib.sha256(repr(build_stdlib('NanoStdlib')).encode()).hexdigest())"
    )
    assert run(script, "3") == hashlib.sha256(repr(built).encode()).hexdigest()
