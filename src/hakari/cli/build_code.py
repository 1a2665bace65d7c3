"""`hakari build code` and `hakari build docs`: a nano set from sources, or from pages about them."""

from __future__ import annotations

from typing import Any

import click

from hakari.cli import options
from hakari.cli.build_shared import FILE, seed_option, tell


@click.command("code")
@click.argument("place", metavar="[PATH|PACKAGE]", required=False)
@click.option("--stdlib", is_flag=True, help="The standard library of this Python.")
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="LANG",
    help="Read only this language; may be repeated. Default: all of a PATH, Python of a PACKAGE.",
)
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, metavar="N")
@click.option("--documents", type=click.IntRange(1), default=2_000, show_default=True, metavar="N")
@seed_option
@click.option("--name", required=True, metavar="NanoX", help="What the set is called.")
@click.option("--out", type=FILE, metavar="DIR", help="Folder of the set; default: its name, here.")
@options.as_json
def code(
    place: str | None,
    stdlib: bool,
    languages: tuple[str, ...],
    queries: int,
    documents: int,
    seed: int,
    as_json: bool,
    **named: Any,
) -> None:
    """Code in up to six shapes: documentation to function and back, completion, reference, tests, pages.

    PATH is a folder or a file, PACKAGE an installed package; nothing of it is imported or run. Python is read
    as it is; JavaScript, TypeScript, Java, Go, Rust, C and C++ with the extra `code`.
    """
    from hakari.errors import UsageError
    from hakari.nano.build import Target, build_from_code

    if stdlib == (place is not None):
        raise UsageError("name one source of code", "give a PATH, an installed PACKAGE, or `--stdlib`")
    if stdlib and languages:
        raise UsageError("the standard library is Python alone", "leave out `--language`")
    tell(build_from_code(place, Target(**named), queries, documents, seed, languages), as_json)


@click.command("docs")
@click.argument("place", metavar="PATH")
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, metavar="N")
@click.option("--documents", type=click.IntRange(1), default=2_000, show_default=True, metavar="N")
@seed_option
@click.option("--name", required=True, metavar="NanoX", help="What the set is called.")
@click.option("--out", type=FILE, metavar="DIR", help="Folder of the set; default: its name, here.")
@options.as_json
def docs(place: str, queries: int, documents: int, seed: int, as_json: bool, **named: Any) -> None:
    """Headings to sections, of Markdown and reStructuredText.

    PATH is a folder of pages or one page. `hakari build code` makes the same task of the pages beside the code.
    """
    from hakari.nano.build import Target, build_from_docs

    tell(build_from_docs(place, Target(**named), queries, documents, seed), as_json)
