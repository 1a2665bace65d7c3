"""Doctor speaks of what the package really asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from hakari.cli.doctor import CORE, EXTRAS

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", r)[0] for r in requirements}


def test_the_core_is_what_the_package_depends_on() -> None:
    assert set(CORE) == names(PROJECT["dependencies"])


def test_extras_exist_and_hold_what_doctor_says() -> None:
    for extra, (_, packages) in EXTRAS.items():
        assert set(packages) <= names(PROJECT["optional-dependencies"].get(extra, []))
