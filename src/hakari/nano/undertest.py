"""Tests and the function that each is about: what a test asks for, without saying its name.

A test counts where that function is beyond doubt: of the functions of the source that it calls, the only one, or
the only one whose name is part of the test's own. Names are followed through imports; nothing is run.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hakari.nano.definitions import PYTHON, Definition, Harvest, Tested
from hakari.nano.draft import Stage
from hakari.nano.pycalls import Called, Names, functions_called
from hakari.nano.pysource import definitions_of, parse
from hakari.nano.sampling import MAX_POSITIVES, stable_hash
from hakari.nano.shapes import MASK, Kind, Limits, Pair, Unsuitable, function_text, weight
from hakari.nano.sources import SourceFile, Sources
from hakari.nano.treetests import Finder, tests_in

KIND = Kind("TestToFunction", "code-to-code", False)
"""A query tells less than its name does; a document is a whole function."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def with_tests(sources: Sources, harvested: Harvest) -> Harvest:
    """A harvest with the tests of its source and what each is about; the same one where there is no test."""
    index = Index(harvested.definitions)
    left_out: Counter[str] = Counter()
    found: list[Tested] = []
    seen = 0
    # Rust has the tests of a file within it.
    within = [file for file in sources.files if file.language == "rust"]
    for file in (*sources.tests, *within):
        tests, calls = _tests_of(file, sources.root, index)
        seen += len(tests)
        for test in tests:
            try:
                found.append(_tested(test, calls(test), index))
            except Unsuitable as reason:
                left_out[str(reason)] += 1
    if not seen:
        return harvested
    kept = _few_a_function(found)
    left_out["more than three tests of one function"] = len(found) - len(kept)
    stage = Stage("tests", seen, len(kept), dict(sorted((+left_out).items())))
    return replace(harvested, tested=tuple(kept), tests=stage)


class Index:
    """Definitions by name."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self.by_name = {definition.name: definition for definition in definitions}
        self.names = Names({name: d for name, d in self.by_name.items() if d.language == PYTHON})
        self.by_own_name: defaultdict[tuple[str, str], list[Definition]] = defaultdict(list)
        for definition in definitions:
            self.by_own_name[definition.language, definition.own_name].append(definition)


def test_pairs(harvested: Harvest, limits: Limits) -> tuple[list[Pair], dict[str, str], Stage]:
    """Pairs of test and function, the functions that no test calls, and the account of tests that make none."""
    of = {definition.name: definition for definition in harvested.definitions}
    pairs: list[Pair] = []
    left_out: Counter[str] = Counter()
    for test in harvested.tested:
        try:
            document = function_text(of[test.target], limits)
            query = masked(test.code, of[test.target].own_name)
            if weight(query) < limits.min_code_characters:
                raise Unsuitable("trivial test")
            if query.count("\n") >= limits.max_lines or len(query) > limits.max_characters:
                raise Unsuitable("test too long")
            pairs.append(Pair(test.name, query, document, test.target))
        except Unsuitable as reason:
            left_out[str(reason)] += 1
    called = {name for test in harvested.tested for name in (test.target, *test.others)}
    others = {}
    for name in sorted(of.keys() - called):
        try:
            others[name] = function_text(of[name], limits)
        except Unsuitable:
            continue
    stage = Stage("pairs", len(harvested.tested), len(pairs), dict(sorted(left_out.items())))
    return pairs, others, stage


def masked(code: str, name: str) -> str:
    """The code of a test without the name of what it tests, in names that hold it as well."""
    words = words_of(name)
    code = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", MASK, code)
    if not words:
        return code
    # `test_read_file_twice`, `TestReadFile`; a single short word only where it stands by itself.
    joined = "_?".join(map(re.escape, words))
    alone = len(words) == 1 and len(words[0]) < 8
    bounds = (r"(?<![A-Za-z])", r"(?![A-Za-z])") if alone else ("", "")
    code = re.sub(f"{bounds[0]}{joined}{bounds[1]}", MASK, code, flags=re.IGNORECASE)
    if alone:  # `TestReadTwice`, `testRead`
        code = re.sub(rf"\b([Tt]est)(?i:{joined})(?![a-z])", rf"\1{MASK}", code)
    return code


def words_of(name: str) -> list[str]:
    """The words in a name, in lower case: `readHTTPFile` and `read_http_file` have the same."""
    return [word.lower() for word in _WORD.findall(name)]


def _tests_of(file: SourceFile, root: Path, index: Index) -> tuple[list[Definition], Finder]:
    if file.language != PYTHON:
        return tests_in(file, root, lambda language, name: index.by_own_name.get((language, name), []))
    text, tree = parse(file)
    if tree is None:
        return [], lambda test: Called(frozenset())
    read = definitions_of(text, tree, file.module, Counter())
    tests = [test for test in read if test.code and test.own_name.startswith("test")]
    return tests, functions_called(tree, file.module, index.names)


def _tested(test: Definition, called: Called, index: Index) -> Tested:
    """The one function that a test is about, or the reason why there is none."""
    functions = sorted(name for name in called.names if index.by_name[name].code)
    if not functions:
        raise Unsuitable("calls no function of the source")
    # The cases of scripts have titles in place of names.
    asked = words_of(test.docstring if test.own_name.startswith("case-") else test.own_name)
    lengths = {name: _shared(words_of(index.by_name[name].own_name), asked) for name in functions}
    best = [name for name in functions if lengths[name] == max(lengths.values())]
    if len(best) != 1:
        raise Unsuitable("calls several functions")
    return Tested(test.name, test.code, best[0], frozenset(functions) - {best[0]})


def _shared(words: list[str], asked: list[str]) -> int:
    """How many words a name has, if they stand side by side in those of a test; else none."""
    starts = range(len(asked) - len(words) + 1)
    return len(words) if any(asked[start : start + len(words)] == words for start in starts) else 0


def _few_a_function(found: Sequence[Tested]) -> list[Tested]:
    """Tests in order of name, no more for one function than a document may have queries."""
    taken: Counter[str] = Counter()
    kept = []
    for test in sorted(found, key=lambda test: (stable_hash("test", test.name), test.name)):
        taken[test.target] += 1
        if taken[test.target] <= MAX_POSITIVES:
            kept.append(test)
    return sorted(kept, key=lambda test: test.name)
