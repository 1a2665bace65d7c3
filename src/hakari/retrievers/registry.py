"""Retrievers by spelling: `bm25(k1=1.2)`, `rrf(bm25-code,bge_small_en)`, `onnx:PATH`, `module:attribute`.

Nothing but the standard library is imported here; a retriever's module is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hakari.errors import UnknownName, UsageError, nearest
from hakari.retrievers.built_in import BUILT_IN, CATALOG_TARGETS, EXTRAS, HUB_TARGETS
from hakari.retrievers.hub_catalog import hub_catalog
from hakari.retrievers.models import catalog
from hakari.retrievers.spelling import EXAMPLES, Inside, Spelled, read_spelling, spell

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from hakari.retrievers.base import Retriever

PLUGINS = "hakari.retrievers"
"""The group of entry points under which other packages offer retrievers."""
LISTING = "hakari retrievers"


@dataclass(frozen=True)
class Known:
    """A retriever that can be asked for by name."""

    name: str
    family: str
    description: str
    extra: str | None
    """The extra that it needs: `pip install 'hakari[extra]'`."""
    installed: bool
    parameters: int | None = None
    licence: str | None = None
    source: str | None = None
    """Of a model of a hub, the address of its card."""


def parse(spec: str, model_args: Mapping[str, str] | None = None) -> Retriever:
    """The retriever that a spelling stands for."""
    return parse_all([spec], model_args)[0]


def parse_all(specs: Sequence[str], model_args: Mapping[str, str] | None = None) -> list[Retriever]:
    """The retrievers that spellings stand for.

    `model_args` go to every retriever among them that takes the setting and does not spell it out itself;
    one that nobody takes is an error.
    """
    reader = _Reader(dict(model_args or {}))
    retrievers = [reader.build(read_spelling(spec)) for spec in specs]
    unused = [key for key in reader.model_args if key not in reader.taken]
    if unused:
        listed = ", ".join(sorted(reader.accepted)) or "none at all"
        raise UsageError(
            f"no retriever among {', '.join(specs)} has the setting `{'`, `'.join(unused)}`",
            f"their settings: {listed}",
        )
    return retrievers


def known() -> list[Known]:
    """Every retriever that can be asked for by name: built in, in the catalog of models, or a plugin."""
    listed = [
        Known(name, entry.family, entry.description, entry.extra, _installed(entry.extra))
        for name, entry in BUILT_IN.items()
    ]
    listed += [
        Known(
            model.name,
            model.family,
            model.description,
            model.extra,
            _installed(model.extra),
            licence=model.licence,
        )
        for model in catalog().values()
    ]
    there = _installed("torch")
    listed += [
        Known(m.name, m.family, m.description, "torch", there, m.parameters, m.licence, m.source)
        for m in hub_catalog().values()
    ]
    taken = {entry.name for entry in listed}
    for name, point in _plugins().items():
        if name not in taken:
            listed.append(Known(name, "plugin", f"from {point.value}", None, True))
    return listed


@lru_cache(maxsize=1)
def _plugins() -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=PLUGINS)}


def _installed(extra: str | None) -> bool:
    return all(importlib.util.find_spec(module) is not None for module in EXTRAS.get(extra or "", ()))


class _Reader:
    """Builds retrievers from what was written, and remembers which of the common settings were of use."""

    def __init__(self, model_args: dict[str, str]) -> None:
        self.model_args = model_args
        self.taken: set[str] = set()
        self.accepted: set[str] = set()

    def build(self, spelled: Spelled) -> Retriever:
        """The retriever of one spelling, with those inside it."""
        from hakari.retrievers.base import Retriever

        made, fixed = _factory(spelled.name)
        if isinstance(made, Retriever) or not callable(made):
            if spelled.positional or spelled.keywords:
                raise UsageError(f"`{spelled.name}` is no class or function, so it takes no settings")
            return _checked(made, spelled.name, spelled.name)
        if lacking := sorted(getattr(made, "__abstractmethods__", ())):
            told = " and ".join(f"`{method}`" for method in lacking)
            hint = "a retriever is a class with `settings(self)` and `retrieve(self, task, depth, parts=())`"
            raise UsageError(f"`{spelled.name}` lacks the method {told}", hint)
        signature, hints = _signature(made)
        settings = {name: p for name, p in signature.items() if name not in fixed and _is_keyword(p)}
        values = self._values(spelled, settings, hints)
        several = self._inside(spelled, signature, settings, hints, values)
        lacking = [name for name, p in settings.items() if p.default is p.empty and name not in values]
        if lacking:
            raise UsageError(f"`{spelled.name}` needs the setting `{'`, `'.join(lacking)}`", EXAMPLES)
        retriever = made(*several, **fixed, **values)
        return _checked(retriever, spelled.name, _canonical(spelled.name, several, values, settings))

    def _values(
        self, spelled: Spelled, settings: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The settings that are written as KEY=VALUE, and the common ones, in their types."""
        self.accepted |= settings.keys()
        given = dict(spelled.keywords)
        for key in given:
            if key not in settings:
                raise _unknown_setting(spelled.name, key, settings)
        for key, text in self.model_args.items():
            if key in settings:
                self.taken.add(key)
                given.setdefault(key, text)
        return {key: self._typed(spelled.name, key, text, hints.get(key)) for key, text in given.items()}

    def _inside(
        self,
        spelled: Spelled,
        signature: Mapping[str, inspect.Parameter],
        settings: Mapping[str, inspect.Parameter],
        hints: Mapping[str, Any],
        values: dict[str, Any],
    ) -> list[Retriever]:
        """Retrievers written without a key: returned where any number is taken, else put into `values`."""
        inside = list(spelled.positional)
        if any(
            p.kind is p.VAR_POSITIONAL and _takes_retriever(hints.get(p.name)) for p in signature.values()
        ):
            return [self.build(part) for part in inside]
        places = [name for name in settings if name not in values and _takes_retriever(hints.get(name))]
        if len(inside) > len(places):
            unplaced = inside[len(places)].name
            raise UsageError(
                f"`{spelled.name}` takes no `{unplaced}` without the name of a setting",
                f"write KEY={unplaced}, KEY one of {', '.join(settings) or '(it has no settings)'}",
            )
        values |= {name: self.build(part) for name, part in zip(places, inside, strict=False)}
        return []

    def _typed(self, name: str, key: str, text: str, hint: Any) -> Any:
        if _takes_retriever(hint):
            return self.build(read_spelling(text))
        try:
            return _value_of(text, hint)
        except ValueError as error:
            hint = "write it as " + _example(key, hint)
            raise UsageError(f"`{key}` of `{name}` must be {error}, not `{text}`", hint) from error


