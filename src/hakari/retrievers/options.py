"""Settings that several retrievers share, as the fields of one dataclass."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar

Made = TypeVar("Made")


def takes(kind: type) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Give a function the fields of a dataclass as settings; it receives them as one argument, `options`.

    The registry reads what a retriever takes from its signature, so the fields can be spelt in brackets like
    any other setting.
    """

    def wrap(function: Callable[..., Made]) -> Callable[..., Made]:
        # What the class itself declares comes first; what it inherits is common to several.
        declared = sorted(fields(kind), key=lambda field: field.name not in kind.__annotations__)
        hints, names = typing.get_type_hints(kind), [field.name for field in declared]

        @functools.wraps(function)
        def made(**given: Any) -> Made:
            options = kind(**{name: given.pop(name) for name in names if name in given})
            return function(**given, options=options)

        own = inspect.signature(function).parameters
        listed = [parameter for name, parameter in own.items() if name != "options"]
        for field in declared:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            listed.append(inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default))
        made.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        of_function = {k: v for k, v in typing.get_type_hints(function).items() if k != "options"}
        made.__annotations__ = {**of_function, **{name: hints[name] for name in names}}
        return made

    return wrap
