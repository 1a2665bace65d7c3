"""Every file of a source read in its language, and what it defines put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from hakari.nano.definitions import PYTHON, Definition, Harvest, numbered
from hakari.nano.draft import Stage
from hakari.nano.pysource import read_python
from hakari.nano.sources import Sources
from hakari.nano.treesource import Unreadable, read_tree


def harvest(sources: Sources) -> Harvest:
    """Read every file of a source and cut out its functions and classes.

    Files that cannot be read in their language are counted as `unreadable`, `minified` ones as that.
    """
    unread: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    found: list[Definition] = []
    for file in sources.files:
        try:
            read = read_python(file, left_out) if file.language == PYTHON else read_tree(file, left_out)
        except Unreadable as reason:
            unread[str(reason)] += 1
            continue
        if read is None:
            unread["unreadable"] += 1
        else:
            found += read
    files = sources.stage
    if unread:
        reasons = dict(sorted((Counter(files.left_out) + unread).items()))
        files = replace(files, kept=files.kept - unread.total(), left_out=reasons)
    whole = _united(found, left_out)
    seen = len(whole) + left_out.total()
    definitions = Stage("definitions", seen, len(whole), dict(sorted((+left_out).items())))
    return Harvest(numbered(whole), (files, definitions))


def _united(found: Sequence[Definition], left_out: Counter[str]) -> list[Definition]:
    """Declarations united with what they declare: a header documents what another file defines.

    A declaration without a body that has one elsewhere gives its documentation and goes. One that has none
    stays where it is documented, the first of its path.
    """
    bodies: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, definition in enumerate(found):
        if definition.code and definition.language != PYTHON:
            bodies[_key(definition)].append(place)
    kept: list[Definition | None] = list(found)
    declared: set[tuple[str, str]] = set()
    for place, definition in enumerate(found):
        if definition.code or definition.kind == "class" or definition.language == PYTHON:
            continue
        key = _key(definition)
        if len(bodies[key]) == 1 and definition.docstring:
            body = bodies[key][0]
            defined = kept[body]
            if defined is not None and not defined.docstring:
                kept[body] = replace(defined, docstring=definition.docstring)
        if bodies[key] or not definition.docstring or key in declared:
            left_out["declarations without a body"] += 1
            kept[place] = None
        declared.add(key)
    return [definition for definition in kept if definition is not None]


def _key(definition: Definition) -> tuple[str, str]:
    language = "c" if definition.language == "c++" else definition.language
    # C and C++ declare in one file what another defines; elsewhere both stand in the same one.
    return language, definition.path if language == "c" else definition.name