def _canonical(
    name: str,
    several: Sequence[Retriever],
    values: Mapping[str, Any],
    settings: Mapping[str, inspect.Parameter],
) -> str:
    """The spelling with settings in the order of the signature and those at their defaults left out."""
    changed = {
        key: Inside(values[key].name) if hasattr(values[key], "settings") else values[key]
        for key, parameter in settings.items()
        if key in values and values[key] != parameter.default
    }
    return spell(name, [part.name for part in several], changed)


def _factory(name: str) -> tuple[Any, dict[str, Any]]:
    """What makes the retriever of a name, and the arguments that the name itself holds."""
    prefix, colon, rest = name.partition(":")
    if name in BUILT_IN and not colon:
        return _attribute(BUILT_IN[name].target), {}
    if name in catalog():
        return _attribute(CATALOG_TARGETS[catalog()[name].family]), {"model": name}
    if name in hub_catalog():
        return _attribute(HUB_TARGETS[hub_catalog()[name].family]), {"model": name}
    for pattern, entry in BUILT_IN.items():
        head, placeholder_colon, placeholder = pattern.rpartition(":")
        if placeholder_colon and name.startswith(f"{head}:"):
            given = name.removeprefix(f"{head}:")
            if not given:
                raise UsageError(f"`{head}:` needs {entry.needs}", f"for example `{entry.example}`")
            return _attribute(entry.target), {placeholder.lower(): given}
    if colon:
        return _users_own(name, prefix, rest), {}
    if name in _plugins():
        return _plugins()[name].load(), {}
    if os.path.exists(name):  # such as what a shell made of `--on sets/*`
        raise UsageError(
            f"`{name}` is a path, not a retriever", f"name every task with its own option: `--on {name}`"
        )
    raise UnknownName("retriever", name, [entry.name for entry in known()], LISTING)


