"""Published tasks by name: suites, data sets, tasks, globs over them, and views across them.

    all                     the standard run
    Overall                 the standard run without tasks that repeat another one
    code, natural_language  the Overall view of one category
    lang:ja                 the Overall view of one language; so `domain:law`, `shape:text-to-code`, `category:code`
    NanoCoIR                a suite or a data set; MNanoBEIR is a suite of thirteen data sets
    MNanoBEIR/NanoArguAna   a task in all data sets of a suite
    MNanoBEIR/lang:ja       any suite, data set or view, cut down to a language, a domain, a shape or a category

Every spelling also takes globs in the place of names: `NanoCo*/*SQL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from hakari.errors import UnknownName
from hakari.io.nano import CATEGORIES
from hakari.tasks import catalog
from hakari.tasks.catalog import Entry

VIEWS = ("all", "Overall", *CATEGORIES)
FACETS = {"lang": "language", "domain": "domains", "category": "category", "shape": "shape"}
WILDCARDS = "*?["
LISTING = "hakari tasks"


def select(item: str) -> list[Entry]:
    """The published tasks that a name, glob or view stands for; none where it stands for nothing known."""
    scope, slash, rest = item.rstrip("/").partition("/")
    if _is_facet(scope):
        scope, slash, rest = "Overall", "/", f"{scope}/{rest}" if rest else scope
    chosen = _scope(scope)
    for part in rest.split("/") if slash and chosen else ():
        chosen = _by_facet(part, chosen) if _is_facet(part) else _by_split(part, chosen)
    return chosen


def names() -> list[str]:
    """What the first part of a name may be: views, suites and data sets."""
    known = catalog.datasets()
    return sorted({*VIEWS, *known, *known.values()})


def is_glob(text: str) -> bool:
    """Whether a text stands for many names."""
    return any(wildcard in text for wildcard in WILDCARDS)


def _scope(name: str) -> list[Entry]:
    """The tasks of a view, a suite, a data set, or of those that a glob matches."""
    if name == "all":
        return [entry for entry in catalog.entries() if entry.in_all]
    if name == "Overall":
        return [entry for entry in catalog.entries() if entry.in_overall]
    if name in CATEGORIES:
        return [entry for entry in _scope("Overall") if entry.category == name]
    matches = fnmatchcase if is_glob(name) else str.__eq__
    chosen = [d for d, suite in catalog.datasets().items() if matches(d, name) or matches(suite, name)]
    return [entry for dataset in sorted(chosen) for entry in catalog.of_dataset(dataset)]


def _is_facet(text: str) -> bool:
    return text.partition(":")[0] in FACETS and ":" in text


def _by_facet(part: str, chosen: Sequence[Entry]) -> list[Entry]:
    """Those of some tasks that have a trait; a value that no published task has is an error."""
    spelling, _, wanted = part.partition(":")
    trait = FACETS[spelling]
    if trait == "domains":
        if wanted not in catalog.domains():
            raise UnknownName(spelling, wanted, catalog.domains(), LISTING)
        return [entry for entry in chosen if wanted in entry.domains]
    values = sorted({str(value) for entry in catalog.entries() if (value := getattr(entry, trait))})
    if wanted not in values:
        raise UnknownName(trait, wanted, values, LISTING)
    return [entry for entry in chosen if getattr(entry, trait) == wanted]


def _by_split(part: str, chosen: Sequence[Entry]) -> list[Entry]:
    if is_glob(part):
        return [entry for entry in chosen if fnmatchcase(entry.split, part)]
    return [entry for entry in chosen if entry.split == part]
