"""Language and category of a task: from a flag, its metadata or the catalog, else detected in its texts."""

from __future__ import annotations

from dataclasses import replace

from hakari.errors import Fault, InvalidInput
from hakari.io.nano import CATEGORIES, LANGUAGE
from hakari.tasks.catalog import traits_of
from hakari.types import Task


def fill_traits(task: Task, language: str | None = None, category: str | None = None) -> Task:
    """The task with every trait that can be known, and where each comes from.

    Flags (the arguments) count before the task's metadata, metadata before the catalog, and what none of them
    states is detected from the texts.
    """
    _check_flags(task, language, category)
    flags = {"language": language, "category": category}
    catalog = traits_of(task.name)
    traits: dict[str, str | None] = {}
    origins = dict(task.origins)
    for trait in ("language", "category", "shape"):
        stated = (
            ("flag", flags.get(trait)),
            (origins.get(trait, "metadata"), getattr(task, trait)),
            ("catalog", catalog.get(trait)),
        )
        origin, traits[trait] = next(((o, value) for o, value in stated if value is not None), (None, None))
        if origin is not None:
            origins[trait] = origin
    if traits["language"] is None or traits["category"] is None:
        from hakari.text.detect import detect

        guesses = detect(task.queries.texts.tolist(), task.corpus.texts.tolist())
        for trait, guess in zip(("language", "category"), guesses, strict=True):
            if traits[trait] is None:
                traits[trait], origins[trait] = guess.value, "detected"
    return replace(
        task, language=traits["language"], category=traits["category"], shape=traits["shape"], origins=origins
    )


def _check_flags(task: Task, language: str | None, category: str | None) -> None:
    faults = []
    if language is not None and not LANGUAGE.fullmatch(language):
        faults.append(Fault(f"`{language}` is not a language code", hint="use a code such as `en`"))
    if category is not None and category not in CATEGORIES:
        hint = "use " + " or ".join(f"`{name}`" for name in CATEGORIES)
        faults.append(Fault(f"`{category}` is not a category", hint=hint))
    if faults:
        raise InvalidInput(f"what was asked for `{task.name}`", faults)