def _attribute(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _users_own(name: str, module_name: str, attribute: str) -> Any:
    """A class, function or instance in a module of the user, which may lie in the current directory."""
    try:
        with _current_folder_first():
            made = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the module is there and lacks something itself
        raise UsageError(
            f"`{name}`: there is no module `{module_name}` here or among the installed packages",
            f"a retriever of your own is a class in `{module_name.replace('.', '/')}.py` in this folder; "
            f"others are listed by `{LISTING}`",
        ) from error
    except ValueError as error:  # such as an empty name
        raise UsageError(f"`{name}` is not of the form module:attribute", EXAMPLES) from error
    for part in attribute.split("."):
        if not hasattr(made, part):
            near = nearest(part, [public for public in vars(made) if not public.startswith("_")])
            hint = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else None
            raise UsageError(f"`{name}`: `{module_name}` has no `{part}`", hint)
        made = getattr(made, part)
    return made


@contextmanager
def _current_folder_first() -> Iterator[None]:
    """The current folder comes first while a module is imported, and last afterwards.

    First, so that the user's module is found; last, so that what it imports later is found too, yet no file
    that happens to lie there hides a module that hakari imports later.
    """
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def _checked(made: Any, name: str, spelling: str) -> Retriever:
    from hakari.retrievers.base import Retriever

    if not isinstance(made, Retriever):
        raise UsageError(
            f"`{name}` gives {type(made).__name__}, which is no retriever",
            "subclass hakari.retrievers.base.Retriever",
        )
    if not getattr(made, "name", None):
        made.name = spelling
    return made


def _signature(made: Callable[..., Any]) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any]]:
    parameters = inspect.signature(made).parameters
    function = made.__init__ if inspect.isclass(made) else made  # type: ignore[misc]
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError):  # annotations that only a type checker can resolve
        hints = {name: parameter.annotation for name, parameter in parameters.items()}
    return _unpacked(parameters, hints)


def _unpacked(
    parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]
) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any]]:
    """`**settings: Unpack[SomeTypedDict]` as one parameter for each of its keys, which may all be left out."""
    found, typed = dict(parameters), dict(hints)
    for name, parameter in parameters.items():
        hint = hints.get(name)
        if parameter.kind is parameter.VAR_KEYWORD and typing.get_origin(hint) is typing.Unpack:
            del found[name]
            keys = typing.get_type_hints(typing.get_args(hint)[0])
            typed |= keys
            found |= {key: inspect.Parameter(key, parameter.KEYWORD_ONLY, default=None) for key in keys}
    return found, typed


def _is_keyword(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def _takes_retriever(hint: Any) -> bool:
    from hakari.retrievers.base import Retriever

    return any(inspect.isclass(kind) and issubclass(kind, Retriever) for kind in _alternatives(hint))


def _alternatives(hint: Any) -> Iterator[Any]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        for inner in typing.get_args(hint):
            yield from _alternatives(inner)
    else:
        yield hint


def _example(key: str, hint: Any) -> str:
    """How a setting of a type is written."""
    for kind in _alternatives(hint):
        if typing.get_origin(kind) is typing.Literal:
            return f"`{key}={typing.get_args(kind)[0]}`"
        if kind in (bool, int, float):
            value = {bool: "true", int: "10", float: "0.5"}[kind]
            return f"`{key}={value}`"
    return f"`{key}=VALUE`"


def _value_of(text: str, hint: Any) -> Any:
    """A text as the type that a setting is annotated with; a ValueError says what it must be."""
    wanted, word = [], text.strip()
    for kind in _alternatives(hint):
        if kind is type(None):
            if word.lower() == "none":
                return None
        elif typing.get_origin(kind) is typing.Literal:
            choices = {str(choice): choice for choice in typing.get_args(kind)}
            if word in choices:
                return choices[word]
            wanted.append(f"one of {', '.join(choices)}")
        elif kind is bool:
            flags = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
            if word.lower() in flags:
                return flags[word.lower()]
            wanted.append("true or false")
        elif kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                wanted.append("a whole number" if kind is int else "a number")
        else:
            return text
    raise ValueError(" or ".join(wanted) or "a value")


def _unknown_setting(name: str, key: str, settings: Mapping[str, Any]) -> UsageError:
    accepted = ", ".join(settings)
    near = nearest(key, settings, count=1)
    guess = f"Did you mean `{near[0]}`? " if near else ""
    return UsageError(
        f"`{name}` has no setting `{key}`",
        f"{guess}`{name}` takes {accepted}" if accepted else f"`{name}` takes no settings at all",
    )
